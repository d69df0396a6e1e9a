"""A parquet file told in a few lines: its columns, how many rows, some of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pi_notebook._loading import installed
from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import cut_to_fit
from pi_notebook.context.previews.rows import RowRange, preview_rows
from pi_notebook.context.previews.wording import csv_field, one_line
from pi_notebook.context.truncation import format_bytes

FIRST_ROWS = 10
_MAX_COLUMNS = 200
_SCHEMA_TOKENS = 4000
_ROWS_TOKENS = 4000
_BATCH_ROWS = 1000
_MOST_GROUPS = 1000
_PACKED = 50
"""Times as large unpacked."""
MAX_UNPACKED_BYTES = 256 * 1024 * 1024


def describe_parquet(
    path: Path,
    shown: str,
    *,
    start: int,
    count: int,
    also: str = "",
    max_unpacked_bytes: int = MAX_UNPACKED_BYTES,
) -> str | None:
    """Schema, size and `count` rows from `start`; None where there is nothing to read it with.

    `also` names another way to look into it. Raises `ValueError` when it cannot be read. Columns that
    would take much memory are left out of the rows: a few kilobytes can stand for gigabytes.
    """
    try:
        with installed():
            import pyarrow
            from pyarrow import parquet
    except ImportError:
        return None
    try:
        with parquet.ParquetFile(path) as file:
            parts = [_title(file, shown, path.stat().st_size)]
            if start < file.metadata.num_rows:
                parts.append(_described_rows(file, pyarrow, start, count, max_unpacked_bytes))
    except (OSError, pyarrow.ArrowException, NotImplementedError, OverflowError) as error:
        raise ValueError(one_line(str(error) or type(error).__name__, 300)) from error
    return "\n\n".join([*parts, f'[Load it with run_code: pandas.read_parquet("{shown}"){also}.]'])


def _title(file: Any, shown: str, byte_count: int) -> str:
    metadata, schema = file.metadata, file.schema_arrow
    groups = count_of(metadata.num_row_groups, "row group")
    title = (
        f"{shown}: parquet, {format_bytes(byte_count)}, {count_of(metadata.num_rows, 'row')} x "
        f"{count_of(len(schema), 'column')}, {groups}"
    )
    fields = [f"{csv_field(one_line(field.name, 60))} ({one_line(str(field.type), 80)})" for field in schema]
    more = [f"and {len(fields) - _MAX_COLUMNS:,} more"] if len(fields) > _MAX_COLUMNS else []
    return title + "\n" + cut_to_fit("columns: " + ", ".join(fields[:_MAX_COLUMNS] + more), _SCHEMA_TOKENS)


def _described_rows(file: Any, pyarrow: Any, start: int, count: int, max_unpacked_bytes: int) -> str:
    metadata, schema = file.metadata, file.schema_arrow
    group, first = _group_of(metadata, start)
    columns = metadata.row_group(group)
    chosen = _affordable(columns, schema.names[:_MAX_COLUMNS], max_unpacked_bytes)
    if not chosen:
        return "(no rows: they would take too much memory; read a part of them with code)"
    left_out = sum(name not in chosen for name in schema.names)
    note = f" (without {count_of(left_out, 'column')}, too many or too large)" if left_out else ""
    try:
        found = _batches(file, group, chosen, range(start - first, start - first + count), max_unpacked_bytes)
        rows = _lines(pyarrow.Table.from_batches(found))
    except (OSError, pyarrow.ArrowException, NotImplementedError) as error:
        return f"(its rows cannot be read: {one_line(str(error), 200)})"
    return f"rows from {start:,}{note}:\n{rows}"


def _group_of(metadata: Any, row: int) -> tuple[int, int]:
    """The row group that `row` is in, and the number of that group's first row."""
    first = 0
    for group in range(metadata.num_row_groups):
        size = metadata.row_group(group).num_rows
        if first + size > row:
            return group, first
        first += size
    return metadata.num_row_groups - 1, first


def _affordable(group: Any, names: Sequence[str], room: int) -> list[str]:
    """The columns whose chunks, unpacked, are within `room` together."""
    sizes = dict.fromkeys(names, 0)
    for at in range(group.num_columns):
        chunk = group.column(at)
        name, is_nested = chunk.path_in_schema.partition(".")[0], "." in chunk.path_in_schema
        if name in sizes:
            # Each of the values of a row may be the one long value that is in the file.
            values = chunk.num_values // max(1, group.num_rows) if is_nested and _is_packed(chunk) else 1
            sizes[name] += chunk.total_uncompressed_size * max(1, values)
    chosen = []
    for name, size in sizes.items():
        if size <= room:
            room -= size
            chosen.append(name)
    return chosen


def _is_packed(chunk: Any) -> bool:
    """Whether a chunk is packed as what was made to be unpacked is, and hardly ever data."""
    is_text = chunk.physical_type == "BYTE_ARRAY"
    return bool(is_text and chunk.total_uncompressed_size > _PACKED * max(1, chunk.total_compressed_size))


def _batch_rows(metadata: Any, groups: Sequence[int], columns: Sequence[str], room: int) -> int:
    """How many rows may be unpacked at once, when each may have the longest value of its column."""
    chunks = [metadata.row_group(at).column(n) for at in groups for n in range(metadata.num_columns)]
    names = frozenset(columns)
    size = sum(
        chunk.total_uncompressed_size
        for chunk in chunks
        if chunk.path_in_schema.partition(".")[0] in names and _is_packed(chunk)
    )
    return int(max(1, min(_BATCH_ROWS, room // max(1, size))))


def _batches(file: Any, group: int, columns: list[str], rows: range, room: int) -> list[Any]:
    """The rows, numbered from the first of the group, or as many as take no more than `room`."""
    first, count = 0, len(rows)
    groups = list(range(group, min(file.metadata.num_row_groups, group + _MOST_GROUPS)))
    size = _batch_rows(file.metadata, groups, columns, room // 8)
    room = room if size == _BATCH_ROWS else room // 4
    found = []
    for batch in file.iter_batches(batch_size=size, row_groups=groups, columns=columns):
        kept = batch.slice(max(0, rows.start - first), count)
        first += batch.num_rows
        count -= kept.num_rows
        room -= kept.nbytes
        found.append(kept)
        if count <= 0 or room <= 0:
            break
    return found


def _lines(table: Any) -> str:
    """The rows of `table` as lines of CSV."""
    shown = preview_rows(table, RowRange(start=None, stop=None), max_tokens=_ROWS_TOKENS)
    return shown.text.partition("\n")[2] if shown is not None else ""
