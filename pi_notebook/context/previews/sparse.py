"""Previews of scipy's sparse matrices and arrays: what is stored of them, never made dense."""

from __future__ import annotations

from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.arrays import corners, figures_of
from pi_notebook.context.previews.foreign import attempt, is_instance, type_name
from pi_notebook.context.previews.listing import preview_lines
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import byte_size, one_line, share

_PARTS = ("data", "indices", "indptr", "row", "col", "offsets")
_MAX_ROW_LISTS = 1_000_000
"""A matrix of lists counts what it stores row by row."""


def preview_sparse(value: Any, max_tokens: int) -> Preview | None:
    """Shape, type, number of stored values and density; None for what is not sparse."""
    if not is_instance(value, "scipy.sparse", "spmatrix", "sparray"):
        return None
    shape = tuple(int(size) for size in value.shape)
    cells = 1
    for size in shape:
        cells *= size
    is_counted = value.format != "lil" or shape[0] <= _MAX_ROW_LISTS
    stored = attempt(lambda: int(value.nnz), None) if is_counted else None
    density = "" if stored is None else f", {stored:,} stored ({share(stored, cells)})"
    header = (
        f"{type_name(value)} (scipy, {value.format}): shape {shape}, {one_line(str(value.dtype), 60)}, "
        f"{count_of(cells, 'value')}{density}{_size(value)}"
    )
    details = {"shape": list(shape), "stored": stored}
    return preview_lines(header, _stored(value), max_tokens=max_tokens, kind="array", details=details)


def _size(value: Any) -> str:
    parts: list[Any] = [getattr(value, name, None) for name in _PARTS]
    size = sum(int(part.nbytes) for part in parts if is_instance(part, "numpy", "ndarray"))
    return f", {byte_size(size)}" if size else ""


def _stored(value: Any) -> list[str]:
    """The figures and some of the stored values, where they are one array."""
    data = getattr(value, "data", None)
    if value.format not in ("csr", "csc", "coo") or not is_instance(data, "numpy", "ndarray"):
        return []
    figures = attempt(lambda: figures_of(data), "")
    return [f"stored values: {figures}" if figures else "stored values:", corners(data, 5)]
