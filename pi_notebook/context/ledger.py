"""What a conversation did for certain: files, variables, imports, frames on disk.

Each call of a tool that changed something leaves a `CallRecord` in the session, and so does what the
person did between two runs; a `Ledger` is what the records of a branch add up to. Told by the program,
not by a model, so a summary may rely on it. Who watches and who stores is `kernel/` and `session/`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from pi_notebook.agent.entries import CustomEntry, Entry
from pi_notebook.context.amounts import count_of
from pi_notebook.kernel.effects import CellEffects, Doer, FileAction, FileEffect, VariableAction, Witness

LEDGER_TYPE = "pi_notebook/ledger"


class _Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    pass


class FileNote(_Record, frozen=True, kw_only=True):
    """What one call did to one file; inside the working folder the path is relative to it."""

    path: str
    action: FileAction
    witness: Witness
    count: int = 1


class VariableNote(_Record, frozen=True, kw_only=True):
    """What one call did to one variable."""

    name: str
    action: VariableAction
    type: str = ""
    shape: list[int] | None = None
    length: int | None = None


class FrameNote(_Record, frozen=True, kw_only=True):
    """A frame that was written to disk whole, as it was under `name`."""

    name: str
    path: str
    rows: int = 0
    columns: list[str] = []
    index_columns: list[str] = []
    renamed: list[list[str]] = []
    as_text: dict[str, str] = {}
    dtypes: dict[str, str] = {}


class CallRecord(_Record, frozen=True, kw_only=True):
    """What one call of a tool did, or the person between two runs."""

    tool_call_id: str = ""
    """Empty, as `tool` is, for what the person did."""
    tool: str = ""
    by: Doer = "agent"
    files: list[FileNote] = []
    variables: list[VariableNote] = []
    imports: list[str] = []
    frames: list[FrameNote] = []
    figures: int = 0
    execution_count: int = 0
    folder: str | None = None
    environment: list[str] = []
    is_cut: bool = False
    """Whether there was more than was looked at."""

    @property
    def is_empty(self) -> bool:
        """Whether the call did nothing that the ledger keeps."""
        kept = (self.files, self.variables, self.imports, self.frames, self.folder, self.environment)
        return not any(kept) and not self.figures

    def data(self) -> dict[str, Any]:
        """The record as it is stored."""
        stored: dict[str, Any] = msgspec.to_builtins(self)
        return stored


def record_of(
    effects: CellEffects,
    *,
    folder: str,
    call_id: str = "",
    tool: str = "",
    by: Doer = "agent",
    apart: Iterable[str] = (),
    frames: Iterable[FrameNote] = (),
    figures: int = 0,
) -> CallRecord:
    """The record of a call, or of what the person did; what lies in the folders `apart` is left out."""
    apart = list(apart)
    outside = tuple(os.path.join(one, "") for one in [*apart, *map(os.path.realpath, apart)])
    files = [one for one in effects.files if not one.path.startswith(outside)]
    return CallRecord(
        tool_call_id=call_id,
        tool=tool,
        by=by,
        files=[_file_note(one, folder) for one in files],
        variables=[
            VariableNote(
                name=one.name,
                action=one.action,
                type=one.type,
                shape=list(one.shape) if one.shape is not None else None,
                length=one.length,
            )
            for one in effects.variables
        ],
        imports=list(effects.imports),
        frames=list(frames),
        figures=figures,
        execution_count=effects.execution_count,
        folder=effects.folder,
        environment=list(effects.environment),
        is_cut=effects.is_cut,
    )


def _file_note(effect: FileEffect, folder: str) -> FileNote:
    path, real = effect.path, _real(folder)
    if not _is_in(folder, path):
        folder, path = real, _real(path)
    if _is_in(folder, path):
        path = path[len(os.path.join(folder, "")) :]
    return FileNote(path=path, action=effect.action, witness=effect.witness, count=effect.count)


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError:  # a link that went meanwhile, as those of processes do
        return path


def _is_in(folder: str, path: str) -> bool:
    return path.startswith(os.path.join(folder, ""))


class FileState(msgspec.Struct, kw_only=True):
    """All that was done to one file."""

    counts: dict[FileAction, int]
    witnesses: set[Witness]
    by: set[Doer]
    last: FileAction


class VariableState(msgspec.Struct, frozen=True, kw_only=True):
    """A variable as it was last seen."""

    name: str
    type: str
    shape: tuple[int, ...] | None
    length: int | None
    call_id: str
    """Of the call that set or changed it last."""
    by: Doer = "agent"
    """Who did that."""
    frame: FrameNote | None = None
    """Its file, when that is as new as the variable."""

    @property
    def description(self) -> str:
        """Type and size on one line."""
        size = " x ".join(map(str, self.shape)) if self.shape else ""
        if not size and self.length is not None:
            size = f"length {self.length:,}"
        return f"{self.type}, {size}" if size else self.type


class Ledger:
    """What the records of a branch add up to. Records are added in their order."""

    def __init__(self, records: Iterable[CallRecord] = ()) -> None:
        self.files: dict[str, FileState] = {}
        self.variables: dict[str, VariableState] = {}
        self.deleted: dict[str, None] = {}
        self.imports: dict[str, None] = {}
        self.frames: dict[str, FrameNote] = {}
        self.environment: dict[str, None] = {}
        self.figures = 0
        self.folder: str | None = None
        self.execution_count = 0
        self.is_cut = False
        self.changed_in: dict[str, list[str]] = {}
        """For each variable the calls that set or changed it, oldest first."""
        for record in records:
            self.add(record)

    def add(self, record: CallRecord) -> None:
        """Take in what one more call did."""
        for file in record.files:
            self._add_file(file, record.by)
        for variable in record.variables:
            self._add_variable(variable, record)
        for frame in record.frames:
            self.frames[frame.path] = frame
            state = self.variables.get(frame.name)
            if state is not None:
                self.variables[frame.name] = msgspec.structs.replace(state, frame=frame)
        self.imports |= dict.fromkeys(record.imports)
        self.environment |= dict.fromkeys(record.environment)
        self.figures += record.figures
        self.folder = record.folder or self.folder
        self.execution_count = max(self.execution_count, record.execution_count)
        self.is_cut = self.is_cut or record.is_cut

    def _add_file(self, note: FileNote, by: Doer) -> None:
        state = self.files.setdefault(
            note.path, FileState(counts={}, witnesses=set(), by=set(), last=note.action)
        )
        state.by.add(by)
        state.counts[note.action] = state.counts.get(note.action, 0) + note.count
        state.witnesses.add(note.witness)
        if note.action != "read":
            state.last = note.action

    def _add_variable(self, note: VariableNote, record: CallRecord) -> None:
        if note.action == "deleted":
            self.variables.pop(note.name, None)
            self.deleted[note.name] = None
            return
        self.deleted.pop(note.name, None)
        if record.tool_call_id:
            self.changed_in.setdefault(note.name, []).append(record.tool_call_id)
        shape = tuple(note.shape) if note.shape is not None else None
        self.variables[note.name] = VariableState(
            name=note.name,
            type=note.type,
            shape=shape,
            length=note.length,
            call_id=record.tool_call_id,
            by=record.by,
        )

    @property
    def changed(self) -> list[str]:
        """The files that something was done to besides reading, sorted."""
        return sorted(path for path, state in self.files.items() if set(state.counts) - {"read"})

    @property
    def read_only(self) -> list[str]:
        """The files that were read and not changed, sorted."""
        return sorted(path for path, state in self.files.items() if set(state.counts) == {"read"})

    def text(self, *, max_chars: int = 4_000) -> str:
        """The ledger for a model, newest last, of each kind as much as fits."""
        share = max_chars // 8
        files = {f"{path}{_whose(state.by)}": state.counts for path, state in self.files.items()}
        touched = {action: [file for file, done in files.items() if action in done] for action in _ACTIONS}
        alive = [f"{name} ({one.description}){_whose({one.by})}" for name, one in self.variables.items()]
        frames = [f"{frame.name}: {frame.path}" for frame in self.frames.values()]
        kinds: Mapping[str, list[str]] = {
            **{f"Files {action}": paths for action, paths in touched.items()},
            "Variables": alive,
            "Frames on disk": frames,
            "Packages imported": list(self.imports),
        }
        lines = [f"{kind}: {_fitting(items, share)}" for kind, items in kinds.items() if items]
        if self.is_cut:
            lines.append(CUT_TEXT)
        return "\n".join(lines)


_ACTIONS: tuple[FileAction, ...] = ("read", "written", "modified", "deleted")
CUT_TEXT = "Some calls touched more files, or ran in a larger folder, than was looked at."


def _whose(by: Collection[Doer]) -> str:
    return "" if "agent" in by else " by the person"


def _fitting(items: list[str], max_chars: int) -> str:
    """The newest of `items` that fit, and how many do not."""
    kept: list[str] = []
    room = max_chars
    for item in reversed(items):
        room -= len(item) + 2
        if room < 0:
            break
        kept.append(item)
    left = len(items) - len(kept)
    told = [f"({count_of(left, 'earlier one')} not listed)"] if left else []
    return ", ".join([*told, *reversed(kept)])


def records_of(entries: Iterable[Entry], *, until: str | None = None) -> list[CallRecord]:
    """The records among `entries`, a branch from its root; up to the entry `until`, if one is named."""
    found = []
    for entry in entries:
        if isinstance(entry, CustomEntry) and entry.custom_type == LEDGER_TYPE:
            with suppress(msgspec.ValidationError):  # of another version, or damaged
                found.append(msgspec.convert(entry.data, CallRecord))
        if until is not None and entry.id == until:
            break
    return found


def ledger_of(entries: Iterable[Entry], *, until: str | None = None) -> Ledger:
    """The ledger as it is at the end of `entries`, or was at the entry `until`."""
    return Ledger(records_of(entries, until=until))
