"""Frames, series and indexes of pandas as tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from pi_notebook.context.previews.foreign import attempt, is_instance, type_name
from pi_notebook.context.previews.tables import (
    MAX_LABEL_CHARS,
    MAX_OBJECT_SAMPLE,
    Sample,
    affordable,
    even_step,
    repeated_names,
    sample_of_arrow,
    short_dtype,
)
from pi_notebook.context.previews.wording import byte_size, label, one_line, quoted

_MAX_ASKED_COLUMNS = 200
_MAX_LISTED_LABELS = 100_000
_COUNTED_TOGETHER = 128
"""Columns of one type side by side, which are asked for missing values at once."""
_MAX_COUNTED_ROWS = 1_000_000
"""Up to here missing numbers and dates are counted; beyond, the sample tells."""


class PandasTable:
    """A view on a frame, on a series as its one column, or on an index as the labels of its rows."""

    def __init__(self, value: Any) -> None:
        self.title = f"{type_name(value)} (pandas)"
        self.is_frame = is_instance(value, "pandas", "DataFrame")
        self._has_index = True
        self.null_text = "None"
        self._is_index = False
        self._frame = self._framed(value)
        self.row_count, self.column_count = self._frame.shape
        self._dtypes = list(self._frame.dtypes)
        # By identity: thousands of columns share a few types, and each question to one takes its time.
        self._dtype_texts: dict[int, str] = {}
        self._null_counts: dict[int, int] = {}

    def _framed(self, value: Any) -> Any:
        pandas = sys.modules["pandas"]
        if is_instance(value, "pandas", "DataFrame"):
            return value
        if is_instance(value, "pandas", "Series"):
            return value.to_frame(name=value.name)
        if is_instance(value, "pandas", "MultiIndex", "RangeIndex"):
            # Made into columns, either would take memory in proportion to its length.
            self._is_index = True
            return pandas.DataFrame(index=value)
        self._has_index = False
        return pandas.Series(value, copy=False).to_frame(name=value.name)

    @cached_property
    def index_names(self) -> list[str]:
        index = self._frame.index
        is_counter = is_instance(index, "pandas", "RangeIndex") and (index.start, index.step) == (0, 1)
        if not self._has_index or (is_counter and not self._is_index):
            return []
        return [f"index{i or ''}" if name is None else label(name) for i, name in enumerate(index.names)]

    @property
    def size(self) -> str:
        has_objects = any(_is_object(dtype) for dtype in self._distinct_dtypes)
        return f"{'at least ' if has_objects else ''}{byte_size(self._memory_bytes())}"

    @property
    def notes(self) -> list[str]:
        repeated = attempt(lambda: repeated_names(list(self._frame.columns)), "")
        return [note for note in (self._index_note(), self._labels_note(), repeated) if note]

    @cached_property
    def _distinct_dtypes(self) -> list[Any]:
        return list({id(dtype): dtype for dtype in self._dtypes}.values())

    def _memory_bytes(self) -> float:
        """What the columns hold, in proportion where many would have to be asked; objects as pointers."""
        plain = {id(dtype): _is_numpy(dtype) for dtype in self._distinct_dtypes}
        known = sum(self.row_count * int(dtype.itemsize) for dtype in self._dtypes if plain[id(dtype)])
        others = [position for position, dtype in enumerate(self._dtypes) if not plain[id(dtype)]]
        asked = others[:_MAX_ASKED_COLUMNS]
        sizes = sum(int(self._frame.iloc[:, position].array.nbytes) for position in asked)
        index = int(self._frame.index.nbytes) if self.index_names else 0
        return float(known + index) + sizes * len(others) / max(len(asked), 1)

    def _index_note(self) -> str:
        """`index date (datetime64[us])`, or the levels of one that has several."""
        if not self.index_names:
            return ""
        index = self._frame.index
        if not is_instance(index, "pandas", "MultiIndex"):
            name = "" if index.name is None else f" {self.index_names[0]}"
            return f"index{name} ({short_dtype(str(index.dtype))})"
        dtypes = (short_dtype(str(level.dtype)) for level in index.levels)
        return "index " + ", ".join(
            f"{name} ({dtype})" for name, dtype in zip(self.index_names, dtypes, strict=True)
        )

    @cached_property
    def _has_levels(self) -> bool:
        return is_instance(self._frame.columns, "pandas", "MultiIndex")

    @cached_property
    def _has_text_labels(self) -> bool:
        kind = attempt(lambda: str(self._frame.columns.inferred_type), "string")
        return kind in ("string", "empty", "categorical")

    def _labels_note(self) -> str:
        if self._has_levels:
            return f"column labels: tuples of {self._frame.columns.nlevels} levels, joined by / here"
        if self._has_text_labels or not (self.is_frame and self.column_count):
            return ""
        return f"column labels: {self._frame.columns.inferred_type}, not text"

    @cached_property
    def _labels(self) -> Any:
        """The labels by position; from a list they are had several times as fast."""
        columns = self._frame.columns
        return columns.tolist() if len(columns) <= _MAX_LISTED_LABELS else columns

    def name(self, position: int) -> str:
        name = self._labels[position]
        if self._has_levels and isinstance(name, tuple):
            return one_line("/".join(label(part) for part in name), MAX_LABEL_CHARS)
        if name is None and not self.is_frame:
            return "value"
        if self._has_text_labels or type(name) is not str:
            return label(name, MAX_LABEL_CHARS)
        return quoted(name, MAX_LABEL_CHARS)

    def dtype(self, position: int) -> str:
        dtype = self._dtypes[position]
        found = self._dtype_texts.get(id(dtype))
        if found is None:
            found = self._dtype_texts[id(dtype)] = self._dtype_text(dtype)
        return found

    def _dtype_text(self, dtype: Any) -> str:
        if is_instance(dtype, "pandas", "CategoricalDtype"):
            ordered = "ordered " if dtype.ordered else ""
            return f"{ordered}category of {len(dtype.categories)}"
        return short_dtype(str(dtype))

    def null_count(self, position: int) -> int | None:
        dtype = self._dtypes[position]
        if _is_numpy(dtype) and dtype.kind in "iub":
            return 0
        column = self._frame.iloc[:, position] if not _is_numpy(dtype) else None
        if column is not None and _is_arrow(column):
            return int(column.array.__arrow_array__().null_count)
        if _is_object(dtype) or self.row_count > _MAX_COUNTED_ROWS:
            return None
        if column is not None:
            return int(column.isna().sum())
        if position not in self._null_counts:
            self._count_nulls_from(position)
        return self._null_counts[position]

    def _count_nulls_from(self, start: int) -> None:
        """Count those of a column of numpy and of its neighbours alike, which costs little more."""
        most = max(1, min(_COUNTED_TOGETHER, _MAX_COUNTED_ROWS // max(self.row_count, 1)))
        dtype, stop = self._dtypes[start], start + 1
        while stop < min(start + most, self.column_count) and self._dtypes[stop] is dtype:
            stop += 1
        counts = self._frame.iloc[:, start:stop].isna().to_numpy().sum(axis=0).tolist()
        self._null_counts.update(zip(range(start, stop), counts, strict=True))

    def sample(self, position: int, size: int) -> Sample:
        column = self._frame.iloc[:, position]
        if _is_arrow(column):
            return sample_of_arrow(column.array.__arrow_array__(), size)
        if _is_object(column.dtype):
            size = min(size, MAX_OBJECT_SAMPLE)
        else:
            size = min(size, affordable(column.dtype.itemsize * self.row_count, self.row_count))
        if self.row_count <= size:
            return Sample(series=_dense(column), is_whole=True)
        taken = column.iloc[:: even_step(self.row_count, size)]
        # The slice lies scattered in memory; every reading of it would cost as much as this copy.
        return Sample(series=_dense(taken.copy()), is_whole=False)

    def column(self, position: int) -> Any:
        column = self._frame.iloc[:, position]
        if not _is_arrow(column):
            return column
        pyarrow = sys.modules["pyarrow"]
        values = column.array.__arrow_array__()
        return values if is_instance(values, "pyarrow", "ChunkedArray") else pyarrow.chunked_array([values])

    def rows(self, start: int, stop: int, positions: Sequence[int]) -> list[tuple[object, ...]]:
        part = self._frame.iloc[start:stop]
        columns = [part.iloc[:, position].tolist() for position in positions]
        levels = [part.index.get_level_values(i).tolist() for i in range(len(self.index_names))]
        return list(zip(*levels, *columns, strict=True)) if levels or columns else [()] * len(part)


_NUMPY_ARRAY = ("pandas.arrays", "NumpyExtensionArray", "PandasArray")


def _is_arrow(column: Any) -> bool:
    """Whether arrow holds the values, so that they can be had without a copy."""
    pandas = sys.modules["pandas"]
    arrow_dtype = getattr(pandas, "ArrowDtype", None)
    if "pyarrow" not in sys.modules:
        return False
    return (arrow_dtype is not None and isinstance(column.dtype, arrow_dtype)) or (
        isinstance(column.dtype, pandas.StringDtype) and "pyarrow" in str(column.dtype.storage)
    )


def _is_object(dtype: Any) -> bool:
    return _is_numpy(dtype) and dtype.kind == "O"


def _is_numpy(dtype: Any) -> bool:
    return is_instance(dtype, "numpy", "dtype")


def _dense(column: Any) -> Any:
    return column.sparse.to_dense() if is_instance(column.dtype, "pandas", "SparseDtype") else column
