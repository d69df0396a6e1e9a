"""The rows of a value that a model asks for: of tables, arrays, lists and lines of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import count_tokens, cut_to_fit, fits, largest
from pi_notebook.context.previews.columns import mixed_columns
from pi_notebook.context.previews.foreign import is_instance, type_name
from pi_notebook.context.previews.frames import RowLines, title_line
from pi_notebook.context.previews.kinds import guarded
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.schema import outer
from pi_notebook.context.previews.structures import Limits, Rendering, TooLongError
from pi_notebook.context.previews.tables import Table, find_table
from pi_notebook.context.previews.wording import label, printable, shorten

_CELL_CHARS = (400, 80, 24)
"""Asked-for rows show more of each cell than a preview does, where that fits."""
_FEW_ROWS = 10
_RANGE = re.compile(r"^(-?\d*):(-?\d*)$")
_END = re.compile(r"^(head|tail|first|last)\s*(\d+)$")


@dataclass(frozen=True, kw_only=True)
class RowRange:
    """Rows by position, as a Python slice; negative numbers count from the end."""

    start: int | None
    stop: int | None

    @classmethod
    def parse(cls, text: str | int) -> RowRange | None:
        """`"head 20"`, `"tail 5"`, `"100:120"`, or a number of rows from the start; None for else."""
        words = str(text).strip().lower().strip("[]")
        if re.fullmatch(r"-?\d+", words):
            count = int(words)
            return cls(start=None, stop=count) if count >= 0 else cls(start=count, stop=None)
        if found := _END.match(words):
            count = int(found[2])
            is_head = found[1] in ("head", "first") or not count
            return cls(start=None, stop=count) if is_head else cls(start=-count, stop=None)
        if found := _RANGE.match(words):
            return cls(start=int(found[1]) if found[1] else None, stop=int(found[2]) if found[2] else None)
        return None

    def within(self, total: int) -> tuple[int, int]:
        """First position, and the one after the last, of `total` rows."""
        start, stop, _ = slice(self.start, self.stop).indices(total)
        return start, max(start, stop)


@dataclass(frozen=True, kw_only=True)
class _Lines:
    """A value as lines that can be had by position."""

    title: str
    total: int
    between: Callable[[int, int], list[str]]
    names: str = ""
    """A line that stands above them."""
    noun: str = "row"
    offset: int | None = 0
    """The position of the first of them in a whole; None where that is not known."""
    rounding: Callable[[], str] = lambda: ""
    """What is said of the numbers in the lines made so far."""
    shortened_cell: Callable[[range], dict[str, Any]] = lambda _: {}
    """As details: a reference to the first shortened cell in some rows."""

    def text(self, start: int, count: int) -> str:
        """`count` lines from `start`, under a line that says which."""
        first = None if self.offset is None else self.offset + start
        which = f"last {count} {self.noun}s" if first is None else f"{self.noun}s {first}:{first + count}"
        rows = self.between(start, start + count)
        title = f"{self.title}; {which}{self.rounding()}:"
        return "\n".join([title, *([self.names] if self.names else []), *rows])


def preview_rows(
    value: object, rows: RowRange, *, max_tokens: int, name: str | None = None
) -> Preview | None:
    """The rows of `value` in `rows`, as many from the first as fit; None when it has no rows.

    Like `preview` in all it promises. `details` tell `start`, `stop` and `total` of what is shown,
    and `asked_stop`.
    """
    prefix = f"{label(name)} = " if name else ""
    room = max_tokens - count_tokens(prefix)

    def find() -> Preview | None:
        lines = _fitting_lines(value, find_table(value), rows, room)
        return None if lines is None else _preview_lines(lines, rows, room)

    found = guarded(find)
    return None if found is None else _named(found, prefix, max_tokens)


def preview_computed(
    value: object, table: Table | None, *, start: int | None, title: str, max_tokens: int, name: str
) -> Preview:
    """All rows of `value`, which were computed from something larger, as many from the first as fit.

    `table` is the view on it, where it is one. `start` is the position of the first in what is larger,
    None where it is not known; `title` is put before them.
    """
    prefix = f"{label(name)} = "
    room = max_tokens - count_tokens(prefix)
    rows = RowRange(start=None, stop=None)

    def find() -> Preview | None:
        lines = _fitting_lines(value, table, rows, room - count_tokens(title))
        if lines is None:
            return None
        return _preview_lines(replace(lines, title=title, offset=start), rows, room)

    found = guarded(find) or Preview(text=f"{title}: no rows can be shown", kind="rows", is_complete=False)
    return replace(_named(found, prefix, max_tokens), details={"rows_computed": True})


def _named(found: Preview, prefix: str, max_tokens: int) -> Preview:
    text = (prefix + found.text).encode("utf-8", "backslashreplace").decode()
    return replace(found, text=cut_to_fit(text, max_tokens))


def _preview_lines(lines: _Lines, rows: RowRange, max_tokens: int) -> Preview:
    start, stop = rows.within(lines.total)
    count = largest(lambda n: fits(lines.text(start, n), max_tokens), stop - start)
    if not fits(lines.text(start, count), max_tokens):  # rows that were tried since have lost digits
        count = largest(lambda n: fits(lines.text(start, n), max_tokens), stop - start)
    text = lines.text(start, count)
    cell = lines.shortened_cell(range(start, start + count))
    details = {"start": start, "stop": start + count, "total": lines.total, "asked_stop": stop, **cell}
    is_complete = start + count == stop and not cell
    return Preview(text=text, kind="rows", is_complete=is_complete, details=details)


def _fitting_lines(value: object, table: Table | None, rows: RowRange, max_tokens: int) -> _Lines | None:
    """The lines with the widest cells of which a few fit; of a wide table only the outer columns."""
    lines = _lines(value, table, _CELL_CHARS[0])
    if lines is None:
        return None
    start, stop = rows.within(lines.total)
    for max_chars in _CELL_CHARS:
        lines = _lines(value, table, max_chars) or lines
        if fits(lines.text(start, min(stop - start, _FEW_ROWS)), max_tokens):
            return lines
    if table is None or fits(lines.text(start, min(stop - start, 1)), max_tokens):
        return lines

    def narrow(width: int) -> _Lines:
        return _table_lines(table, outer(table.column_count, width), _CELL_CHARS[-1])

    highest = min(table.column_count, max_tokens)
    width = largest(lambda n: fits(narrow(n).text(start, min(stop - start, 1)), max_tokens), highest)
    return narrow(max(width, 1))


def _lines(value: Any, table: Table | None, max_chars: int) -> _Lines | None:
    if table is not None:
        return _table_lines(table, range(table.column_count), max_chars)
    cls = type(value)
    if issubclass(cls, str):
        return _text_lines(str.__str__(value), max_chars)
    if is_instance(value, "numpy", "ndarray") and value.ndim:
        header = f"{type_name(value)} (numpy): shape {value.shape}, {value.dtype}"
        return _item_lines(header, len(value), lambda a, b: value[a:b].tolist(), max_chars)
    if issubclass(cls, (list, tuple)):
        base: Any = list if issubclass(cls, list) else tuple
        length = base.__len__(value)
        header = f"{type_name(value)} of {count_of(length, 'item')}"
        return _item_lines(header, length, lambda a, b: base.__getitem__(value, slice(a, b)), max_chars)
    return None


def _table_lines(table: Table, positions: Sequence[int], max_chars: int) -> _Lines:
    lines = RowLines(table, positions, mixed_columns(table, positions), max_chars)
    return _Lines(
        title=title_line(table),
        total=table.row_count,
        between=lines.between,
        names=lines.header,
        rounding=lambda: lines.rounding,
        shortened_cell=lines.shortened_cell,
    )


def _text_lines(text: str, max_chars: int) -> _Lines:
    lines = text.split("\n")

    def between(start: int, stop: int) -> list[str]:
        return [printable(shorten(line, max_chars)) for line in lines[start:stop]]

    title = f"str, {count_of(len(text), 'character')}, {count_of(len(lines), 'line')}"
    return _Lines(title=title, total=len(lines), between=between, noun="line")


def _item_lines(title: str, total: int, items: Callable[[int, int], list[object]], max_chars: int) -> _Lines:
    def line(item: object) -> str:
        rendering = Rendering(Limits(items=60, chars=max_chars, depth=6), max_chars=max_chars * 40)
        try:
            return rendering.text(item)
        except TooLongError:
            return f"<{type_name(item)}, long>"

    def between(start: int, stop: int) -> list[str]:
        return [line(item) for item in items(start, stop)]

    return _Lines(title=title, total=total, between=between, noun="item")
