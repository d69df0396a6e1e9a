"""The messages of a context, each with the entry it comes from and what it costs."""

from __future__ import annotations

from pi_notebook.agent.messages import (
    AssistantMessage,
    CustomMessage,
    Message,
    ToolResultMessage,
    UserMessage,
)
from pi_notebook.context.tokens import message_tokens


class ContextItem:
    """One message of the context. Its tokens are counted when somebody asks, and once."""

    __slots__ = ("_tokens", "entry_id", "message")

    def __init__(self, *, entry_id: str, message: Message, tokens: int | None = None) -> None:
        self.entry_id = entry_id
        self.message = message
        self._tokens = tokens

    @property
    def tokens(self) -> int:
        """What the message costs in a request."""
        if self._tokens is None:
            self._tokens = message_tokens(self.message)
        return self._tokens

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

    def __repr__(self) -> str:
        return f"ContextItem({self.entry_id!r}, {self.name})"
