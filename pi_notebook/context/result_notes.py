"""What the program adds to the end of a tool result: the name it is managed by, and warnings.

Added once, before the result is recorded, so that it is the same in every request. How much was added
stands in the result's details, for those who want the result alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import msgspec

from pi_notebook.agent.messages import TextContent, ToolResultMessage
from pi_notebook.agent.tools import ToolResult

WARNING_TYPE = "pi_notebook/context_warning"
"""Of a message that warns before a prompt what else a note warns of."""
_NOTE_CHARS = "noteChars"
_NAME_CHARS = 5


def result_name(call_id: str) -> str:
    """A short name for the result of a call, the same whenever it is asked for."""
    return "r" + hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:_NAME_CHARS]


def label(name: str) -> str:
    """The line that tells a result's name."""
    return f"[result {name}]"


def with_note(result: ToolResult, note: str) -> ToolResult:
    """`result` with `note` as its last line."""
    content = list(result.content)
    last = content[-1] if content else None
    if isinstance(last, TextContent):
        content[-1] = TextContent(text=f"{last.text}\n{note}")
        added = len(note) + 1
    else:
        content.append(TextContent(text=note))
        added = len(note)
    details = result.details if isinstance(result.details, dict) else {}
    before = details.get(_NOTE_CHARS, 0)
    return replace(result, content=content, details={**details, _NOTE_CHARS: before + added})


def without_notes(message: ToolResultMessage) -> ToolResultMessage:
    """`message` as its tool gave it."""
    added, last = _note_chars(message), message.content[-1] if message.content else None
    if not added or not isinstance(last, TextContent):
        return message
    text = last.text[: max(0, len(last.text) - added)]
    content = [*message.content[:-1], *([TextContent(text=text)] if text else [])]
    details = {key: value for key, value in message.details.items() if key != _NOTE_CHARS}
    return msgspec.structs.replace(message, content=content, details=details)


def with_text(message: ToolResultMessage, text: str, *, keeps_name: bool) -> ToolResultMessage:
    """`message` with `text` in the place of all it says; of its notes its name alone may stay."""
    bare = without_notes(message)
    line = label(result_name(message.tool_call_id))
    if keeps_name and line in _notes(message).splitlines():
        text = f"{text}\n{line}"
        bare.details[_NOTE_CHARS] = len(line) + 1
    return msgspec.structs.replace(bare, content=[TextContent(text=text)])


def _notes(message: ToolResultMessage) -> str:
    added, last = _note_chars(message), message.content[-1] if message.content else None
    return last.text[-added:] if added and isinstance(last, TextContent) else ""


def _note_chars(message: ToolResultMessage) -> int:
    added = message.details.get(_NOTE_CHARS) if isinstance(message.details, dict) else None
    return added if isinstance(added, int) and added > 0 else 0
