"""The session's own account of what its tool calls did, a custom entry for each that did something.

File tools tell their paths exactly and the kernel what code did; for a command of the shell the
working folder is looked at before and after. What the person did is told when a run begins, from
differences of variables and of known files and from the text of their cells: nothing stands in their
way while no run is on.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pi_notebook.agent.entries import Entry
from pi_notebook.agent.messages import ImageContent, ToolCall
from pi_notebook.agent.tools import Tool, ToolResult
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord, FrameNote, record_of
from pi_notebook.kernel.effects import CellEffects, FileAction, FileEffect
from pi_notebook.kernel.executor import CellExecutor, CodeExecutor, call_if_free
from pi_notebook.kernel.folder_scan import FolderState, changes, scan
from pi_notebook.kernel.known_files import KnownFiles
from pi_notebook.kernel.outputs import CellResult, OutputSink
from pi_notebook.session.person_traces import PersonTraces

T = TypeVar("T")

Record = Callable[[str, dict[str, Any]], None]

_FILE_ACTIONS: dict[str, FileAction] = {
    **dict.fromkeys(("read", "query_data", "query_json"), "read"),
    "write": "written",
    "edit": "modified",
}
"""What tools do to the files that their details name, as `path` or `files`."""
_BY_CODE = ("run_code", "run_cell")
_BY_CHILDREN = ("bash",)
"""Tools whose work is done by child processes."""
_LOOK_SECONDS = 0.5


class LedgerLog:
    """Hears of every call and gives `record` what it did, before the call's result is recorded.

    Parameters
    ----------
    folder
        The working folder; files in it are named relative to it.
    apart
        Folders of the program's own, such as its spilled output.
    record
        Appends a custom entry; durable when it returns.
    shell
        Whose variables and cells are the person's; None outside a kernel.
    entries
        Gives the session's branch; asked for once.
    """

    def __init__(
        self,
        folder: Path,
        *,
        apart: Iterable[Path],
        record: Record,
        shell: Any = None,
        entries: Callable[[], Sequence[Entry]] = tuple,
    ) -> None:
        self._folder = str(folder)
        self._apart = [str(path) for path in apart]
        self._record = record
        self._code_effects: list[CellEffects] = []
        self._before: dict[str, FolderState] = {}
        self._known = KnownFiles(self._folder)
        self._person = PersonTraces(shell, entries) if shell is not None else None

    def watched(self, executor: CodeExecutor) -> CodeExecutor:
        """`executor`, of whose code this log hears."""
        watched = _WatchedCells if isinstance(executor, CellExecutor) else _Watched
        return watched(executor, self._code_effects.append)

    async def begin(self, executor: CodeExecutor | None) -> None:
        """A run begins: record what the person did since the last one began.

        What cannot be looked at now, as while a cell runs, is told of the next time.
        """
        if self._person is None or executor is None:
            return
        moved = await asyncio.to_thread(self._known.moved)
        effects = await call_if_free(executor, self._person.effects, timeout_seconds=_LOOK_SECONDS)
        effects = effects or CellEffects()
        effects = replace(effects, files=(*moved, *effects.files))
        await self._keep(record_of(effects, folder=self._folder, apart=self._apart, by="person"))

    async def before(self, tool: Tool, call: ToolCall) -> None:
        """A `before_tool_call` hook, after those that may block the call."""
        if tool.name in _BY_CHILDREN:
            self._before[call.id] = await asyncio.to_thread(scan, self._folder)

    async def after(self, call: ToolCall, result: ToolResult) -> None:
        """An `after_tool_call` hook."""
        details = result.details if isinstance(result.details, dict) else {}
        found = record_of(
            await self._effects(call, result, details),
            call_id=call.id,
            tool=call.name,
            folder=self._folder,
            apart=self._apart,
            frames=_frames(call, details),
            figures=sum(isinstance(block, ImageContent) for block in result.content)
            if call.name in _BY_CODE
            else 0,
        )
        await self._keep(found)

    async def _keep(self, found: CallRecord) -> None:
        if not found.is_empty:
            self._record(LEDGER_TYPE, found.data())
        if found.files or found.tool in (*_BY_CODE, *_BY_CHILDREN):  # which may have moved any
            paths = [os.path.join(self._folder, note.path) for note in found.files]
            await asyncio.to_thread(self._known.look, paths)

    async def _effects(self, call: ToolCall, result: ToolResult, details: dict[str, Any]) -> CellEffects:
        if call.name in _BY_CODE and self._code_effects:
            # One at a time: the tool is sequential.
            effects = self._code_effects[-1]
            self._code_effects.clear()
            return effects
        if call.id in self._before:
            return await asyncio.to_thread(self._scanned, self._before.pop(call.id))
        if call.name in _FILE_ACTIONS and not result.is_error:
            action = _FILE_ACTIONS[call.name]
            return CellEffects(
                files=tuple(FileEffect(path=path, action=action, witness="tools") for path in _named(details))
            )
        return CellEffects()

    def _scanned(self, before: FolderState) -> CellEffects:
        after = scan(self._folder)
        return CellEffects(files=tuple(changes(before, after)), is_cut=before.is_cut or after.is_cut)


class _Watched:
    """A `CodeExecutor` that tells what its code did."""

    def __init__(self, executor: CodeExecutor, tell: Callable[[CellEffects], None]) -> None:
        self._executor = executor
        self._tell = tell

    async def run_code(
        self, code: str, sink: OutputSink, *, timeout_seconds: float | None = None
    ) -> CellResult:
        """See `CodeExecutor`."""
        result = await self._executor.run_code(code, sink, timeout_seconds=timeout_seconds)
        self._tell(result.effects)
        return result

    async def call(self, function: Callable[[], T], *, timeout_seconds: float) -> T:
        """See `CodeExecutor`."""
        return await self._executor.call(function, timeout_seconds=timeout_seconds)

    async def ask(self, prompt: str) -> str | None:
        """See `CodeExecutor`."""
        return await self._executor.ask(prompt)


class _WatchedCells(_Watched):
    """The same of one that can run the notebook's cells."""

    async def run_cell(
        self, cell_id: str, code: str, sink: OutputSink, *, timeout_seconds: float | None = None
    ) -> CellResult:
        """See `CellExecutor`."""
        assert isinstance(self._executor, CellExecutor)
        result = await self._executor.run_cell(cell_id, code, sink, timeout_seconds=timeout_seconds)
        self._tell(result.effects)
        return result


def _named(details: dict[str, Any]) -> list[str]:
    """The files that a result's details name."""
    files = details.get("files", [details["path"]] if "path" in details else [])
    return [path for path in files if isinstance(path, str)] if isinstance(files, list) else []


def _frames(call: ToolCall, details: dict[str, Any]) -> list[FrameNote]:
    """The frame that a call wrote to disk, under the variable's name it was shown by."""
    spill = details.get("valueSpill", details.get("spill"))
    if not isinstance(spill, dict):
        return []
    last_line = str(call.arguments.get("code", details.get("code", ""))).rstrip().rpartition("\n")[2].strip()
    name = str(call.arguments.get("name", last_line))
    try:
        return [msgspec.convert({**spill, "name": name if name.isidentifier() else ""}, FrameNote)]
    except msgspec.ValidationError:  # the record of another kind of file
        return []
