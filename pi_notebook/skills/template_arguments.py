"""The arguments of a prompt template: taken from what is typed, put where the template names them."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_CHARS = 200_000
"""Of a template with its arguments in place."""

_PLACE = re.compile(
    r"\$(?:ARGUMENTS\b|@|(\d{1,3})"
    r"|\{(@|ARGUMENTS|\d{1,3})(?::(-)([^}]*)|:(\d{1,3})(?::(\d{1,3}))?)?\})"
)


class TooLong(Exception):
    """The template with its arguments exceeds `MAX_CHARS`."""


def split_arguments(text: str) -> list[str]:
    """The words of `text`; quotes keep words together, and a quote that has no end is a character."""
    words: list[str] = []
    word: list[str] = []
    is_open, position = False, 0
    while position < len(text):
        char = text[position]
        end = text.find(char, position + 1) if char in "'\"" else -1
        if end > 0:
            word.append(text[position + 1 : end])
            is_open, position = True, end
        elif char.isspace():
            words += ["".join(word)] if is_open else []
            word, is_open = [], False
        else:
            word.append(char)
            is_open = True
        position += 1
    return [*words, "".join(word)] if is_open else words


def filled(body: str, arguments: Sequence[str]) -> str:
    """`body` with `arguments` in place; what an argument says is not looked at again.

    `$1` and `${1}` are the first, `$@` and `$ARGUMENTS` all of them, `${1:-text}` and `${@:-text}` have
    a value for where there is none, `${@:2}` is all from the second and `${@:2:3}` three from there.
    Raises `TooLong`.
    """
    parts: list[str] = []
    position = size = 0
    for place in _PLACE.finditer(body):
        piece = body[position : place.start()] + _value(place, arguments)
        parts.append(piece)
        size += len(piece)
        position = place.end()
        if size > MAX_CHARS:
            raise TooLong
    parts.append(body[position:])
    if size + len(parts[-1]) > MAX_CHARS:
        raise TooLong
    return "".join(parts)


def _value(place: re.Match[str], arguments: Sequence[str]) -> str:
    bare, name, has_default, default, start, count = place.groups()
    number = bare or (name if name is not None and name.isdigit() else None)
    if number is not None and start is not None:
        return place[0]
    if number is not None:
        index = int(number)
        value = arguments[index - 1] if 1 <= index <= len(arguments) else ""
    elif start is not None:
        first = max(0, int(start) - 1)
        value = " ".join(arguments[first : None if count is None else first + int(count)])
    else:
        value = " ".join(arguments)
    return default if has_default and not value else value
