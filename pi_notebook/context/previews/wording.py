"""How single values are worded: cells of tables, items of containers, numbers, names, sizes.

Everything returned is one line, free of control characters and lone surrogates, and bounded.
"""

from __future__ import annotations

import math
import re

from pi_notebook.context.previews.foreign import attempt, guarded_repr, is_instance, type_name

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_UNPRINTABLE_IN_TEXT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_NAMED_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_NEEDS_QUOTES = re.compile(r'[,"]|^\s|\s$|^$')

OMISSION = "[…{count}…]"
"""Stands for `count` characters left out of a value."""
_LEAST_SAVED_CHARS = 15
"""A gap that saves less is not worth what it hides."""


def is_kept_whole(length: int, max_chars: int) -> bool:
    """Whether a text is short enough for `max_chars`, or so little longer that a gap would save nothing."""
    omitted = length - max_chars
    if omitted <= 0:
        return True
    saved = omitted - len(OMISSION.format(count=omitted))
    return saved < min(_LEAST_SAVED_CHARS, max_chars // 2)


def shorten(text: str, max_chars: int) -> str:
    """`text` with a gap in its middle when it is longer than `max_chars` and the gap saves something.

    Two thirds of what is kept is head. The result may be longer than `max_chars` by the gap's text
    and by what is not worth a gap.
    """
    if is_kept_whole(len(text), max_chars):
        return text
    tail = max_chars // 3
    head = max_chars - tail
    end = text[len(text) - tail :] if tail else ""
    return text[:head] + OMISSION.format(count=len(text) - max_chars) + end


def one_line(text: str, max_chars: int) -> str:
    """`text` shortened, and escaped where a character would not show or break the line."""
    return _UNPRINTABLE.sub(_escape, shorten(text, max_chars))


def printable(text: str) -> str:
    """`text` with line breaks and tabs kept, and every other character that does not show escaped."""
    return _UNPRINTABLE_IN_TEXT.sub(_escape, text.replace("\r\n", "\n"))


def quoted(text: str, max_chars: int) -> str:
    """`text` as a Python literal on one line, shortened."""
    return _UNPRINTABLE.sub(_escape, repr(shorten(text, max_chars)))


def csv_field(text: str) -> str:
    """`text` as one field of a CSV line."""
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


ROUNDING = "; numbers to 6 digits"


def number(value: float) -> str:
    """A float in about six digits; whole numbers and amounts of money keep theirs."""
    if math.isnan(value):
        return "NaN"
    size = abs(value)
    if size < 1e15 and value == int(value):
        return f"{value:.1f}"
    return f"{value:.2f}" if 1e5 <= size < 1e15 else f"{value:.6g}"


def integer(value: int, max_chars: int = 60) -> str:
    """An int, whose digits are left out where they would be very many."""
    if value.bit_length() > 4096:
        # str() of such an int costs quadratic time, and is refused beyond 4300 digits.
        return f"<int of about {int(value.bit_length() * 0.30103):,} digits>"
    return shorten(str(value), max_chars)


def binary(value: bytes | bytearray, max_chars: int) -> str:
    """Bytes as a literal, their head and tail when they are many."""
    if is_kept_whole(len(value), max_chars):
        return repr(bytes(value))
    tail = max_chars // 3
    head = bytes(value[: max_chars - tail])
    gap = OMISSION.format(count=len(value) - max_chars)
    return f"{head!r}{gap}{bytes(value[len(value) - tail :])!r}" if tail else f"{head!r}{gap}"


def label(value: object, max_chars: int = 60) -> str:
    """The name of a column, a key or an attribute."""
    if type(value) is str:
        return one_line(value, max_chars)
    return foreign(value, max_chars)


def foreign(value: object, max_chars: int) -> str:
    """The repr of any object on one line, or its type when it has none."""
    text = guarded_repr(attempt(lambda: _unwrapped(value), value))
    return f"<{type_name(value)}: repr failed>" if text is None else one_line(text, max_chars)


def _unwrapped(value: object) -> object:
    """Numbers of numpy as Python's own, also in tuples: `np.int32(1)` is a 1 to its reader."""
    if type(value) is tuple:
        return tuple(map(_unwrapped, value))
    if not is_instance(value, "numpy", "number", "bool", "bool_", "str_"):
        return value
    return value.item()  # type: ignore[attr-defined]


def plain_text(value: object) -> str:
    """`str(value)`, or an empty text when that fails."""
    text = attempt(lambda: str(value), "")
    return text if type(text) is str else ""


def byte_size(size: float) -> str:
    """A number of bytes for reading."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"


def share(part: int, whole: int) -> str:
    """`part` of `whole` in percent; a small share is never shown as none, nor a large one as all."""
    if part == 0 or whole == 0:
        return "0%"
    percent = 100 * part / whole
    if percent < 0.1:
        return "<0.1%"
    if part < whole and percent > 99.9:
        return ">99.9%"
    return f"{percent:.3g}%"


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in _NAMED_ESCAPES:
        return _NAMED_ESCAPES[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
