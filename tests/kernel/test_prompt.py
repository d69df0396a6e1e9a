"""The input prompt, as the kernel and the terminal have it."""

import builtins
from types import SimpleNamespace

import pytest
from IPython.core.error import StdinNotImplementedError

from pi_notebook.kernel.prompt import read_line
from tests.patience import SOON


@pytest.fixture(params=["kernel", "terminal"])
def shell_that(request, monkeypatch):
    """A shell whose prompt does as it is told."""

    def make(answer):
        def read(prompt):
            if isinstance(answer, BaseException):
                raise answer
            return f"{prompt}{answer}"

        monkeypatch.setattr(builtins, "input", read)
        return SimpleNamespace(kernel=SimpleNamespace(raw_input=read) if request.param == "kernel" else None)

    return make


def test_the_line_is_what_was_typed(shell_that):
    assert read_line(shell_that("yes"), "sure? ") == "sure? yes"


@pytest.mark.parametrize(
    "error",
    [StdinNotImplementedError("none here"), EOFError(), OSError(5, "lost"), RuntimeError("input(): lost")],
    ids=lambda error: type(error).__name__,
)
def test_where_nobody_can_answer_there_is_no_line(shell_that, error):
    assert read_line(shell_that(error), "sure? ") is None


def test_an_interrupt_comes_out(shell_that):
    with pytest.raises(KeyboardInterrupt):
        read_line(shell_that(KeyboardInterrupt()), "sure? ")


@pytest.mark.kernel
def test_asking_for_a_run_ends_alike_with_an_interrupt_and_without_stdin(driven):
    ask = "lambda executor: executor.ask('sure? ')"
    assert driven.run(ask, answers=["yes"])[0] == "yes"
    assert driven.run(ask)[0] is None
    driven.kernel.run(
        "import asyncio\nasync def asking(executor):\n    try:\n        return await executor.ask('sure? ')\n"
        "    except asyncio.CancelledError:\n        return 'stopped'"
    )
    interrupted = []

    def interrupt(message):
        if message["msg_type"] == "input_request" and not interrupted:
            interrupted.append(True)
            driven.kernel.interrupt()

    report, seen = driven.run("asking", answers=[], on_message=interrupt)
    assert report in (None, "stopped")
    assert seen.seconds < SOON
