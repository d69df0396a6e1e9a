"""The messages of a conversation, as they stand in memory and in the session file.

The names on disk are Pi's (camelCase), so that either program opens the other's sessions;
`DISK_NAMES` is the whole mapping. Messages are values: a changed message is a new one, made
with `msgspec.structs.replace`. What a provider wants to be sent is made from them in `models/`.
"""

from __future__ import annotations

import time
from typing import Any, Literal, Union

import msgspec

DISK_NAMES = {
    "mime_type": "mimeType",
    "text_signature": "textSignature",
    "thinking_signature": "thinkingSignature",
    "thought_signature": "thoughtSignature",
    "malformed_arguments": "malformedArguments",
    "cache_read": "cacheRead",
    "cache_write": "cacheWrite",
    "cache_write_1h": "cacheWrite1h",
    "total_tokens": "totalTokens",
    "stop_reason": "stopReason",
    "error_message": "errorMessage",
    "response_id": "responseId",
    "tool_call_id": "toolCallId",
    "tool_name": "toolName",
    "is_error": "isError",
    "duration_ms": "durationMs",
    "tokens_before": "tokensBefore",
    "from_id": "fromId",
    "custom_type": "customType",
}
"""Python names and the names on disk, where they differ."""

StopReason = Literal["stop", "length", "toolUse", "error", "aborted"]


class _Value(msgspec.Struct, frozen=True, kw_only=True, rename=DISK_NAMES, omit_defaults=True):
    """A frozen record; fields that have a default are left out on disk when they hold it."""


class TextContent(_Value, frozen=True, kw_only=True, tag_field="type", tag="text"):
    text: str
    text_signature: str | None = None


class ImageContent(_Value, frozen=True, kw_only=True, tag_field="type", tag="image"):
    data: str
    """Base64, without line breaks."""
    mime_type: str


class ThinkingContent(_Value, frozen=True, kw_only=True, tag_field="type", tag="thinking"):
    thinking: str
    thinking_signature: str | None = None
    """What the provider wants back, unread; thinking is replayed only to the model that made it."""
    redacted: bool = False


class ToolCall(_Value, frozen=True, kw_only=True, tag_field="type", tag="toolCall"):
    id: str
    name: str
    arguments: dict[str, Any]
    thought_signature: str | None = None
    malformed_arguments: str | None = None
    """The text that came where JSON was due; `arguments` is empty then and the call is never run."""


UserContent = Union[TextContent, ImageContent]
AssistantContent = Union[TextContent, ThinkingContent, ToolCall]


class Cost(_Value, frozen=True, kw_only=True, omit_defaults=False):
    """US dollars. Written in full: Pi adds up the figures of a session without asking for each."""

    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0
    total: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            total=self.total + other.total,
        )


class Usage(_Value, frozen=True, kw_only=True):
    """Tokens as the provider counted them; `input` excludes what was read from or put into a cache."""

    input: int
    output: int
    cache_read: int
    cache_write: int
    total_tokens: int
    cost: Cost
    reasoning: int | None = None
    """Part of `output`."""

    def __add__(self, other: Usage) -> Usage:
        parts = [part for part in (self.reasoning, other.reasoning) if part is not None]
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            total_tokens=self.total_tokens + other.total_tokens,
            cost=self.cost + other.cost,
            reasoning=sum(parts) if parts else None,
        )


NO_USAGE = Usage(input=0, output=0, cache_read=0, cache_write=0, total_tokens=0, cost=Cost())
"""The provider told nothing: figures shown from here on are estimates."""


class UserMessage(_Value, frozen=True, kw_only=True, tag_field="role", tag="user"):
    """What the person asked, word for word."""

    content: str | list[UserContent]
    timestamp: int


class AssistantMessage(_Value, frozen=True, kw_only=True, tag_field="role", tag="assistant"):
    """One reply of a model: text, thinking and tool calls in the order they came."""

    content: list[AssistantContent]
    api: str
    provider: str
    model: str
    usage: Usage
    stop_reason: StopReason
    timestamp: int
    error_message: str | None = None
    response_id: str | None = None

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        return "".join(block.text for block in self.content if isinstance(block, TextContent))

    @property
    def tool_calls(self) -> list[ToolCall]:
        return [block for block in self.content if isinstance(block, ToolCall)]


class ToolResultMessage(_Value, frozen=True, kw_only=True, tag_field="role", tag="toolResult"):
    """What one tool call gave, or why it gave nothing."""

    tool_call_id: str
    tool_name: str
    content: list[UserContent]
    is_error: bool
    timestamp: int
    details: Any = None
    """For people and programs (truncation, exit code, spill); never sent to a model."""
    duration_ms: int | None = None

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        return "".join(block.text for block in self.content if isinstance(block, TextContent))


class CustomMessage(_Value, frozen=True, kw_only=True, tag_field="role", tag="custom"):
    """What the program adds to the conversation; the model reads it as a user message."""

    custom_type: str
    content: str | list[UserContent]
    display: bool
    timestamp: int
    details: Any = None


class BranchSummaryMessage(_Value, frozen=True, kw_only=True, tag_field="role", tag="branchSummary"):
    """What a branch that was left had reached."""

    summary: str
    from_id: str
    timestamp: int


class CompactionSummaryMessage(_Value, frozen=True, kw_only=True, tag_field="role", tag="compactionSummary"):
    """What stands for the messages before the kept ones."""

    summary: str
    tokens_before: int
    timestamp: int


Message = Union[
    UserMessage,
    AssistantMessage,
    ToolResultMessage,
    CustomMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
]


def now_ms() -> int:
    """Milliseconds since 1970, as messages carry them; the order of messages never depends on it."""
    return time.time_ns() // 1_000_000


def user_message(content: str | list[UserContent]) -> UserMessage:
    return UserMessage(content=content, timestamp=now_ms())


def text_of(message: Message) -> str:
    """The plain text of any message; images, thinking and tool calls are left out."""
    if isinstance(message, (BranchSummaryMessage, CompactionSummaryMessage)):
        return message.summary
    if isinstance(message.content, str):
        return message.content
    return "".join(block.text for block in message.content if isinstance(block, TextContent))


def without_surrogates(text: str) -> str:
    """`text` with lone surrogates replaced by U+FFFD, so that it can be encoded; pairs are joined."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
