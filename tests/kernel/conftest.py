"""One kernel for all tests that leave it healthy, which is looked at after each."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from typing import Any

import pytest

from tests.kernel.client import Execution, Kernel


@dataclass
class Driven:
    """A kernel in which pieces of code run through one of the executors."""

    kernel: Kernel
    how: str

    def cell(self, session: str) -> str:
        """The cell that lends its thread to `session`, an expression, and reports the outcome."""
        return f"driver.tell({'await ' * (self.how == 'awaited')}driver.{self.how}({session}))"

    def run(self, session: str, **options: Any) -> tuple[Any, Execution]:
        """The outcome of `session`, and what the front end saw."""
        execution = self.kernel.run(self.cell(session), **options)
        return outcome(execution), execution

    def codes(self, *pieces: str, timeout_seconds: float | None = None, **options: Any) -> list[Any]:
        """Reports on pieces of code, run one after the other in one cell."""
        pieces = tuple(textwrap.dedent(piece) for piece in pieces)
        return self.run(f"driver.codes(*{pieces!r}, timeout_seconds={timeout_seconds!r})", **options)[0]

    def code(self, code: str, **options: Any) -> Any:
        """The report on one piece of code."""
        return self.codes(code, **options)[0]


def outcome(execution: Execution) -> Any:
    text = execution.text()
    assert "REPORT" in text, (execution.errors, text, execution.text("stderr"))
    return json.loads(text.split("\nREPORT", 1)[1].splitlines()[0])


@pytest.fixture(scope="session")
def shared_kernel():
    with Kernel() as kernel:
        started = kernel.run("import tests.kernel.driver as driver")
        assert started.status == "ok", started.errors
        yield kernel


@pytest.fixture(params=["awaited", "blocking"])
def driven(request, shared_kernel):
    yield Driven(shared_kernel, request.param)
    shared_kernel.check_health()


@pytest.fixture
def driven_by_await(shared_kernel):
    yield Driven(shared_kernel, "awaited")
    shared_kernel.check_health()
