"""What calls of file tools say of files, in sessions of other programs: theirs keep no ledger."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from pi_notebook.agent.messages import AssistantMessage, Message, ToolCall, ToolResultMessage
from pi_notebook.context.call_record import CallRecord, FileNote
from pi_notebook.kernel.effects import FileAction

_ACTIONS: dict[str, FileAction] = {
    **dict.fromkeys(("read", "open", "view", "notebookread"), "read"),
    **dict.fromkeys(("write", "create"), "written"),
    **dict.fromkeys(("edit", "multiedit", "notebookedit", "insert", "str_replace", "undo_edit"), "modified"),
}
"""Names of tools, or the `command` of one for all of these, in small letters."""
_PATHS = ("path", "file_path", "notebook_path", "filename")


def call_records(messages: Sequence[Message], *, known: Collection[str], folder: str) -> list[CallRecord]:
    """A record for each call of a file tool that went well and is not `known` by its id.

    Paths in `folder` are relative to it, as those of other records are.
    """
    done = {
        message.tool_call_id
        for message in messages
        if isinstance(message, ToolResultMessage) and not message.is_error
    }
    return [
        CallRecord(tool_call_id=call.id, tool=call.name, files=[note])
        for call in _calls(messages)
        if call.id in done and call.id not in known and (note := _note(call, folder)) is not None
    ]


def detail_records(details: Any) -> list[CallRecord]:
    """A record for each file that the details of a compaction name, Pi's or ours."""
    given = details if isinstance(details, dict) else {}
    actions: tuple[tuple[str, FileAction], ...] = (("readFiles", "read"), ("modifiedFiles", "modified"))
    return [
        CallRecord(files=[FileNote(path=path, action=action, witness="tools")])
        for key, action in actions
        for path in _texts(given.get(key))
    ]


def _calls(messages: Iterable[Message]) -> Iterator[ToolCall]:
    for message in messages:
        if isinstance(message, AssistantMessage):
            yield from message.tool_calls


def _note(call: ToolCall, folder: str) -> FileNote | None:
    action = _ACTIONS.get(call.name.lower()) or _ACTIONS.get(str(call.arguments.get("command", "")).lower())
    path = next((one for name in _PATHS if isinstance(one := call.arguments.get(name), str) and one), None)
    if action is None or path is None:
        return None
    inside = os.path.join(folder, "")
    return FileNote(path=path.removeprefix(inside), action=action, witness="tools")


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
