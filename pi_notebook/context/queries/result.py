"""What a query gave: how many rows, and as many of both ends as a preview can show.

All rows are counted, few are kept, so that a result of any size takes no memory to speak of.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from pi_notebook._loading import installed
from pi_notebook.context.previews.frames import preview_table
from pi_notebook.context.previews.preview import Preview, RowBounds
from pi_notebook.context.previews.tables import MAX_LABEL_CHARS, ArrowTable, Sample, short_dtype
from pi_notebook.context.previews.wording import label

RESULT_ROWS = RowBounds(whole=100, head=40, tail=10, columns=60)
_HEAD_ROWS = 160
"""Kept of the beginning; a preview asks for rows in batches."""
_TAIL_ROWS = 40
_BATCH_ROWS = 2_048


class KeptRows(Protocol):
    """Some rows of a result that follow each other."""

    @property
    def row_count(self) -> int: ...

    def rows(self, start: int, stop: int, positions: Sequence[int]) -> list[tuple[object, ...]]: ...


class PythonRows:
    """Rows as a driver gives them."""

    def __init__(self, rows: Iterable[Sequence[object]]) -> None:
        self._rows = list(rows)
        self.row_count = len(self._rows)

    def rows(self, start: int, stop: int, positions: Sequence[int]) -> list[tuple[object, ...]]:
        return [tuple(row[position] for position in positions) for row in self._rows[start:stop]]


class ResultTable:
    """A result as a table to preview, of which the rows between both ends are only counted."""

    title = "Result"
    is_frame = True
    null_text = "NULL"
    size = ""

    def __init__(
        self, columns: Sequence[tuple[object, str]], row_count: int, head: KeptRows, tail: KeptRows
    ) -> None:
        self._columns = columns
        self._head, self._tail = head, tail
        self.row_count, self.column_count = row_count, len(columns)
        self.index_names: list[str] = []
        self.notes: list[str] = []

    def with_types(self, types: Sequence[str]) -> ResultTable:
        """The same with other types of its columns."""
        columns = [(name, dtype) for (name, _), dtype in zip(self._columns, types, strict=True)]
        return ResultTable(columns, self.row_count, self._head, self._tail)

    def name(self, position: int) -> str:
        return label(self._columns[position][0], MAX_LABEL_CHARS)

    def dtype(self, position: int) -> str:
        return short_dtype(self._columns[position][1])

    def null_count(self, position: int) -> int | None:
        return None

    def sample(self, position: int, size: int) -> Sample:
        raise LookupError("the rows of a result are not kept")

    def column(self, position: int) -> Any:
        raise LookupError("the rows of a result are not kept")

    def rows(self, start: int, stop: int, positions: Sequence[int]) -> list[tuple[object, ...]]:
        if stop <= self._head.row_count:
            return self._head.rows(start, stop, positions)
        offset = self.row_count - self._tail.row_count
        return self._tail.rows(start - offset, stop - offset, positions)


def preview_result(table: ResultTable, *, max_tokens: int) -> Preview:
    """The rows of `table` within `max_tokens`, under their names and types."""
    return preview_table(table, kind="rows", max_tokens=max_tokens, bounds=RESULT_ROWS, has_figures=False)


def run_duckdb(connection: Any, sql: str) -> ResultTable:
    """Run `sql` to its end, on any thread."""
    relation = connection.sql(sql)
    columns = [(name, str(dtype)) for name, dtype in zip(relation.columns, relation.types, strict=True)]
    try:
        with installed():
            import pyarrow
    except ImportError:
        return collect(columns, _batches(relation))
    # A relation answers for a name it has not with an AttributeError, and releases differ in the name.
    names = ("to_arrow_reader", "fetch_arrow_reader")
    read = next(getattr(relation, name) for name in names if hasattr(type(relation), name))
    return _collect_arrow(columns, read(_BATCH_ROWS), pyarrow)


def collect(
    columns: Sequence[tuple[object, str]], batches: Iterable[Sequence[Sequence[object]]]
) -> ResultTable:
    """The result of a driver that gives rows as tuples."""
    head: list[Sequence[object]] = []
    tail: deque[Sequence[object]] = deque(maxlen=_TAIL_ROWS)
    count = 0
    for batch in batches:
        count += len(batch)
        head.extend(batch[: max(0, _HEAD_ROWS - len(head))])
        tail.extend(batch[-_TAIL_ROWS:])
    return ResultTable(columns, count, PythonRows(head), PythonRows(tail))


def fetched(cursor: Any) -> Iterator[Sequence[Sequence[object]]]:
    """The rows of a DB-API cursor, some at a time."""
    while batch := cursor.fetchmany(_BATCH_ROWS):
        yield batch


def _batches(relation: Any) -> Iterator[Sequence[Sequence[object]]]:
    while batch := relation.fetchmany(_BATCH_ROWS):
        yield batch


def _collect_arrow(columns: Sequence[tuple[object, str]], reader: Any, pyarrow: Any) -> ResultTable:
    head: list[Any] = []
    tail: deque[Any] = deque(maxlen=_TAIL_ROWS)
    count = 0
    for batch in reader:
        if count < _HEAD_ROWS:
            head.append(batch.slice(0, _HEAD_ROWS - count))
        count += batch.num_rows
        tail.append(batch.slice(max(0, batch.num_rows - _TAIL_ROWS)))
    schema = reader.schema
    last = pyarrow.Table.from_batches(list(tail), schema)
    kept = last.slice(max(0, last.num_rows - _TAIL_ROWS))
    first = pyarrow.Table.from_batches(head, schema)
    return ResultTable(columns, count, ArrowTable(first), ArrowTable(kept))
