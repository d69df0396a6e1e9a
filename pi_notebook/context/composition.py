"""What a request is made of: the tokens of each of its parts, which add up to the whole.

Tokens are those of `tokens`. Nothing is asked of a provider and nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec

from pi_notebook.agent.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
)
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.context.encodings import EncodingName
from pi_notebook.context.tokens import DEFAULT_ENCODING, count_tokens, message_tokens, tools_tokens

Category = Literal[
    "system_prompt", "tool_definitions", "user", "assistant", "thinking",
    "tool_calls", "tool_results", "custom", "summaries",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Share:
    """The part of a request that one category has, or one name within it."""

    category: Category
    name: str = ""
    """The tool, or the kind of a custom message; empty where there are no names."""
    tokens: int
    count: int
    """Definitions, messages, calls or blocks."""


@dataclass(frozen=True, kw_only=True)
class Composition:
    """A request by category, in the order it is sent."""

    shares: tuple[Share, ...]
    """One for each category and name that occurs."""

    @property
    def tokens(self) -> int:
        """All of the request."""
        return sum(share.tokens for share in self.shares)

    def by_category(self) -> dict[Category, int]:
        """Tokens of each category that occurs."""
        found: dict[Category, int] = {}
        for share in self.shares:
            found[share.category] = found.get(share.category, 0) + share.tokens
        return found


def compose(request: ModelRequest, *, encoding: EncodingName = DEFAULT_ENCODING) -> Composition:
    """What `request` is made of."""
    shares: dict[tuple[Category, str], Share] = {}
    for share in _parts(request, encoding):
        key = (share.category, share.name)
        known = shares.get(key)
        shares[key] = share if known is None else _sum(known, share)
    return Composition(shares=tuple(shares.values()))


def _sum(one: Share, other: Share) -> Share:
    return Share(
        category=one.category,
        name=one.name,
        tokens=one.tokens + other.tokens,
        count=one.count + other.count,
    )


def _parts(request: ModelRequest, encoding: EncodingName) -> Iterator[Share]:
    if request.system_prompt:
        tokens = count_tokens(request.system_prompt, encoding=encoding)
        yield Share(category="system_prompt", tokens=tokens, count=1)
    for definition in request.tools:
        tokens = tools_tokens([definition], encoding=encoding)
        yield Share(category="tool_definitions", name=definition.name, tokens=tokens, count=1)
    for message in request.messages:
        if isinstance(message, AssistantMessage):
            yield from _assistant_parts(message, encoding)
        else:
            category, name = _kind(message)
            tokens = message_tokens(message, encoding=encoding)
            yield Share(category=category, name=name, tokens=tokens, count=1)


def _kind(message: Message) -> tuple[Category, str]:
    if isinstance(message, ToolResultMessage):
        return "tool_results", message.tool_name
    if isinstance(message, CustomMessage):
        return "custom", message.custom_type
    if isinstance(message, (BranchSummaryMessage, CompactionSummaryMessage)):
        return "summaries", ""
    return "user", ""


def _assistant_parts(message: AssistantMessage, encoding: EncodingName) -> Iterator[Share]:
    """The blocks of a reply; what the message costs besides them goes to its text."""
    bare = message_tokens(msgspec.structs.replace(message, content=[]), encoding=encoding)
    yield Share(category="assistant", tokens=bare, count=1)
    for block in message.content:
        alone = msgspec.structs.replace(message, content=[block])
        tokens = message_tokens(alone, encoding=encoding) - bare
        if isinstance(block, ToolCall):
            yield Share(category="tool_calls", name=block.name, tokens=tokens, count=1)
        elif isinstance(block, ThinkingContent):
            yield Share(category="thinking", tokens=tokens, count=1)
        else:
            yield Share(category="assistant", tokens=tokens, count=0)
