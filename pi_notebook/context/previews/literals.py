"""Previews of values that are one thing: dates, decimals, members of enums, matches, paths."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import os
import pathlib
import re
import stat
import uuid
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.foreign import attempt, is_a, type_name
from pi_notebook.context.previews.leaves import leaf
from pi_notebook.context.previews.listing import listed
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import byte_size, integer, is_kept_whole, one_line, quoted

_MAX_CHARS = 200
_MAX_GROUPS = 10
_MAX_ENTRIES = 1_000
_WORDED_BY_STR = (
    datetime.date,
    datetime.time,
    datetime.datetime,
    datetime.timedelta,
    decimal.Decimal,
    uuid.UUID,
)


def preview_literal(value: Any, max_tokens: int) -> Preview | None:
    """The value in words; None for what is of another kind."""
    cls = type(value)
    if cls in _WORDED_BY_STR:
        return _scalar(f"{cls.__name__} {value}{_zone(value)}")
    if cls is fractions.Fraction:
        return _scalar(f"Fraction {integer(value.numerator)}/{integer(value.denominator)}")
    if is_a(value, enum.Enum):
        return _scalar(_member(value))
    if cls is re.Match:
        return Preview(text=_match(value), kind="object", is_complete=False)
    if cls is re.Pattern:
        return _scalar(f"re.Pattern {leaf(value.pattern, _MAX_CHARS)[0]}, {count_of(value.groups, 'group')}")
    if is_a(value, pathlib.PurePath):
        return Preview(text=_path(value), kind="object", is_complete=False)
    return None


def _scalar(text: str) -> Preview:
    shown = one_line(text, _MAX_CHARS * 2)
    return Preview(text=shown, kind="scalar", is_complete=is_kept_whole(len(text), _MAX_CHARS * 2))


def _zone(value: Any) -> str:
    """The name of the time zone, which the offset alone does not tell."""
    zone = getattr(value, "tzinfo", None)
    return f" ({one_line(str(zone), 40)})" if zone is not None else ""


def _member(member: Any) -> str:
    """A member with its value and the names of all; a combination of flags is named by its parts."""
    members = dict(type(member).__members__)
    shown, held = member._name_, member._value_
    if shown is None:
        parts = (name for name, item in members.items() if item._value_ & held)
        shown = "|".join(parts) or "0"
    others = f" (of {listed([str(name) for name in members])})"
    return f"{type_name(member)}.{shown} = {leaf(held, _MAX_CHARS)[0]}{others}"


def _match(match: re.Match[Any]) -> str:
    start, stop = match.span()
    found = leaf(match.group(), _MAX_CHARS)[0]
    lines = [f"re.Match at {start:,}:{stop:,}: {found}"]
    names = {number: name for name, number in match.re.groupindex.items()}
    for number in range(1, min(match.re.groups, _MAX_GROUPS) + 1):
        lines.append(f"  group {names.get(number, number)}: {leaf(match.group(number), 80)[0]}")
    if match.re.groups > _MAX_GROUPS:
        lines.append(f"  … {count_of(match.re.groups - _MAX_GROUPS, 'more group')} …")
    return "\n".join(lines)


def _path(path: Any) -> str:
    head = f"{type_name(path)} {quoted(str(path), _MAX_CHARS)}"
    if not is_a(path, pathlib.Path):
        return head
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return f"{head}: does not exist"
    except (OSError, ValueError) as error:
        return f"{head}: cannot be looked at ({type_name(error)})"
    if stat.S_ISDIR(found.st_mode):
        return f"{head}: folder{_entries(path)}"
    kind = "file" if stat.S_ISREG(found.st_mode) else "special file"
    changed = datetime.datetime.fromtimestamp(int(found.st_mtime)).isoformat(" ")
    return f"{head}: {kind}, {byte_size(found.st_size)}, changed {changed}"


def _entries(path: Any) -> str:
    def count() -> str:
        found = 0
        with os.scandir(path) as entries:
            for _ in entries:
                if (found := found + 1) >= _MAX_ENTRIES:
                    return f" of {_MAX_ENTRIES:,} entries or more"
        return f" of {count_of(found, 'entry', 'entries')}"

    return attempt(count, "")
