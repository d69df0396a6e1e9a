"""Code that a stop must not cut in two.

Owns which functions those are and the stop that waits for their end. A stop is an exception raised
between any two instructions; in a sink that holds a lock it would leave the lock held for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

deferred: list[Callable[[], None]] = []
"""The stop that waits, if one does. Shielded functions that end often look here and `catch_up`."""


def shielded(function: F) -> F:
    """`function`, during which code is not stopped but right after it.

    For what the person's code calls unknowingly and what may hold a lock, as a sink does.
    """
    _SHIELDED.add(function.__code__)
    return function


def is_shielded(frame: FrameType | None) -> bool:
    """Whether `frame` lies in a shielded function, or a little below one."""
    for _ in range(_DEPTH):
        if frame is None:
            return False
        if frame.f_code in _SHIELDED:
            return True
        frame = frame.f_back
    return False


def catch_up() -> None:
    """Stop now, where a stop waits and this is the thread it is meant for."""
    if threading.current_thread() is threading.main_thread():
        while deferred:
            deferred.pop()()


_SHIELDED: set[CodeType] = set()
_DEPTH = 16
"""How far below a shielded function a stop may find the stack; sinks are not deeper."""
