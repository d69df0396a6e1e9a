"""Frames taken apart into columns that parquet can hold; what it cannot hold becomes text."""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_notebook.context.previews.foreign import attempt, is_instance, type_name
from pi_notebook.context.previews.leaves import PLAIN_TYPES
from pi_notebook.context.previews.tables import even_step
from pi_notebook.context.previews.wording import plain_text

_SIZED_OBJECTS = 1_000
_POINTER_BYTES = 8
_UNKNOWN_BYTES = 200
"""Taken for an object whose size cannot be asked for without running code of its own."""


@dataclass(frozen=True, kw_only=True)
class FileColumn:
    """One column on its way to a file."""

    label: object
    """As the frame names it."""
    values: Any
    """A series of polars, or an array of pyarrow."""
    is_index: bool = False
    text_reason: str = ""
    """Why its values are texts; empty when they are not."""

    @property
    def row_count(self) -> int:
        return len(self.values)


def estimated_bytes(value: Any) -> int:
    """What `value` takes in memory with its sparse columns made dense; objects as a sample of them."""
    if is_instance(value, "polars", "DataFrame"):
        known = [series for series in value.get_columns() if str(series.dtype) != "Object"]
        objects = int(value.width - len(known)) * int(value.height)
        return sum(int(series.estimated_size()) for series in known) + objects * _UNKNOWN_BYTES
    if is_instance(value, "pyarrow", "Table", "RecordBatch"):
        return int(value.nbytes)
    columns = (value.iloc[:, position] for position in range(value.shape[1]))
    return int(value.index.nbytes) + sum(_pandas_bytes(column) for column in columns)


def columns_of(value: Any) -> list[FileColumn]:
    """The columns of a frame, index columns first, each in a form its writer takes."""
    if is_instance(value, "polars", "DataFrame"):
        return [_polars_column(series) for series in value.get_columns()]
    import pyarrow

    if is_instance(value, "pyarrow", "Table", "RecordBatch"):
        names = value.schema.names
        return [FileColumn(label=names[i], values=_chunked(value.column(i))) for i in range(len(names))]
    found = [] if _is_counter(value.index) else _index_columns(value.index, pyarrow)
    for position in range(value.shape[1]):
        column = value.iloc[:, position]
        found.append(_pandas_column(value.columns[position], column, pyarrow))
    return found


def write_columns(columns: Sequence[FileColumn], names: Sequence[str], path: Path) -> dict[str, str]:
    """Write the file; gives the names of the columns that became text, and why."""
    is_polars = bool(columns) and is_instance(columns[0].values, "polars", "Series")
    writer = _write_polars if is_polars else _write_arrow
    values = [column.values for column in columns]
    as_text = {name: column.text_reason for name, column in zip(names, columns, strict=True)}
    try:
        writer(names, values, path)
    except OSError:
        raise
    except Exception:
        for place, name in enumerate(names):
            reason = _refusal(writer, name, values[place])
            if reason:
                values[place], as_text[name] = _texts(values[place]), reason
        writer(names, values, path)
    return {name: reason for name, reason in as_text.items() if reason}


def _write_polars(names: Sequence[str], values: Sequence[Any], target: Any) -> None:
    series = [column.rename(name) for name, column in zip(names, values, strict=True)]
    sys.modules["polars"].DataFrame(series).write_parquet(target, compression="zstd")


def _write_arrow(names: Sequence[str], values: Sequence[Any], target: Any) -> None:
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table(list(values), names=list(names))
    # A dictionary of numbers costs as much time as all else, and saves no room.
    texts = [field.name for field in table.schema if not pyarrow.types.is_primitive(field.type)]
    parquet.write_table(table, target, compression="zstd", use_dictionary=texts)


def _refusal(writer: Any, name: str, values: Any) -> str:
    """Why `writer` does not take a column of this type; empty when it does."""
    try:
        writer([name], [values[:1]], io.BytesIO())
    except Exception as error:
        return f"{type(error).__name__} for {_type_text(values)}"
    return ""


