"""Asking the person for a line, at the kernel's input prompt or the terminal's."""

from __future__ import annotations

import builtins
from typing import Any


def read_line(shell: Any, prompt: str) -> str | None:
    """The line the person types; None where nobody can answer: no stdin, its end, a lost front end.

    An interrupt at the prompt comes out as `KeyboardInterrupt`. Call it on the main thread.
    """
    kernel = getattr(shell, "kernel", None)
    read = builtins.input if kernel is None else kernel.raw_input
    try:
        return str(read(prompt))
    except (NotImplementedError, EOFError, OSError, RuntimeError):
        return None
