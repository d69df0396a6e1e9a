"""Contexts for tests, made of short words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    Message,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_notebook.context.items import ContextItem
from pi_notebook.context.tokens import message_tokens


def asks(text: str) -> UserMessage:
    return UserMessage(content=text, timestamp=0)


def replies(*content: str | ToolCall) -> AssistantMessage:
    return AssistantMessage(
        content=[TextContent(text=part) if isinstance(part, str) else part for part in content],
        api="a",
        provider="p",
        model="m",
        usage=NO_USAGE,
        stop_reason="toolUse" if any(isinstance(part, ToolCall) for part in content) else "stop",
        timestamp=0,
    )


def result(call_id: str, text: str, *, tool: str = "run_code", **fields: Any) -> ToolResultMessage:
    given = {"is_error": False, "content": [TextContent(text=text)]} | fields
    return ToolResultMessage(tool_call_id=call_id, tool_name=tool, timestamp=0, **given)


def turn(
    call_id: str, text: str, *, tool: str = "run_code", arguments: Any = None, **fields: Any
) -> list[Message]:
    """A reply with one call, and what it gave."""
    called = ToolCall(id=call_id, name=tool, arguments=arguments or {})
    return [replies(called), result(call_id, text, tool=tool, **fields)]


def items_of(*messages: Message | Iterable[Message]) -> list[ContextItem]:
    """The messages with an entry each: e0, e1, ..."""
    flat: list[Message] = []
    for part in messages:
        flat.extend([part] if hasattr(part, "timestamp") else part)  # type: ignore[arg-type, list-item]
    return [
        ContextItem(entry_id=f"e{number}", message=message, tokens=message_tokens(message))
        for number, message in enumerate(flat)
    ]


def ids(items: Sequence[Any]) -> list[str]:
    return [item.entry_id for item in items]
