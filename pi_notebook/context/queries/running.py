"""A query that runs on a thread of its own, so that whoever waits for it can stop it."""

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
    """`work` on a thread, from the start; `interrupt` ends what it does at that moment."""

    def __init__(self, work: Callable[[], T], *, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._future: concurrent.futures.Future[T] = concurrent.futures.Future()
        self._is_over = threading.Event()
        threading.Thread(target=self._run, args=(work,), name="pi-notebook-query", daemon=True).start()

    def wait(self, timeout_seconds: float) -> T:
        """What `work` gives, the calling thread held; what ends the waiting ends the query too.

        Raises `QueryStopped` when it takes longer.
        """
        try:
            for _ in range(int(timeout_seconds / _WAKE_SECONDS) + 1):
                # In short waits, so that a signal is seen.
                if self._is_over.wait(_WAKE_SECONDS):
                    return self._future.result()
            raise QueryStopped("The query took too long.")
        finally:
            if not self._is_over.is_set():
                self._stop()
                self._is_over.wait(_END_SECONDS)

    async def result(self) -> T:
        """What `work` gives; a cancelled wait ends the query too, without waiting for its end."""
        try:
            return await asyncio.wrap_future(self._future)
        except asyncio.CancelledError:
            self._stop()
            raise

    def _stop(self) -> None:
        threading.Thread(target=self._keep_interrupting, name="pi-notebook-query-stop", daemon=True).start()

    def _keep_interrupting(self) -> None:
        """One interrupt is not enough: it is lost between the parsing of a query and its run."""
        for _ in range(_MOST_INTERRUPTS):
            self._interrupt()
            if self._is_over.wait(_AGAIN_SECONDS):
                return

    def _run(self, work: Callable[[], T]) -> None:
        try:
            value = work()
        except BaseException as error:
            settle = functools.partial(self._future.set_exception, error)
        else:
            settle = functools.partial(self._future.set_result, value)
        # Where nobody waits any more, the future is cancelled.
        with contextlib.suppress(concurrent.futures.InvalidStateError):
            settle()
        self._is_over.set()
