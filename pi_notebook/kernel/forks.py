"""Children that the person's code forks.

A child has a copy of the run on its stack; it must never go on with it. Owns the hook that tells
what a run has open to let go in a child, and the way a child ends.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

from pi_notebook.kernel.tracebacks import describe_exception

_release: list[Callable[[], None]] = []


def release_in_child(function: Callable[[], None]) -> None:
    """Call `function` in every child right after the fork."""
    _release.append(function)


def leave_child(error: BaseException | None) -> None:
    """End this child as a process that ran only the person's code would end."""
    status = 0
    with contextlib.suppress(Exception):
        status = _exit_status(error)
    os._exit(status)


def _exit_status(error: BaseException | None) -> int:
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    os.write(2, f"{describe_exception(error).traceback}\n".encode("utf-8", "replace"))
    return 1


def _after_fork() -> None:
    for function in _release:
        function()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
