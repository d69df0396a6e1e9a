"""The parts of a request: its sections, its tool definitions and its messages, each with a key.

A key names a section by its name, a definition by its tool and a message by its entry, so that it
means the same in every request that has the part.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from pi_notebook.agent.messages import (
    AssistantMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    without_surrogates,
)
from pi_notebook.agent.protocols import ToolDefinition
from pi_notebook.context.composition import Share, head_shares, message_shares
from pi_notebook.context.items import ContextItem
from pi_notebook.session.past_requests import SessionRequests
from pi_notebook.ui.protocol.inspected import Part
from pi_notebook.ui.protocol.record import Image
from pi_notebook.ui.render import spill_path

MAX_IMAGE_CHARS = 2_000_000
"""Of all the pictures of one part, in base64."""
_LABEL_CHARS = 120
_SECTION, _TOOL, _ENTRY = "section:", "tool:", "entry:"


class Seen(NamedTuple):
    """What the model sees of a part."""

    text: str
    images: list[Image]


class RequestParts:
    """The parts of one request of a session.

    Parameters
    ----------
    requests
        Of the branch that the session is on.
    number
        Of the request; None for the next one.
    """

    def __init__(self, requests: SessionRequests, number: int | None) -> None:
        self._requests = requests
        self._number = number
        self._sent = requests.count if number is None else number - 1
        """Requests that were sent before this one."""
        self.measured = requests.measured(number)
        self._content = requests.content(number)
        self._edited = self._content.projection.edited

    def rows(self) -> list[Part]:
        """All of them, in the order they are sent; their tokens add up to those of the request."""
        cached = self._cached_messages()
        items = self.measured.items
        rows = [*self._head(is_cached=cached is not None), *self.message_rows(items, cached=cached or 0)]
        return list(_scaled(rows, self.measured.tokens))

    def message_rows(self, items: Sequence[ContextItem], *, cached: int = 0) -> Iterator[Part]:
        """Messages, of which the first `cached` were in the request before."""
        uses: Counter[str] = Counter()
        for place, item in enumerate(items):
            message = item.message
            largest = max(message_shares(message), key=lambda share: share.tokens)
            uses[item.entry_id] += 1
            yield Part(
                key=_key(item.entry_id, uses[item.entry_id]),
                entry_id=item.entry_id,
                category=largest.category,
                label=label_of(message),
                tokens=item.tokens,
                age=max(0, self._sent - self._requests.count_before(item.entry_id)),
                is_cached=place < cached,
                is_shortened=self._is_shortened(item),
                can_hide=self._number is None and not isinstance(message, CompactionSummaryMessage),
            )

    def seen(self, key: str) -> Seen | None:
        """What the model sees of the part with that key; None when the request has none."""
        if key.startswith(_SECTION):
            text = self._content.sections.get(key.removeprefix(_SECTION))
            return Seen(without_surrogates(text), []) if text is not None else None
        if key.startswith(_TOOL):
            name = key.removeprefix(_TOOL)
            found = next((tool for tool in self._content.tools if tool.name == name), None)
            return Seen(definition_text(found), []) if found is not None else None
        uses: Counter[str] = Counter()
        for item in self.measured.items:
            uses[item.entry_id] += 1
            if _key(item.entry_id, uses[item.entry_id]) == key:
                return seen_message(item.message)
        return None

    def _is_shortened(self, item: ContextItem) -> bool:
        is_edited = item.entry_id in self._edited and item.message != self._requests.said(item.entry_id)
        return is_edited or is_cut(item.message)

    def _cached_messages(self) -> int | None:
        """How many messages the request before begins with too; None when not even the head is the same."""
        if self._sent == 0:
            return None
        return self._requests.kept_messages(self._sent, self.measured, self._number)

    def _head(self, *, is_cached: bool) -> Iterator[Part]:
        for name, text in self._content.sections.items():
            for share in head_shares({name: text}, ()):
                yield self._head_row(_SECTION + name, name, share, is_cached)
        for tool in self._content.tools:
            yield self._head_row(_TOOL + tool.name, tool.name, head_shares({}, [tool])[0], is_cached)

    def _head_row(self, key: str, name: str, share: Share, is_cached: bool) -> Part:
        return Part(
            key=key,
            entry_id="",
            category=share.category,
            label=name,
            tokens=share.tokens,
            age=self._sent,
            is_cached=is_cached,
            is_shortened=False,
            can_hide=False,
        )


def _key(entry_id: str, use: int) -> str:
    """What stands for a missing result has the entry of its call."""
    return f"{_ENTRY}{entry_id}" if use == 1 else f"{_ENTRY}{entry_id}#{use}"


def _scaled(rows: Sequence[Part], tokens: int) -> Iterator[Part]:
    """The same rows, whose tokens add up to `tokens` exactly."""
    whole = sum(row.tokens for row in rows)
    given = before = 0
    for row in rows:
        before += row.tokens
        until = tokens * before // whole if whole else 0
        yield msgspec.structs.replace(row, tokens=until - given)
        given = until


def entry_of(key: str) -> str:
    """The entry that `key` names; empty when it names none."""
    return key.removeprefix(_ENTRY).partition("#")[0] if key.startswith(_ENTRY) else ""


def label_of(message: Message) -> str:
    """One line of a message: what it is, and how it begins; empty for one of thoughts alone."""
    if isinstance(message, ToolResultMessage):
        return _line(f"{message.tool_name}: {message.text}")
    if isinstance(message, AssistantMessage):
        calls = ", ".join(f"{call.name}({_arguments(call)})" for call in message.tool_calls)
        return _line(" ".join(filter(None, (message.text.strip(), calls))))
    if isinstance(message, CustomMessage):
        return _line(f"{message.custom_type.rpartition('/')[2]}: {_text(message.content)}")
    if isinstance(message, UserMessage):
        return _line(_text(message.content))
    return _line(message.summary)


def seen_message(message: Message) -> Seen:
    """The whole text of a message, with what has no text in words, and its pictures."""
    if not isinstance(message, (UserMessage, CustomMessage, AssistantMessage, ToolResultMessage)):
        return Seen(without_surrogates(message.summary), [])
    content = message.content
    if isinstance(content, str):
        return Seen(without_surrogates(content), [])
    texts = [_block_text(block) for block in content]
    images = [block for block in content if isinstance(block, ImageContent)]
    return Seen(without_surrogates("\n".join(filter(None, texts))), list(_bounded(images)))


def is_cut(message: Message) -> bool:
    """Whether the tool that gave it had more to give."""
    return isinstance(message, ToolResultMessage) and bool(spill_path(message))


def definition_text(tool: ToolDefinition) -> str:
    """A tool's definition as it is sent."""
    data = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return json.dumps(data, ensure_ascii=False, indent=2)


def _bounded(images: Sequence[ImageContent]) -> Iterator[Image]:
    room = MAX_IMAGE_CHARS
    for image in images:
        room -= len(image.data)
        if room >= 0:
            yield Image(mime_type=image.mime_type, data=image.data)


def _block_text(block: object) -> str:
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, ThinkingContent):
        return f"<thinking>\n{block.thinking}\n</thinking>"
    if isinstance(block, ToolCall):
        return f"{block.name}({json.dumps(block.arguments, ensure_ascii=False, indent=2)})"
    return ""


def _arguments(call: ToolCall) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return " ".join(_said_of(block) for block in blocks)


def _said_of(block: object) -> str:
    """A text itself; of a picture its type, which is the same in every language."""
    return f"[{block.mime_type}]" if isinstance(block, ImageContent) else getattr(block, "text", "")


def _line(text: str) -> str:
    line = without_surrogates(" ".join(text[: 4 * _LABEL_CHARS].split()))
    return line if len(line) <= _LABEL_CHARS else f"{line[: _LABEL_CHARS - 1]}…"
