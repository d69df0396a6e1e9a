"""Previews of tables: one header line, the columns, then as many rows from both ends as fit."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from dataclasses import dataclass

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import fits, largest
from pi_notebook.context.previews.cells import CellWriter
from pi_notebook.context.previews.columns import (
    HEADER,
    ColumnSummary,
    mention,
    sample_rows,
    summarize,
)
from pi_notebook.context.previews.foreign import attempt
from pi_notebook.context.previews.preview import Preview, PreviewKind
from pi_notebook.context.previews.tables import Table
from pi_notebook.context.previews.wording import csv_field

_SCHEMA_SHARE = 0.6
_MAX_SUMMARIES = 100
_LEAST_TOKENS_PER_SUMMARY = 8
_MAX_NAMES = 500
_MAX_COUNTED_CELLS = 20_000_000
_ROW_FRAME_TOKENS = 60
"""Taken by the lines that say which rows and columns are shown."""
_MAX_TYPES = 4
_CELL_CHARS = (80, 32, 12)
"""Cells are cut to the first of these with which a few rows fit."""
_FEW_ROWS = 4
_ROW_BATCH = 16


def preview_table(table: Table, *, kind: PreviewKind, max_tokens: int) -> Preview:
    """`table` within `max_tokens`."""
    schema = describe_columns(table, int(max_tokens * _SCHEMA_SHARE))
    intro = "\n".join(part for part in (header_line(table), schema.text) if part)
    rows = _fitting_rows(table, schema, intro, max_tokens)
    is_complete = rows.count == table.row_count and rows.is_whole and schema.is_whole
    return Preview(
        text=f"{intro}\n{rows.text}" if rows.text else intro,
        kind=kind,
        is_complete=is_complete,
        details={
            "rows": table.row_count,
            "columns": table.column_count,
            "rows_shown": rows.count,
            "columns_shown": len(rows.positions),
        },
    )


def header_line(table: Table) -> str:
    """`DataFrame (pandas): 1,000 rows x 3 columns, 24.0 kB`."""
    rows = count_of(table.row_count, "row")
    shape = f"{rows} x {count_of(table.column_count, 'column')}" if table.is_frame else rows
    notes = attempt(lambda: table.notes, [])
    return f"{table.title}: {', '.join([shape, *notes])}"


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The columns in words."""

    text: str
    positions: Sequence[int]
    """The columns that are named in it."""
    objects: frozenset[int]
    """The columns that hold Python objects."""
    is_whole: bool


