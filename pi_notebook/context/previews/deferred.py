"""Which objects stand for data that is not read or computed yet, so that looking must not start it."""

from __future__ import annotations

from pi_notebook.context.previews.foreign import is_instance

_CLASSES = (
    ("polars", "LazyFrame"),
    ("duckdb", "DuckDBPyRelation"),
    ("pyarrow.dataset", "Dataset", "Scanner"),
    ("pyarrow", "RecordBatchReader"),
    ("pyarrow.parquet", "ParquetFile"),
    ("dask.dataframe", "DataFrame", "Series", "Index"),
    ("dask.array", "Array"),
    ("dask.bag", "Bag"),
    ("dask.delayed", "Delayed"),
    ("pyspark.sql", "DataFrame"),
    ("pyspark.sql.connect.dataframe", "DataFrame"),
    ("pyspark.pandas", "DataFrame", "Series"),
    ("ibis.expr.types", "Table", "Column"),
)


def is_lazy(value: object) -> bool:
    """Whether reading a row of `value` would start a computation."""
    return any(is_instance(value, module, *names) for module, *names in _CLASSES)
