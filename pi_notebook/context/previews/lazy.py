"""Previews of frames that are not computed yet: their schema, and never a row."""

from __future__ import annotations

from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import fits, largest
from pi_notebook.context.previews.foreign import attempt, class_name, is_instance, qualified_name
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.tables import short_dtype
from pi_notebook.context.previews.wording import csv_field, label

_CLASSES = (
    ("polars", "LazyFrame"),
    ("duckdb", "DuckDBPyRelation"),
    ("dask.dataframe", "DataFrame", "Series", "Index"),
    ("pyspark.sql", "DataFrame"),
    ("pyspark.sql.connect.dataframe", "DataFrame"),
    ("pyspark.pandas", "DataFrame", "Series"),
    ("ibis.expr.types", "Table", "Column"),
)


def is_lazy(value: object) -> bool:
    """Whether reading a row of `value` would start a computation."""
    return any(is_instance(value, module, *names) for module, *names in _CLASSES)


def preview_lazy(value: object, *, max_tokens: int) -> Preview:
    """The columns and types of `value`, as far as they are known without computing."""
    columns = attempt(lambda: _columns(value), [])
    title = f"{class_name(type(value))} ({qualified_name(type(value)).split('.')[0].lstrip('_')})"
    known = count_of(len(columns), "column") if columns else "columns unknown"
    header = f"{title}, not computed: {known}, number of rows unknown{_partitions(value)}"
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
    dtypes: Any = value.dtypes
    if hasattr(dtypes, "items"):
        dtypes = dtypes.items()
    elif not isinstance(dtypes, list):
        dtypes = [(value.name, dtypes)]
    return [(name, str(dtype)) for name, dtype in dtypes]


def _partitions(value: Any) -> str:
    count = attempt(lambda: getattr(value, "npartitions", None), None)
    return f", {count_of(count, 'partition')}" if type(count) is int else ""
