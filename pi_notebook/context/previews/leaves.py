"""Single values on one line, as they stand inside containers and cells of tables."""

from __future__ import annotations

from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.deferred import is_lazy
from pi_notebook.context.previews.foreign import (
    attempt,
    guarded_repr,
    is_a,
    is_instance,
    own_repr,
    qualified_name,
    type_name,
)
from pi_notebook.context.previews.wording import (
    binary,
    foreign,
    integer,
    is_kept_whole,
    label,
    one_line,
    quoted,
)

PLAIN_TYPES = frozenset({bool, int, float, str, bytes, type(None)})
_MAX_NAMES = 6


def leaf(value: object, max_chars: int) -> tuple[str, bool]:
    """`value` as a literal of about `max_chars`, and whether that is all of it."""
    cls = type(value)
    if cls in (bool, type(None), float):
        return repr(value), True
    if is_a(value, str):
        text = str.__str__(value)
        return quoted(text, max_chars), is_kept_whole(len(text), max_chars)
    if is_a(value, int) and cls is int:
        return integer(value, max(max_chars, 20)), value.bit_length() <= 64
    if is_a(value, bytes) or is_a(value, bytearray):
        return binary(value, max_chars), is_kept_whole(len(value), max_chars)
    if is_instance(value, "numpy", "generic"):
        return _numpy_scalar(value, max_chars)
    summary = attempt(lambda: data_summary(value), None)
    if summary is not None:
        return summary, False
    return _other(value, max_chars)


def data_summary(value: object) -> str | None:
    """One line for what holds data of its own (frames, arrays, figures); None for other things."""
    if is_instance(value, "pandas", "DataFrame") or is_instance(value, "polars", "DataFrame"):
        return _frame_summary(value)
    if is_instance(value, "pyarrow", "Table", "RecordBatch"):
        return _frame_summary(value)
    if is_instance(value, "pandas", "Series", "Index") or is_instance(value, "polars", "Series"):
        subject: Any = value
        return f"<{type_name(value)} {one_line(str(subject.dtype), 40)}, {count_of(len(subject), 'value')}>"
    if is_instance(value, "numpy", "ndarray"):
        subject = value
        return f"<{type_name(value)} {one_line(str(subject.dtype), 40)} {subject.shape}>"
    if is_lazy(value):
        return f"<{type_name(value)}, not computed>"
    if is_instance(value, "xarray", "Dataset", "DataArray", "Variable"):
        subject = value
        sizes = ", ".join(
            f"{label(name, 24)} {size:,}" for name, size in list(subject.sizes.items())[:_MAX_NAMES]
        )
        return f"<{type_name(value)} {sizes}>"
    return None


def _frame_summary(frame: Any) -> str:
    rows, columns = frame.shape
    table = is_instance(frame, "pyarrow", "Table", "RecordBatch")
    labels = list((frame.schema.names if table else frame.columns)[:_MAX_NAMES])
    names = ", ".join(label(name, 24) for name in labels)
    more = f", {columns - _MAX_NAMES} more" if columns > _MAX_NAMES else ""
    return f"<{type_name(frame)} {rows:,} x {columns:,}: {names}{more}>"


def _numpy_scalar(value: Any, max_chars: int) -> tuple[str, bool]:
    plain = attempt(lambda: value.item(), None)
    if type(plain) in (bool, int, float, str, bytes):
        return leaf(plain, max_chars)
    return foreign(value, max_chars), True


def _other(value: object, max_chars: int) -> tuple[str, bool]:
    text = own_repr(value)
    if text is not None:
        return one_line(text, max_chars), is_kept_whole(len(text), max_chars)
    if guarded_repr(value) is None:
        return f"<{type_name(value)}: repr failed>", False
    return f"<{one_line(qualified_name(type(value)), 80)} object>", False
