"""The executor of a cell that awaits its run."""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from typing import Any, TypeVar

from pi_notebook.errors import NoKernelError
from pi_notebook.kernel.lending import STOP_SECONDS, Job, LentThread

T = TypeVar("T")


class AwaitedCellExecutor(LentThread):
    """Runs code on the loop of the cell that awaits `lend`; tasks of the person go on meanwhile."""

    async def lend(self, run: concurrent.futures.Future[T]) -> T:
        """Serve jobs until `run` has ended, and give its result or raise what it raised.

        Raises KeyboardInterrupt when `run` does not end in time after an interrupt; it is cancelled
        then. No job runs once this has returned.
        """
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            loop.call_soon_threadsafe(woken.set)

        with self.interrupts:
            self._open(wake, run)
            try:
                while not run.done():
                    woken.clear()
                    job = self._next()
                    if job is not None:
                        await self._serve(job)
                    elif not run.done():
                        await _wait(woken, self._pause_seconds())
            except asyncio.CancelledError:  # the kernel's own way to interrupt, while its handler stood
                self._close()
                await self._stopped(run)
                raise
            finally:
                self._close(run)
        return run.result()

    async def _stopped(self, run: concurrent.futures.Future[Any]) -> None:
        """Stop the run; it has a moment to end by itself."""
        self.interrupts.last_at = time.monotonic()
        while not run.done() and self._seconds_left():
            self._report_interrupt()
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _serve(self, job: Job[Any]) -> None:
        with self.interrupts.attempt(job.timeout_seconds) as job.attempt:
            task = asyncio.ensure_future(job.work(job.attempt))
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                task.cancel()
                await asyncio.wait({task}, timeout=STOP_SECONDS)  # it puts back what it replaced
                self._finish(job, None, NoKernelError("The cell was cancelled while this ran."))
                raise
        if task.cancelled():
            self._finish(job, None, asyncio.CancelledError())
        else:
            error = task.exception()
            self._finish(job, None if error else task.result(), error)


_PAUSE_SECONDS = 0.02


async def _wait(woken: asyncio.Event, seconds: float | None) -> None:
    try:
        await asyncio.wait_for(woken.wait(), seconds)
    except asyncio.TimeoutError:
        return
