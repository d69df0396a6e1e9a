"""Work that no signal reaches, done on a thread of its own while the one that asked waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from pi_notebook.context.previews.foreign import attempt

T = TypeVar("T")
_WAKE_SECONDS = 0.05
_END_SECONDS = 5.0


def run_beside(
    work: Callable[[], T],
    *,
    end: Callable[[], object] | None = None,
    thread_class: Any = threading.Thread,
) -> T:
    """What `work` gives. Whatever ends the waiting calls `end`; without one, the work is left to itself."""
    outcome: Future[T] = Future()
    is_over, is_unwanted = threading.Event(), threading.Event()

    def run() -> None:
        try:
            if not is_unwanted.is_set():
                outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)
        finally:
            is_over.set()

    thread = thread_class(target=run)
    thread.daemon = True
    try:
        # An interrupt may come while the thread starts, which it then does nevertheless.
        thread.start()
        while not is_over.wait(_WAKE_SECONDS):
            pass
    finally:
        is_unwanted.set()
        if end is not None and not is_over.is_set():
            _end(is_over, end)
    return outcome.result()


def _end(is_over: threading.Event, end: Callable[[], object]) -> None:
    """End it again and again until that is seen: what is to be ended may be about to begin."""
    for _ in range(int(_END_SECONDS / _WAKE_SECONDS)):
        attempt(end, None)
        if is_over.wait(_WAKE_SECONDS):
            return
