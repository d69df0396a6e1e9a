"""The executor of a cell that cannot await its run: a queue, drained on the spot."""

from __future__ import annotations

import concurrent.futures
import queue
from typing import Any, TypeVar

from pi_notebook.kernel.interrupts import Attempt
from pi_notebook.kernel.lending import Job, LentThread
from pi_notebook.kernel.loops import OwnLoop

T = TypeVar("T")


class BlockingCellExecutor(LentThread):
    """Runs code while the cell is inside `lend`.

    Code with a top-level await gets a loop of its own, on which the run's other pieces continue;
    what belongs to the kernel's loop cannot be awaited there.
    """

    def lend(self, run: concurrent.futures.Future[T]) -> T:
        """Serve jobs until `run` has ended, and give its result or raise what it raised.

        Raises KeyboardInterrupt when `run` does not end in time after an interrupt; it is cancelled
        then. No job runs once this has returned.
        """
        # SimpleQueue.put may be called from a signal handler while `get` is on the stack.
        tokens: queue.SimpleQueue[None] = queue.SimpleQueue()
        with self.interrupts, OwnLoop() as self._loop:
            self._open(lambda: tokens.put(None), run)
            try:
                while not run.done():
                    job = self._next()
                    if job is not None:
                        self._serve(job)
                    elif not run.done():
                        _wait(tokens, self._pause_seconds())
            finally:
                self._close(run)
        return run.result()

    def _serve(self, job: Job[Any]) -> None:
        result: Any = None
        failure: BaseException | None = None
        with self.interrupts.attempt(job.timeout_seconds) as job.attempt:
            try:
                result = self._drive(job, job.attempt)
            except BaseException as error:  # handed to the caller, whatever it is
                failure = error
        self._finish(job, result, failure)

    def _drive(self, job: Job[Any], attempt: Attempt) -> Any:
        coroutine = job.work(attempt)
        with attempt.running():
            needs_loop = job.code is not None and self.runner.needs_loop(job.code)
        if needs_loop:
            return self._loop.run(coroutine)
        try:
            coroutine.send(None)
        except StopIteration as end:
            return end.value
        coroutine.close()
        raise RuntimeError("Code without a top-level await waited for a loop.")


def _wait(tokens: queue.SimpleQueue[None], seconds: float | None) -> None:
    try:
        tokens.get(timeout=seconds)
    except queue.Empty:
        return
