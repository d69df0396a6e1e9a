"""The person's variables as tables of one query.

Frames are read where they lie. What could change under a query that runs beside the person's code,
or crash it (pandas' texts are read without Python's lock), is said, so that the main thread is held.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pi_notebook.context.previews import preview
from pi_notebook.context.previews.foreign import attempt, is_instance, type_name
from pi_notebook.context.previews.nesting import is_too_deep
from pi_notebook.context.previews.parquet import unique_names
from pi_notebook.context.previews.parquet_columns import text_of
from pi_notebook.context.previews.references import ReferenceProblem, Variables, resolve
from pi_notebook.context.previews.wording import label, one_line, plain_text
from pi_notebook.context.queries.problems import QueryProblem, like, listed, said
from pi_notebook.context.queries.statement import Statement, is_path

_FRAMES = (
    ("pandas", "DataFrame", "Series"),
    ("polars", "DataFrame", "Series"),
    ("pyarrow", "Table", "RecordBatch"),
    ("pyarrow.dataset", "Dataset"),
)
_MOST_LOOKED_AT = 2_000
_PROBE = "pi_notebook_probe"


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The tables of a query that are variables."""

    names: tuple[str, ...]
    may_change: bool
    """Whether one is changed in place by others, so that its thread must be held while it is read."""
    notes: tuple[str, ...]
    """How a table differs from its variable."""


def register(statement: Statement, variables: Variables, connection: Any) -> Tables:
    """Make each table of `statement` that is a variable known to `connection`. On the main thread."""
    found: dict[str, object] = {}
    for name in statement.tables:
        value = _find(name, variables, is_defined=name.lower() in statement.defined)
        if value is not None:
            found[name] = value
    _check_distinct(found)
    notes = [note for name, value in found.items() for note in _register(name, value, connection)]
    return Tables(
        names=tuple(found),
        may_change=any(is_instance(value, "pandas", "DataFrame", "Series") for value in found.values()),
        notes=tuple(notes),
    )


def frame_names(variables: Variables) -> list[str]:
    """The variables that can be tables."""
    names = variables.names()[:_MOST_LOOKED_AT]
    return [name for name in names if _is_frame(attempt(lambda name=name: variables.get(name), None))]  # type: ignore[misc]


def _find(name: str, variables: Variables, *, is_defined: bool) -> object | None:
    """The variable that a table's name means; None when it is a file or given by WITH."""
    value = attempt(lambda: variables.get(name), None)
    if value is None and is_path(name):
        return None
    if value is None:
        same = [other for other in variables.names() if other.lower() == name.lower()]
        value = attempt(lambda: variables.get(same[0]), None) if len(same) == 1 else None
    if value is None and "[" in name:
        try:
            value = resolve(name, variables)
        except ReferenceProblem as problem:
            raise QueryProblem(str(problem)) from None
    if value is not None and (_is_frame(value) or not is_defined):
        return _checked(name, value)
    if is_defined:
        return None
    raise QueryProblem(_no_table(name, variables))


def _is_frame(value: object) -> bool:
    return any(is_instance(value, module, *names) for module, *names in _FRAMES)


def _checked(name: str, value: object) -> object:
    if _is_frame(value):
        return value
    kind = type_name(value)
    if preview(value).kind == "lazy":
        raise QueryProblem(
            f"{name} is a {kind}, which would have to be computed first. Query the file it reads "
            "(FROM 'file.parquet'), or make a frame of it with run_code."
        )
    raise QueryProblem(f"{name} is a {kind}, not a frame. Make a frame of it with run_code.")


def _no_table(name: str, variables: Variables) -> str:
    frames = frame_names(variables)
    there = f"Frames: {listed(frames)}." if frames else "There are no frames yet."
    missing = f"There is no table {one_line(name, 80)}.{like(name, frames)}"
    return f"{missing} {there} A file is named by its path: FROM 'data.csv'."


def _check_distinct(found: dict[str, object]) -> None:
    seen: dict[str, str] = {}
    for name in found:
        other = seen.setdefault(name.lower(), name)
        if found[other] is not found[name]:
            other, name = sorted((other, name), reverse=True)
            raise QueryProblem(f"{other} and {name} are one name in SQL. Rename one with run_code.")


