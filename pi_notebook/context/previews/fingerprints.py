"""Telling cheaply whether a frame was changed in place."""

from __future__ import annotations

import ctypes
import sys
import zlib
from typing import Any

from pi_notebook.context.previews.foreign import attempt, is_instance

_MAX_BYTES = 32_000_000
"""Of a larger frame no cell is looked at: that would take longer than a tenth of a second."""
_MAX_COLUMNS = 2_000


def fingerprint(value: object) -> int:
    """A number that a frame of pandas no longer has when a cell was set; 0 for what is not looked into.

    Objects count by identity: a list in a cell may grow unseen. Frames of other libraries are mostly
    replaced, not changed.
    """
    return attempt(lambda: _pandas_fingerprint(value), 0) if is_instance(value, "pandas", "DataFrame") else 0


def _pandas_fingerprint(frame: Any) -> int:
    row_count, column_count = frame.shape
    if column_count > _MAX_COLUMNS or row_count * column_count * 8 > _MAX_BYTES:
        return 0
    found = zlib.crc32(repr(list(frame.columns)[:_MAX_COLUMNS]).encode("utf-8", "replace"))
    found = _array_crc(frame.index.array, found)
    for position in range(column_count):
        found = _array_crc(frame.iloc[:, position].array, found)
    return found


def _array_crc(array: Any, start: int) -> int:
    """The cells of a pandas array, where they are; of one that cannot be changed in place, where it is."""
    parts = (getattr(array, name, None) for name in ("_ndarray", "_data", "_codes", "_mask"))
    for part in parts:
        if is_instance(part, "numpy", "ndarray"):
            plain = sys.modules["numpy"].ascontiguousarray(part)
            start = zlib.crc32(ctypes.string_at(plain.ctypes.data, plain.nbytes), start)
        elif part is not None:
            start = zlib.crc32(str(id(part)).encode(), start)
    return start
