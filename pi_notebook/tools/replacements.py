"""Replacing pieces of a text that are named by their content.

Line ends count as one kind while looking, and stay as they are where nothing is replaced; a byte
order mark is no part of the text. What cannot be replaced is explained, so that the next try works.
"""

from __future__ import annotations

import bisect
import difflib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.agent.tools import ToolError
from pi_notebook.context.amounts import all_of, count_of
from pi_notebook.context.cleaning import show_controls

_BYTE_ORDER_MARK = "\ufeff"
_SHOWN_CHARACTERS = 200
_SHOWN_PLACES = 10
_MOST_LINES_COMPARED = 5000


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """A piece of text and what takes its place."""

    old: str
    new: str


@dataclass(frozen=True, kw_only=True)
class Place:
    """Lines that were replaced, counted from 1 in the text before."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"


@dataclass(frozen=True, kw_only=True)
class _Found:
    start: int
    end: int
    new: str
    number: int


def replace_all(text: str, replacements: Sequence[Replacement], shown: str) -> tuple[str, list[Place]]:
    """`text` with every replacement made, and where; `ToolError` when one cannot be made."""
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    body = text.removeprefix(mark)
    plain = body.replace("\r\n", "\n")
    if not replacements:
        raise ToolError("edits is empty. Give at least one replacement.")
    found = sorted(
        (_find(plain, wanted, number, shown) for number, wanted in enumerate(replacements, 1)),
        key=lambda item: item.start,
    )
    _check_apart(found, shown)
    changed = _spliced(body, found)
    if changed == body:
        raise ToolError(f"The edits leave {shown} as it is. Nothing was written.")
    return mark + changed, [_place(plain, item) for item in found]


def lines_of(places: Sequence[Place]) -> str:
    """`line 3` or `lines 1, 4-6 and 9`, the first of many; each place once."""
    told = list(dict.fromkeys(map(str, places)))
    if told == [str(places[0].first)]:
        return f"line {told[0]}"
    more = len(told) - _SHOWN_PLACES
    rest = [count_of(more, "more place")] if more > 0 else []
    return f"lines {all_of([*told[:_SHOWN_PLACES], *rest])}"


def _find(plain: str, wanted: Replacement, number: int, shown: str) -> _Found:
    old = without_surrogates(wanted.old).replace("\r\n", "\n")
    if not old:
        raise ToolError(f"old_text of edit {number} is empty. Use `write` to make or replace a whole file.")
    start = plain.find(old)
    if start < 0:
        raise ToolError(f"old_text of edit {number} is not in {shown}. {_nearest(plain, old)}")
    if plain.find(old, start + 1) >= 0:
        raise ToolError(
            f"old_text of edit {number} matches {_all_lines(plain, old)} of {shown}. "
            "Include more of the text around it, until it is found once."
        )
    return _Found(
        start=start,
        end=start + len(old),
        new=without_surrogates(wanted.new).replace("\r\n", "\n"),
        number=number,
    )


def _check_apart(found: Sequence[_Found], shown: str) -> None:
    for one, other in zip(found, found[1:], strict=False):
        if other.start < one.end:
            raise ToolError(
                f"Edits {one.number} and {other.number} overlap in {shown}: join them. Nothing was written."
            )


def _spliced(body: str, found: Sequence[_Found]) -> str:
    """`body` with the pieces replaced; `found` counts without the carriage returns of `body`."""
    returns = [match.start() - index for index, match in enumerate(re.finditer("\r\n", body))]
    newline = "\r\n" if len(returns) * 2 > body.count("\n") else "\n"
    parts: list[str] = []
    at = 0
    for item in found:
        start = item.start + bisect.bisect_left(returns, item.start)
        end = item.end + bisect.bisect_left(returns, item.end)
        parts += [body[at:start], item.new.replace("\n", newline)]
        at = end
    return "".join([*parts, body[at:]])


def _place(plain: str, item: _Found) -> Place:
    first = plain.count("\n", 0, item.start) + 1
    return Place(first=first, last=first + plain.count("\n", item.start, item.end - 1))


def _all_lines(plain: str, old: str) -> str:
    places: list[Place] = []
    start = plain.find(old)
    count = 0
    while start >= 0:
        count += 1
        if count <= _SHOWN_PLACES:
            line = plain.count("\n", 0, start) + 1
            places.append(Place(first=line, last=line))
        start = plain.find(old, start + 1)
    first = " first" if count > _SHOWN_PLACES else ""
    return f"{count_of(count, 'time')},{first} at {lines_of(places)}"


def _nearest(plain: str, old: str) -> str:
    """Where in the text something like `old` stands, and how it differs."""
    wanted = old.strip("\n").split("\n")
    lines = plain.split("\n")
    folded = [" ".join(line.split()) for line in lines]
    start = _find_run(folded, [" ".join(line.split()) for line in wanted])
    if start is not None:
        there = show_controls("\n".join(lines[start : start + len(wanted)]))[:_SHOWN_CHARACTERS]
        return f"Only the white space differs from line {start + 1}, which has:\n{there}"
    first = next((line for line in wanted if line.strip()), "")
    if (number := _line_with(lines, first)) is not None:
        there = show_controls(lines[number])[:_SHOWN_CHARACTERS]
        return f"Only the white space differs from line {number + 1}: {there}"
    if (number := _line_in_other_form(lines, first)) is not None:
        return (
            f"Line {number + 1} has it with accents in another Unicode form (é as one character, or as e and "
            "a mark). Choose a piece without them, or use run_code."
        )
    close = difflib.get_close_matches(first, lines[:_MOST_LINES_COMPARED], n=1, cutoff=0.5)
    if not close:
        return "No line is like it. `read` the file first."
    number = lines.index(close[0]) + 1
    return f"The nearest is line {number}: {show_controls(close[0])[:_SHOWN_CHARACTERS]}"


def _line_with(lines: Sequence[str], part: str) -> int | None:
    """The first line that holds `part` when no white space is looked at."""
    bare = "".join(part.split())
    if not bare:
        return None
    return next((place for place, line in enumerate(lines) if bare in "".join(line.split())), None)


def _line_in_other_form(lines: Sequence[str], part: str) -> int | None:
    """The first line that holds `part` once letters and their marks are joined alike in both."""
    if part.isascii() or not part.strip():
        return None
    joined = unicodedata.normalize("NFC", part)
    return next((n for n, line in enumerate(lines) if joined in unicodedata.normalize("NFC", line)), None)


def _find_run(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    starts = (i for i, line in enumerate(lines) if line == wanted[0])
    return next((i for i in starts if list(lines[i : i + len(wanted)]) == list(wanted)), None)
