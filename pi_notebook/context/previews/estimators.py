"""Previews of scikit-learn's estimators: what they were told and what they have learned."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.arrays import corners
from pi_notebook.context.previews.foreign import (
    attempt,
    class_name,
    instance_attributes,
    is_instance,
    qualified_name,
    type_name,
)
from pi_notebook.context.previews.leaves import leaf
from pi_notebook.context.previews.listing import MAX_NAMES, listed, preview_lines
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import label, one_line

_MAX_LEARNED = 30
_MAX_DEPTH = 4
_LISTS = ("steps", "transformers", "estimators", "transformer_list")
"""The parameters that hold named estimators."""
_PARTS = ("estimator", "base_estimator", "final_estimator", "regressor", "classifier")
_SAID_AT_ONCE = ("n_features_in_", "classes_", "feature_names_in_")


def preview_estimator(value: Any, max_tokens: int) -> Preview | None:
    """Class, whether fitted, parameters that differ, parts, fitted attributes; None for anything else."""
    if not is_instance(value, "sklearn.base", "BaseEstimator"):
        return None
    module = ".".join(
        part for part in qualified_name(type(value)).split(".")[:-1] if not part.startswith("_")
    )
    header = f"{type_name(value)} ({module}), {_state(value)}"
    lines = [*_told(value), *_parts(value, 0), *_learned(value)]
    details = {"is_fitted": _is_fitted(value)}
    return preview_lines(header, lines, max_tokens=max_tokens, details=details)


def _is_fitted(value: Any) -> bool:
    if any(name.endswith("_") and not name.startswith("_") for name in instance_attributes(value)):
        return True
    check = getattr(type(value), "__sklearn_is_fitted__", None)
    return check is not None and attempt(lambda: bool(check(value)), False)


def _state(value: Any) -> str:
    if not _is_fitted(value):
        return "not fitted"
    held = instance_attributes(value)
    facts = []
    if isinstance(count := held.get("n_features_in_"), int):
        facts.append(count_of(count, "feature"))
    classes: Any = held.get("classes_")
    if is_instance(classes, "numpy", "ndarray") and classes.ndim == 1:
        shown = listed([leaf(item, 24)[0] for item in classes[:MAX_NAMES]])
        more = ", …" if len(classes) > MAX_NAMES else ""
        facts.append(f"{count_of(len(classes), 'class', 'classes')} ({shown}{more})")
    return f"fitted: {', '.join(facts)}" if facts else "fitted"


def _told(value: Any) -> list[str]:
    """The parameters that are not what they would be by default; named parts have lines of their own."""
    changed = attempt(lambda: _changed(value), {})
    shown = {name: item for name, item in changed.items() if name not in _LISTS}
    texts = [f"{name}={_short(item)}" for name, item in shown.items()]
    return [f"parameters {listed(texts, 20)}"] if texts else []


def _changed(value: Any) -> dict[str, Any]:
    held = instance_attributes(value)
    signature = inspect.signature(type(value).__init__)
    defaults = {name: parameter.default for name, parameter in signature.parameters.items()}
    return {
        name: held[name]
        for name, default in defaults.items()
        if name in held and not _is_same(held[name], default)
    }


def _is_same(item: object, default: object) -> bool:
    return item is default or (type(item) is type(default) and leaf(item, 200) == leaf(default, 200))


def _short(item: object) -> str:
    if is_instance(item, "sklearn.base", "BaseEstimator"):
        return class_name(type(item))
    return leaf(item, 60)[0]


def _parts(value: Any, depth: int) -> list[str]:
    """The steps of a pipeline and what else is made of estimators, each with what it was told."""
    held = instance_attributes(value)
    named = [item for name in _LISTS for item in _named(held.get(name))]
    named += [
        (name, held[name]) for name in _PARTS if is_instance(held.get(name), "sklearn.base", "BaseEstimator")
    ]
    lines: list[str] = []
    for name, part in named[:MAX_NAMES]:
        told = "".join(f": {line.removeprefix('parameters ')}" for line in _told(part))
        lines.append(f"{'  ' * depth}{label(name)}: {_short(part)}{told}")
        if depth < _MAX_DEPTH and is_instance(part, "sklearn.base", "BaseEstimator"):
            lines += _parts(part, depth + 1)
    omitted = len(named) - MAX_NAMES
    return [*lines, f"… {count_of(omitted, 'more part')} …"] if omitted > 0 else lines


def _named(items: object) -> list[tuple[str, object]]:
    if type(items) is not list:
        return []
    return [(item[0], item[1]) for item in items if type(item) is tuple and len(item) > 1]


def _learned(value: Any) -> list[str]:
    """The attributes that fitting has set, as they are held; properties would compute theirs."""
    held = instance_attributes(value)
    names = [name for name in held if name.endswith("_") and not name.startswith("_")]
    names = [name for name in names if name not in _SAID_AT_ONCE]
    return [f"{name} = {_attribute(held[name])}" for name in itertools.islice(names, _MAX_LEARNED)]


def _attribute(item: Any) -> str:
    if is_instance(item, "numpy", "ndarray") and item.dtype.kind in "biuf" and item.ndim in (1, 2):
        shape = f"shape {item.shape} " if item.size > MAX_NAMES else ""
        return one_line(shape + corners(item, 3).replace("\n", " "), 300)
    if type(item) is list:
        return f"list of {count_of(len(item), 'item')}"
    return _short(item)
