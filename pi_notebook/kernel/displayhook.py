"""The value of the last expression, kept instead of printed.

Formatting it is left to `values`, after the code has ended and under a deadline.
"""

from __future__ import annotations

import builtins
import io
import sys
import tokenize
from types import TracebackType
from typing import Any

from pi_notebook.kernel.swaps import Swaps


class LastValue:
    """While open, values of expressions are kept here; `value` is the newest.

    `Out` and the cell's own result are left alone, since the cell is the agent's, not this code's.
    `_` is set as at any prompt.
    """

    def __init__(self, shell: Any, code: str) -> None:
        self._shell = shell
        self._is_silenced = _ends_in_semicolon(code)
        self._swaps = Swaps()
        self.value: object = None

    def __enter__(self) -> LastValue:
        self._swaps.set(self._shell.display_trap, "hook", self)
        self._swaps.set(sys, "displayhook", self)
        self._swaps.set(self._shell.displayhook, "exec_result", None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._swaps.restore()

    def __call__(self, value: object = None) -> None:
        if value is None or self._is_silenced:
            return
        self.value = value
        hook, namespace = self._shell.displayhook, self._shell.user_ns
        is_persons_own = namespace.get("_", hook._) is not hook._ or "_" in builtins.__dict__
        if not is_persons_own:
            hook._ = namespace["_"] = value


def _ends_in_semicolon(code: str) -> bool:
    """Whether the last token of `code`, comments aside, is a semicolon."""
    last = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type not in _NO_CODE:
                last = token.string
    except (tokenize.TokenError, SyntaxError):  # a magic's line is not Python
        return False
    return last == ";"


_NO_CODE = (tokenize.ENDMARKER, tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.DEDENT)
