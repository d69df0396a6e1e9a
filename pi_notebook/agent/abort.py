"""Stopping a run: one signal, given to the model, to tools and to hooks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class Aborted(Exception):  # noqa: N818 - stopping is not an error
    """The run was stopped while this was awaited. A run answers it; it never reaches the person."""


class AbortSignal:
    """Set once, from any thread; everything that waits under it ends at once.

    It belongs to the loop it is made in.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._set = False

    @property
    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        """Stop. Safe from any thread and from a signal handler; later calls do nothing."""
        self._set = True
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self) -> None:
        """Return when the signal is set."""
        await self._event.wait()

    async def guard(self, awaitable: Awaitable[T]) -> T:
        """The result of `awaitable`; when the signal is set first, it is cancelled and `Aborted` raised.

        Work that answers its cancellation with a result, within a moment, is not lost: the result
        counts. What does not end in that moment is left behind, so that a stop is never slower than
        the slowest tool.
        """
        work = asyncio.ensure_future(awaitable)
        stop = asyncio.ensure_future(self._event.wait())
        try:
            if not self._set:
                await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
            if work.done() and not work.cancelled():
                return work.result()
            work.cancel()
            await asyncio.wait({work}, timeout=GRACE_SECONDS)
            if work.done() and not work.cancelled() and work.exception() is None:
                return work.result()
            raise Aborted
        except asyncio.CancelledError:
            work.cancel()
            raise
        finally:
            stop.cancel()
            work.add_done_callback(_retrieve)


GRACE_SECONDS = 0.4
"""How long cancelled work may tidy up before the run goes on without it."""


def _retrieve(work: asyncio.Future[T]) -> None:
    """Look at an exception nobody is waiting for, so that asyncio does not print it."""
    if not work.cancelled():
        work.exception()
