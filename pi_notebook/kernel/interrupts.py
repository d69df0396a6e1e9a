"""What an interrupt does while a run borrows the main thread.

Owns the SIGINT handler, deadlines and stops asked for by other threads; all three end code the same
way. The kernel's own handler cannot stop blocking code in a cell that awaits, and cancels an await
only when its loop next wakes (`await asyncio.sleep(15)` ran 15 s). What a stopped piece of code
means for the run is left to the callback and to those who look at `Attempt.stopped`.
"""

from __future__ import annotations

import _thread
import asyncio
import contextlib
import contextvars
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from types import FrameType, TracebackType
from typing import Any, Literal

from pi_notebook.kernel.forks import leave_child
from pi_notebook.kernel.shield import deferred, is_shielded

Cause = Literal["interrupted", "timeout", "withdrawn"]
Request = Literal["timeout", "withdrawn", "deferred"]


is_agents_code: contextvars.ContextVar[bool] = contextvars.ContextVar("is_agents_code", default=False)
"""True in the context of the agent's code and of the tasks it makes."""


class Attempt:
    """A piece of the person's code on the main thread, and whether it was stopped."""

    def __init__(self, parent: Attempt | None = None) -> None:
        self.parent = parent
        self.stopped: Cause | None = None
        self.cancel_wait: Callable[[], object] | None = None
        """Cancels the await the code is in; None while it is in none."""
        self.is_active = False
        """Whether the code is on the stack right now."""
        self.task: asyncio.Task[Any] | None = None
        """The task that the code runs in, if in one."""
        self.is_over = False
        self.stops = 0

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """The time the code is on the stack. What it raises comes out as it is.

        A child that the code forked ends here.
        """
        pid = os.getpid()
        try:
            self.is_active = True
            yield
        finally:
            self.is_active = False
            _stop_tracing()
            if os.getpid() != pid:
                leave_child(sys.exc_info()[1])

    def belongs_to(self, other: Attempt) -> bool:
        """Whether this is `other` or a part of it."""
        return self is other or (self.parent is not None and self.parent.belongs_to(other))


class Interrupts:
    """The SIGINT handler of a run. Use as a context manager, also within itself, on one thread.

    `on_interrupt` is called from the signal handler for each interrupt by the person, whatever is
    going on; it must return at once and not raise.
    """

    def __init__(self, on_interrupt: Callable[[], None]) -> None:
        self._on_interrupt = on_interrupt
        self._attempt: Attempt | None = None
        self._requests: deque[tuple[Attempt, Request]] = deque()
        self._lock = threading.Lock()
        self._previous: Any = None
        self._depth = 0
        self._thread_id = 0
        self.last_at: float | None = None
        """When the person last interrupted since this was entered, by the monotonic clock."""

    def __enter__(self) -> Interrupts:
        self._depth += 1
        if self._depth > 1:
            return self
        self._thread_id = threading.get_ident()
        self.last_at = None
        if threading.current_thread() is threading.main_thread():
            self._previous = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth == 0 and threading.current_thread() is threading.main_thread():
            time.sleep(0)  # a system call: a signal already sent arrives here, not in the next cell
            signal.signal(signal.SIGINT, self._previous if self._previous is not None else signal.SIG_DFL)

    def reinstall(self) -> bool:
        """Put the handler back after code that replaced it; whether it had been replaced."""
        if threading.current_thread() is not threading.main_thread():
            return False
        return bool(signal.signal(signal.SIGINT, self._on_signal) != self._on_signal)

    def stop(self, attempt: Attempt, cause: Request) -> None:
        """End `attempt` if it is still on. From any thread but the one that runs it."""
        with self._lock:
            if not attempt.is_over and not (cause == "withdrawn" and attempt.stopped is not None):
                self._requests.append((attempt, cause))
                self._send_signal()

    @contextlib.contextmanager
    def attempt(self, timeout_seconds: float | None = None) -> Generator[Attempt, None, None]:
        """A piece of code that is stopped by an interrupt, by `stop` and at its deadline.

        Only what happens under `Attempt.running`, or in an await with `cancel_wait` set, is ended.
        """
        attempt = Attempt(self._attempt)
        self._attempt = attempt
        deadline = None if timeout_seconds is None else _Deadline(timeout_seconds, self, attempt)
        try:
            yield attempt
        finally:
            with self._lock:
                attempt.is_over = True
            deferred.clear()
            if deadline is not None:
                deadline.cancel()
            self._attempt = attempt.parent

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        attempt = self._attempt
        if not self._requests:
            if attempt is not None:
                _mark(attempt, _root(attempt), "interrupted")
            self.last_at = time.monotonic()
            self._on_interrupt()
        elif not self._accept(*self._requests.popleft()):
            return
        if attempt is not None:
            self._end(attempt, frame)

    def _accept(self, target: Attempt, request: Request) -> bool:
        """Whether a stop asked for by another thread still has something to stop."""
        attempt = self._attempt
        if attempt is None or not attempt.belongs_to(target):
            return False
        if request == "deferred":
            return bool(deferred)
        _mark(attempt, target, request)
        return True

    def _end(self, attempt: Attempt, frame: FrameType | None) -> None:
        """End what the attempt is doing now; raises when it is on the stack."""
        if is_shielded(frame):
            deferred[:] = [lambda: self._raise(attempt, frame)]
            self._ask_again(attempt)
        else:
            deferred.clear()
            self._raise(attempt, frame)

    def _raise(self, attempt: Attempt, frame: FrameType | None) -> None:
        if attempt.is_active:
            attempt.stops += 1
            if attempt.stops > 1:
                _raise_at_next_line(frame)
            raise KeyboardInterrupt
        if _is_in_other_task(attempt):
            if attempt.cancel_wait is not None and attempt.task is not None:
                attempt.task.cancel()  # at once: the next task it waits for may block as well
            # Not KeyboardInterrupt: out of a task, that ends the kernel's loop.
            raise asyncio.CancelledError
        if attempt.cancel_wait is not None:
            attempt.cancel_wait()

    def _ask_again(self, attempt: Attempt) -> None:
        """Look again in a moment, by a bare thread: `threading` takes locks the code may hold."""

        def ask() -> None:
            time.sleep(_RETRY_SECONDS)
            if deferred:
                self.stop(attempt, "deferred")

        _thread.start_new_thread(ask, ())

    def _send_signal(self) -> None:
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(self._thread_id, signal.SIGINT)
        else:
            _thread.interrupt_main()


