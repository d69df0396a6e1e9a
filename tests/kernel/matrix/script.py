"""What the matrix runs inside the kernel under test: a model that says what it is told to, and a look around.

Everything is bound when this is loaded, since the code of a case may break what it finds.
"""

from __future__ import annotations

import asyncio
import bdb
import builtins
import getpass
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

from IPython.core.getipython import get_ipython

from pi_notebook.models.scripted import ScriptedModel, call
from pi_notebook.ui.extension import current_session

_shell = get_ipython()
_print, _dumps, _clock, _pause = print, json.dumps, time.monotonic, time.sleep
_readlink, _listdir, _getsignal = os.readlink, os.listdir, signal.getsignal
_Method = type(_shell.run_cell)
_SETTLE_SECONDS = 5.0
_PAUSE_SECONDS = 0.01


def say(*codes: str) -> None:
    """Let the agent run each of `codes` as a call of its own, and then say that it is done."""
    replies = [*(call("run_code", code=code) for code in codes), "done"]
    current_session().agent.model = ScriptedModel(replies, context_window=100_000_000)


def session_path() -> None:
    _print(current_session().path)


def _objects() -> Iterator[tuple[str, Any]]:
    """What must be the same object after a case as before it."""
    owners = {
        "sys": (sys, "stdout stderr stdin displayhook excepthook unraisablehook breakpointhook"),
        "threading": (threading, "excepthook Thread"),
        "builtins": (builtins, " ".join(name for name in vars(builtins) if name != "_")),
        "os": (os, "close closerange open fork remove rename unlink replace dup2 getcwd"),
        "io": (io, "open"),
        "json": (json, "dumps loads"),
        "subprocess": (subprocess, "Popen run"),
        "getpass": (getpass, "getpass"),
        "bdb": (bdb.Bdb, "set_trace"),
        "path": (pathlib.Path, "open write_text unlink"),
        "warnings": (warnings, "showwarning warn"),
        "shell": (_shell, "__class__ display_formatter history_manager"),
        "publisher": (type(_shell.display_pub), "publish clear_output"),
    }
    for label, (owner, names) in owners.items():
        for name in names.split():
            yield f"{label}.{name}", getattr(owner, name, None)
    for label, owner in {
        "shell": _shell,
        "publisher": _shell.display_pub,
        "trap": _shell.display_trap,
    }.items():
        for name in ("run_cell", "run_cell_async", "showtraceback", "ask_exit", "publish", "hook"):
            yield f"{label} has {name}", vars(owner).get(name)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD, signal.SIGPIPE):
        yield f"handler of {number.name}", _getsignal(number)


def _facts() -> dict[str, Any]:
    """What must be equal after a case, apart from threads, descriptors and tasks."""
    return {
        "recursion limit": sys.getrecursionlimit(),
        "trace": sys.gettrace(),
        "profile": sys.getprofile(),
        "timer": signal.getitimer(signal.ITIMER_REAL),
        "folder": os.getcwd(),
        "umask": _umask(),
        "blocked signals": signal.pthread_sigmask(signal.SIG_BLOCK, []),
        "loop": id(asyncio.get_event_loop_policy().get_event_loop()),
        "exit": getattr(_shell, "exit_now", None),
        "stops": getattr(_shell.kernel, "_aborting", None),
        "children": _children(),
        "autoawait": _shell.autoawait,
        "warnings": len(warnings.filters),
    }


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _children() -> int:
    """Of this process, those that have ended and were not waited for among them."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return len(file.read().split())


def _held() -> dict[str, Counter[str]]:
    """Threads, descriptors and tasks, each counted by what it is."""
    return {
        "threads": Counter(thread.name.rstrip("0123456789") for thread in threading.enumerate()),
        "descriptors": Counter(_descriptors()),
        "tasks": Counter(_tasks()),
    }


def _descriptors() -> Iterator[str]:
    for number in _listdir("/proc/self/fd"):
        try:
            link = _readlink(f"/proc/self/fd/{number}").partition(":[")[0]
        except OSError:  # the one that the listing itself had
            continue
        if "profile_default" not in link:  # written by a thread of IPython's, now and then
            yield link


def _tasks() -> Iterator[str]:
    for task in asyncio.all_tasks():
        yield getattr(task.get_coro(), "__qualname__", "")


_before: dict[str, Any] = {}


def remember() -> None:
    """Keep what is here now, for `changed`."""
    _before.update(objects=dict(_objects()), facts=_facts(), held=_held())


def changed() -> None:
    """Print what is otherwise than `remember` found it, as JSON, once threads have had time to end."""
    until = _clock() + _SETTLE_SECONDS
    found = _differences()
    while found and _clock() < until:
        _pause(_PAUSE_SECONDS)
        found = _differences()
    _print("STATE" + _dumps(found))


def _differences() -> list[str]:
    objects = [f"{name} is {found!r:.200}" for name, found in _objects() if _is_other(name, found)]
    facts = [
        f"{name}: {_before['facts'][name]} -> {now}"
        for name, now in _facts().items()
        if now != _before["facts"][name]
    ]
    held = []
    for kind, now in _held().items():
        before = _before["held"][kind]
        held += [f"{kind} +{dict(now - before)} -{dict(before - now)}"] * (now != before)
    return objects + facts + held


def _is_other(name: str, found: Any) -> bool:
    kept = _before["objects"].get(name)
    return found is not kept and not (isinstance(found, _Method) and found == kept)
