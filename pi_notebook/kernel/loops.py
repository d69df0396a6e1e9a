"""An event loop beneath code that is itself called from a running loop."""

from __future__ import annotations

import asyncio
from asyncio import events, tasks
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")


class OwnLoop:
    """A loop made when first needed. asyncio refuses a loop inside a loop, so the outer one is put aside."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def __enter__(self) -> OwnLoop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cancel what still runs on the loop, and close it."""
        if self._loop is None:
            return
        with _outer_loop_aside():
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            if left:
                self._loop.run_until_complete(asyncio.wait(left, timeout=_CLOSE_SECONDS))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
        self._loop = None

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The coroutine's value; tasks it leaves go on in the next `run`."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        with _outer_loop_aside():
            return self._loop.run_until_complete(coroutine)


_CLOSE_SECONDS = 1.0


@contextmanager
def _outer_loop_aside() -> Iterator[None]:
    """Hide the running loop and its current task from asyncio, which allows one of each a thread."""
    outer = events._get_running_loop()
    task = None if outer is None else asyncio.current_task(outer)
    if outer is not None and task is not None:
        tasks._leave_task(outer, task)
    events._set_running_loop(None)
    try:
        yield
    finally:
        events._set_running_loop(outer)
        if outer is not None and task is not None:
            tasks._enter_task(outer, task)
