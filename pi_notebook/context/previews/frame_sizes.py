"""What a frame takes in memory, estimated without a walk through its values."""

from __future__ import annotations

import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from pi_notebook.context.previews.foreign import is_instance
from pi_notebook.context.previews.leaves import PLAIN_TYPES
from pi_notebook.context.previews.tables import even_step

_SIZED_OBJECTS = 1_000
_POINTER_BYTES = 8
_SIZED_TYPES = PLAIN_TYPES | {date, datetime, time, timedelta, Decimal}
_UNKNOWN_BYTES = 200
"""Taken for an object whose size cannot be asked for without running code of its own."""


def estimated_bytes(value: Any) -> int:
    """What `value` takes with its sparse columns made dense; objects as a sample of them."""
    if is_instance(value, "polars", "DataFrame"):
        known = [series for series in value.get_columns() if str(series.dtype) != "Object"]
        objects = int(value.width - len(known)) * int(value.height)
        return sum(int(series.estimated_size()) for series in known) + objects * _UNKNOWN_BYTES
    if is_instance(value, "pyarrow", "Table", "RecordBatch"):
        return int(value.nbytes)
    return int(value.index.nbytes) + sum(_pandas_bytes(column) for _, column in value.items())


def _pandas_bytes(column: Any) -> int:
    dtype = column.dtype
    if is_instance(dtype, "numpy", "dtype") and dtype.kind != "O":
        return len(column) * int(dtype.itemsize)
    if is_instance(dtype, "pandas", "SparseDtype"):
        return len(column) * int(dtype.subtype.itemsize)
    if str(dtype) != "object":
        return int(column.array.nbytes)
    sample = column.iloc[:: even_step(len(column), _SIZED_OBJECTS)].tolist()
    size = sum(sys.getsizeof(item) if type(item) in _SIZED_TYPES else _UNKNOWN_BYTES for item in sample)
    return len(column) * (_POINTER_BYTES + size // max(1, len(sample)))
