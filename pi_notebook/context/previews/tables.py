"""Frames and series of any library as tables whose columns are found by position.

A table is a view: nothing is copied but the sample and the rows asked for, nothing is changed, and
a column is never looked up by its name, since names may repeat and may be anything. Libraries are
found where the person has loaded them; none is imported to look.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.arrow_cells import arrow_cell
from pi_notebook.context.previews.foreign import attempt, is_instance, type_name
from pi_notebook.context.previews.wording import byte_size, label, one_line

MAX_LABEL_CHARS = 60
MAX_OBJECT_SAMPLE = 5_000
_MAX_SAMPLE_BYTES = 8_000_000
_GUESSED_WORDS = re.compile("time_unit=|time_zone=|categories=|precision=|scale=|, None")
_DICTIONARY = re.compile(r"dictionary<values=(\w+), indices=\w+, ordered=\d>")


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Some values of one column, evenly taken."""

    series: Any
    """A native series of at most the size asked for, contiguous and without its index."""
    is_whole: bool


class Table(Protocol):
    """Rows and columns, whichever library holds them."""

    @property
    def title(self) -> str:
        """The type and library: `DataFrame (pandas)`."""
        ...

    @property
    def is_frame(self) -> bool:
        """False for a series or an index."""
        ...

    @property
    def row_count(self) -> int: ...

    @property
    def column_count(self) -> int: ...

    @property
    def index_names(self) -> list[str]:
        """Labels that stand before the columns in every row; empty where rows have no labels."""
        ...

    @property
    def null_text(self) -> str:
        """How the library writes a None."""
        ...

    @property
    def size(self) -> str:
        """What it takes in memory."""
        ...

    @property
    def notes(self) -> list[str]:
        """What is worth knowing besides the columns: the index, odd names."""
        ...

    def name(self, position: int) -> str:
        """A column's name as text."""
        ...

    def dtype(self, position: int) -> str:
        """A column's type in its library's words."""
        ...

    def null_count(self, position: int) -> int | None:
        """How many values are missing, where that is known without reading them."""
        ...

    def sample(self, position: int, size: int) -> Sample:
        """About `size` values of a column, evenly spread."""
        ...

    def column(self, position: int) -> Any:
        """A column as its library holds it, not copied."""
        ...

    def rows(self, start: int, stop: int, positions: Sequence[int]) -> list[tuple[object, ...]]:
        """Rows by position: index labels, then the columns at `positions`."""
        ...


def find_table(value: object) -> Table | None:
    """`value` as a table when it is a frame or a series of pandas, polars or pyarrow; else None."""
    if is_instance(value, "pandas", "DataFrame", "Series", "Index"):
        from pi_notebook.context.previews.pandas_table import PandasTable

        return PandasTable(value)
    if is_instance(value, "polars", "DataFrame", "Series"):
        return PolarsTable(value)
    if is_instance(value, "pyarrow", "Table", "RecordBatch", "ChunkedArray", "Array"):
        return ArrowTable(value)
    return None


class PolarsTable:
    """A frame or a series of polars."""

    def __init__(self, value: Any) -> None:
        self.is_frame = is_instance(value, "polars", "DataFrame")
        self._frame = value if self.is_frame else value.to_frame()
        self.title = f"{type_name(value)} (polars)"
        self.row_count, self.column_count = self._frame.shape
        self._names, self._dtypes = self._frame.columns, self._frame.dtypes
        self.index_names: list[str] = []
        self.null_text = "null"

        self.notes: list[str] = []

    @property
    def size(self) -> str:
        known = [self.column(at) for at in range(self.column_count) if not self._is_object(at)]
        size = byte_size(sum(int(column.estimated_size()) for column in known))
        return size if len(known) == self.column_count else f"at least {size}"

    def name(self, position: int) -> str:
        return label(self._names[position], MAX_LABEL_CHARS)

    def dtype(self, position: int) -> str:
        return short_dtype(str(self._dtypes[position]))

    def null_count(self, position: int) -> int | None:
        return int(self.column(position).null_count())

    def sample(self, position: int, size: int) -> Sample:
        column = self.column(position)
        is_object = self._is_object(position)
        room = MAX_OBJECT_SAMPLE if is_object else affordable(column.estimated_size(), self.row_count)
        size = min(size, room)
        if self.row_count <= size:
            return Sample(series=column, is_whole=True)
        return Sample(series=column.gather_every(even_step(self.row_count, size)), is_whole=False)

    def rows(self, start: int, stop: int, positions: Sequence[int]) -> list[tuple[object, ...]]:
        columns = [self.column(position)[start:stop] for position in positions]
        # By item, a list stays a series, whose length costs nothing.
        return [tuple(column[row] for column in columns) for row in range(stop - start)]

    def column(self, position: int) -> Any:
        return self._frame.to_series(position)

    def _is_object(self, position: int) -> bool:
        """Whether a column holds Python objects; asked for their size, polars prints a stack trace."""
        return str(self._dtypes[position]) == "Object"


