"""What an entry says, as text, and who says it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pi_notebook.agent.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    LabelEntry,
    MessageEntry,
    SessionInfoEntry,
)
from pi_notebook.agent.messages import (
    AssistantMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_notebook.session.lines import OPAQUE_TYPE

_SPEAKERS: dict[type[Any], str] = {
    UserMessage: "user",
    AssistantMessage: "assistant",
    CompactionEntry: "summary",
    BranchSummaryEntry: "summary",
    SessionInfoEntry: "name",
    LabelEntry: "label",
}


def entry_text(entry: Entry, *, without: str | None = None) -> str:
    """All that `entry` says, without images; empty for a record of the program's.

    Calls of the tool named `without`, and what they gave, are left out.
    """
    return "\n".join(part for part in _parts(entry, without) if part)


def speaker(entry: Entry) -> str:
    """Who says it: `user`, `assistant`, `run_code result`, `summary`, `name`, `label`, else `program`."""
    said = entry.message if isinstance(entry, MessageEntry) else entry
    if isinstance(said, ToolResultMessage):
        return f"{said.tool_name} result"
    return _SPEAKERS.get(type(said), "program")


def _parts(entry: Entry, without: str | None) -> Iterator[str]:
    if isinstance(entry, MessageEntry):
        if isinstance(entry.message, ToolResultMessage) and entry.message.tool_name == without:
            return
        content = getattr(entry.message, "content", getattr(entry.message, "summary", ""))
        yield from _content(content, without)
    elif isinstance(entry, CustomMessageEntry):
        yield from _content(entry.content)
    elif isinstance(entry, (CompactionEntry, BranchSummaryEntry)):
        yield entry.summary
    elif isinstance(entry, SessionInfoEntry):
        yield entry.name
    elif isinstance(entry, LabelEntry):
        yield entry.label or ""
    elif isinstance(entry, CustomEntry) and entry.custom_type == OPAQUE_TYPE:
        yield from _strings(entry.data)


def _content(content: Any, without: str | None = None) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    for block in content:
        if isinstance(block, TextContent):
            yield block.text
        elif isinstance(block, ThinkingContent):
            yield block.thinking
        elif isinstance(block, ToolCall) and block.name != without:
            yield f"{block.name}:"
            yield from _strings(block.arguments)
            yield block.malformed_arguments or ""


def _strings(value: Any) -> Iterator[str]:
    """The texts in a JSON value, and other values that are not true, false or nothing."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield json.dumps(value)
