"""Python code as HTML in the colours of the front end's own editor."""

from __future__ import annotations

from html import escape

from pygments.lexers.python import Python3Lexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

_COLOURS: dict[_TokenType, str] = {
    Comment: "var(--jp-mirror-editor-comment-color, #6a8759)",
    Keyword: "var(--jp-mirror-editor-keyword-color, #3b82c4)",
    Operator.Word: "var(--jp-mirror-editor-keyword-color, #3b82c4)",
    Name.Builtin: "var(--jp-mirror-editor-builtin-color, #3b82c4)",
    Number: "var(--jp-mirror-editor-number-color, #2e8b57)",
    String: "var(--jp-mirror-editor-string-color, #b5533c)",
}
"""JupyterLab's editor colours, with ones that read on light and dark where those are not defined."""


def highlight_python(code: str) -> str:
    """`code` as escaped HTML with coloured spans; also for code that does not parse."""
    return "".join(
        _span(kind, text) for kind, text in Python3Lexer(stripnl=False, ensurenl=False).get_tokens(code)
    )


def _span(kind: _TokenType, text: str) -> str:
    colour = next((colour for parent, colour in _COLOURS.items() if kind in parent), None)
    return f'<span style="color:{colour}">{escape(text)}</span>' if colour else escape(text)
