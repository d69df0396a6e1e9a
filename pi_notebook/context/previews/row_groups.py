"""Columns written to a parquet file in row groups, so that memory grows by one of them and no more."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pi_notebook._loading import installed
from pi_notebook.context.previews.parquet_columns import FileColumn, text_of

_GROUP_BYTES = 32_000_000
"""Of a row group in memory; readers take them one by one, several at a time."""
_MOST_GROUP_BYTES = 128_000_000
_LEAST_GROUP_ROWS = 1_000
"""Each column of a row group has a cost of its own, which tells where there are thousands."""
_MOST_GROUP_ROWS = 1_000_000
_COMPRESSION = "zstd"


class UnwritableColumns(Exception):
    """Columns that cannot be written even as text; the text names them and says why."""


def group_rows(byte_count: int, row_count: int) -> int:
    """How many rows of a frame of `byte_count` are written at a time."""
    rows = _GROUP_BYTES * row_count // max(byte_count, 1)
    least = min(_LEAST_GROUP_ROWS, _MOST_GROUP_BYTES * row_count // max(byte_count, 1))
    return max(1, least, min(_MOST_GROUP_ROWS, rows))


def write_columns(
    columns: Sequence[FileColumn], names: Sequence[str], path: Path, *, rows_at_a_time: int
) -> dict[str, str]:
    """Write the file; gives the names of the columns that became text, and why.

    Raises `UnwritableColumns` when there are such.
    """
    kept = _holdable(columns)
    row_count = columns[0].row_count if columns else 0
    try:
        _write(kept, names, path, rows_at_a_time, row_count=row_count)
    except OSError:
        raise
    except Exception:
        # A value that its column's type cannot hold: all are looked for, then written as text at once.
        kept = [column.as_text(reason) if (reason := column.problem()) else column for column in kept]
        problems = {name: column.problem() for name, column in zip(names, kept, strict=True)}
        if at_fault := {name: problem for name, problem in problems.items() if problem}:
            raise UnwritableColumns(_told(at_fault)) from None
        _write(kept, names, path, rows_at_a_time, row_count=row_count)
    return {name: column.text_reason for name, column in zip(names, kept, strict=True) if column.text_reason}


def write_polars(frame: Any, names: Sequence[str], path: Path, *, rows_at_a_time: int) -> dict[str, str]:
    """The same for a frame of polars, by its own writer, which needs no pyarrow."""
    polars = sys.modules["polars"]
    as_text: dict[str, str] = {}
    kept = []
    for name, series in zip(names, frame.get_columns(), strict=True):
        reason = "Python objects" if str(series.dtype) == "Object" else _polars_refusal(series)
        if reason:
            as_text[name] = reason
            series = polars.Series([text_of(item) for item in series.to_list()], dtype=polars.String)
        kept.append(series.rename(name))
    polars.DataFrame(kept).write_parquet(path, compression=_COMPRESSION, row_group_size=rows_at_a_time)
    return as_text


def _polars_refusal(series: Any) -> str:
    try:
        series[:1].to_frame().write_parquet(io.BytesIO())
    except Exception as error:
        return f"{type(error).__name__} for {series.dtype}"
    return ""


def _holdable(columns: Sequence[FileColumn]) -> list[FileColumn]:
    """`columns`, as text those of a type that parquet has none for."""
    one_of_each = {column.arrow_type: column for column in columns}
    reasons = {dtype: _refusal(column) for dtype, column in one_of_each.items()}
    return [
        column.as_text(reason) if (reason := reasons[column.arrow_type]) else column for column in columns
    ]


def _refusal(column: FileColumn) -> str:
    """Why parquet does not take the type of `column`; empty when it does."""
    try:
        _write([column], ["column"], io.BytesIO(), 1, row_count=min(1, column.row_count))
    except Exception as error:
        return f"{type(error).__name__} for {column.arrow_type}"
    return ""


def _write(
    columns: Sequence[FileColumn],
    names: Sequence[str],
    target: Any,
    rows_at_a_time: int,
    *,
    row_count: int,
) -> None:
    with installed():
        import pyarrow
        from pyarrow import parquet

    fields = [(name, column.arrow_type) for name, column in zip(names, columns, strict=True)]
    schema = pyarrow.schema(fields)
    is_primitive, is_decimal = pyarrow.types.is_primitive, pyarrow.types.is_decimal
    # A dictionary of plain numbers costs as much time as all else, and saves no room.
    long = [name for name, dtype in fields if is_decimal(dtype) or not is_primitive(dtype)]
    with parquet.ParquetWriter(target, schema, compression=_COMPRESSION, use_dictionary=long) as writer:
        for start in range(0, row_count, rows_at_a_time):
            stop = min(start + rows_at_a_time, row_count)
            parts = [column.arrow(start, stop) for column in columns]
            writer.write_table(pyarrow.table(parts, schema=schema), row_group_size=rows_at_a_time)


def _told(at_fault: dict[str, str]) -> str:
    names = list(at_fault)
    noun = "column" if len(names) == 1 else "columns"
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"{noun} {', '.join(names[:10])}{more} cannot be written ({at_fault[names[0]]})"
