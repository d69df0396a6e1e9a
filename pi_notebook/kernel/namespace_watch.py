"""Variables that code created, rebound, changed or deleted, told by identity and cheap figures.

No value is compared with another and none is kept: a snapshot holds numbers and names alone, so a
large frame is freed as early as without it. A change that leaves type, length and shape as they
were is not seen.

How agent code left the variables it touched is kept with the shell, for all sessions of the kernel: what
differs from that later was done by the person, who is not watched.
"""

from __future__ import annotations

import types
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
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

    def effects(
        self, *, assigned: Collection[str] = (), passing: Collection[str] = ()
    ) -> list[VariableEffect]:
        """What became of the variables; `assigned` are set for certain, though by a like object.

        Those in `passing` are marked as bound in passing.
        """
        after = _snapshot(self._shell)
        found = _effects(self._before, after, assigned, passing)
        _left_on(self._shell).note({effect.name: after.get(effect.name) for effect in found})
        return found[:_MAX_EFFECTS]


class PersonWatch:
    """What the person makes of the variables of `shell`, told when it is asked for.

    Between two questions nothing is done. A variable that agent code set after the person is the agent's.
    """

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._told: dict[str, _Figures] | None = None
        self._sequence = 0
        """Of the newest note of agent code that was taken in."""

    def effects(
        self, known: Mapping[str, VariableEffect], *, passing: Collection[str] = ()
    ) -> list[VariableEffect]:
        """What the person did since the last question, `passing` bound in passing.

        The first time there is nothing to compare with but `known`, the variables as they were recorded
        before; what looks like them is taken for the same, and what is gone went with an earlier kernel.
        """
        now = _snapshot(self._shell)
        left = _left_on(self._shell)
        expected = dict(self._told or {})
        for name, figures in left.since(self._sequence).items():
            if figures is None:
                expected.pop(name, None)
            else:
                expected[name] = figures
        if self._told is None:
            expected = {name: figures for name, figures in expected.items() if name in now}
            expected |= {name: now[name] for name, effect in known.items() if _is_like(now.get(name), effect)}
        self._told, self._sequence = now, left.sequence
        return _effects(expected, now, passing=passing)[:_MAX_EFFECTS]


@dataclass
class _Left:
    """The variables that agent code touched in this kernel, as it left them."""

    sequence: int = 0
    notes: dict[str, tuple[int, _Figures | None]] = field(default_factory=dict)
    """By name, the newest last; None for one that it deleted."""

    def note(self, found: Mapping[str, _Figures | None]) -> None:
        """Take in what a piece of agent code did."""
        self.sequence += 1
        for name, figures in found.items():
            self.notes.pop(name, None)
            self.notes[name] = (self.sequence, figures)
        while len(self.notes) > MAX_VARIABLES:
            del self.notes[next(iter(self.notes))]

    def since(self, sequence: int) -> dict[str, _Figures | None]:
        """What was noted after `sequence`."""
        return {name: figures for name, (at, figures) in self.notes.items() if at > sequence}


_ATTRIBUTE = "_pi_notebook_left"


def _left_on(shell: Any) -> _Left:
    found: _Left | None = getattr(shell, _ATTRIBUTE, None)
    if found is None:
        found = _Left()
        setattr(shell, _ATTRIBUTE, found)
    return found


def _is_like(now: _Figures | None, effect: VariableEffect) -> bool:
    return now is not None and (now.type, now.shape, now.length) == (effect.type, effect.shape, effect.length)


def _snapshot(shell: Any) -> dict[str, _Figures]:
    return {
        name: _Figures(id(value), type_name(value), *shape_of(value))
        for name, value in visible_items(shell)[:MAX_VARIABLES]
        if type(value) is not types.ModuleType
    }


def _effects(
    before: Mapping[str, _Figures],
    after: Mapping[str, _Figures],
    assigned: Collection[str] = (),
    passing: Collection[str] = (),
) -> list[VariableEffect]:
    found = []
    for name, now in after.items():
        action = _action(before.get(name), now, is_assigned=name in assigned)
        if action is not None:
            found.append(
                VariableEffect(
                    name=name,
                    action=action,
                    type=now.type,
                    shape=now.shape,
                    length=now.length,
                    is_passing=name in passing,
                )
            )
    return [*found, *(VariableEffect(name=name, action="deleted") for name in before if name not in after)]


def _action(before: _Figures | None, now: _Figures, *, is_assigned: bool) -> VariableAction | None:
    if before is None:
        return "created"
    if before.identity != now.identity or is_assigned:
        return "rebound"
    return "changed" if before != now else None
