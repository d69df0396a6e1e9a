"""Letting the words behind a line magic reach it as they were typed.

Owns what keeps IPython from reading them: it takes a line that ends in a question mark for a question
about its last word, and puts values in for `$name` and `{expression}`. The magic itself opts out of the
second (`no_var_expand`) and asks for it where a line is no text.
"""

from __future__ import annotations

import re
import sys
import tokenize
from typing import Any

from IPython.core.inputtransformer2 import EscapedCommand, HelpEnd
from IPython.core.interactiveshell import InteractiveShell


class QuestionTransformer:
    """Keeps a call of the line magic a call when its text ends in a question mark.

    For `token_transformers`, which are asked for what they find and sorted by its place and priority.
    A magic with nothing or one word behind it (`%name?`, `%name word?`) is asked about as ever.
    """

    def __init__(self, magic_name: str) -> None:
        self.magic_name = magic_name
        self._call = re.compile(rf"%{re.escape(magic_name)}[ \t]+\S+[ \t]+\S")

    def find(self, tokens_by_line: list[list[tokenize.TokenInfo]]) -> EscapedCommand | None:
        """The first call of the magic with a text behind it, as a transformation that goes before help."""
        for tokens in tokens_by_line:
            first = next((one for one in tokens if one.type not in (tokenize.INDENT, tokenize.DEDENT)), None)
            if first is not None and self._call.match(first.line, first.start[1]):
                return _Call(first.start)
        return None

    def install(self, shell: Any) -> None:
        """Begin to keep the magic's texts in `shell`; once, however often it is called."""
        self.uninstall(shell)
        shell.input_transformer_manager.token_transformers.append(self)

    def uninstall(self, shell: Any) -> None:
        """Leave the magic's lines to IPython: take out every transformer for it."""
        transformers = shell.input_transformer_manager.token_transformers
        transformers[:] = [
            other
            for other in transformers
            if type(other).__qualname__ != type(self).__qualname__
            or getattr(other, "magic_name", None) != self.magic_name
        ]


class _Call(EscapedCommand):  # type: ignore[misc]  # IPython's base is untyped
    priority = HelpEnd.priority - 1


def expanded(shell: Any, line: str) -> str:
    """`line` with values put in as IPython does for other magics; to be asked inside the magic."""
    methods = (InteractiveShell.run_line_magic, InteractiveShell.run_cell_magic)
    codes = [method.__code__ for method in methods]
    frame, depth = sys._getframe(), 1
    while frame.f_code not in codes and frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return str(shell.var_expand(line, depth))
