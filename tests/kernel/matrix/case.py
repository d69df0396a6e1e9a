"""A case of the matrix as data: code that the agent runs, and exactly what must come of it."""

from __future__ import annotations

import textwrap
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import pytest

How = Literal["awaited", "blocking"]


@dataclass(frozen=True, kw_only=True)
class Reads:
    """One call of the agent's, and what the model reads of it."""

    code: str
    exactly: str | None = None
    """The whole; where it is None and there are no `parts`, the family's golden file has it."""
    parts: tuple[str, ...] = ()
    """In this order, where the rest is not ours to word."""
    without: tuple[str, ...] = ()
    is_error: bool = False

    @property
    def is_golden(self) -> bool:
        return self.exactly is None and not self.parts

    def check(self, text: str, is_error: bool) -> None:
        assert is_error == self.is_error, text
        if self.exactly is not None:
            assert text == self.exactly, (text, self.exactly)
        position = 0
        for part in self.parts:
            found = text.find(part, position)
            assert found >= 0, (part, text)
            position = found + len(part)
        assert not [part for part in self.without if part in text], text
        assert len(text.encode()) < 60_000


def reads(
    code: str, exactly: str | None = None, *parts: str, is_error: bool = False, without: tuple[str, ...] = ()
) -> Reads:
    """One piece of code, dedented, and what the model reads of it: the whole, or parts in their order."""
    code = textwrap.dedent(code).strip("\n")
    return Reads(code=code, exactly=exactly, parts=parts, is_error=is_error, without=without)


def fails(code: str, exactly: str | None = None, *parts: str) -> Reads:
    """The same where the call is an error."""
    return reads(code, exactly, *parts, is_error=True)


ON = reads("print('on')", "on")
"""A call after the one in question, of the same run."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """What the agent runs, one call after the other in one run, in a kernel that others use too."""

    id: str
    calls: tuple[Reads, ...]
    before: str = ""
    """A cell of the person's."""
    after: str = ""
    """A cell that takes back what is the person's to take back, before the kernel is looked at."""
    shows: tuple[str, ...] = ()
    """What the person sees below their cell, somewhere in it."""
    leaks: str = ""
    """Text of the cell's own streams; empty unless it says what was left out of a call."""
    seconds: float = 20.0
    """How long all of it may take, on a machine that does other things too."""
    how: tuple[How, ...] = ("awaited",)
    is_chosen: bool = False
    """Whether it is one of those that run on an older kernel as well."""


def case(id: str, *calls: Reads, **fields: object) -> Case:
    return Case(id=id, calls=calls, **fields)  # type: ignore[arg-type]


BOTH: tuple[How, ...] = ("awaited", "blocking")


def matrix(cases: Iterable[Case]) -> pytest.MarkDecorator:
    """Parametrises a test of `case` and `how`, one for each way a case is run.

    The chosen ones and half of the rest run always, all of them with the soak.
    """
    params = []
    for found in cases:
        for how in found.how:
            marks = [pytest.mark.chosen] if found.is_chosen and how == "awaited" else []
            if not found.is_chosen and (how == "blocking" or zlib.crc32(found.id.encode()) % 2):
                marks = [pytest.mark.soak]
            params.append(pytest.param(found, how, id=f"{found.id}-{how}", marks=marks))
    return pytest.mark.parametrize(("case", "how"), params)
