"""How deep values hold others, known before a library in C is given them.

Arrow and DuckDB go down into a value without a look at the stack: a list that holds itself would end
the process, and the person's kernel with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from pi_notebook.context.previews.foreign import qualified_name

_CONTAINERS = (list, tuple, dict, set, frozenset)
_MAX_DEPTH = 32


def is_too_deep(values: Iterable[object]) -> bool:
    """Whether one of `values` holds containers in more levels than arrow or DuckDB may be given."""
    level = list(values)
    for _ in range(_MAX_DEPTH):
        kinds = {kind for kind in set(map(type, level)) if _may_hold_others(kind)}
        if not kinds:
            return False
        outer = {id(item): item for item in level if type(item) in kinds}  # what is shared, once
        level = list(chain.from_iterable(map(_items, outer.values())))
    return True


def _may_hold_others(kind: type) -> bool:
    return issubclass(kind, _CONTAINERS) or qualified_name(kind) == "numpy.ndarray"


def _items(outer: Any) -> Iterable[object]:
    if isinstance(outer, dict):
        return outer.values()
    if isinstance(outer, _CONTAINERS):
        return outer
    items: Iterable[object] = outer.ravel() if outer.dtype == object else ()
    return items
