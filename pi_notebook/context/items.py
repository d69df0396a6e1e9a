"""The messages of a context, each with the entry it comes from and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from pi_notebook.agent.messages import (
    AssistantMessage,
    CustomMessage,
    Message,
    ToolResultMessage,
    UserMessage,
)


@dataclass(frozen=True, kw_only=True)
class ContextItem:
    """One message of the context."""

    entry_id: str
    message: Message
    tokens: int

    @property
    def name(self) -> str:
        """What it is, in a few words for a person."""
        message = self.message
        if isinstance(message, ToolResultMessage):
            return f"a result of {message.tool_name}"
        if isinstance(message, CustomMessage):
            return f"a message of the program ({message.custom_type.rpartition('/')[2]})"
        if isinstance(message, AssistantMessage):
            return "a reply of the model"
        return "a prompt" if isinstance(message, UserMessage) else "a summary"
