"""What a request is made of: the tokens of each of its parts, which add up to the whole.

Tokens are those of `tokens`. Nothing is asked of a provider and nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Literal, get_args

import msgspec

from pi_notebook.agent.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
)
from pi_notebook.agent.protocols import ToolDefinition
from pi_notebook.context.compaction.ledger_block import without_ledger
from pi_notebook.context.encodings import EncodingName
from pi_notebook.context.retrieved import RETRIEVED_TYPE, source_of
from pi_notebook.context.tokens import (
    DEFAULT_ENCODING,
    block_tokens,
    count_tokens,
    image_tokens,
    message_tokens,
    tools_tokens,
)

Category = Literal[
    "system_prompt", "instructions", "skills", "tool_definitions", "summaries", "ledger", "user", "program",
    "retrieved", "previews", "images", "assistant", "thinking", "tool_calls", "tool_results",
]  # fmt: skip
CATEGORIES: tuple[Category, ...] = get_args(Category)
"""In the order they are shown: what is sent first, first."""

_SECTION_CATEGORIES: Mapping[str, Category] = {
    "instructions": "instructions",
    "addendum": "instructions",
    "skills": "skills",
}
"""Sections of the system prompt that have a category of their own."""
_PREVIEW_TOOLS = {"preview_data"}
_PREVIEW_TYPES = {"pi_notebook/attachment", "pi_notebook/reattached"}


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
    """A request by category, in the order they are shown."""

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

    def scaled(self, tokens: int) -> Composition:
        """The same shares of another total, to which they add up exactly."""
        sizes = parts_of(tokens, [share.tokens for share in self.shares])
        pairs = zip(self.shares, sizes, strict=True)
        return Composition(shares=tuple(replace(share, tokens=size) for share, size in pairs))


def parts_of(tokens: int, sizes: Iterable[int]) -> list[int]:
    """`tokens` cut as `sizes` stand to each other; where one ends is the same however those before are."""
    ends = list(accumulate(sizes, initial=0))
    whole = ends[-1]
    scaled = [tokens * end // whole if whole else 0 for end in ends]
    return [end - begin for begin, end in pairwise(scaled)]


class RunningShares:
    """The shares of messages that come and go, added up as they do."""

    def __init__(self, *, encoding: EncodingName = DEFAULT_ENCODING) -> None:
        self.tokens = 0
        self._encoding = encoding
        self._sums: dict[tuple[Category, str], tuple[int, int]] = {}

    def add(self, message: Message) -> None:
        """Count `message`."""
        self._change(message, 1)

    def remove(self, message: Message) -> None:
        """Count `message`, which was added, no more."""
        self._change(message, -1)

    @property
    def shares(self) -> list[Share]:
        """What they come to now."""
        return [
            Share(category=category, name=name, tokens=tokens, count=count)
            for (category, name), (tokens, count) in self._sums.items()
            if tokens or count
        ]

    def _change(self, message: Message, sign: int) -> None:
        for share in message_shares(message, encoding=self._encoding):
            key = (share.category, share.name)
            tokens, count = self._sums.get(key, (0, 0))
            self._sums[key] = tokens + sign * share.tokens, count + sign * share.count
            self.tokens += sign * share.tokens


def composition_of(shares: Iterable[Share]) -> Composition:
    """The composition that `shares`, one for each category and name, come to."""
    return Composition(shares=tuple(sorted(shares, key=_rank)))


def head_shares(
    sections: Mapping[str, str],
    tools: Sequence[ToolDefinition],
    *,
    encoding: EncodingName = DEFAULT_ENCODING,
) -> list[Share]:
    """The shares of what comes before the messages: the system prompt by section, and the tools."""
    shares: dict[Category, Share] = {}
    for name, text in sections.items():
        category = _SECTION_CATEGORIES.get(name, "system_prompt")
        known = shares.get(category, Share(category=category, tokens=0, count=0))
        tokens = known.tokens + count_tokens(text, encoding=encoding)
        shares[category] = replace(known, tokens=tokens, count=known.count + 1)
    definitions = [
        Share(
            category="tool_definitions",
            name=definition.name,
            tokens=tools_tokens([definition], encoding=encoding),
            count=1,
        )
        for definition in tools
    ]
    return [*(share for share in shares.values() if share.tokens), *definitions]


def message_shares(message: Message, *, encoding: EncodingName = DEFAULT_ENCODING) -> Iterator[Share]:
    """The parts of `message`, which add up to its `message_tokens`."""
    tokens = message_tokens(message, encoding=encoding)
    if isinstance(message, AssistantMessage):
        yield from _reply_shares(message, tokens, encoding)
        return
    category, name = kind_of(message)
    if isinstance(message, CompactionSummaryMessage):
        ledger = tokens - message_tokens(_without_ledger(message), encoding=encoding)
        if ledger > 0:
            yield Share(category="ledger", tokens=ledger, count=1)
            tokens -= ledger
    for image in images_of(message):
        image_size = image_tokens(image)
        yield Share(category="images", name=name, tokens=image_size, count=1)
        tokens -= image_size
    yield Share(category=category, name=name, tokens=tokens, count=1)


def kind_of(message: Message) -> tuple[Category, str]:
    """The category that most of `message` belongs to, and the name within it."""
    if isinstance(message, ToolResultMessage):
        is_preview = message.tool_name in _PREVIEW_TOOLS
        return ("previews" if is_preview else "tool_results"), message.tool_name
    if isinstance(message, CustomMessage):
        if message.custom_type == RETRIEVED_TYPE:
            return "retrieved", source_of(message)
        is_preview = message.custom_type in _PREVIEW_TYPES
        return ("previews" if is_preview else "program"), message.custom_type.rpartition("/")[2]
    if isinstance(message, (BranchSummaryMessage, CompactionSummaryMessage)):
        return "summaries", ""
    return ("assistant" if isinstance(message, AssistantMessage) else "user"), ""


def images_of(message: Message) -> list[ImageContent]:
    """The pictures in `message`."""
    if isinstance(message, (AssistantMessage, BranchSummaryMessage, CompactionSummaryMessage)):
        return []
    blocks = [] if isinstance(message.content, str) else message.content
    return [block for block in blocks if isinstance(block, ImageContent)]


def _rank(share: Share) -> int:
    return CATEGORIES.index(share.category)


def _without_ledger(message: CompactionSummaryMessage) -> CompactionSummaryMessage:
    return msgspec.structs.replace(message, summary=without_ledger(message.summary))


def _reply_shares(message: AssistantMessage, tokens: int, encoding: EncodingName) -> Iterator[Share]:
    """The blocks of a reply; what the message costs besides them goes to its text."""
    for block in message.content:
        if not isinstance(block, (ToolCall, ThinkingContent)):
            continue
        size = block_tokens(block, encoding=encoding)
        tokens -= size
        if isinstance(block, ToolCall):
            yield Share(category="tool_calls", name=block.name, tokens=size, count=1)
        else:
            yield Share(category="thinking", tokens=size, count=1)
    yield Share(category="assistant", tokens=tokens, count=1)
