"""Threads and tasks that calls leave running: whose they are, and what they write while no call is on.

Children that are left running write to the pipe of their call, which is `descriptors`'.
"""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections.abc import Iterable
from typing import Any

from pi_notebook.kernel.calls import current_call, thread_owners
from pi_notebook.kernel.late import LATE_SECONDS
from pi_notebook.kernel.swaps import Swaps


def tell_late(text: str) -> None:
    """Keep `text`, written here and now, where it belongs to a call that ended not long ago."""
    call = current_call.get() or thread_owners.get(threading.current_thread())
    if call is not None:
        call.tell_late(text)


def watch_threads(swaps: Swaps) -> None:
    """Know whose each thread is that begins until `swaps` are restored: that of whoever begins it."""
    start = threading.Thread.start

    @functools.wraps(start)
    def start_owned(thread: threading.Thread) -> None:
        thread_owners[thread] = current_call.get() or thread_owners.get(threading.current_thread())
        start(thread)

    swaps.set(threading.Thread, "start", start_owned)


def pending_tasks() -> set[asyncio.Task[Any]]:
    """The tasks of the loop that runs on this thread, if one does."""
    try:
        return {task for task in asyncio.all_tasks() if not task.done()}
    except RuntimeError:
        return set()


class LateWatch:
    """Listens to the kernel's streams after a call, for as long as something of one is still running."""

    def __init__(self) -> None:
        self._swaps = Swaps()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._until = 0.0
        self._stop = threading.Event()
        self._lock = threading.Lock()

    def suspend(self) -> None:
        """Step aside for a call, which sees what is written itself."""
        self._stop.set()
        with self._lock:
            self._swaps.restore()

    def resume(self, tasks: set[asyncio.Task[Any]], streams: Iterable[Any]) -> None:
        """Hear what is written to `streams`. `tasks` are those that the call left."""
        self._tasks = {task for task in self._tasks if not task.done()} | tasks
        if tasks or _left_threads():
            self._until = time.monotonic() + LATE_SECONDS
        if not self._is_needed():
            return
        self._stop = threading.Event()
        with self._lock:
            for stream in streams:
                if hasattr(stream, "echo"):
                    self._swaps.set(stream, "echo", _Echo(stream.echo))
        wait = threading.Thread(
            target=self._wait, args=(self._stop,), name="pi-notebook-late-output", daemon=True
        )
        wait.start()

    def _is_needed(self) -> bool:
        is_running = bool(_left_threads()) or not all(task.done() for task in self._tasks)
        return is_running and time.monotonic() < self._until

    def _wait(self, stop: threading.Event) -> None:
        while not stop.wait(_LOOK_SECONDS):
            if not self._is_needed():
                with self._lock:
                    if not stop.is_set():
                        self._swaps.restore()
                return


class _Echo:
    """Told what is written to a stream of the kernel, by the thread that writes.

    Not its `write`: IPython puts its own over that for the time of a cell, and puts back what stood
    there when the cell began.
    """

    def __init__(self, before: Any) -> None:
        self._before = before

    def write(self, text: str) -> None:
        tell_late(text)
        if self._before is not None:
            self._before.write(text)

    def flush(self) -> None:
        if self._before is not None:
            self._before.flush()


late_watch = LateWatch()
_LOOK_SECONDS = 0.2


def _left_threads() -> list[threading.Thread]:
    """Those that calls have begun and left running, and whose output would still be told."""
    owned = [(thread, thread_owners.get(thread)) for thread in threading.enumerate()]
    return [thread for thread, call in owned if call is not None and call.may_be_late]
