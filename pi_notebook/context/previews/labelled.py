"""Previews of xarray's datasets and arrays; what is not in memory is named and not loaded."""

from __future__ import annotations

import functools
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.arrays import corners, figures_of
from pi_notebook.context.previews.foreign import attempt, is_instance, type_name
from pi_notebook.context.previews.leaves import leaf
from pi_notebook.context.previews.listing import preview_lines
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import byte_size, label, one_line

_MAX_DIMENSIONS = 12
_MAX_VARIABLES = 100
_MAX_ATTRIBUTES = 10
_CORNER_ITEMS = 3


def preview_labelled(value: Any, max_tokens: int) -> Preview | None:
    """Dimensions, coordinates, variables and attributes; None for what is not of xarray."""
    if is_instance(value, "xarray", "Dataset"):
        kind, lines = count_of(len(value.data_vars), "data variable"), _dataset_lines(value)
    elif is_instance(value, "xarray", "DataArray", "Variable"):
        kind, lines = one_line(str(value.dtype), 60), _array_lines(value)
    else:
        return None
    name = getattr(value, "name", None)
    title = f"{type_name(value)} (xarray)" + (f" {label(name)}" if name is not None else "")
    header = f"{title}: {_dimensions(value.sizes)}; {kind}, {byte_size(value.nbytes)}"
    lines += _attributes(value)
    sizes = {str(dimension): int(size) for dimension, size in value.sizes.items()}
    return preview_lines(header, lines, max_tokens=max_tokens, kind="array", details={"sizes": sizes})


def _dimensions(sizes: Any) -> str:
    shown = [f"{label(name)} {size:,}" for name, size in list(sizes.items())[:_MAX_DIMENSIONS]]
    more = f", … {len(sizes) - _MAX_DIMENSIONS} more" if len(sizes) > _MAX_DIMENSIONS else ""
    return ", ".join(shown) + more if shown else "no dimensions"


def _dataset_lines(dataset: Any) -> list[str]:
    return _coordinates(dataset) + _variables("variable", dataset.data_vars)


def _array_lines(array: Any) -> list[str]:
    variable = getattr(array, "variable", array)
    lines = _coordinates(array) if hasattr(array, "coords") else []
    held = _held(variable)
    if held is None:
        return [*lines, f"values {_place(variable)}"]
    figures = attempt(lambda: figures_of(held), "")
    if figures:
        lines.append(figures)
    return [*lines, *corners(held, _CORNER_ITEMS if held.ndim > 1 else 2 * _CORNER_ITEMS).split("\n")]


def _coordinates(value: Any) -> list[str]:
    return _variables("coordinate", value.coords)


def _variables(noun: str, variables: Any) -> list[str]:
    names = list(variables)[:_MAX_VARIABLES]
    lines = [
        attempt(functools.partial(_variable, noun, name, variables), f"{noun} {label(name)}")
        for name in names
    ]
    omitted = len(variables) - len(names)
    return [*lines, f"… {count_of(omitted, f'more {noun}')} …"] if omitted > 0 else lines


def _variable(noun: str, name: object, variables: Any) -> str:
    variable = variables[name].variable
    dimensions = ", ".join(label(dimension) for dimension in variable.dims[:_MAX_DIMENSIONS])
    facts = f"{noun} {label(name)} ({dimensions}) {one_line(str(variable.dtype), 60)}"
    return f"{facts}, {_place(variable) or _ends(variable)}"


def _place(variable: Any) -> str:
    """Where the values are, when not in memory."""
    data = variable._data
    if is_instance(data, "dask.array", "Array"):
        return f"not computed, {count_of(int(data.npartitions), 'chunk')}"
    return "" if attempt(lambda: variable._in_memory, False) else "not loaded"


def _held(variable: Any) -> Any:
    """The numpy array a variable holds; None where asking for it might read or compute."""
    data = variable._data
    if is_instance(data, "numpy", "ndarray"):
        return data
    index = getattr(data, "array", None)
    if is_instance(index, "pandas", "Index") and not is_instance(index, "pandas", "MultiIndex", "RangeIndex"):
        values = index.values  # type: ignore[union-attr]
        return values if is_instance(values, "numpy", "ndarray") else None
    return None


def _ends(variable: Any) -> str:
    """The value, or the first and the last of many, or the size of more dimensions."""
    held = _held(variable)
    if held is None or held.ndim > 1 or not held.size:
        return byte_size(variable.nbytes)
    if held.ndim == 0 or held.size == 1:
        return corners(held.reshape(()), 1)
    return " … ".join(corners(held[[place]].reshape(()), 1) for place in (0, -1))


def _attributes(value: Any) -> list[str]:
    held = getattr(value, "_attrs", None)
    attributes = dict(held) if type(held) is dict else {}
    shown = list(attributes.items())[:_MAX_ATTRIBUTES]
    lines = [f"attribute {label(name)} = {leaf(item, 80)[0]}" for name, item in shown]
    omitted = len(attributes) - len(shown)
    return [*lines, f"… {count_of(omitted, 'more attribute')} …"] if omitted else lines
