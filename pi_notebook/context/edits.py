"""What an edit of the context makes of a message, as the entry of the edit tells it."""

from __future__ import annotations

from typing import Any

import msgspec

from pi_notebook.agent.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    ToolResultMessage,
    UserMessage,
)


def edited(said: Message | None, replacement: Any) -> Message | None:
    """What stands for `said`: its own content replaced, as Pi does it, or another message whole."""
    if not isinstance(replacement, dict) or said is None:
        return None
    if "role" not in replacement:
        if isinstance(said, (BranchSummaryMessage, CompactionSummaryMessage)):
            return said
        content = replacement.get("content")
        if isinstance(content, str) and isinstance(said, (AssistantMessage, ToolResultMessage)):
            content = [{"type": "text", "text": content}]
        replacement = msgspec.to_builtins(said) | {"content": content}
    try:
        message: Message = msgspec.convert(replacement, Message)
        return message
    except msgspec.ValidationError:
        return None  # a kind of message this version does not know: hidden rather than wrong


def bare(said: Message | None) -> Message | None:
    """`said` without what an edit puts something else in the place of, so that it is not held twice."""
    if isinstance(said, (UserMessage, CustomMessage, AssistantMessage, ToolResultMessage)):
        return msgspec.structs.replace(said, content=[])
    return said
