"""Some rows of data that is not computed yet, computed because a model asked for just these.

Never more is computed than the rows need, as far as the library can tell: the first partitions, a
limit, a slice. What would take all of it, such as the last rows of a query, is refused with words.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pi_notebook.context.previews.beside import run_beside
from pi_notebook.context.previews.foreign import first_line, is_instance, type_name
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.references import ReferenceProblem
from pi_notebook.context.previews.rows import RowRange, preview_computed
from pi_notebook.context.previews.spark import is_spark, run_job, spark_frame
from pi_notebook.context.previews.tables import find_table
from pi_notebook.context.queries.result import PythonRows, ResultTable
from pi_notebook.errors import CodeTimeoutError

MOST_ROWS = 500
"""Computed for one look; a model reads no more."""
_FURTHEST_ROW = 100_000


@dataclass(frozen=True, kw_only=True)
class _Window:
    """Which rows: `count` from `start`, or the last `count`."""

    start: int
    count: int
    is_tail: bool = False


def has_rows(value: object) -> bool:
    """Whether some rows of `value`, which is lazy, can be computed."""
    return is_spark(value) or any(is_instance(value, module, *names) for module, names, _ in _WAYS)


def preview_computed_rows(value: object, rows: RowRange, *, max_tokens: int, name: str) -> Preview:
    """The rows of the lazy `value` in `rows`, computed now. `ReferenceProblem` says why they cannot be."""
    window = _window(rows, name)
    began = time.monotonic()
    try:
        found = _computed(value, window, name)
    except (ReferenceProblem, CodeTimeoutError):
        raise
    except Exception as error:
        raise ReferenceProblem(f"Computing rows of {name} failed: {first_line(error)}") from None
    seconds = time.monotonic() - began
    library = type(value).__module__.partition(".")[0].lstrip("_")
    shown = "the last" if window.is_tail else "these"
    note = f"only {shown} rows computed, in {seconds:.1f} s"
    return preview_computed(
        found,
        found if isinstance(found, ResultTable) else find_table(found),
        start=None if window.is_tail else window.start,
        title=f"{type_name(value)} ({library}), {note}",
        max_tokens=max_tokens,
        name=name,
    )


def _window(rows: RowRange, name: str) -> _Window:
    start, stop = rows.start or 0, rows.stop
    if start < 0 and stop is None:
        return _Window(start=0, count=min(-start, MOST_ROWS), is_tail=True)
    if start < 0 or (stop is not None and stop < 0):
        raise ReferenceProblem(
            f"{name} is not computed, so that its rows are not counted from the end, but for the last: "
            'rows="tail 5".'
        )
    if start > _FURTHEST_ROW:
        raise ReferenceProblem(
            f"{name} is not computed, and row {start:,} is far in. Use run_code, or keep=true and query_data."
        )
    count = MOST_ROWS if stop is None else max(0, stop - start)
    return _Window(start=start, count=min(count, MOST_ROWS))


def _computed(value: Any, window: _Window, name: str) -> object:
    """The rows as a table, a series or an array of a library, or as a result."""
    if is_spark(value):
        return _of_spark(spark_frame(value), window)
    for module, names, compute in _WAYS:
        if is_instance(value, module, *names):
            return compute(value, window, name)
    raise ReferenceProblem(f"{name} ({type_name(value)}) has no rows to choose. Leave rows out.")


def _of_spark(frame: Any, window: _Window) -> ResultTable:
    if window.is_tail:
        found = run_job(frame, lambda: frame.tail(window.count))
    elif window.start and hasattr(frame, "offset"):
        found = run_job(frame, lambda: frame.offset(window.start).limit(window.count).collect())
    else:
        found = run_job(frame, lambda: frame.take(window.start + window.count))[window.start :]
    return _result([(name, dtype) for name, dtype in frame.dtypes], found)


def _result(columns: list[tuple[object, str]], rows: Any) -> ResultTable:
    kept = PythonRows([tuple(row) for row in rows])
    return ResultTable(columns, kept.row_count, kept, kept)


def _of_dask_frame(value: Any, window: _Window, name: str) -> Any:
    """From as many partitions as the rows take, one after the other."""
    if window.is_tail:
        return value.tail(window.count)
    left, parts = window.start + window.count, []
    for at in range(value.npartitions):
        parts.append(value.get_partition(at).head(left, npartitions=1))
        left -= len(parts[-1])
        if left <= 0:
            break
    found = parts[0] if len(parts) == 1 else sys.modules["pandas"].concat(parts)
    return found.iloc[window.start : window.start + window.count]


def _of_dask_array(value: Any, window: _Window, name: str) -> Any:
    if not value.ndim:
        raise ReferenceProblem(f"{name} has no dimensions, and no rows to choose. Leave rows out.")
    start = -window.count if window.is_tail else window.start
    return value[start : None if window.is_tail else start + window.count].compute()


def _of_polars(value: Any, window: _Window, name: str) -> Any:
    chosen = value.tail(window.count) if window.is_tail else value.slice(window.start, window.count)
    # Its own way to compute beside would end the process where the library panics.
    return run_beside(chosen.collect)


def _of_duckdb(value: Any, window: _Window, name: str) -> ResultTable:
    _refuse_tail(window, name)
    part = value.limit(window.count, window.start)
    columns = [(column, str(dtype)) for column, dtype in zip(part.columns, part.types, strict=True)]
    return _result(columns, part.fetchall())


def _of_arrow(value: Any, window: _Window, name: str) -> Any:
    _refuse_tail(window, name)
    return value.head(window.start + window.count).slice(window.start)


def _of_parquet(value: Any, window: _Window, name: str) -> Any:
    _refuse_tail(window, name)
    left, batches = window.start + window.count, []
    for batch in value.iter_batches(batch_size=max(1, left)):
        batches.append(batch.slice(0, left))
        left -= batch.num_rows
        if left <= 0:
            break
    pyarrow = sys.modules["pyarrow"]
    return pyarrow.Table.from_batches(batches, value.schema_arrow).slice(window.start)


def _of_ibis(value: Any, window: _Window, name: str) -> Any:
    _refuse_tail(window, name)
    return value.limit(window.count, offset=window.start).to_pyarrow()


def _refuse_tail(window: _Window, name: str) -> None:
    if window.is_tail:
        raise ReferenceProblem(
            f'{name} is not computed, and its last rows would take all of it. Ask for rows="head 20".'
        )


_Way = Callable[[Any, _Window, str], Any]
_WAYS: tuple[tuple[str, tuple[str, ...], _Way], ...] = (
    ("dask.dataframe", ("DataFrame", "Series", "Index"), _of_dask_frame),
    ("dask.array", ("Array",), _of_dask_array),
    ("polars", ("LazyFrame",), _of_polars),
    ("duckdb", ("DuckDBPyRelation",), _of_duckdb),
    ("pyarrow.dataset", ("Dataset", "Scanner"), _of_arrow),
    ("pyarrow.parquet", ("ParquetFile",), _of_parquet),
    ("ibis.expr.types", ("Table",), _of_ibis),
)
