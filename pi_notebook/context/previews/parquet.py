"""A whole frame on disk as parquet, behind a preview that shows a part of it.

Nothing is ever pickled. What parquet has no type for becomes text, names become text and unique, and
the record says so. The person's frame is read, not changed. A frame too large is left alone with a
reason: its variable is the way back then. A file takes about as many seconds as the frame has hundreds
of megabytes, so one is written only when a preview leaves rows out (`is_worth_spilling`).
"""

from __future__ import annotations

import itertools
import os
import re
import secrets
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pi_notebook._loading import find_installed
from pi_notebook.context.previews.foreign import attempt, is_instance
from pi_notebook.context.previews.frame_sizes import estimated_bytes
from pi_notebook.context.previews.parquet_columns import columns_of, is_counter
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.row_groups import (
    UnwritableColumns,
    group_rows,
    write_columns,
    write_polars,
)
from pi_notebook.context.previews.wording import byte_size, label, one_line
from pi_notebook.context.spill import FRAME_ENDING, make_private_folder, open_private, remove_stale
from pi_notebook.errors import CodeTimeoutError

UNFINISHED = ".unfinished"
AUTOMATIC_BYTES = 1_000_000_000
"""The largest estimate of a frame that is written without being asked for."""
_MOST_DTYPES = 200
_LEAST_ROWS = 51
"""Fewer are as soon shown."""

