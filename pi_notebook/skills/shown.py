"""Names and descriptions of foreign files as they are shown: on one line, with nothing that hides."""

from __future__ import annotations

_MAX_ESCAPED = 2000


def one_line(text: str, max_chars: int = _MAX_ESCAPED) -> str:
    """`text` on one line of at most `max_chars`; characters that cannot be seen are shown as escapes."""
    line = " ".join(text[: 4 * max_chars].split())
    if not line.isprintable():
        line = "".join(char if char.isprintable() else _escape_of(char) for char in line)
    return line if len(line) <= max_chars else f"{line[: max(0, max_chars - 1)].rstrip()}…"


def without_tags(line: str) -> str:
    """`line` so that nothing in it is taken for a tag that opens or ends a section."""
    return line.replace("<", "&lt;").replace(">", "&gt;")


def _escape_of(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
