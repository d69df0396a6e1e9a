"""What belongs to the whole process and outlives the code that changes it.

Owns what of it is put back after code of the agent, since the kernel or the next run would fail on
it: hooks, builtins, functions everything lives on, timers and blocked signals. The rest is the
person's business as much as the code's; a change that others would stumble over is told.
"""

from __future__ import annotations

import builtins
import json
import os
import pathlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

_HOOKS: tuple[tuple[ModuleType, str], ...] = (
    (sys, "excepthook"),
    (sys, "unraisablehook"),
    (threading, "excepthook"),
)
_VITAL: tuple[tuple[ModuleType | type, str], ...] = (
    *((json, name) for name in ("dumps", "loads", "JSONEncoder", "JSONDecoder")),
    *((time, name) for name in ("time", "monotonic", "sleep")),
    *(
        (os, name)
        for name in ("getcwd", "getpid", "stat", "fstat", "read", "write", "pipe", "dup", "listdir")
    ),
    *((threading, name) for name in ("Thread", "Lock", "RLock", "Event", "current_thread")),
    *((pathlib.Path, name) for name in ("open", "exists", "mkdir", "lstat")),
)
"""What the kernel lives on; it cannot even tell of an error without them."""
_TRACERS: dict[str, tuple[Callable[[], Any], Callable[[Any], None]]] = {
    "settrace": (sys.gettrace, sys.settrace),
    "setprofile": (sys.getprofile, sys.setprofile),
}
_BASIC_MODULES = ("builtins", "sys", "os", "threading", "json", "IPython")
_MAX_NAMES = 8


class ProcessState:
    """The state of the process as it was when this was made."""

    def __init__(self) -> None:
        self._hooks = {hook: getattr(*hook, _ABSENT) for hook in _HOOKS}
        self._builtins = dict(vars(builtins))
        self._modules = dict(sys.modules)
        self._vital = {place: getattr(*place, None) for place in _VITAL}
        self._recursion_limit = sys.getrecursionlimit()
        self._tracing = {name: get() for name, (get, _) in _TRACERS.items()}
        self._signals = _Signals() if hasattr(signal, "pthread_sigmask") else None

    def mend(self) -> Iterator[str]:
        """Put back what must not stay changed, and say what that was."""
        yield from self._mend_builtins()
        yield from self._mend_modules()
        for (owner, name), before in self._vital.items():
            found = getattr(owner, name, None)
            if found is not before and getattr(found, "__wrapped__", None) is not before:
                setattr(owner, name, before)
                yield f"{owner.__name__}.{name} was replaced by the code; put back."
        for (module, name), before in self._hooks.items():
            if before is not _ABSENT and getattr(module, name, _ABSENT) is not before:
                setattr(module, name, before)
                yield f"{module.__name__}.{name} was replaced by the code; put back."
        for name, (get, put) in _TRACERS.items():
            if get() is not self._tracing[name]:
                put(self._tracing[name])
                yield f"The function of sys.{name} was replaced by the code; put back."
        if self._signals is not None and threading.current_thread() is threading.main_thread():
            yield from self._signals.mend()

    def remarks(self) -> Iterator[str]:
        """What is otherwise now and stays so."""
        if sys.getrecursionlimit() != self._recursion_limit:
            yield f"The recursion limit is now {sys.getrecursionlimit()}."
        if not _has_folder():
            yield "The working folder no longer exists."

    def _mend_modules(self) -> Iterator[str]:
        """One module may be forgotten to be imported anew; without these nothing can be imported at all."""
        if not any(name not in sys.modules for name in _BASIC_MODULES):
            return
        for name, module in self._modules.items():
            sys.modules.setdefault(name, module)
        yield "sys.modules was emptied by the code; put back."

    def _mend_builtins(self) -> Iterator[str]:
        """Threads of the kernel stumble over them at once, and a cell could not put them back."""
        now = vars(builtins)
        names = [
            name
            for name, before in self._builtins.items()
            if (found := now.get(name, _ABSENT)) is not before
            and name not in _SHELLS_OWN
            and getattr(found, "__wrapped__", None) is not before  # as a watch does for a while
        ]
        for name in names:
            now[name] = self._builtins[name]
        if names:
            more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
            yield f"Builtins were replaced by the code; put back: {', '.join(names[:_MAX_NAMES])}{more}."


class _Signals:
    """Timers and blocked signals: an alarm that nobody waits for ends the process."""

    def __init__(self) -> None:
        self._blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._is_timed = signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0)

    def mend(self) -> Iterator[str]:
        if not self._is_timed and signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0):
            signal.setitimer(signal.ITIMER_REAL, 0)
            yield "An alarm that the code had set was cleared."
        blocked: set[Any] = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        if blocked != self._blocked:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked)
            yield "Signals that the code had blocked are let through again."


def _has_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


_ABSENT = object()
_SHELLS_OWN = frozenset({"_", "display", "get_ipython", "input"})
"""Which come and go with cells and calls."""