_FRAMES = (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table", "RecordBatch"))
T = TypeVar("T")
_UNSAFE = re.compile(r"[^\w.-]+", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class FrameSpill:
    """A frame's parquet file as it was written."""

    path: Path
    byte_count: int
    row_count: int
    columns: tuple[str, ...]
    """The names in the file, index columns first."""
    index_columns: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    """The frame's label and the file's name, where they differ."""
    as_text: tuple[tuple[str, str], ...] = ()
    """Columns whose values are texts in the file, and why."""
    dtypes: tuple[tuple[str, str], ...] = ()
    """Types of pandas' own, as `Int64`, that a reader of the file would not choose; the first of many."""

    @property
    def way_back(self) -> str:
        """Where the rest is, and how the file differs from the frame."""
        parts = [f"All {self.row_count:,} rows: {self.path} (parquet, {byte_size(self.byte_count)})."]
        if self.index_columns:
            parts.append(f"The index is in {_listed(self.index_columns)}.")
        renamed = [f"{old or repr(old)} is {new}" for old, new in self.renamed if old != new]
        if renamed:
            parts.append(f"Renamed: {_listed(renamed)}.")
        if self.as_text:
            parts.append(f"As text: {_listed([name for name, _ in self.as_text])}.")
        return " ".join(parts)

    def details(self) -> dict[str, Any]:
        """The record as JSON."""
        return {
            "path": str(self.path),
            "bytes": self.byte_count,
            "rows": self.row_count,
            "columns": list(self.columns),
            "indexColumns": list(self.index_columns),
            "renamed": [list(pair) for pair in self.renamed],
            "asText": dict(self.as_text),
            **({"dtypes": dict(self.dtypes)} if self.dtypes else {}),
        }


@dataclass(frozen=True, kw_only=True)
class NotSpilled:
    """Why there is no file."""

    reason: str


def is_worth_spilling(value: object, shown: Preview) -> bool:
    """Whether `shown` leaves rows of a frame out, and it is long enough and small enough to write unasked."""
    rows = shown.details.get("rows", 0)
    if shown.kind != "frame" or rows < _LEAST_ROWS or shown.details.get("rows_shown", 0) >= rows:
        return False
    if not shown.details.get("columns") and attempt(lambda: is_counter(value.index), True):  # type: ignore[attr-defined]
        return False
    return attempt(lambda: estimated_bytes(value), AUTOMATIC_BYTES + 1) <= AUTOMATIC_BYTES


def spill_frame(
    value: object, folder: Path, name: str, *, max_bytes: int = AUTOMATIC_BYTES
) -> FrameSpill | NotSpilled:
    """Write `value` into `folder` as a new private file named after `name`.

    Never raises for the frame, the folder or the disk; an interrupt passes and leaves no file.
    `max_bytes` bounds the frame in memory as estimated beforehand, sparse columns made dense.
    """
    if not any(is_instance(value, module, *names) for module, *names in _FRAMES):
        return NotSpilled(reason="only frames of pandas, polars and pyarrow are written")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            size = estimated_bytes(value)
            if size > max_bytes:
                return NotSpilled(
                    reason=f"about {byte_size(size)}, more than the limit of {byte_size(max_bytes)}"
                )
            return _spilled(value, folder, name, size)
        except CodeTimeoutError:
            raise
        except UnwritableColumns as error:
            return NotSpilled(reason=one_line(str(error), 400))
        except ModuleNotFoundError as error:
            return NotSpilled(reason=f"{error.name} is not installed")
        except OSError as error:
            return NotSpilled(reason=f"the file could not be written ({error.strerror or error})")
        except Exception as error:
            return NotSpilled(reason=one_line(f"{type(error).__name__}: {error}", 200))


def _spilled(value: Any, folder: Path, name: str, size: int) -> FrameSpill:
    by_polars = is_instance(value, "polars", "DataFrame") and find_installed("pyarrow") is None
    columns = [] if by_polars else columns_of(value)
    labels = list(value.columns) if by_polars else [column.label for column in columns]
    names = unique_names(labels)
    rows_at_a_time = group_rows(size, len(value))

    def write(path: Path) -> dict[str, str]:
        if by_polars:
            return write_polars(value, names, path, rows_at_a_time=rows_at_a_time)
        return write_columns(columns, names, path, rows_at_a_time=rows_at_a_time)

    path, as_text = _as_new_file(folder, name, write)
    return FrameSpill(
        path=path,
        byte_count=path.stat().st_size,
        row_count=len(value) if labels else 0,
        columns=tuple(names),
        index_columns=tuple(names[: sum(column.is_index for column in columns)]),
        renamed=_renamed(labels, names),
        as_text=tuple(as_text.items()),
        dtypes=tuple(_dtypes(value, names)),
    )


def _dtypes(value: Any, names: Sequence[str]) -> list[tuple[str, str]]:
    """The extension types of a pandas frame by which a column can be converted back."""
    if not is_instance(value, "pandas", "DataFrame"):
        return []
    dtypes = list(value.dtypes)
    pairs = zip(names[len(names) - len(dtypes) :], dtypes, strict=True)
    kept = ((name, str(dtype)) for name, dtype in pairs if hasattr(dtype, "__from_arrow__"))
    return list(itertools.islice(kept, _MOST_DTYPES))


def _as_new_file(folder: Path, name: str, write: Callable[[Path], T]) -> tuple[Path, T]:
    """A private file named after `name` that is there when `write` has ended well, and what it gave."""
    make_private_folder(folder)
    stem = safe_stem(name)
    token = secrets.token_hex(4)
    path = folder / f"{stem}-{token}{FRAME_ENDING}"
    remove_stale(folder, UNFINISHED)
    unfinished = folder / f".{stem}-{token}{UNFINISHED}"
    os.close(open_private(unfinished))
    try:
        given = write(unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path, given


def safe_stem(name: str) -> str:
    """`name`, any expression, as the beginning of a file's name."""
    return _UNSAFE.sub("_", name).strip("._")[:60] or "frame"


def unique_names(labels: Sequence[object]) -> list[str]:
    """A text for each of `labels`, no two alike: `a`, `a_2`, `price_mean` for a tuple."""
    taken: set[str] = set()
    names = []
    for item in labels:
        base = _plain_name(item)
        name, number = base, 2
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name)
        names.append(name)
    return names


def _plain_name(item: object) -> str:
    if type(item) is tuple:
        text = "_".join(_plain_name(part) for part in item if part != "")
    else:
        text = item if type(item) is str else attempt(lambda: str(item), "column")
    return one_line(text, 200) or "unnamed"


def _renamed(labels: Sequence[object], names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    pairs = zip(labels, names, strict=True)
    return tuple((label(item), name) for item, name in pairs if type(item) is not str or item != name)


def _listed(items: Sequence[str], limit: int = 10) -> str:
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more
