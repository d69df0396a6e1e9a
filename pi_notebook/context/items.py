"""The messages of a context, each with the entry it comes from and what it costs."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import (
    AssistantMessage,
    CustomMessage,
    ImageContent,
    Message,
    ToolResultMessage,
    UserMessage,
)
from pi_notebook.context.tokens import image_tokens, message_tokens


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

    def sized(self, tokens: int) -> ContextItem:
        """The same message, said to cost `tokens`."""
        return ContextItem(entry_id=self.entry_id, message=self.message, tokens=tokens)

    def __repr__(self) -> str:
        return f"ContextItem({self.entry_id!r}, {self.name})"


def as_seen(items: Sequence[ContextItem], *, sees_images: bool) -> Sequence[ContextItem]:
    """`items` as they cost a model that sees images, or one that sees none and is not sent them."""
    return items if sees_images else [_without_pictures(item) for item in items]


def _without_pictures(item: ContextItem) -> ContextItem:
    content = getattr(item.message, "content", "")
    blocks = content if isinstance(content, list) else []
    pictures = sum(image_tokens(block) for block in blocks if isinstance(block, ImageContent))
    if not pictures:
        return item
    return item.sized(item.tokens - pictures)
