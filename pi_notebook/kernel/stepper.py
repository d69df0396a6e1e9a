"""Driving a coroutine so that it is known when the person's code is on the stack."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from typing import Any, Generic, TypeVar

from pi_notebook.kernel.interrupts import Attempt, is_agents_code

T = TypeVar("T")


class Stepper(Generic[T]):
    """Await it for the coroutine's value. Between its steps an interrupt cancels what it waits for."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], attempt: Attempt) -> None:
        self._coroutine = coroutine
        self._attempt = attempt
        attempt.task = _current_task()

    def __await__(self) -> Generator[Any, Any, T]:
        steps = self._coroutine.__await__()
        value: Any = None
        error: BaseException | None = None
        token = is_agents_code.set(True)
        try:
            while True:
                with self._attempt.running():
                    is_over, outcome = _advance(steps, value, error)
                if is_over:
                    result: T = outcome
                    return result
                value, error = None, None
                try:
                    self._attempt.cancel_wait = self._cancel_soon
                    value = yield outcome
                except BaseException as thrown:  # handed on to the code, which may be waiting for it
                    error = thrown
                finally:
                    self._attempt.cancel_wait = None
        finally:
            is_agents_code.reset(token)
            self._coroutine.close()

    def _cancel_soon(self) -> None:
        """Cancel what the task waits for, from a signal handler: its loop may be asleep."""
        task = self._attempt.task
        if task is not None:
            task.get_loop().call_soon_threadsafe(task.cancel)


def _current_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs
        return None


def _advance(steps: Generator[Any, Any, Any], value: object, error: BaseException | None) -> tuple[bool, Any]:
    """Whether the coroutine is over, and its value or what it waits for."""
    try:
        return False, steps.send(value) if error is None else steps.throw(error)
    except StopIteration as end:
        return True, end.value
