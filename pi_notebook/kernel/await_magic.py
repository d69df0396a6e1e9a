"""Letting a cell magic, and chosen uses of its line magic, be awaited.

Owns the rewriting of a cell that begins with the magic, and the answer to the magic's question
whether it was. IPython calls magics; it awaits none. With `await` before the call the kernel runs
the cell on its asynchronous path and the magic may return a coroutine.
"""

from __future__ import annotations

import asyncio
import inspect
import linecache
import re
import sys
from collections.abc import Collection
from types import FrameType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

_CALL = "get_ipython().run_"


class AwaitingTransformer:
    """Puts `await` before the magic's call at the start of a cell, where the shell can await it.

    For `input_transformers_post`. A cell inside a cell (`%%time`) is left alone: what compiles it
    knows no top-level await. Of the line magic, calls are awaited whose line begins with one of
    `line_words`, when they are the first statement of the cell.
    """

    def __init__(self, magic_name: str, *, line_words: Collection[str] = ()) -> None:
        self.magic_name = magic_name
        self._shell: Any = None
        name, words = re.escape(repr(magic_name)), "|".join(map(re.escape, line_words))
        line = rf"|line_magic\({name}, ['\"](?:{words})[\s'\"]" if words else ""
        self._start = re.compile(rf"{re.escape(_CALL)}(?:cell_magic\({name},{line})")

    def __call__(self, lines: list[str]) -> list[str]:
        for index, line in enumerate(lines):
            if line.strip():
                if self._start.match(line) and can_await(self._shell) and not _is_inside_cell():
                    return [*lines[:index], "await " + line, *lines[index + 1 :]]
                break
        return lines

    def install(self, shell: Any) -> None:
        """Begin to rewrite cells of `shell`; once, however often it is called."""
        self.uninstall(shell)
        self._shell = shell
        shell.input_transformers_post.append(self)

    def uninstall(self, shell: Any) -> None:
        """Rewrite no more cells: take out every transformer for this magic."""
        shell.input_transformers_post[:] = [
            other
            for other in shell.input_transformers_post
            if type(other).__qualname__ != type(self).__qualname__
            or getattr(other, "magic_name", None) != self.magic_name
        ]


def can_await(shell: Any) -> bool:
    """Whether cells of `shell` may await at the top level, on asyncio."""
    runner = getattr(shell, "loop_runner", None)
    asyncio_runner = getattr(sys.modules[InteractiveShell.__module__], "_asyncio_runner", None)
    return bool(getattr(shell, "autoawait", False)) and runner is not None and runner is asyncio_runner


def is_awaited(shell: Any) -> bool:
    """Whether the running magic was called by a cell that awaits what it returns.

    To be asked inside the magic. When False, the magic must do all its work before it returns.
    """
    frame = _find(sys._getframe(), "run_cell_magic", "run_line_magic")
    caller = frame.f_back if frame is not None else None
    if caller is None or not caller.f_code.co_flags & inspect.CO_COROUTINE or not can_await(shell):
        return False
    line = linecache.getline(caller.f_code.co_filename, caller.f_lineno)
    return f"await {_CALL}" in line and _has_running_loop()


def _is_inside_cell() -> bool:
    """Whether a cell is on the stack, so that this transforms text for a magic, not for the shell."""
    return _find(sys._getframe(), "run_code") is not None


def _find(frame: FrameType | None, *methods: str) -> FrameType | None:
    """The nearest frame that runs one of these methods of the shell."""
    codes = [getattr(InteractiveShell, method).__code__ for method in methods]
    while frame is not None and frame.f_code not in codes:
        frame = frame.f_back
    return frame


def _has_running_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