def _register(name: str, value: Any, connection: Any) -> list[str]:
    notes: list[str] = []
    if is_instance(value, "pandas", "Series"):
        value = value.to_frame(value.name if value.name is not None else "value")
    elif is_instance(value, "polars", "Series"):
        value = value.to_frame(value.name or "value")
    if is_instance(value, "pandas", "DataFrame"):
        value, notes = _pandas_frame(name, value)
        notes += _flattened(name, value)
        if _refusal(value, connection, name) is not None:
            value, more = _readable(name, value, connection)
            notes += more
    elif is_instance(value, "pyarrow", "Table", "RecordBatch") and _refusal(value, connection, name):
        value, notes = _readable_arrow(name, value, connection)
    refusal = _refusal(value, connection, name)
    if refusal is not None:
        reason = refusal.rstrip(".")
        raise QueryProblem(
            f"{name} cannot be read as a table: {reason}. Make a plain frame of it with run_code."
        )
    return notes


def _refusal(value: Any, connection: Any, name: str) -> str | None:
    """Register `value`; why DuckDB does not take it."""
    try:
        connection.register(name, value)
    except Exception as error:
        return said(error)
    return None


def _pandas_frame(name: str, frame: Any) -> tuple[Any, list[str]]:
    """`frame` as DuckDB reads it, not copied: index levels as columns, names as unique texts."""
    shown = frame.copy(deep=False)
    notes = []
    labels = _index_labels(shown)
    for place, level in enumerate(labels):
        shown.insert(place, level, shown.index.get_level_values(place), allow_duplicates=True)
    shown = shown.reset_index(drop=True) if labels else shown
    names = unique_names(list(shown.columns))
    if labels:
        notes.append(f"The index of {name} is {listed(names[: len(labels)])}.")
    renamed = [(old, new) for old, new in zip(shown.columns, names, strict=True) if label(old) != new]
    if renamed:
        notes.append(
            f"Columns of {name} renamed: {listed([f'{label(old)} is {new}' for old, new in renamed[:8]])}."
        )
    shown.columns = names
    return shown, notes


def _flattened(name: str, frame: Any) -> list[str]:
    """Put texts in the place of values that DuckDB fails at when it comes to them, or ends the process."""
    as_text = []
    for at in range(frame.shape[1]):
        column = frame.iloc[:, at]
        if column.dtype == object and _are_hostile(column.tolist()):
            frame.isetitem(at, column.map(text_of).astype(object))
            as_text.append(frame.columns[at])
    return [f"As text in {name}: {listed(as_text)}."] if as_text else []


def _are_hostile(values: list[object]) -> bool:
    """Whether `values` go too deep, or one of each type has no text of its own."""
    if attempt(lambda: is_too_deep(values), True):
        return True
    examples = {type(value): value for value in values}
    return any(not plain_text(value) for kind, value in examples.items() if kind is not str)


def _readable(name: str, frame: Any, connection: Any) -> tuple[Any, list[str]]:
    """`frame` with texts where DuckDB has no type for what a column holds."""
    as_text = []
    for at in range(frame.shape[1]):
        if _refusal(frame.iloc[:, [at]], connection, _PROBE) is None:
            continue
        column = frame.iloc[:, at]
        if is_instance(column.dtype, "pandas", "SparseDtype"):
            frame.isetitem(at, column.sparse.to_dense())
        else:
            frame.isetitem(at, column.astype(str).astype(object).where(column.notna(), None))
            if column.dtype != "str":  # which releases before pandas 3 do not know
                as_text.append(frame.columns[at])
    return frame, [f"As text in {name}: {listed(as_text)}."] if as_text else []


def _readable_arrow(name: str, table: Any, connection: Any) -> tuple[Any, list[str]]:
    """`table` with wider floats, or texts, where DuckDB has no type for what a column holds."""
    pyarrow = sys.modules["pyarrow"]
    columns, as_text = [], []
    for field, column in zip(table.schema, table.columns, strict=True):
        if _refusal(pyarrow.table([column], names=["column"]), connection, _PROBE) is None:
            columns.append(column)
        elif pyarrow.types.is_float16(field.type):
            columns.append(column.cast(pyarrow.float32()))
        else:
            texts = [None if item is None else plain_text(item) for item in column.to_pylist()]
            columns.append(pyarrow.array(texts, pyarrow.large_string()))
            as_text.append(field.name)
    readable = pyarrow.table(columns, names=table.schema.names)
    return readable, [f"As text in {name}: {listed(as_text)}."] if as_text else []


def _index_labels(frame: Any) -> Sequence[object]:
    """What the levels of an index are called as columns; none for one that only counts."""
    if is_instance(frame.index, "pandas", "RangeIndex") and frame.index.name is None:
        return []
    names = list(frame.index.names)
    return [
        f"level_{at}" if len(names) > 1 else "index" if item is None else item
        for at, item in enumerate(names)
    ]
