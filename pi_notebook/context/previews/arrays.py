"""Previews of numpy arrays: shape, type, figures of a sample, the values at the corners."""

from __future__ import annotations

import math
import sys
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import fits, largest
from pi_notebook.context.previews.extremes import Allowance, Extremes, find_array_extremes
from pi_notebook.context.previews.foreign import attempt, type_name
from pi_notebook.context.previews.leaves import leaf
from pi_notebook.context.previews.preview import Preview, RowBounds
from pi_notebook.context.previews.tables import even_step
from pi_notebook.context.previews.wording import byte_size, number, one_line, share

_MAX_SAMPLE = 100_000
_CELL_CHARS = 60
_ITEMS_PER_ROW = 10
"""An array of no more items than so many rows have is shown whole."""


def preview_array(array: Any, *, max_tokens: int, bounds: RowBounds) -> Preview:
    """A numpy array of any shape and type; what `bounds` say of rows goes for the items of an axis.

    What a masked array hides counts in no figure and is not shown.
    """
    numpy = sys.modules["numpy"]
    plain = numpy.ma.array(array, copy=False, subok=False) if _is_masked(array) else numpy.asarray(array)
    header = _header(array, plain)
    figures = attempt(lambda: figures_of(plain), "")
    intro = f"{header}\n{figures}" if figures else header

    def draft(edge: int) -> str:
        return f"{intro}\n{corners(plain, edge)}"

    longest = max(plain.shape, default=1)
    highest = longest // 2 + 1
    if plain.size > bounds.whole * _ITEMS_PER_ROW:
        highest = min(highest, _most_edge(plain.ndim, bounds))
    edge = largest(lambda n: fits(draft(n), max_tokens), highest)
    return Preview(
        text=draft(edge) if edge else intro,
        kind="array",
        is_complete=plain.size == 0 or (edge > 0 and 2 * edge >= longest and not _has_long_cells(plain)),
        details={"shape": list(plain.shape), "dtype": one_line(str(plain.dtype), 200)},
    )


def corners(array: Any, edge: int) -> str:
    """Nested brackets with at most `edge` items from either end of every axis."""
    if array.ndim == 0:
        return _cell(array[()])
    length = array.shape[0]
    is_cut = length > 2 * edge
    places = [*range(edge), *range(length - edge, length)] if is_cut else range(length)
    if array.ndim == 1:
        items = [_cell(array[place]) for place in places]
    else:
        items = [corners(array[place], edge) for place in places]
    if is_cut:
        items.insert(edge, "…")
    return "[" + (", " if array.ndim == 1 else ",\n").join(items) + "]"


def _most_edge(dimensions: int, bounds: RowBounds) -> int:
    """How many items from either end of an axis are worth showing; fewer where there are more axes."""
    most = bounds.head + bounds.tail
    return max(1, most * 2 if dimensions < 2 else most // dimensions)


def _header(array: Any, plain: Any) -> str:
    shape = "(" + ", ".join(f"{size}" for size in plain.shape) + ("," if plain.ndim == 1 else "") + ")"
    note = ""
    if _is_masked(array):
        masked = attempt(lambda: f"{sys.modules['numpy'].ma.count_masked(array):,}", "some fields")
        note = f", {masked} masked"
    return (
        f"{type_name(array)} (numpy): shape {shape}, {one_line(str(plain.dtype), 200)}, "
        f"{count_of(plain.size, 'value')}, {byte_size(plain.nbytes)}{note}"
    )


def figures_of(array: Any) -> str:
    """`min -2.1, mean 0.01, max 3.2, NaN 0.5%`; the mean of a large array is that of a sample."""
    kind = array.dtype.kind
    if array.size == 0 or kind not in "biufcmM":
        return ""
    step = even_step(array.size, _MAX_SAMPLE)
    sample = _shown(array.reshape(-1) if step == 1 else array.flat[::step])
    mark = "~" if step > 1 else ""
    if not sample.size:
        return ""
    if kind == "b":
        return f"True {mark}{share(int(sample.sum()), sample.size)}"
    exact = None if _is_masked(array) else find_array_extremes(array, Allowance())
    filled = sample[~_missing(sample)]
    mean = [f"mean {mark}{_fact(filled.mean())}"] if filled.size and kind not in "mM" else []
    if exact is not None:
        return ", ".join([*_around(mean, *_ends(array, exact)), _gaps(kind, exact.null_count, array.size)])
    if filled.size and kind != "c":
        mean = _around(mean, f"{mark}{_fact(filled.min())}", f"{mark}{_fact(filled.max())}")
    gaps = _gaps(kind, sample.size - filled.size, sample.size, mark)
    return ", ".join([*mean, f"{gaps} in a sample" if mark else gaps])


def _is_masked(array: Any) -> bool:
    return isinstance(array, sys.modules["numpy"].ma.MaskedArray)


def _shown(sample: Any) -> Any:
    """The values of `sample` that no mask hides."""
    return sample.compressed() if _is_masked(sample) else sample


def _missing(values: Any) -> Any:
    numpy = sys.modules["numpy"]
    return numpy.isnat(values) if values.dtype.kind in "mM" else numpy.isnan(values)


def _ends(array: Any, exact: Extremes) -> tuple[str, ...]:
    if exact.low is None:
        return ()
    kind = "i8" if array.dtype.kind in "mM" else array.dtype
    ends = sys.modules["numpy"].array([exact.low, exact.high], dtype=kind).astype(array.dtype)
    return tuple(map(_fact, ends))


def _around(mean: list[str], low: str = "", high: str = "") -> list[str]:
    return [f"min {low}", *mean, f"max {high}"] if low else mean


def _gaps(kind: str, count: int, total: int, mark: str = "") -> str:
    name = "NaT" if kind in "mM" else "NaN"
    return f"{name} {mark}{share(count, total)}" if count else f"no {name}"


def _fact(value: Any) -> str:
    plain = attempt(lambda: value.item(), None)
    if isinstance(plain, float):
        return number(plain) if math.isfinite(plain) else str(plain)
    return one_line(str(value), _CELL_CHARS)


def _cell(value: Any) -> str:
    if value is sys.modules["numpy"].ma.masked:
        return "--"
    item = _item(value)
    if type(item) is float:
        return number(item)
    return leaf(item, _CELL_CHARS)[0]


def _item(value: Any) -> object:
    numpy = sys.modules["numpy"]
    if isinstance(value, numpy.ma.core.mvoid):
        return value.tolist()
    if not isinstance(value, numpy.generic):
        return value
    return str(value) if value.dtype.kind in "mM" else attempt(lambda: value.item(), value)


def _has_long_cells(array: Any) -> bool:
    return array.dtype.kind in "OSUV" and (array.dtype.kind in "OV" or array.dtype.itemsize > _CELL_CHARS)