class _Deadline:
    """Stops an attempt at its time, and again for as long as it does not end."""

    def __init__(self, seconds: float, interrupts: Interrupts, attempt: Attempt) -> None:
        self._seconds = seconds
        self._interrupts = interrupts
        self._attempt = attempt
        self._cancelled = threading.Event()
        self._thread = threading.Thread(target=self._wait, name="pi-notebook-deadline", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Give up; no stop comes after this returns."""
        self._cancelled.set()
        self._thread.join(_INSIST_SECONDS)

    def _wait(self) -> None:
        pause = self._seconds
        while not self._cancelled.wait(min(pause, threading.TIMEOUT_MAX)):
            self._interrupts.stop(self._attempt, "timeout")
            pause = _INSIST_SECONDS


_RETRY_SECONDS = 0.002
_INSIST_SECONDS = 0.5


def _root(attempt: Attempt) -> Attempt:
    return attempt if attempt.parent is None else _root(attempt.parent)


def _mark(attempt: Attempt, target: Attempt, cause: Cause) -> None:
    """Mark `attempt`, and what it is a part of up to `target`, as stopped; the first cause stands."""
    part: Attempt | None = attempt
    while part is not None:
        part.stopped = part.stopped or cause
        part = part.parent if part is not target else None


def _is_in_other_task(attempt: Attempt) -> bool:
    """Whether what runs right now is a task that code of the agent made, not the attempt's own."""
    if attempt.task is None or not is_agents_code.get():
        return False
    current = asyncio.current_task()
    return current is not None and current is not attempt.task


def _raise_at_next_line(frame: FrameType | None) -> None:
    """Raise once more where the code would go on, as in an `except BaseException: pass`.

    Not under a debugger, which has the trace function.
    """
    if sys.gettrace() is not None:
        return

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    while frame is not None and frame.f_code not in _OWN:
        frame.f_trace = trace
        frame = frame.f_back
    sys.settrace(trace)
    global _is_tracing
    _is_tracing = True


def _stop_tracing() -> None:
    global _is_tracing
    if _is_tracing:
        sys.settrace(None)
        _is_tracing = False


_is_tracing = False
_OWN = {Attempt.running.__wrapped__.__code__}  # type: ignore[attr-defined]
