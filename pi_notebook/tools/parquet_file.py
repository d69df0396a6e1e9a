"""A parquet file told in a few lines: its columns, how many rows, some of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import cut_to_fit
from pi_notebook.context.previews.rows import RowRange, preview_rows
from pi_notebook.context.previews.wording import csv_field, one_line
from pi_notebook.context.truncation import format_bytes

FIRST_ROWS = 10
_MAX_COLUMNS = 200
_SCHEMA_TOKENS = 4000
_ROWS_TOKENS = 4000


def describe_parquet(path: Path, shown: str, *, start: int, count: int) -> str | None:
    """Schema, size and `count` rows from `start`; None where there is nothing to read it with.

    Raises `ValueError` when it cannot be read. Whole row groups are never loaded.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return None
    try:
        with parquet.ParquetFile(path) as file:
            return _described(file, pyarrow, shown, start, count, path.stat().st_size)
    except (OSError, pyarrow.ArrowException, NotImplementedError, OverflowError) as error:
        raise ValueError(one_line(str(error) or type(error).__name__, 300)) from error


def _described(file: Any, pyarrow: Any, shown: str, start: int, count: int, byte_count: int) -> str:
    metadata, schema = file.metadata, file.schema_arrow
    groups = count_of(metadata.num_row_groups, "row group")
    title = (
        f"{shown}: parquet, {format_bytes(byte_count)}, {count_of(metadata.num_rows, 'row')} x "
        f"{count_of(len(schema), 'column')}, {groups}"
    )
    fields = [f"{csv_field(one_line(field.name, 60))} ({one_line(str(field.type), 80)})" for field in schema]
    more = [f"and {len(fields) - _MAX_COLUMNS:,} more"] if len(fields) > _MAX_COLUMNS else []
    columns = cut_to_fit("columns: " + ", ".join(fields[:_MAX_COLUMNS] + more), _SCHEMA_TOKENS)
    if start >= metadata.num_rows:
        return f"{title}\n{columns}"
    try:
        rows = _rows(file, pyarrow, start, count)
    except (OSError, pyarrow.ArrowException, NotImplementedError) as error:
        return f"{title}\n{columns}\n(its rows cannot be read: {one_line(str(error), 200)})"
    return f"{title}\n{columns}\n\nrows from {start:,}:\n{rows}"


def _rows(file: Any, pyarrow: Any, start: int, count: int) -> str:
    """The rows as lines of CSV."""
    first = 0
    for group in range(file.metadata.num_row_groups):
        size = file.metadata.row_group(group).num_rows
        if first + size > start:
            break
        first += size
    groups = list(range(group, file.metadata.num_row_groups))
    names = file.schema_arrow.names[:_MAX_COLUMNS]
    columns = names if len(set(names)) == len(names) and len(file.schema_arrow) > len(names) else None
    found = []
    for batch in file.iter_batches(batch_size=max(count, 1000), row_groups=groups, columns=columns):
        kept = batch.slice(max(0, start - first), count)
        first += batch.num_rows
        count -= kept.num_rows
        found.append(kept)
        if count <= 0:
            break
    table = pyarrow.Table.from_batches(found)
    shown = preview_rows(table, RowRange(start=None, stop=None), max_tokens=_ROWS_TOKENS)
    return shown.text.partition("\n")[2] if shown is not None else ""
