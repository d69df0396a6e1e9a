"""Choosing the preview for a value by its kind, and holding what all previews promise."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any, TypeVar

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.arrays import preview_array
from pi_notebook.context.previews.budget import count_tokens, cut_to_fit, fits
from pi_notebook.context.previews.charts import preview_chart
from pi_notebook.context.previews.connections import preview_connection
from pi_notebook.context.previews.estimators import preview_estimator
from pi_notebook.context.previews.figures import preview_figure
from pi_notebook.context.previews.foreign import attempt, is_a, is_instance, type_name
from pi_notebook.context.previews.frames import preview_table
from pi_notebook.context.previews.labelled import preview_labelled
from pi_notebook.context.previews.lazy import is_lazy, preview_lazy
from pi_notebook.context.previews.leaves import leaf
from pi_notebook.context.previews.literals import preview_literal
from pi_notebook.context.previews.objects import (
    is_function,
    preview_callable,
    preview_class,
    preview_exception,
    preview_module,
    preview_object,
)
from pi_notebook.context.previews.preview import CELL_ROWS, Preview, PreviewKind, RowBounds
from pi_notebook.context.previews.resources import preview_resource
from pi_notebook.context.previews.sparse import preview_sparse
from pi_notebook.context.previews.structures import parts_of, preview_structure
from pi_notebook.context.previews.tables import find_table
from pi_notebook.context.previews.tensors import preview_tensor
from pi_notebook.context.previews.texts import preview_bytes, preview_memoryview, preview_text
from pi_notebook.context.previews.wording import label

FRAME_TOKENS = 1_500
OBJECT_TOKENS = 2_000
CONTAINER_TOKENS = 10_000

_MANY_ITEMS = 6
T = TypeVar("T")
Describer = Callable[[Any, int], Preview | None]
_LIBRARIES: tuple[Describer, ...] = (
    preview_labelled,
    preview_sparse,
    preview_tensor,
    preview_estimator,
    preview_figure,
    preview_chart,
    preview_connection,
)
_PYTHON: tuple[Describer, ...] = (preview_literal, preview_resource)
_SCALARS = (int, float, complex, bool, type(None), type(...), type(NotImplemented), range, slice)


def preview(
    value: object, *, max_tokens: int | None = None, rows: RowBounds = CELL_ROWS, name: str | None = None
) -> Preview:
    """A text of at most `max_tokens` that stands for `value`; it never raises for what `value` does.

    Without `max_tokens` the bound is that of a cell's value of its kind. `rows` bounds what is shown of
    tables and arrays where more would fit. `name` is the expression that reaches the value and is put
    before the text. Nothing is computed that grows with
    the value's size, no lazy frame is read, nothing is changed. A slow method of the value's own is
    not interrupted here: call under a deadline, on the thread the value belongs to.
    """
    bound = max_tokens if max_tokens is not None else guarded(lambda: _usual_bound(value)) or OBJECT_TOKENS
    prefix = f"{label(name)} = " if name else ""
    found = guarded(lambda: _preview(value, bound - count_tokens(prefix), rows))
    if found is None:
        text = f"{type_name(value)}: no preview could be made, its methods fail"
        found = Preview(text=text, kind="object", is_complete=False)
    return _bounded(found, prefix, bound)


def guarded(describe: Callable[[], T]) -> T | None:
    """What `describe` gives, or None when the value makes it fail; warnings are not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return attempt(describe, None)


def _preview(value: object, bound: int, rows: RowBounds) -> Preview:
    data_preview = functools.partial(_data_preview, rows=rows)
    for describe in (data_preview, _literal_preview, _structure_preview, _code_preview):
        found = attempt(functools.partial(describe, value, bound), None)
        if found is not None:
            return found
    return preview_object(value, max_tokens=bound)


def _data_preview(value: object, bound: int, rows: RowBounds) -> Preview | None:
    """Frames, series, arrays, lazy frames, and what other libraries hold data or pictures in."""
    if is_lazy(value):
        return preview_lazy(value, max_tokens=bound)
    table = find_table(value)
    if table is not None:
        kind: PreviewKind = "frame" if table.is_frame else "series"
        return preview_table(table, kind=kind, max_tokens=bound, bounds=rows)
    if is_instance(value, "numpy", "ndarray"):
        return preview_array(value, max_tokens=bound, bounds=rows)
    return _first(_LIBRARIES, value, bound)


def _first(describers: Sequence[Describer], value: object, bound: int) -> Preview | None:
    """What the first describer that knows the kind of `value` says."""
    for describe in describers:
        found = attempt(functools.partial(describe, value, bound), None)
        if found is not None:
            return found
    return None


def _literal_preview(value: object, bound: int) -> Preview | None:
    """Strings, bytes, numbers and what else is one value."""
    cls = type(value)
    if is_a(value, str):
        return preview_text(value, max_tokens=bound)
    if is_a(value, bytes) or is_a(value, bytearray):
        return preview_bytes(value, max_tokens=bound)
    if is_a(value, memoryview):
        return preview_memoryview(value)
    if cls in _SCALARS or is_instance(value, "numpy", "generic"):
        text, is_complete = leaf(value, 200)
        text = text if value is None else f"{type_name(value)} {text}"
        return Preview(text=text, kind="scalar", is_complete=is_complete)
    return _first(_PYTHON, value, bound)


def _structure_preview(value: object, bound: int) -> Preview | None:
    parts = parts_of(value, 1)
    if parts is None:
        return None
    kind: PreviewKind = "record" if parts.opening.endswith("(") and parts.opening != "(" else "container"
    count = len(parts.head) + len(parts.tail) + parts.omitted
    is_plain = kind == "record" or count < _MANY_ITEMS
    header = "" if is_plain else f"{type_name(value)} of {count_of(count, 'item')}:"
    found = preview_structure(value, kind=kind, header=header, max_tokens=bound)
    return replace(found, details={"items": count})


def _code_preview(value: object, bound: int) -> Preview | None:
    """Exceptions, functions, classes, modules."""
    if is_a(value, BaseException):
        return preview_exception(value, max_tokens=bound)
    if is_a(value, ModuleType):
        return preview_module(value)
    if is_a(value, type):
        return preview_class(value)
    return preview_callable(value) if is_function(value) else None


def _usual_bound(value: object) -> int:
    if find_table(value) is not None:
        return FRAME_TOKENS
    return OBJECT_TOKENS if parts_of(value, 1) is None else CONTAINER_TOKENS


def _bounded(found: Preview, prefix: str, bound: int) -> Preview:
    text = f"{prefix}{found.text}".encode("utf-8", "backslashreplace").decode()
    if fits(text, bound):
        return replace(found, text=text)
    return replace(found, text=cut_to_fit(text, bound), is_complete=False)
