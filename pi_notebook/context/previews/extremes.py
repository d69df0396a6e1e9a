"""The least and the greatest of whole columns and how many values are missing, of as many as are soon read.

A sample misses what is rare, and a reader takes its range for the data's. Numbers and dates are read
whole, a part at a time, so that neither time nor memory grows without bound; of other types a
sample has to do.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from pi_notebook._loading import installed
from pi_notebook.context.previews.foreign import attempt, is_instance

_PART_VALUES = 1 << 16
"""Of a plain array: what a processor's cache holds."""
_NATIVE_PART_VALUES = 1 << 19
"""Of a column that its library reads, which has a cost a call."""
_MAX_VALUES = 30_000_000
"""Of plain arrays: some 40 ms of a processor."""
_PLAIN, _DATES, _POLARS, _ARROW, _EXTENSION, _HALVES = 1, 4, 2, 4, 6, 12
"""What reading a value costs, in plain ones."""
_WALL_SECONDS = 1.0
T = TypeVar("T")


class Allowance:
    """How many values of whole columns may be read, shared by the columns of one table.

    They are counted, so that the same table is told of alike however busy the machine is; the clock
    matters only for values that a disk must bring.
    """

    def __init__(self) -> None:
        self._left = _MAX_VALUES
        self._until = time.monotonic() + _WALL_SECONDS

    def takes(self, values: int) -> bool:
        """Whether so many more may be read, in plain ones; they are counted if so."""
        is_enough = values <= self._left
        self._left -= values if is_enough else 0
        return is_enough

    @property
    def is_over(self) -> bool:
        """Whether it takes too long all the same."""
        return time.monotonic() > self._until


@dataclass(frozen=True, kw_only=True)
class Extremes:
    """What is known of a column or of a part of it."""

    low: Any = None
    """None when there is no value at all."""
    high: Any = None
    null_count: int = 0
    nan_count: int = 0
    """NaN where the library tells it from a missing value."""

    def with_part(self, part: Extremes) -> Extremes:
        """Both together."""
        return Extremes(
            low=_chosen(min, self.low, part.low),
            high=_chosen(max, self.high, part.high),
            null_count=self.null_count + part.null_count,
            nan_count=self.nan_count + part.nan_count,
        )


def find_extremes(column: Any, allowance: Allowance) -> Extremes | None:
    """Of `column`, a native series; None when its type has none or it is too long."""
    if is_instance(column, "pandas", "Series"):
        return _pandas_extremes(column, allowance)
    if is_instance(column, "polars", "Series") and (column.dtype.is_numeric() or column.dtype.is_temporal()):
        return _joined(column.slice, _polars_part, len(column), _NATIVE_PART_VALUES, allowance, cost=_POLARS)
    if is_instance(column, "pyarrow", "ChunkedArray") and _is_ordered_arrow(column.type):
        return _joined(column.slice, _arrow_part, len(column), _NATIVE_PART_VALUES, allowance, cost=_ARROW)
    return None


def find_array_extremes(array: Any, allowance: Allowance) -> Extremes | None:
    """Of a numpy array of numbers or dates; None where it does not lie in one piece or is too long.

    Of dates, the ends are the numbers they are stored as.
    """
    if array.dtype.kind not in "iufmM" or not array.flags.forc:
        return None
    flat = array.ravel("K")
    if array.dtype.kind in "mM":
        numbers = flat.view("i8")
        return _joined(_slices(numbers), _numpy_time_part, flat.size, _PART_VALUES, allowance, cost=_DATES)
    return _joined(_slices(flat), _numpy_part, flat.size, _PART_VALUES, allowance, cost=_cost(flat))


def _joined(
    part: Callable[[int, int], T],
    read: Callable[[T], Extremes],
    count: int,
    size: int,
    allowance: Allowance,
    *,
    cost: int,
) -> Extremes | None:
    if not allowance.takes(count * cost):
        return None
    found = Extremes()
    for start in range(0, count, size):
        if allowance.is_over:
            return None
        found = found.with_part(read(part(start, size)))
    return found


def _chosen(choose: Callable[..., Any], one: Any, other: Any) -> Any:
    if one is None or other is None:
        return other if one is None else one
    return choose(one, other)


