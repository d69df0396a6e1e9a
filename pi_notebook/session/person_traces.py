"""What the person did in the kernel between the runs of a session: variables, files, packages.

Told afterwards from how the variables differ and from the code of the cells; only what is certain.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from pi_notebook.agent.entries import Entry, MessageEntry
from pi_notebook.agent.messages import UserMessage
from pi_notebook.context.ledger import ledger_of
from pi_notebook.kernel.code_facts import CodeFacts
from pi_notebook.kernel.effects import CellEffects, FileEffect, VariableEffect
from pi_notebook.kernel.namespace_watch import PersonWatch
from pi_notebook.kernel.person_cells import PersonCell, PersonCells


class PersonTraces:
    """Tells what is new each time it is asked.

    Parameters
    ----------
    shell
        Whose variables and cells they are.
    entries
        Gives the branch of the session as it is when the first question is asked.
    """

    def __init__(self, shell: Any, entries: Callable[[], Sequence[Entry]]) -> None:
        self._shell = shell
        self._entries = entries
        self._watch = PersonWatch(shell)
        self._cells_until_ms: int | None = None
        """The end of the newest cell that was told of; None before the first question."""

    def effects(self) -> CellEffects:
        """What the person did since the last question. On the main thread."""
        known: dict[str, VariableEffect] = {}
        if self._cells_until_ms is None:
            entries = self._entries()
            self._cells_until_ms = _last_prompt_ms(entries)
            known = _recorded(entries)
        cells = self._new_cells(self._cells_until_ms)
        self._cells_until_ms = max([self._cells_until_ms, *(cell.ended_ms for cell in cells)])
        facts = [CodeFacts(cell.code) for cell in cells]
        packages = dict.fromkeys(name for one in facts for name in one.packages if name in sys.modules)
        return CellEffects(
            files=tuple(self._files(cells, facts)),
            variables=tuple(self._watch.effects(known, passing=_passing(facts))),
            imports=tuple(packages),
            is_cut=any(cell.code_chars > len(cell.code) for cell in cells),
        )

    def _new_cells(self, since_ms: int) -> tuple[PersonCell, ...]:
        kept = PersonCells.of(self._shell)
        return kept.since(since_ms) if kept is not None else ()

    def _files(self, cells: Sequence[PersonCell], facts: Sequence[CodeFacts]) -> list[FileEffect]:
        """The files that each cell names; of one that failed only what it is seen to have written."""
        counts: dict[tuple[str, Any], int] = {}
        for cell, one in zip(cells, facts, strict=True):
            since_ns = (cell.began_ms - _CLOCK_MS) * 1_000_000
            for path, action in one.paths_touched(self._shell.user_ns, since_ns=since_ns):
                if not cell.error or action == "written":
                    counts[path, action] = counts.get((path, action), 0) + 1
        return [
            FileEffect(path=path, action=action, witness="code", count=count)
            for (path, action), count in counts.items()
        ]


def _passing(facts: Sequence[CodeFacts]) -> set[str]:
    """What the cells bind in loops and `with`, and none of them sets plainly."""
    return set().union(*(one.passing for one in facts)).difference(*(one.assigned for one in facts))


_CLOCK_MS = 10
"""File systems stamp by a clock that ticks this seldom."""


def _last_prompt_ms(entries: Sequence[Entry]) -> int:
    for entry in reversed(entries):
        if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage):
            return entry.message.timestamp
    return 0


def _recorded(entries: Sequence[Entry]) -> dict[str, VariableEffect]:
    """The variables as the session has recorded them."""
    return {
        name: VariableEffect(
            name=name, action="created", type=state.type, shape=state.shape, length=state.length
        )
        for name, state in ledger_of(entries).variables.items()
    }
