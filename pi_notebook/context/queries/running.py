"""A query while it runs, so that whoever waits for it can stop it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from pi_notebook.context.queries.problems import QueryStopped

T = TypeVar("T")
_WAKE_SECONDS = 0.05
_END_SECONDS = 0.5
"""An interrupted query ends in milliseconds; what it reads is left alone until then."""
_AGAIN_SECONDS = 0.02
_MOST_INTERRUPTS = 1_000


class RunningQuery(Generic[T]):
    """One query, wherever it runs; `stop` ends it from any thread, also before it has begun."""

    def __init__(self) -> None:
        self._future: concurrent.futures.Future[T] = concurrent.futures.Future()
        self._interrupt: Callable[[], None] | None = None
        self._is_stopped = threading.Event()
        self._is_over = threading.Event()

    def run(self, work: Callable[[], T], *, interrupt: Callable[[], None]) -> None:
        """Do `work` on this thread; `interrupt` ends what it does at that moment."""
        self._interrupt = interrupt
        try:
            # After the line above: `stop` either finds what to interrupt or is seen here.
            if self._is_stopped.is_set():
                raise QueryStopped("The query was stopped.")
            value = work()
        except BaseException as error:
            settle = functools.partial(self._future.set_exception, error)
        else:
            settle = functools.partial(self._future.set_result, value)
        self._is_over.set()
        # Where nobody waits any more, the future is cancelled.
        with contextlib.suppress(concurrent.futures.InvalidStateError):
            settle()

    def start(self, work: Callable[[], T], *, interrupt: Callable[[], None]) -> None:
        """Do `work` on a thread of its own."""
        run = functools.partial(self.run, work, interrupt=interrupt)
        threading.Thread(target=run, name="pi-notebook-query", daemon=True).start()

    def hold(self, timeout_seconds: float) -> None:
        """Keep the calling thread until the query is over; what ends the waiting ends the query too."""
        try:
            for _ in range(int(timeout_seconds / _WAKE_SECONDS) + 1):
                # In short waits, so that a signal is seen.
                if self._is_over.wait(_WAKE_SECONDS):
                    return
        finally:
            if not self._is_over.is_set():
                self.stop()
                self._is_over.wait(_END_SECONDS)

    async def result(self) -> T:
        """What the query gave."""
        return await asyncio.wrap_future(self._future)

    def stop(self) -> None:
        """End the query, without waiting for its end."""
        if self._is_stopped.is_set():
            return
        self._is_stopped.set()
        if self._interrupt is not None and not self._is_over.is_set():
            stop = functools.partial(self._keep_interrupting, self._interrupt)
            threading.Thread(target=stop, name="pi-notebook-query-stop", daemon=True).start()

    def _keep_interrupting(self, interrupt: Callable[[], None]) -> None:
        """One interrupt is not enough: it is lost between the parsing of a query and its run."""
        for _ in range(_MOST_INTERRUPTS):
            interrupt()
            if self._is_over.wait(_AGAIN_SECONDS):
                return
