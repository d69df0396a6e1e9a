"""A conversation as text for the model that summarises it: nobody's turn, and every part bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from pi_notebook.agent.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    without_surrogates,
)
from pi_notebook.context.result_notes import WARNING_TYPE, without_notes
from pi_notebook.context.tokens import count_tokens

_NEAR_CHARS = 200
"""So far from where a text is to be cut an end of a line is looked for."""
_SHORTER = 0.95
_TAGS = re.compile(r"<(/(?:conversation|previous-summary)>)")
"""What would end the conversation for who reads it."""
_NAMED_PICTURE = "[image/"
"""What begins the line that stands for a picture in the text of its result."""
_PASSING_TYPES = frozenset({WARNING_TYPE})
"""Messages that say nothing any more once a summary is made."""


@dataclass(frozen=True, kw_only=True)
class TextBounds:
    """How many characters of each part of a conversation a summary is made from."""

    result: int = 2_000
    arguments: int = 2_000
    text: int = 40_000
    """Of what a person or the model said."""


def conversation_parts(messages: Iterable[Message], bounds: TextBounds) -> list[str]:
    """One text for each message that says something, in order. Thinking is left out; pictures are named."""
    return [part for message in messages if (part := _part(message, bounds))]


def groups(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages in pieces that belong together: a reply with its results, any other alone."""
    found: list[list[Message]] = []
    for message in messages:
        if isinstance(message, ToolResultMessage) and found:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def shortened(text: str, max_chars: int) -> str:
    """The two ends of `text`, at most `max_chars` of it, and how much is left out between them.

    They end where a line does, or a word: half a number would be another number.
    """
    if len(text) <= max_chars:
        return text
    head = max_chars * 2 // 3
    start, end = _end_before(text, head), _begin_after(text, len(text) - (max_chars - head))
    return f"{text[:start]}\n[... {end - start:,} more characters ...]\n{text[end:]}"


def _end_before(text: str, at: int) -> int:
    near = max(0, at - _NEAR_CHARS)
    return next((found for mark in "\n " if (found := text.rfind(mark, near, at)) > 0), at)


def _begin_after(text: str, at: int) -> int:
    return next((found + 1 for mark in "\n " if (found := text.find(mark, at, at + _NEAR_CHARS)) >= 0), at)


def within(text: str, max_tokens: int) -> str:
    """`text`, or as much of its two ends as comes to `max_tokens`."""
    tokens, chars = count_tokens(text), len(text)
    short = text
    while tokens > max_tokens and chars > 1:
        chars = min(chars - 1, int(chars * max_tokens / tokens * _SHORTER))
        short = shortened(text, max(0, chars))
        tokens = count_tokens(short)
    return short


def _part(message: Message, bounds: TextBounds) -> str:
    said = _told(message, bounds)
    return _TAGS.sub(r"<\\\1", said)


def _told(message: Message, bounds: TextBounds) -> str:
    if isinstance(message, AssistantMessage):
        return "\n\n".join(_reply(message, bounds))
    if isinstance(message, ToolResultMessage):
        failed = ", failed" if message.is_error else ""
        said = _said(without_notes(message).content, bounds.result)
        return f"[Result of {message.tool_name}{failed}]: {said}"
    if isinstance(message, BranchSummaryMessage):
        return f"[Branch that was left]: {shortened(message.summary, bounds.text)}"
    if isinstance(message, CustomMessage) and message.custom_type in _PASSING_TYPES:
        return ""
    if isinstance(message, CompactionSummaryMessage):
        return f"[Summary]: {shortened(message.summary, bounds.text)}"
    who = "Person" if isinstance(message, UserMessage) else "Context"
    limit = bounds.text if isinstance(message, UserMessage) else bounds.result
    said = _said(message.content, limit)
    return f"[{who}]: {said}" if said else ""


def _reply(message: AssistantMessage, bounds: TextBounds) -> Iterator[str]:
    if text := message.text.strip():
        yield f"[Agent]: {shortened(without_surrogates(text), bounds.text)}"
    if calls := message.tool_calls:
        yield f"[Agent calls]: {'; '.join(_call(call, bounds.arguments) for call in calls)}"


def _call(call: ToolCall, max_chars: int) -> str:
    arguments = (f"{name}={_value(value, max_chars)}" for name, value in call.arguments.items())
    return f"{call.name}({', '.join(arguments)})"


def _value(value: object, max_chars: int) -> str:
    if isinstance(value, str):
        return shortened(without_surrogates(value), max_chars)
    try:
        return shortened(msgspec.json.encode(value).decode(), max_chars)
    except (TypeError, ValueError, RecursionError):
        return shortened(repr(value), max_chars)


def _said(content: object, max_chars: int) -> str:
    if isinstance(content, str):
        return shortened(without_surrogates(content), max_chars)
    blocks = content if isinstance(content, list) else []
    texts = [block.text for block in blocks if isinstance(block, TextContent)]
    said = without_surrogates("\n".join(texts))
    pictures = sum(isinstance(block, ImageContent) for block in blocks) - said.count(_NAMED_PICTURE)
    named = [f"[{pictures} picture{'s' if pictures > 1 else ''}]"] if pictures > 0 else []
    return "\n".join([shortened(said, max_chars), *named]).strip()
