"""What a conversation did for certain: files, variables, imports, frames on disk.

Each call of a tool that changed something leaves a `CallRecord` in the session, and so does what the
person did between two runs; a `Ledger` is what the records of a branch add up to. Told by the program,
not by a model, so a summary may rely on it. The records are `call_record`'s.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

import msgspec

from pi_notebook.agent.entries import CustomEntry, Entry
from pi_notebook.agent.messages import Message
from pi_notebook.context.amounts import count_of
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord, FileNote, FrameNote, VariableNote
from pi_notebook.context.worth import worth, worth_naming
from pi_notebook.kernel.effects import Doer, FileAction, Witness


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
    is_passing: bool = False
    """Whether it was never bound but in the head of a loop or `with`."""

    @property
    def description(self) -> str:
        """Type and size on one line."""
        size = " x ".join(map(str, self.shape)) if self.shape else ""
        if not size and self.length is not None:
            size = f"length {self.length:,}"
        return f"{self.type}, {size}" if size else self.type

    @property
    def worth(self) -> float:
        """How much it counts for whoever goes on with the work."""
        if self.is_passing:
            return 0.0
        return worth(self.name, self.type, has_shape=bool(self.shape), length=self.length)


class Ledger:
    """What the records of a branch add up to. Records are added in their order."""

    def __init__(self, records: Iterable[CallRecord] = ()) -> None:
        self.files: dict[str, FileState] = {}
        self.variables: dict[str, VariableState] = {}
        self.deleted: dict[str, None] = {}
        """Variables that code deleted, but for those that it needed for a moment only."""
        self.imports: dict[str, None] = {}
        self.frames: dict[str, FrameNote] = {}
        self.environment: dict[str, None] = {}
        self.renamed: dict[str, str] = {}
        """Files that are gone, and the path each of them has now."""
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
            self.renamed.pop(note.path, None)
        if note.renamed_to:
            self.renamed[note.path] = note.renamed_to

    def _add_variable(self, note: VariableNote, record: CallRecord) -> None:
        if note.action == "deleted":
            gone = self.variables.pop(note.name, None)
            if gone is None or not gone.is_passing:
                self.deleted[note.name] = None
            return
        self.deleted.pop(note.name, None)
        # The newest stands last, whenever it was made.
        before = self.variables.pop(note.name, None)
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
            is_passing=before.is_passing
            if before is not None and (note.action == "changed" or note.is_passing)
            else note.is_passing,
        )

    @property
    def passing(self) -> list[str]:
        """The variables that code needed for a moment only."""
        return [name for name, state in self.variables.items() if state.is_passing]

    @property
    def lasting(self) -> dict[str, VariableState]:
        """The others."""
        return {name: state for name, state in self.variables.items() if not state.is_passing}

    @property
    def changed(self) -> list[str]:
        """The files that something was done to besides reading, sorted."""
        return sorted(path for path, state in self.files.items() if set(state.counts) - {"read"})

    @property
    def read_only(self) -> list[str]:
        """The files that were read and not changed, sorted."""
        return sorted(path for path, state in self.files.items() if set(state.counts) == {"read"})

    def text(self, *, max_chars: int = 4_000, messages: Sequence[Message] = ()) -> str:
        """The ledger for a model, newest last, of each kind as much as fits.

        Of the variables it names those that the work goes on with, first what `messages` use.
        """
        share = max_chars // 10
        folder, frames = _paths_in_common(self.frames.values())
        kinds: Mapping[str, str] = {
            **{f"Files {action}": _fitting(self._touched(action), share) for action in _ACTIONS},
            "Files renamed": _fitting([f"{old} -> {new}" for old, new in self.renamed.items()], share),
            "Variables": _first_fitting(self._alive(messages), 2 * share),
            f"Frames on disk{folder}": _fitting(frames, share),
            "Packages imported": _fitting(list(self.imports), share),
        }
        lines = [f"{kind}: {text}" for kind, text in kinds.items() if text]
        if self.is_cut:
            lines.append(CUT_TEXT)
        return "\n".join(lines)

    def _touched(self, action: FileAction) -> list[str]:
        """The files that it was done to, but for what a renaming tells."""
        new = set(self.renamed.values())

        def is_told(path: str, state: FileState) -> bool:
            if action == "deleted":
                return state.last == "deleted" and path not in self.renamed
            return action in state.counts and not (path in new and state.counts == {"written": 1})

        return [f"{path}{_whose(state.by)}" for path, state in self.files.items() if is_told(path, state)]

    def _alive(self, messages: Sequence[Message]) -> list[str]:
        """The variables worth naming, those of most use first."""
        named = worth_naming({name: one.worth for name, one in self.variables.items()}, messages)
        states = [self.variables[name] for name in named]
        return [f"{one.name} ({one.description}){_whose({one.by})}" for one in states]


_ACTIONS: tuple[FileAction, ...] = ("read", "written", "modified", "deleted")
CUT_TEXT = "Some calls touched more files, or ran in a larger folder, than was looked at."


def _whose(by: Collection[Doer]) -> str:
    return "" if "agent" in by else " by the person"


def _paths_in_common(frames: Iterable[FrameNote]) -> tuple[str, list[str]]:
    """The folder that most frames are in, told once, and their files; of one elsewhere its path."""
    paths = [frame.path for frame in frames]
    folders = Counter(path.rpartition("/")[0] for path in paths)
    folder = folders.most_common(1)[0][0] if folders else ""
    return (f" in {folder}" if folder else ""), [path.removeprefix(f"{folder}/") for path in paths]


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


def _first_fitting(items: list[str], max_chars: int) -> str:
    """The first of `items` that fit, and how many do not."""
    ends = itertools.accumulate(len(item) + 2 for item in items)
    kept = items[: sum(end <= max_chars for end in ends)]
    left = len(items) - len(kept)
    return ", ".join([*kept, *([f"({left:,} more: list_variables)"] if left else [])])


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
