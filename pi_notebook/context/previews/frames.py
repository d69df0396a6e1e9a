"""Previews of tables: one header line, the columns, then rows from both ends.

A table of few rows is shown whole under one line: figures about rows that stand there say nothing,
and a reader takes them for figures of the data.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import fits, largest, most_fitting
from pi_notebook.context.previews.cells import CellWriter
from pi_notebook.context.previews.column_names import column_reference
from pi_notebook.context.previews.columns import mixed_columns
from pi_notebook.context.previews.foreign import attempt
from pi_notebook.context.previews.preview import Preview, PreviewKind, RowBounds
from pi_notebook.context.previews.schema import (
    MAX_NAMES,
    Schema,
    describe_columns,
    gap_place,
    list_columns,
    outer,
)
from pi_notebook.context.previews.tables import Table
from pi_notebook.context.previews.wording import ROUNDING, csv_field

_SCHEMA_SHARE = 0.6
_SMALL_ROWS = 20
_CELL_CHARS = (80, 32, 12)
"""Cells are cut to the first of these with which a few rows fit."""
_FEW_ROWS = 4
_ROW_BATCH = 16
_NO_PLACE = -1
"""Of no cell: what a row that cannot be read lacks."""


def preview_table(
    table: Table, *, kind: PreviewKind, max_tokens: int, bounds: RowBounds, has_figures: bool = True
) -> Preview:
    """`table` within `max_tokens` and `bounds`; its columns by type alone unless `has_figures`."""
    is_small = table.row_count <= min(_SMALL_ROWS, bounds.whole)
    whole = _whole_table(table, kind, max_tokens) if is_small else None
    if whole is not None:
        return whole
    describe = describe_columns if has_figures and not is_small else list_columns
    schema = describe(table, int(max_tokens * _SCHEMA_SHARE))
    intro = "\n".join(part for part in (_sized_title(table), schema.text) if part)
    rows = _fitting_rows(Draft(table, intro, max_tokens, bounds), schema)
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
            **rows.shortened_cell,
        },
    )


def _sized_title(table: Table) -> str:
    return ", ".join(part for part in (title_line(table), table.size) if part)


def _whole_table(table: Table, kind: PreviewKind, max_tokens: int) -> Preview | None:
    """A table of few rows with all of them and no figures; None when that does not fit."""
    if table.column_count > MAX_NAMES:
        return None
    intro = "; ".join(part for part in (title_line(table), _typed_names(table)) if part)
    positions = range(table.column_count)
    objects = mixed_columns(table, positions)
    for max_chars in _CELL_CHARS[:-1]:
        lines = RowLines(table, positions, objects, max_chars)
        rows = [lines.header, *lines.head(table.row_count)] if table.row_count else []
        text = "\n".join([intro + lines.rounding, *rows])
        if fits(text, max_tokens):
            counts = {"rows": table.row_count, "columns": table.column_count}
            shown = {"rows_shown": table.row_count, "columns_shown": table.column_count}
            is_complete = not lines.writer.has_shortened
            cell = lines.shortened_cell(range(table.row_count))
            return Preview(text=text, kind=kind, is_complete=is_complete, details=counts | shown | cell)
    return None


def _typed_names(table: Table) -> str:
    """`price (float64)`; where the rows below have the names, the types alone: `str, float64 x 2`."""
    dtypes = [table.dtype(position) for position in range(table.column_count)]
    if not table.row_count or len(dtypes) < 2:
        return ", ".join(f"{csv_field(table.name(at))} ({dtype})" for at, dtype in enumerate(dtypes))
    runs = [(dtype, len(list(run))) for dtype, run in itertools.groupby(dtypes)]
    if len(runs) == 1:
        return f"all {dtypes[0]}"
    return ", ".join(dtype if count == 1 else f"{dtype} x {count}" for dtype, count in runs)


def title_line(table: Table) -> str:
    """`DataFrame (pandas): 1,000 rows x 3 columns, index date (datetime64[us])`."""
    rows = count_of(table.row_count, "row")
    shape = f"{rows} x {count_of(table.column_count, 'column')}" if table.is_frame else rows
    notes = attempt(lambda: table.notes, [])
    return f"{table.title}: {', '.join([shape, *notes])}"


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Lines of rows."""

    text: str
    count: int
    positions: Sequence[int]
    is_whole: bool
    """Whether every column is there and no cell was shortened."""
    shortened_cell: Mapping[str, Any] = field(default_factory=dict)
    """As details: a reference to the first that was."""


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
    def rounding(self) -> str:
        """What is said of numbers once some that were made into lines have lost digits."""
        return ROUNDING if self.writer.has_rounded else ""

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
            self.writer.shortened.update((row, _NO_PLACE) for row in range(start, stop))
            return [["<row cannot be read>"]] * (stop - start)
        return [
            self.writer.fields(row, row=number, objects=self._objects)
            for number, row in enumerate(rows, start)
        ]

    def shortened_cell(self, head: range, tail: range = range(0)) -> dict[str, Any]:
        """As details: a reference to the first cell in these rows that is shortened; none where none is."""
        lead = len(self._table.index_names)
        places = (
            (row, self._positions[place - lead])
            for row, place in sorted(self.writer.shortened)
            if place >= lead and (row in head or row in tail)
        )
        found = next(places, None)
        if found is None:
            return {}
        return {"shortened_cell": f"[{found[0]}, {column_reference(self._table, found[1])}]"}

    def _joined(self, fields: list[str], gap: str) -> str:
        """One line, with `gap` where columns are left out."""
        if len(self._positions) == self._table.column_count:
            return ",".join(fields)
        return ",".join([*fields[: self._gap], gap, *fields[self._gap :]])