class ArrowTable:
    """A table, a record batch or an array of pyarrow."""

    def __init__(self, value: Any) -> None:
        pyarrow = sys.modules["pyarrow"]
        self.is_frame = is_instance(value, "pyarrow", "Table", "RecordBatch")
        self._table = value if self.is_frame else pyarrow.table({"value": value})
        self.title = f"{type_name(value)} (pyarrow)"
        self.row_count, self.column_count = self._table.num_rows, self._table.num_columns
        self._names, self._types = self._table.schema.names, self._table.schema.types
        self.index_names: list[str] = []
        self.null_text = "null"

    @property
    def size(self) -> str:
        return byte_size(self._table.nbytes)

    @property
    def notes(self) -> list[str]:
        repeated = repeated_names(self._names)
        return [repeated] if repeated else []

    def name(self, position: int) -> str:
        return label(self._names[position], MAX_LABEL_CHARS)

    def dtype(self, position: int) -> str:
        return short_dtype(str(self._types[position]))

    def null_count(self, position: int) -> int | None:
        return int(self._table.column(position).null_count)

    def sample(self, position: int, size: int) -> Sample:
        return sample_of_arrow(self._table.column(position), size)

    def column(self, position: int) -> Any:
        pyarrow = sys.modules["pyarrow"]
        column = self._table.column(position)
        return column if is_instance(column, "pyarrow", "ChunkedArray") else pyarrow.chunked_array([column])

    def rows(self, start: int, stop: int, positions: Sequence[int]) -> list[tuple[object, ...]]:
        columns = [self._table.column(position).slice(start, stop - start) for position in positions]
        return [tuple(arrow_cell(column[row]) for column in columns) for row in range(stop - start)]


def sample_of_arrow(column: Any, size: int) -> Sample:
    """Values taken evenly, chunk by chunk: taking from a chunked column may copy all of it."""
    pyarrow = sys.modules["pyarrow"]
    chunked = column if is_instance(column, "pyarrow", "ChunkedArray") else pyarrow.chunked_array([column])
    count = len(chunked)
    size = min(size, affordable(attempt(lambda: chunked.nbytes, 0), count))
    if count <= size:
        return Sample(series=chunked, is_whole=True)
    step = even_step(count, size)
    taken, offset = [], 0
    for chunk in chunked.chunks:
        positions = range(-offset % step, len(chunk), step)
        offset += len(chunk)
        if positions:
            taken.append(chunk.take(_arrow_positions(positions)))
    return Sample(series=pyarrow.chunked_array(taken, type=chunked.type), is_whole=False)


def _arrow_positions(positions: range) -> Any:
    """As an arrow array, whose making from a range takes longer than all else."""
    numpy, pyarrow = sys.modules.get("numpy"), sys.modules["pyarrow"]
    if numpy is None:
        return pyarrow.array(positions, type=pyarrow.int64())
    return pyarrow.array(numpy.arange(positions.start, positions.stop, positions.step, dtype="int64"))


def even_step(count: int, size: int) -> int:
    """The step with which `count` values give at most `size`; a prime, lest it keep time with the data.

    Every 24th of hourly values would be the same hour of each day.
    """
    step = max(1, -(-count // max(size, 1)))
    while step > 2 and any(step % divisor == 0 for divisor in range(2, int(step**0.5) + 1)):
        step += 1
    return step


def affordable(total_bytes: int, count: int) -> int:
    """How many of `count` values of `total_bytes` in all a sample may hold; at least 100."""
    return max(100, _MAX_SAMPLE_BYTES * count // max(total_bytes, 1))


def repeated_names(names: Sequence[object]) -> str:
    """A note that names the columns whose name is not theirs alone; empty when all are."""
    seen: set[object] = set()
    repeated = {name: None for name in names if name in seen or seen.add(name)}  # type: ignore[func-returns-value]
    if not repeated:
        return ""
    shown = ", ".join(label(name, 24) for name in list(repeated)[:5])
    return f"{count_of(len(repeated), 'repeated column name')}: {shown}"


def short_dtype(text: str) -> str:
    """A dtype's text without the words that can be guessed."""
    text = _GUESSED_WORDS.sub("", text)
    return one_line(_DICTIONARY.sub(r"dictionary<\1>", text), 48)
