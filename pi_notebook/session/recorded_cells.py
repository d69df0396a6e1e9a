"""What the calls of a branch did, in their order: the code and commands that ran, and the files written.

Also the cells that the person ran, as far as the session holds their text. Which of them matter is
decided by whoever asks: `restoring` for lost variables, `export.selection` for a notebook.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import msgspec

from pi_notebook.agent.entries import CustomEntry, CustomMessageEntry, Entry, MessageEntry
from pi_notebook.agent.messages import AssistantMessage, ToolCall, ToolResultMessage, UserMessage
from pi_notebook.agent.secrets import MASK
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord
from pi_notebook.kernel.runner import AGENT_CODE
from pi_notebook.session.cell_code import CellCode
from pi_notebook.session.name_flow import Statement
from pi_notebook.session.person_cells import CUSTOM_TYPE as CELLS_TYPE

Kind = Literal["code", "bash", "write", "edit", "query", "person"]

_KINDS: dict[str, Kind] = {
    "run_code": "code",
    "run_cell": "code",
    "bash": "bash",
    "write": "write",
    "edit": "edit",
    "query_data": "query",
}
_TEXTS = {"code": "code", "bash": "command", "write": "content", "query": "sql"}
"""The argument that holds the text of a call."""
_FRAME_LINE = re.compile(
    rf'^ *File "{re.escape(AGENT_CODE)}", line (\d{{1,9}}), in <(?:module|cell)', re.MULTILINE
)
_TRACEBACK = "Traceback (most recent call last):"
_PERSON_LINE = re.compile(r"\(line (\d{1,9})\)\s*$")
_CELL_HEAD = re.compile(r"^In\[(\d+)\]:$", re.MULTILINE)
_CELL_PART = re.compile(r"^(?:Output:|Out\[\d+\]:|Error:)", re.MULTILINE)
_CUT = re.compile(r"^\[… .*more characters?\]$", re.MULTILINE)


@dataclass(kw_only=True)
class RecordedCell:
    """One call that ran, or one cell of the person's."""

    kind: Kind
    text: str
    """The code, the command, or the new content of the file."""
    run: int
    """The number of the prompt it answered; of a person's cell, the one it came before."""
    call: ToolCall | None = None
    result: ToolResultMessage | None = None
    record: CallRecord | None = None
    error: str = ""
    """Of a person's cell."""
    is_whole: bool = True
    """False when the session holds only a part of the text."""
    code: CellCode = field(init=False)

    def __post_init__(self) -> None:
        self.code = CellCode(self.text if self.kind in ("code", "person") else "")

    def take_result(self, result: ToolResultMessage) -> None:
        """Note how the call ended; of a cell of the notebook that was run, its result has the code."""
        self.result = result
        code = result.details.get("code") if isinstance(result.details, dict) else None
        if self.kind == "code" and not self.text and isinstance(code, str):
            self.text = code
            self.code = CellCode(code)

    @property
    def has_worked(self) -> bool:
        if self.kind == "person":
            return not self.error
        return self.result is not None and not self.result.is_error

    @property
    def arguments(self) -> dict[str, Any]:
        return self.call.arguments if self.call is not None else {}

    @cached_property
    def makes(self) -> frozenset[str]:
        """Variables that are new or changed after it, by its text and by what was seen."""
        return self.code.changes | self.seen

    @cached_property
    def seen(self) -> frozenset[str]:
        """Variables that it was seen to make or change."""
        notes = self.record.variables if self.record is not None else ()
        return frozenset(note.name for note in notes if note.action != "deleted")

    @cached_property
    def seen_changed(self) -> frozenset[str]:
        """Variables that were there before it and that it was seen to change, by whatever name it did so."""
        notes = self.record.variables if self.record is not None else ()
        return frozenset(note.name for note in notes if note.action not in ("created", "deleted"))

    @cached_property
    def written(self) -> frozenset[str]:
        """Paths of files that it was seen to write, change or delete."""
        files = self.record.files if self.record is not None else ()
        return frozenset(note.path for note in files if note.action != "read")

    @cached_property
    def worked_part(self) -> str:
        """The code of a failed cell that ran before the failure, as far as that can be told."""
        if self.has_worked:
            return self.text
        line = self._failed_line
        return self.code.until_line(line) if line else self.code.until_names(self.seen)

    @cached_property
    def failed_statement(self) -> Statement | None:
        """The outermost statement of a failed cell in which it failed: a part of it may have run."""
        return self.code.statement_at(self._failed_line) if self._failed_line else None

    @cached_property
    def _failed_line(self) -> int:
        if self.has_worked:
            return 0
        if self.kind == "person":
            line = _PERSON_LINE.search(self.error)
        else:
            told = self.result.text if self.result is not None else ""
            line = _FRAME_LINE.search(told, max(told.rfind(_TRACEBACK), 0))
        return int(line[1]) if line is not None else 0