def describe_columns(table: Table, max_tokens: int) -> Schema:
    """All figures of all columns where they fit; else names by type, as many as fit."""
    count = table.column_count
    if not count:
        return Schema(text="", positions=(), objects=frozenset(), is_whole=True)
    found: dict[int, ColumnSummary] = {}
    if count <= min(_MAX_SUMMARIES, max_tokens // _LEAST_TOKENS_PER_SUMMARY):
        size = sample_rows(count)
        found = {position: summarize(table, position, size) for position in range(count)}
        text = _full_schema(found, size)
        if fits(text, max_tokens):
            return _schema(text, range(count), found, is_whole=True)
    shown = outer(count, max(1, min(_MAX_NAMES, max_tokens // 2)))
    has_time = table.row_count * len(shown) <= _MAX_COUNTED_CELLS
    found = found or {position: mention(table, position, has_nulls=has_time) for position in shown}
    types = _types(table)

    def short(size: int) -> str:
        return _short_schema(types, count, found, outer(count, size))

    best = largest(lambda n: fits(short(n), max_tokens), len(shown)) or 1
    return _schema(short(best), outer(count, best), found, is_whole=False)


def _full_schema(found: dict[int, ColumnSummary], size: int) -> str:
    is_sampled = any("~" in item.nulls + item.low or ">=" in item.unique for item in found.values())
    note = [f"~ and >=: from an even sample of at most {size:,} rows"] if is_sampled else []
    return "\n".join([*note, HEADER, *(item.line for item in found.values())])


def outer(count: int, limit: int) -> Sequence[int]:
    """The first and last of `count` positions, `limit` in all and two thirds of them first."""
    if count <= limit:
        return range(count)
    tail = limit // 3
    return [*range(limit - tail), *range(count - tail, count)]


def _schema(
    text: str, positions: Sequence[int], found: dict[int, ColumnSummary], *, is_whole: bool
) -> Schema:
    objects = frozenset(position for position in positions if found[position].is_mixed)
    return Schema(text=text, positions=positions, objects=objects, is_whole=is_whole)


def _short_schema(types: str, count: int, found: dict[int, ColumnSummary], positions: Sequence[int]) -> str:
    """The names by type; a column with missing values says so."""
    named: dict[str, list[str]] = {}
    for position in positions:
        named.setdefault(found[position].dtype, []).append(found[position].mention)
    lines = [f"{dtype}: {', '.join(names)}" for dtype, names in named.items()]
    if len(positions) < count:
        head = gap_place(positions)
        shown = f"the first {head:,} and last {len(positions) - head:,}"
        lines.insert(0, f"{count_of(count, 'column')} ({types}); {shown}:")
    return "\n".join(lines)


def gap_place(positions: Sequence[int]) -> int:
    """The place in `positions` before which some are missing."""
    return next((i for i, position in enumerate(positions) if position != i), len(positions))


def _types(table: Table) -> str:
    counts = collections.Counter(table.dtype(position) for position in range(table.column_count))
    shown = [f"{count:,} {dtype}" for dtype, count in counts.most_common(_MAX_TYPES)]
    return ", ".join(shown + (["others"] if len(counts) > _MAX_TYPES else []))


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Lines of rows."""

    text: str
    count: int
    positions: Sequence[int]
    is_whole: bool
    """Whether every column is there and no cell was shortened."""


class RowLines:
    """The lines of a table's rows from either end, made as they are asked for."""

    def __init__(
        self, table: Table, positions: Sequence[int], objects: frozenset[int], max_chars: int
    ) -> None:
        self._table = table
        self._positions = positions
        self.writer = CellWriter(max_chars, null_text=table.null_text)
        lead = len(table.index_names)
        self._objects = frozenset(lead + i for i, item in enumerate(positions) if item in objects)
        self._gap = lead + gap_place(positions)
        self._head: list[str] = []
        self._tail: list[str] = []

    @property
    def header(self) -> str:
        """The names of index and columns."""
        return self._joined(self.names, f"(… {self._table.column_count - len(self._positions):,} more …)")

    @property
    def names(self) -> list[str]:
        """The names of index and columns, as fields."""
        columns = (self._table.name(position) for position in self._positions)
        return [csv_field(name) for name in (*self._table.index_names, *columns)]

    def head(self, count: int) -> list[str]:
        """The first `count` rows."""
        while len(self._head) < count:
            start = len(self._head)
            self._head += self.between(start, min(start + _ROW_BATCH, self._table.row_count))
        return self._head[:count]

    def tail(self, count: int) -> list[str]:
        """The last `count` rows."""
        total = self._table.row_count
        while len(self._tail) < count:
            stop = total - len(self._tail)
            self._tail[:0] = self.between(max(0, stop - _ROW_BATCH), stop)
        return self._tail[len(self._tail) - count :]

    def between(self, start: int, stop: int) -> list[str]:
        """The rows `start` up to `stop`."""
        return [self._joined(fields, "…") for fields in self.fields(start, stop)]

    def fields(self, start: int, stop: int) -> list[list[str]]:
        """The cells of the rows `start` up to `stop`."""
        rows = attempt(lambda: self._table.rows(start, stop, self._positions), None)
        if rows is None:
            return [["<row cannot be read>"]] * (stop - start)
        return [self.writer.fields(row, objects=self._objects) for row in rows]

    def _joined(self, fields: list[str], gap: str) -> str:
        """One line, with `gap` where columns are left out."""
        if len(self._positions) == self._table.column_count:
            return ",".join(fields)
        return ",".join([*fields[: self._gap], gap, *fields[self._gap :]])


def _fitting_rows(table: Table, schema: Schema, intro: str, max_tokens: int) -> Rows:
    """The rows under `intro`: with all columns of the schema when a few rows of them fit."""
    none = Rows(text="", count=0, positions=schema.positions, is_whole=table.row_count == 0)
    if table.row_count == 0 or not (table.column_count or table.index_names):
        return none
    few = min(_FEW_ROWS, table.row_count)
    for max_chars in _CELL_CHARS:
        lines = RowLines(table, schema.positions, schema.objects, max_chars)
        if fits(f"{intro}\n{_joined(table, lines, few)}", max_tokens):
            return _most_rows(table, lines, schema.positions, intro, max_tokens)

    width = _fitting_width(table, lines, intro, max_tokens)
    if not width:
        return none
    chosen = [schema.positions[i] for i in outer(len(schema.positions), width)]
    lines = RowLines(table, chosen, schema.objects, _CELL_CHARS[-1])
    return _most_rows(table, lines, chosen, intro, max_tokens)


def _fitting_width(table: Table, lines: RowLines, intro: str, max_tokens: int) -> int:
    """How many columns fit with their names, the first row and the last."""
    lead = len(table.index_names)
    grid = [lines.names, *lines.fields(0, 1), *lines.fields(table.row_count - 1, table.row_count)]
    count = len(lines.names) - lead

    def text(width: int) -> str:
        places = [*range(lead), *(lead + i for i in outer(count, width))]
        return "\n".join(",".join(row[place] for place in places if place < len(row)) for row in grid)

    return largest(lambda n: fits(f"{intro}\n{text(n)}", max_tokens - _ROW_FRAME_TOKENS), count)


def _most_rows(table: Table, lines: RowLines, positions: Sequence[int], intro: str, max_tokens: int) -> Rows:
    count = largest(lambda n: fits(f"{intro}\n{_joined(table, lines, n)}", max_tokens), table.row_count)
    is_whole = len(positions) == table.column_count and not lines.writer.has_shortened
    return Rows(text=_joined(table, lines, count), count=count, positions=positions, is_whole=is_whole)


def _joined(table: Table, lines: RowLines, count: int) -> str:
    """`count` rows from both ends, with a line that says what is between."""
    total = table.row_count
    if count >= total:
        return "\n".join([f"rows (all {total:,}):", lines.header, *lines.head(total)])
    tail = count // 2
    head = count - tail
    gap = f"… {count_of(total - count, 'row')} not shown …"
    title = f"rows (first {head:,}, last {tail:,}):"
    return "\n".join([title, lines.header, *lines.head(head), gap, *lines.tail(tail)])
