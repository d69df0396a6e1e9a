"""Which tool calls read instructions: skills and the files that say how to work here."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from pi_notebook.agent.messages import AssistantMessage, Message, ToolCall
from pi_notebook.skills import instructions, skill

_SKILL = skill.FILE_NAME.lower()
_INSTRUCTIONS = frozenset(
    name.lower() for name in (*instructions.FILE_NAMES, "SYSTEM.md", "APPEND_SYSTEM.md")
)


def calls_by_id(messages: Iterable[Message]) -> dict[str, ToolCall]:
    """The newest call of each id."""
    return {
        call.id: call
        for message in messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    }


def is_skill_read(call: ToolCall | None) -> bool:
    """Whether `call` reads the body of a skill."""
    return _file_name(call) == _SKILL


def is_instruction_file(path: str) -> bool:
    """Whether the file at `path` holds instructions: a skill's body, or those of a folder."""
    name = PurePath(path).name.lower()
    return name == _SKILL or name in _INSTRUCTIONS


def is_instruction_read(call: ToolCall | None) -> bool:
    """Whether `call` reads a skill's body, or instructions of a folder."""
    return is_instruction_file(_file_name(call))


def _file_name(call: ToolCall | None) -> str:
    if call is None or call.name != "read":
        return ""
    return PurePath(str(call.arguments.get("path", ""))).name.lower()