def _texts(values: Any) -> Any:
    """A column of the same library with each value as text."""
    if is_instance(values, "polars", "Series"):
        polars = sys.modules["polars"]
        return polars.Series(values.name, [_text(item) for item in values.to_list()], dtype=polars.String)
    pyarrow = sys.modules["pyarrow"]
    return pyarrow.array([_text(item) for item in values.to_pylist()], type=pyarrow.large_string())


def _polars_column(series: Any) -> FileColumn:
    if str(series.dtype) != "Object":
        return FileColumn(label=series.name, values=series)
    return FileColumn(label=series.name, values=_texts(series), text_reason="Python objects")


def _chunked(values: Any) -> Any:
    if is_instance(values, "pyarrow", "ChunkedArray"):
        return values
    return sys.modules["pyarrow"].chunked_array([values])


def _is_counter(index: Any) -> bool:
    return is_instance(index, "pandas", "RangeIndex") and (index.start, index.step) == (0, 1)


def _index_columns(index: Any, pyarrow: Any) -> list[FileColumn]:
    pandas = sys.modules["pandas"]
    found = []
    for level in range(index.nlevels):
        name = index.names[level]
        label = (f"index{level or ''}") if name is None else name
        series = pandas.Series(index.get_level_values(level))
        found.append(_pandas_column(label, series, pyarrow, is_index=True))
    return found


def _pandas_column(label: object, series: Any, pyarrow: Any, *, is_index: bool = False) -> FileColumn:
    if is_instance(series.dtype, "pandas", "SparseDtype"):
        series = series.sparse.to_dense()
    try:
        values = pyarrow.array(series, from_pandas=True)
        reason = _loss(series, values, pyarrow)
    except Exception as error:
        values, reason = None, f"{type(error).__name__} for {series.dtype}"
    if reason:
        texts = [_text(item) for item in series.tolist()]
        values = pyarrow.array(texts, type=pyarrow.large_string())
    return FileColumn(label=label, values=_chunked(values), is_index=is_index, text_reason=reason)


def _loss(series: Any, values: Any, pyarrow: Any) -> str:
    """What arrow would change in silence; empty when it keeps everything."""
    if isinstance(values.type, pyarrow.BaseExtensionType):
        return f"{series.dtype} has no parquet type"
    if pyarrow.types.is_dictionary(values.type) and isinstance(
        values.type.value_type, pyarrow.BaseExtensionType
    ):
        return "categories without a parquet type"
    if str(series.dtype) != "object":
        return ""
    kinds = {type(item) for item in series.tolist() if item is not None}
    kinds = {kind for kind in kinds if not (kind is float and len(kinds) > 1 and _only_nan(series))}
    if len(kinds) > 1:
        return "values of several types"
    if pyarrow.types.is_nested(values.type) and "struct" in str(values.type):
        return "dicts, whose keys may differ"
    return ""


def _only_nan(series: Any) -> bool:
    return all(math.isnan(item) for item in series.tolist() if type(item) is float)


def _text(item: object) -> str | None:
    """A value as text: JSON for containers where it can be, else its own text; None stays None."""
    if item is None or (type(item) is float and math.isnan(item)):
        return None
    found = item if type(item) is str else ""
    if type(item) in (dict, list, tuple):
        found = attempt(lambda: json.dumps(item, ensure_ascii=False, default=str), "")
    elif type(item) is not str:
        found = plain_text(item) or f"<{type_name(item)}>"
    return (found or plain_text(item)).encode("utf-8", "backslashreplace").decode()


def _type_text(values: Any) -> str:
    return str(getattr(values, "dtype", None) or getattr(values, "type", ""))


def _pandas_bytes(column: Any) -> int:
    dtype = column.dtype
    if is_instance(dtype, "pandas", "SparseDtype"):
        return len(column) * int(dtype.subtype.itemsize)
    if str(dtype) != "object":
        return int(column.array.nbytes)
    sample = column.iloc[:: even_step(len(column), _SIZED_OBJECTS)].tolist()
    size = sum(sys.getsizeof(item) if type(item) in PLAIN_TYPES else _UNKNOWN_BYTES for item in sample)
    return len(column) * (_POINTER_BYTES + size // max(1, len(sample)))