@dataclass(frozen=True)
class Draft:
    """What rows are to be put under, and how much room there is."""

    table: Table
    intro: str
    max_tokens: int
    bounds: RowBounds

    def is_fitting(self, text: str) -> bool:
        return fits(f"{self.intro}\n{text}", self.max_tokens)

    def text(self, lines: RowLines, count: int) -> str:
        """`count` rows from both ends, with a line that says what is between."""
        total = self.table.row_count
        if count >= total:
            rows = [lines.header, *lines.head(total)]
            return "\n".join([f"rows (all {total:,}{lines.rounding}):", *rows])
        head, tail = self.bounds.split(count)
        gap = f"… {count_of(total - count, 'row')} not shown …"
        rows = [lines.header, *lines.head(head), gap, *lines.tail(tail)]
        return "\n".join([f"rows (first {head:,}, last {tail:,}{lines.rounding}):", *rows])

    def most(self, lines: RowLines, positions: Sequence[int]) -> Rows:
        """As many rows as fit: one more would not, or is not to be shown."""
        total = self.table.row_count
        most = self.bounds.most(total, len(positions))
        if self.bounds.whole < most == total and not self.is_fitting(self.text(lines, total)):
            most = self.bounds.head + self.bounds.tail
        count = most_fitting(lambda n: self.is_fitting(self.text(lines, n)), most)
        if not self.is_fitting(self.text(lines, count)):  # rows that were tried since have lost digits
            count = most_fitting(lambda n: self.is_fitting(self.text(lines, n)), most)
        is_whole = len(positions) == self.table.column_count and not lines.writer.has_shortened
        head, tail = self.bounds.split(count) if count < total else (total, 0)
        cell = lines.shortened_cell(range(head), range(total - tail, total))
        return Rows(
            text=self.text(lines, count),
            count=count,
            positions=positions,
            is_whole=is_whole,
            shortened_cell=cell,
        )


def _fitting_rows(draft: Draft, schema: Schema) -> Rows:
    """The rows under the schema: with all its columns when a few rows of them fit, else with fewer."""
    table = draft.table
    none = Rows(text="", count=0, positions=schema.positions, is_whole=table.row_count == 0)
    if table.row_count == 0 or not (table.column_count or table.index_names):
        return none
    few = min(_FEW_ROWS, draft.bounds.most(table.row_count, table.column_count))
    positions = [schema.positions[i] for i in outer(len(schema.positions), draft.bounds.columns)]
    for max_chars in _CELL_CHARS:
        lines = RowLines(table, positions, schema.objects, max_chars)
        if draft.is_fitting(draft.text(lines, few)):
            return draft.most(lines, positions)

    for least in (2, 1):
        chosen = _fitting_columns(draft, positions, schema.objects, min(least, few))
        if chosen:
            return draft.most(RowLines(table, chosen, schema.objects, _CELL_CHARS[-1]), chosen)
    return none


def _fitting_columns(
    draft: Draft, positions: Sequence[int], objects: frozenset[int], row_count: int
) -> Sequence[int]:
    """The most of the outer `positions` with which so many rows fit; none where one column does not."""

    def chosen(width: int) -> list[int]:
        return [positions[i] for i in outer(len(positions), width)]

    def is_fitting(width: int) -> bool:
        lines = RowLines(draft.table, chosen(width), objects, _CELL_CHARS[-1])
        return draft.is_fitting(draft.text(lines, row_count))

    width = largest(is_fitting, len(positions))
    return chosen(width) if width else ()
