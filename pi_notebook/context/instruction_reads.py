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
    return _is_skill(_path(call))


def is_instruction_file(path: str) -> bool:
    """Whether the file at `path` holds instructions: a skill's body, or those of a folder."""
    return _is_skill(path) or PurePath(path).name.lower() in _INSTRUCTIONS


def is_instruction_read(call: ToolCall | None) -> bool:
    """Whether `call` reads a skill's body, or instructions of a folder."""
    return is_instruction_file(_path(call))


def _is_skill(path: str) -> bool:
    """By its name, or for one that is a file alone by that of the folder it lies in."""
    file = PurePath(path)
    return file.name.lower() == _SKILL or (file.suffix == ".md" and file.parent.name == "skills")


def _path(call: ToolCall | None) -> str:
    return str(call.arguments.get("path", "")) if call is not None and call.name == "read" else ""