def _pandas_extremes(column: Any, allowance: Allowance) -> Extremes | None:
    kind = getattr(column.dtype, "kind", "O")
    if kind in "mM" and hasattr(column.array, "view"):
        return _pandas_time_extremes(column, allowance)
    if kind not in "iuf":
        return None
    if is_instance(column.dtype, "numpy", "dtype"):
        values = column.to_numpy()
        return _joined(_slices(values), _numpy_part, len(values), _PART_VALUES, allowance, cost=_cost(values))
    if is_instance(column.dtype, "pandas", "SparseDtype"):
        return None
    values = _slices(column.array)
    return _joined(values, _pandas_part, len(column), _NATIVE_PART_VALUES, allowance, cost=_EXTENSION)


def _pandas_time_extremes(column: Any, allowance: Allowance) -> Extremes | None:
    """Dates read as the numbers they are stored as; the ends are then named by the column itself."""
    numbers = column.array.view("i8")
    found = _joined(_slices(numbers), _numpy_time_part, len(numbers), _PART_VALUES, allowance, cost=_DATES)
    if found is None or found.low is None:
        return found
    low, high = (column.iloc[int((numbers == end).argmax())] for end in (found.low, found.high))
    return Extremes(low=low, high=high, null_count=found.null_count)


def _cost(values: Any) -> int:
    return _HALVES if values.dtype.kind == "f" and values.dtype.itemsize == 2 else _PLAIN


def _slices(values: Any) -> Callable[[int, int], Any]:
    return lambda start, size: values[start : start + size]


def _numpy_part(values: Any) -> Extremes:
    low = values.min()
    if low == low:  # noqa: PLR0124
        return Extremes(low=low.item(), high=values.max().item())
    numpy = sys.modules["numpy"]
    missing = int(numpy.count_nonzero(numpy.isnan(values)))
    if missing == len(values):
        return Extremes(null_count=missing)
    low, high = numpy.fmin.reduce(values), numpy.fmax.reduce(values)
    return Extremes(low=low.item(), high=high.item(), null_count=missing)


def _numpy_time_part(numbers: Any) -> Extremes:
    numpy = sys.modules["numpy"]
    nothing = numpy.iinfo("int64").min
    low = numbers.min()
    if low != nothing:
        return Extremes(low=low, high=numbers.max())
    filled = numbers[numbers != nothing]
    missing = len(numbers) - len(filled)
    if not len(filled):
        return Extremes(null_count=missing)
    return Extremes(low=filled.min(), high=filled.max(), null_count=missing)


def _pandas_part(values: Any) -> Extremes:
    missing = int(values.isna().sum())
    if missing == len(values):
        return Extremes(null_count=missing)
    return Extremes(low=values.min(), high=values.max(), null_count=missing)


def _polars_part(values: Any) -> Extremes:
    is_float = values.dtype.is_float()
    if is_float or values.dtype.is_integer():
        found = _in_place(lambda: values.to_numpy(allow_copy=False))
        if found is not None:
            return found
    nan_count = int(values.is_nan().sum() or 0) if is_float else 0
    missing = int(values.null_count())
    if missing + nan_count == len(values):
        return Extremes(null_count=missing, nan_count=nan_count)
    return Extremes(low=values.min(), high=values.max(), null_count=missing, nan_count=nan_count)


def _arrow_part(values: Any) -> Extremes:
    with installed():
        from pyarrow import compute, types

    if values.num_chunks == 1 and (types.is_floating(values.type) or types.is_integer(values.type)):
        found = _in_place(lambda: values.chunk(0).to_numpy(zero_copy_only=True))
        if found is not None:
            return found
    nan_count = (compute.sum(compute.is_nan(values)).as_py() or 0) if types.is_floating(values.type) else 0
    missing = int(values.null_count)
    if missing + nan_count == len(values):
        return Extremes(null_count=missing, nan_count=nan_count)
    ends = compute.min_max(values)
    return Extremes(
        low=ends["min"].as_py(), high=ends["max"].as_py(), null_count=missing, nan_count=nan_count
    )


def _in_place(view: Callable[[], Any]) -> Extremes | None:
    """What numpy finds, several times as fast, in values that it can look at where they are."""
    values = attempt(view, None) if "numpy" in sys.modules else None
    if values is None or not len(values):
        return None
    found = _numpy_part(values)
    return Extremes(low=found.low, high=found.high, nan_count=found.null_count)


def _is_ordered_arrow(dtype: Any) -> bool:
    with installed():
        from pyarrow import types

    kinds = (types.is_integer, types.is_floating, types.is_decimal, types.is_temporal)
    return any(is_kind(dtype) for is_kind in kinds)
