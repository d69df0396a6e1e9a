"""`!command` in code of the agent: a shell line that has nothing to read.

IPython runs it on a terminal of its own, where a program that asks waits for ever for an answer.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from typing import Any


def system_for(shell: Any) -> Callable[[str], None]:
    """What stands in place of `shell.system` while code of the agent runs."""

    def system(command: str) -> None:
        # As deep as IPython's own: the variables in `command` are those of the caller.
        shell.user_ns["_exit_code"] = _run(shell.var_expand(command, depth=1))

    return system


def _run(command: str) -> int:
    """The exit status, negative for a signal; the children are ended with what ends the call."""
    # A pipe, not the null device: opening that would be seen as an effect of the code.
    child = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, start_new_session=True)
    if child.stdin is not None:
        child.stdin.close()
    try:
        status = child.wait()
    except BaseException:  # an interrupt or a deadline
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise
    return 128 - status if status > 128 else status
