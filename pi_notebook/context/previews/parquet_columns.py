"""Frames taken apart into columns that parquet can hold; what it cannot hold becomes text.

A column is had a part at a time, so that a frame on its way to a file takes the memory of a part. Its
type is settled first, by all of its values where their library does not know it.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pi_notebook._loading import installed
from pi_notebook.context.previews.foreign import attempt, is_instance, type_name
from pi_notebook.context.previews.object_columns import (
    ValuesOfSeveralTypes,
    ValuesTooDeep,
    object_type,
    text_reason,
)
from pi_notebook.context.previews.wording import plain_text

_CHECKED_ROWS = 1 << 16


@dataclass(frozen=True, kw_only=True)
class FileColumn:
    """One column on its way to a file."""

    label: object
    """As the frame names it."""
    row_count: int
    items: Callable[[int, int], Sequence[object]]
    """The Python values of the rows from one up to another."""
    type: Any = None
    """Of arrow; None where it has none."""
    part: Callable[[int, int], Any] | None = None
    """The rows from one up to another as arrow holds them."""
    is_index: bool = False
    text_reason: str = ""
    """Why its values are texts; empty when they are not."""

    def as_text(self, reason: str) -> FileColumn:
        """The same with each value as text."""
        return replace(self, type=None, part=None, text_reason=reason)

    def arrow(self, start: int, stop: int) -> Any:
        """The rows `start` up to `stop`, of `arrow_type`."""
        pyarrow = sys.modules["pyarrow"]
        if self.part is None:
            texts = [text_of(item) for item in self.items(start, stop)]
            return pyarrow.array(texts, type=pyarrow.large_string())
        values = self.part(start, stop)
        return values if values.type == self.type else values.cast(self.type)

    @property
    def arrow_type(self) -> Any:
        """The type of all its parts."""
        return self.type if self.part is not None else sys.modules["pyarrow"].large_string()

    def problem(self) -> str:
        """Why a part of it cannot be had; empty when all can."""
        try:
            for start in range(0, self.row_count, _CHECKED_ROWS):
                self.arrow(start, min(start + _CHECKED_ROWS, self.row_count))
        except Exception as error:
            return f"{type(error).__name__} for {self.type or 'text'}"
        return ""


def columns_of(value: Any) -> list[FileColumn]:
    """The columns of a frame, index columns first."""
    if is_instance(value, "polars", "DataFrame"):
        return [_polars_column(series) for series in value.get_columns()]
    with installed():
        import pyarrow

    if is_instance(value, "pyarrow", "Table", "RecordBatch"):
        names = value.schema.names
        return [_arrow_column(names[i], value.column(i)) for i in range(len(names))]
    found = [] if is_counter(value.index) else _index_columns(value.index, pyarrow)
    found += [_pandas_column(label, series, pyarrow) for label, series in value.items()]
    return found


def text_of(item: object) -> str | None:
    """A value as text: JSON for containers where it can be, else its own text; None stays None."""
    if item is None or (type(item) is float and math.isnan(item)):
        return None
    found = item if type(item) is str else ""
    if type(item) in (dict, list, tuple):
        found = attempt(lambda: json.dumps(item, ensure_ascii=False, default=str), "")
    elif type(item) is not str:
        found = plain_text(item)
    elif not item:
        return ""
    return (found or plain_text(item) or f"<{type_name(item)}>").encode("utf-8", "backslashreplace").decode()


def _polars_column(series: Any) -> FileColumn:
    def items(start: int, stop: int) -> list[object]:
        found: list[object] = series[start:stop].to_list()
        return found

    column = FileColumn(label=series.name, row_count=len(series), items=items)
    if str(series.dtype) == "Object":
        return column.as_text("Python objects")
    try:
        dtype = series[:0].to_arrow().type
    except Exception as error:
        return column.as_text(f"{type(error).__name__} for {series.dtype}")
    return replace(column, type=dtype, part=lambda start, stop: series[start:stop].to_arrow())


def _arrow_column(label: object, values: Any) -> FileColumn:
    return FileColumn(
        label=label,
        row_count=len(values),
        items=lambda start, stop: values.slice(start, stop - start).to_pylist(),
        type=values.type,
        part=lambda start, stop: values.slice(start, stop - start),
    )


def is_counter(index: Any) -> bool:
    """Whether an index of pandas only counts the rows, and so need not be kept."""
    return is_instance(index, "pandas", "RangeIndex") and (index.start, index.step) == (0, 1)


def _index_columns(index: Any, pyarrow: Any) -> list[FileColumn]:
    """The levels of an index, of which only the part asked for is made into values."""
    pandas = sys.modules["pandas"]
    has_levels = is_instance(index, "pandas", "MultiIndex")
    found = []
    for level in range(index.nlevels):
        name = index.names[level]

        def part(start: int, stop: int, level: int = level) -> Any:
            return pandas.Series(index[start:stop].get_level_values(level))

        kept = pandas.Series(index.levels[level]) if has_levels else part(0, len(index))
        label = f"index{level or ''}" if name is None else name
        found.append(replace(_pandas_parts(label, kept, part, len(index), pyarrow), is_index=True))
    return found


def _pandas_column(label: object, series: Any, pyarrow: Any) -> FileColumn:
    if is_instance(series.dtype, "numpy", "dtype") and series.dtype.kind in "iufb":
        dtype = attempt(lambda: pyarrow.from_numpy_dtype(series.dtype), None)
        if dtype is not None:
            return _numpy_column(label, series.to_numpy(), dtype, pyarrow)

    def part(start: int, stop: int) -> Any:
        return series.iloc[start:stop]

    return _pandas_parts(label, series, part, len(series), pyarrow)


def _numpy_column(label: object, values: Any, dtype: Any, pyarrow: Any) -> FileColumn:
    """A column of plain numbers, of which a frame may have thousands."""
    return FileColumn(
        label=label,
        row_count=len(values),
        items=lambda start, stop: values[start:stop].tolist(),
        type=dtype,
        part=lambda start, stop: pyarrow.array(values[start:stop], from_pandas=True),
    )


def _pandas_parts(
    label: object, kept: Any, part: Callable[[int, int], Any], row_count: int, pyarrow: Any
) -> FileColumn:
    """A column of pandas whose values are all in `kept`, and its rows in `part`."""
    column = FileColumn(label=label, row_count=row_count, items=lambda a, b: _dense(part(a, b)).tolist())
    try:
        dtype = _pandas_type(kept, pyarrow)
    except ValuesOfSeveralTypes:
        return column.as_text("values of several types")
    except ValuesTooDeep:
        return column.as_text("values within values, too deep")
    except Exception as error:
        return column.as_text(f"{type(error).__name__} for {kept.dtype}")
    if reason := text_reason(kept, dtype, pyarrow):
        return column.as_text(reason)

    def arrow(start: int, stop: int) -> Any:
        if dtype == pyarrow.null():
            return pyarrow.nulls(stop - start)
        return pyarrow.array(_dense(part(start, stop)), from_pandas=True, type=dtype)

    return replace(column, type=dtype, part=arrow)


def _pandas_type(series: Any, pyarrow: Any) -> Any:
    """The arrow type of a column; by its values only where pandas knows none."""
    if str(series.dtype) == "object":
        return object_type(_parts(series.to_numpy()), pyarrow)
    return pyarrow.array(_dense(series.iloc[:0]), from_pandas=True).type


def _parts(values: Any) -> Iterator[Any]:
    """An array of numpy in parts."""
    for start in range(0, len(values), _CHECKED_ROWS):
        yield values[start : start + _CHECKED_ROWS]


def _dense(series: Any) -> Any:
    return series.sparse.to_dense() if is_instance(series.dtype, "pandas", "SparseDtype") else series
