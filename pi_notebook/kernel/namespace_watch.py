"""Variables that code created, rebound, changed or deleted, told by identity and cheap figures.

No value is compared with another and none is kept: a snapshot holds numbers and names alone, so a
large frame is freed as early as without it. A change that leaves type, length and shape as they
were is not seen.
"""

from __future__ import annotations

import types
from collections.abc import Collection
from typing import Any, NamedTuple

from pi_notebook.kernel.effects import VariableAction, VariableEffect
from pi_notebook.kernel.namespace import shape_of, visible_items
from pi_notebook.kernel.values import type_name

MAX_VARIABLES = 10_000
_MAX_EFFECTS = 200


class _Figures(NamedTuple):
    identity: int
    type: str
    shape: tuple[int, ...] | None
    length: int | None


class NamespaceWatch:
    """The variables of `shell` as they stand now, to be compared with what they are later."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._before = _snapshot(shell)

    def effects(self, *, assigned: Collection[str] = ()) -> list[VariableEffect]:
        """What became of the variables; `assigned` are set for certain, though by a like object."""
        after = _snapshot(self._shell)
        found = []
        for name, now in after.items():
            action = _action(self._before.get(name), now, is_assigned=name in assigned)
            if action is not None:
                found.append(
                    VariableEffect(
                        name=name, action=action, type=now.type, shape=now.shape, length=now.length
                    )
                )
        gone = [VariableEffect(name=name, action="deleted") for name in self._before if name not in after]
        return (found + gone)[:_MAX_EFFECTS]


def _snapshot(shell: Any) -> dict[str, _Figures]:
    return {
        name: _Figures(id(value), type_name(value), *shape_of(value))
        for name, value in visible_items(shell)[:MAX_VARIABLES]
        if type(value) is not types.ModuleType
    }


def _action(before: _Figures | None, now: _Figures, *, is_assigned: bool) -> VariableAction | None:
    if before is None:
        return "created"
    if before.identity != now.identity or is_assigned:
        return "rebound"
    return "changed" if before != now else None
