"""Previews of data that is not read or computed yet: its schema, and never a row."""

from __future__ import annotations

import functools
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import fits, largest
from pi_notebook.context.previews.deferred import is_lazy
from pi_notebook.context.previews.foreign import attempt, class_name, is_instance, qualified_name
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.tables import short_dtype
from pi_notebook.context.previews.wording import csv_field, label, one_line

__all__ = ["is_lazy", "preview_lazy"]

_MAX_CHUNKS = 4


def preview_lazy(value: object, *, max_tokens: int) -> Preview:
    """The columns and types of `value`, as far as they are known without computing."""
    title = f"{class_name(type(value))} ({qualified_name(type(value)).split('.')[0].lstrip('_')})"
    if is_instance(value, "dask.array", "Array"):
        facts = attempt(lambda: _chunked(value), "")
        return Preview(text=f"{title}, not computed{facts}", kind="lazy", is_complete=False)
    if is_instance(value, "dask.bag", "Bag") or is_instance(value, "dask.delayed", "Delayed"):
        text = f"{title}, not computed{_partitions(value)}"
        return Preview(text=text, kind="lazy", is_complete=False)
    columns = attempt(lambda: _columns(value), [])
    known = count_of(len(columns), "column") if columns else "columns unknown"
    header = f"{title}, {_state(value)}: {known}, {_rows(value)}{_partitions(value)}{_files(value)}"
    lines = [f"{csv_field(label(name))},{csv_field(short_dtype(dtype))}" for name, dtype in columns]

    def draft(count: int) -> str:
        omitted = [f"… {count_of(len(lines) - count, 'more column')} …"] if count < len(lines) else []
        return "\n".join([header, "column,dtype", *lines[:count], *omitted]) if lines else header

    count = largest(lambda n: fits(draft(n), max_tokens), len(lines))
    details = {"columns": len(columns), "columns_shown": count}
    return Preview(text=draft(count), kind="lazy", is_complete=False, details=details)


def _columns(value: Any) -> list[tuple[object, str]]:
    if is_instance(value, "polars", "LazyFrame"):
        return [(name, str(dtype)) for name, dtype in value.collect_schema().items()]
    if is_instance(value, "duckdb", "DuckDBPyRelation"):
        return [(name, str(dtype)) for name, dtype in zip(value.columns, value.types, strict=True)]
    if is_instance(value, "ibis.expr.types", "Table"):
        return [(name, str(dtype)) for name, dtype in value.schema().items()]
    if _is_arrow(value):
        return [(column.name, str(column.type)) for column in _arrow_schema(value)]
    dtypes: Any = value.dtypes
    if hasattr(dtypes, "items"):
        dtypes = dtypes.items()
    elif not isinstance(dtypes, list):
        dtypes = [(value.name, dtypes)]
    return [(name, str(dtype)) for name, dtype in dtypes]


def _is_arrow(value: object) -> bool:
    return qualified_name(type(value)).startswith("pyarrow.")


def _arrow_schema(value: Any) -> Any:
    for name in ("projected_schema", "schema_arrow", "schema"):
        schema = attempt(functools.partial(getattr, value, name, None), None)
        if schema is not None:
            return schema
    return ()


def _state(value: object) -> str:
    return "not read" if _is_arrow(value) else "not computed"


def _rows(value: Any) -> str:
    """How many rows a file says it has; nothing else knows without counting."""
    if is_instance(value, "pyarrow.parquet", "ParquetFile"):
        metadata = value.metadata
        return f"{count_of(metadata.num_rows, 'row')} in {count_of(metadata.num_row_groups, 'row group')}"
    return "number of rows unknown"


def _partitions(value: Any) -> str:
    count = attempt(lambda: getattr(value, "npartitions", None), None)
    return f", {count_of(count, 'partition')}" if type(count) is int else ""


def _files(value: Any) -> str:
    """How many files a dataset of pyarrow is made of, their format and the first of them."""
    if not is_instance(value, "pyarrow.dataset", "FileSystemDataset"):
        return ""
    files = attempt(lambda: list(value.files), [])
    form = attempt(lambda: f" ({value.format.default_extname})", "")
    first = f", first {one_line(files[0], 120)}" if files else ""
    return f", {count_of(len(files), 'file')}{form}{first}"


def _chunked(array: Any) -> str:
    chunks = array.chunksize
    shown = " x ".join(f"{size:,}" for size in chunks[:_MAX_CHUNKS])
    more = " x …" if len(chunks) > _MAX_CHUNKS else ""
    shape = one_line(str(tuple(array.shape)), 80)
    count = count_of(int(array.npartitions), "chunk")
    return f": shape {shape}, {one_line(str(array.dtype), 60)}, {count} of {shown}{more}"
