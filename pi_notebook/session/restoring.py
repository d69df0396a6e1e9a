"""What a kernel that was started anew lacks of a session, and how to get it back.

Pure: which variables are lost, whose frames lie on disk as new as they were, and which of the
recorded cells make the rest. Loading and running is `ui/restore`'s.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_notebook.agent.entries import Entry
from pi_notebook.context.call_record import CallRecord, FrameNote
from pi_notebook.context.ledger import Ledger, VariableState, records_of
from pi_notebook.session.recorded_cells import recorded_cells


@dataclass(frozen=True, kw_only=True)
class RestorePlan:
    """What is lost, in the order it was made."""

    lost: tuple[VariableState, ...]
    frames: tuple[FrameNote, ...]
    """Files that hold one of the lost frames as it was."""
    cells: tuple[str, ...]
    """Code to run again, in its order, for what no file holds."""
    unmade: tuple[str, ...]
    """Names that no recorded cell makes."""
    from_person: tuple[str, ...] = ()
    """Names that the cells use, that are not there, and that cells of the person's made."""
    writes: tuple[str, ...] = ()
    """Files that the cells wrote, changed or deleted when they ran."""
    asking: int = 0
    """How many of the cells ask for input."""


@dataclass(frozen=True, kw_only=True)
class _Cell:
    call_id: str
    code: str
    makes: frozenset[str]
    uses: frozenset[str]
    calls: frozenset[str]
    """Names of what it calls."""


def restore_plan(entries: Sequence[Entry], *, present: Collection[str], spill_folder: Path) -> RestorePlan:
    """How to get back what the branch `entries` had and a kernel with the names `present` has not.

    Only files in `spill_folder` are loaded: a session file may come from anywhere.
    """
    records = records_of(entries)
    ledger = Ledger(records)
    missing = [state for name, state in ledger.variables.items() if name not in present]
    lost = [state for state in missing if state.by == "agent"]
    frames = [
        state.frame for state in lost if state.frame is not None and _is_there(state.frame, spill_folder)
    ]
    rest = {state.name for state in lost} - {frame.name for frame in frames}
    theirs = {state.name for state in missing if state.by == "person"}
    given = theirs | {frame.name for frame in frames}
    cells = _needed(_working_cells(entries), rest, given=given)
    can_make = set().union(*(cell.makes for cell in cells)) if cells else set()
    used = set().union(*(cell.uses for cell in cells)) if cells else set()
    return RestorePlan(
        lost=tuple(lost),
        frames=tuple(frames),
        cells=tuple(cell.code for cell in cells),
        unmade=tuple(sorted(rest - can_make)),
        from_person=tuple(state.name for state in missing if state.name in theirs & used),
        writes=tuple(_written(records, {cell.call_id for cell in cells})),
        asking=sum(bool(cell.calls & _ASKING) for cell in cells),
    )


def _is_there(frame: FrameNote, folder: Path) -> bool:
    path = Path(frame.path)
    return path.resolve().parent == folder.resolve() and path.is_file()


def _working_cells(entries: Iterable[Entry]) -> list[_Cell]:
    """The code of each call that ran to its end, oldest first."""
    return [
        _cell(cell.call.id, cell.text, cell.seen)
        for cell in recorded_cells(entries)
        if cell.kind == "code" and cell.call is not None and cell.has_worked
    ]


def _written(records: Iterable[CallRecord], call_ids: Collection[str]) -> dict[str, None]:
    notes = (note for record in records if record.tool_call_id in call_ids for note in record.files)
    return {note.path: None for note in notes if note.action != "read"}


_ASKING = frozenset({"input", "getpass", "raw_input"})


def _cell(call_id: str, code: str, made: Collection[str]) -> _Cell:
    """The names that `code` makes and uses; without a parse those that it was seen to make."""
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except (SyntaxError, ValueError, RecursionError):
        lines = [line for line in code.splitlines() if not line.lstrip().startswith(("%", "!"))]
        try:
            nodes = list(ast.walk(ast.parse("\n".join(lines))))
        except (SyntaxError, ValueError, RecursionError):
            nodes = []
    makes, uses, calls = set(made), set(), set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            uses.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            makes |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Call):
            calls.add(getattr(node.func, "attr", getattr(node.func, "id", "")))
    return _Cell(
        call_id=call_id,
        code=code,
        makes=frozenset(makes),
        uses=frozenset(uses),
        calls=frozenset(calls),
    )


def _needed(cells: Sequence[_Cell], wanted: set[str], *, given: set[str]) -> list[_Cell]:
    """The cells that make what is `wanted`, and what they use themselves; what is `given` is there."""
    needed = set(wanted)
    chosen = []
    for cell in reversed(cells):
        if cell.makes & needed:
            chosen.append(cell)
            needed |= cell.uses - given
    return chosen[::-1] if wanted else []