def recorded_cells(entries: Iterable[Entry]) -> list[RecordedCell]:
    """The calls and cells of a branch, in the order they began."""
    found: list[RecordedCell] = []
    for _, cells in cells_by_entry(entries):
        found += cells
    return found


def cells_by_entry(entries: Iterable[Entry]) -> list[tuple[Entry, list[RecordedCell]]]:
    """Each entry with the calls that it made or the cells that it tells of."""
    pairs = []
    waiting: dict[str, RecordedCell] = {}
    run = 0
    for entry in entries:
        message = entry.message if isinstance(entry, MessageEntry) else None
        cells: list[RecordedCell] = []
        if isinstance(message, UserMessage):
            run += 1
        elif isinstance(message, AssistantMessage):
            cells = [cell for call in message.tool_calls if (cell := _of_call(call, run))]
            waiting |= {cell.call.id: cell for cell in cells if cell.call is not None}
        elif isinstance(message, ToolResultMessage):
            if (cell := waiting.pop(message.tool_call_id, None)) is not None:
                cell.take_result(message)
        elif isinstance(entry, CustomEntry) and entry.custom_type == LEDGER_TYPE:
            _take_record(entry, waiting)
        elif isinstance(entry, CustomMessageEntry) and entry.custom_type == CELLS_TYPE:
            cells = list(_of_person(entry, run + 1))
        pairs.append((entry, cells))
    return pairs


def _of_call(call: ToolCall, run: int) -> RecordedCell | None:
    kind = _KINDS.get(call.name)
    if kind is None:
        return None
    text = call.arguments.get(_TEXTS.get(kind, ""), "")
    return RecordedCell(kind=kind, text=text if isinstance(text, str) else "", run=run, call=call)


def _take_record(entry: CustomEntry, waiting: dict[str, RecordedCell]) -> None:
    try:
        record = msgspec.convert(entry.data, CallRecord)
    except msgspec.ValidationError:  # of another version, or damaged
        return
    if (cell := waiting.get(record.tool_call_id)) is not None:
        cell.record = record


def _of_person(entry: CustomMessageEntry, run: int) -> Iterator[RecordedCell]:
    """The cells that a message tells of, from its details where they have the code."""
    told = _details_of(entry)
    if told is None:
        yield from _of_text(entry, run)
        return
    if told.shown + told.omitted > len(told.cells):
        yield RecordedCell(kind="person", text="", run=run, is_whole=False)
    for cell in told.cells:
        yield RecordedCell(
            kind="person", text=cell.code.strip("\n"), run=run, error=cell.error, is_whole=cell.is_whole
        )


def _details_of(entry: CustomMessageEntry) -> _CellsDetails | None:
    try:
        return msgspec.convert(entry.details, _CellsDetails)
    except msgspec.ValidationError:  # of an earlier version
        return None


class _CellDetails(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    code: str
    is_whole: bool
    error: str = ""


class _CellsDetails(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    cells: list[_CellDetails]
    shown: int
    omitted: int


def _of_text(entry: CustomMessageEntry, run: int) -> Iterator[RecordedCell]:
    """The same from the text, in which a cell's code may hold lines that look like its own."""
    if isinstance(entry.details, dict) and entry.details.get("omitted"):
        yield RecordedCell(kind="person", text="", run=run, is_whole=False)
    _, _, body = str(entry.content).partition("\n")
    body = body.removesuffix("\n</cells>")
    heads = list(_CELL_HEAD.finditer(body))
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        block = body[head.end() + 1 : following.start() if following else len(body)].rstrip("\n")
        yield _person_cell(block, run)


def _person_cell(block: str, run: int) -> RecordedCell:
    ends = [part.start() for part in _CELL_PART.finditer(block)] or [len(block)]
    # The shortest beginning that is code: a line within a string may look like the start of the output.
    code = next((c for end in ends if CellCode(c := block[:end].rstrip("\n")).is_parsed), None)
    source = block[: ends[0]].rstrip("\n") if code is None else code
    rest = block[len(source) :]
    error = re.search(r"^Error: (.*)", rest, re.MULTILINE | re.DOTALL)
    is_whole = code is not None and MASK not in source and not _CUT.search(source)
    return RecordedCell(
        kind="person",
        text=source,
        run=run,
        error=error[1].strip() if error else "",
        is_whole=is_whole,
    )
