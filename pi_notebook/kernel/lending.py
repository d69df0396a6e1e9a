"""Jobs for a main thread that a cell lends to a run on another thread.

Owns the queue of jobs, their cancelling and what becomes of them when the lending ends. How the
lending thread waits for the next job is what the two executors differ in.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Generic, TypeVar

from pi_notebook.errors import CodeTimeoutError, KernelError, NoKernelError
from pi_notebook.kernel.calls import NO_SINK
from pi_notebook.kernel.capture import Capture
from pi_notebook.kernel.guards import Guards
from pi_notebook.kernel.interrupts import Attempt, Interrupts
from pi_notebook.kernel.outputs import CellResult, OutputSink
from pi_notebook.kernel.prompt import read_line
from pi_notebook.kernel.runner import CodeRunner
from pi_notebook.kernel.shown_value import ShownValues

T = TypeVar("T")
L = TypeVar("L", bound="LentThread")

STOP_SECONDS = 1.0
"""How long a run may take to end after an interrupt, before the cell goes on without it."""
_INSIST_SECONDS = 0.1


class Job(Generic[T]):
    """Something to do on the main thread, and the future its caller waits for."""

    def __init__(
        self,
        work: Callable[[Attempt], Coroutine[Any, Any, T]],
        *,
        timeout_seconds: float | None = None,
        code: str | None = None,
    ) -> None:
        self.work = work
        self.timeout_seconds = timeout_seconds
        self.code = code
        """The code that is run, if it is code."""
        self.future: concurrent.futures.Future[T] = concurrent.futures.Future()
        self.attempt: Attempt | None = None


class LentThread:
    """What both executors of a cell share: `CodeExecutor` for the run, a queue for the cell.

    While it is entered, interrupts are the run's: from before the run begins until the cell has drawn
    its end, none cuts in two what the cell does.

    Parameters
    ----------
    shell
        The shell whose cell lends its thread.
    on_interrupt
        Called for an interrupt, also from the signal handler, and again until the run has ended: the
        run may not have begun when it came.
    """

    def __init__(self, shell: Any, *, on_interrupt: Callable[[], None]) -> None:
        self.shell = shell
        self.interrupts = Interrupts(self._on_interrupt)
        self.runner = CodeRunner(shell, self.interrupts)
        self._values = ShownValues(shell)
        self._report_interrupt = on_interrupt
        self._jobs: deque[Job[Any]] = deque()
        self._lock = threading.Lock()
        self._wake: Callable[[], None] | None = None
        self._is_over = False
        self._free_since = 0.0

    def __enter__(self: L) -> L:
        self.interrupts.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.interrupts.__exit__(kind, error, trace)

    async def run_code(
        self, code: str, sink: OutputSink, *, timeout_seconds: float | None = None
    ) -> CellResult:
        """Run `code` as a cell would be; see `CodeExecutor`."""

        async def work(attempt: Attempt) -> CellResult:
            return self._values.show(await self.runner.run(code, sink, attempt))

        return await self._submit(Job(work, timeout_seconds=timeout_seconds, code=code))

    async def call(self, function: Callable[[], T], *, timeout_seconds: float) -> T:
        """Call `function` on the main thread; see `CodeExecutor`."""

        async def work(attempt: Attempt) -> T:
            return call_under(self.shell, function, attempt, timeout_seconds=timeout_seconds)

        return await self._submit(Job(work, timeout_seconds=timeout_seconds))

    async def ask(self, prompt: str) -> str | None:
        """The line the person types; see `CodeExecutor`. None as well when they interrupt."""

        async def work(attempt: Attempt) -> str | None:
            return self._read_line(prompt, attempt)

        return await self._submit(Job(work))

    async def _submit(self, job: Job[T]) -> T:
        self._post(job)
        try:
            return await asyncio.wrap_future(job.future)
        except asyncio.CancelledError:
            if not job.future.cancel() and job.attempt is not None:
                self.interrupts.stop(job.attempt, "withdrawn")
            raise

    def _post(self, job: Job[Any]) -> None:
        with self._lock:
            if self._is_over:
                raise NoKernelError("No cell lends the kernel's main thread any more; run an agent cell.")
            self._jobs.append(job)  # also before the cell has begun to lend
            if self._wake is not None:
                self._wake()

    def _read_line(self, prompt: str, attempt: Attempt) -> str | None:
        """The person's line; None where nobody can answer, and when they interrupt instead."""
        try:
            with attempt.running():
                return read_line(self.shell, prompt)
        except KeyboardInterrupt:
            if attempt.stopped is None:  # the prompt itself noticed
                self._on_interrupt()
            return None

    def _on_interrupt(self) -> None:
        """From the signal handler: tell the run, and let the waiting thread look at the time."""
        self._report_interrupt()
        if self._wake is not None:
            self._wake()

    def _open(self, wake: Callable[[], None], run: concurrent.futures.Future[Any]) -> None:
        """Take jobs from now on. `wake` is called from other threads and from a signal handler."""
        if threading.current_thread() is not threading.main_thread():
            self._close()
            raise NoKernelError("An agent cell needs the kernel's main thread; run it outside a subshell.")
        self._free_since = time.monotonic()
        with self._lock:
            self._wake, self._is_over = wake, False
        run.add_done_callback(self._on_done)

    def _on_done(self, run: concurrent.futures.Future[Any]) -> None:
        with self._lock:
            if self._wake is not None:
                self._wake()

    def _close(self, run: concurrent.futures.Future[Any] | None = None) -> None:
        """Take no more jobs; those not begun never run, and a run that has not ended is cancelled."""
        if run is not None:
            run.cancel()
        with self._lock:
            self._wake, self._is_over = None, True
            left, self._jobs = self._jobs, deque()
        for job in left:
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(NoKernelError("The cell ended before this could run."))

    def _next(self) -> Job[Any] | None:
        """The next job whose caller still waits. After a stop that took too long, KeyboardInterrupt."""
        if self._seconds_left() == 0:
            raise KeyboardInterrupt
        if self.interrupts.last_at is not None:
            self._report_interrupt()
        while self._jobs:
            job = self._jobs.popleft()
            if job.future.set_running_or_notify_cancel():
                return job
        return None

    def _pause_seconds(self) -> float | None:
        """How long to wait for something to do; None for as long as it likes."""
        left = self._seconds_left()
        return None if left is None else min(left, _INSIST_SECONDS)

    def _seconds_left(self) -> float | None:
        """How long the run may take to end; None for as long as it likes."""
        if self.interrupts.last_at is None:
            return None
        since = max(self.interrupts.last_at, self._free_since)
        return max(0.0, since + STOP_SECONDS - time.monotonic())

    def _finish(self, job: Job[T], result: T | None, error: BaseException | None) -> None:
        self._free_since = time.monotonic()
        if error is None:
            job.future.set_result(result)  # type: ignore[arg-type]
        elif isinstance(error, Exception):
            job.future.set_exception(error)
        else:
            # Neither an interrupt nor an exit may reach the loop that waits for the future.
            job.future.set_exception(KernelError(f"The call was ended by {type(error).__name__}."))


def call_under(shell: Any, function: Callable[[], T], attempt: Attempt, *, timeout_seconds: float) -> T:
    """What `function` gives or raises, or why it was stopped.

    It may look at objects of the person's, whose methods may do what code does; what they put out is
    dropped, since nobody asked them to.
    """
    try:
        with Guards(shell), Capture(shell, NO_SINK), attempt.running():
            result = function()
    except BaseException as error:
        if attempt.stopped is None and isinstance(error, Exception):
            raise
        _raise_stopped(attempt, timeout_seconds, error)
    return result


def _raise_stopped(attempt: Attempt, timeout_seconds: float, error: BaseException) -> None:
    if attempt.stopped == "timeout":
        text = f"The call did not end within {timeout_seconds:g} s and was interrupted."
        raise CodeTimeoutError(text, timeout_seconds=timeout_seconds) from None
    how = "an interrupt" if attempt.stopped is not None else type(error).__name__
    raise KernelError(f"The call was ended by {how}.") from None
