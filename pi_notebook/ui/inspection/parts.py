"""The parts of a request: its sections, its tool definitions and its messages, each with a key.

A key names a section by its name, a definition by its tool and a message by its entry, so that it
means the same in every request that has the part.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
from pi_notebook.context.composition import Category, Share, head_shares, message_shares, parts_of
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
        return [*self._head(is_cached=cached is not None), *self._messages(cached or 0)]

    def rows_of(self, items: Sequence[ContextItem]) -> list[Part]:
        """Those of some of the request's `sized_items`, as `rows` has them."""
        wanted = set(map(id, items))
        rows = zip(self.measured.sized_items, self._messages(self._cached_messages() or 0), strict=True)
        return [row for item, row in rows if id(item) in wanted]

    def _messages(self, cached: int) -> Iterator[Part]:
        """The messages, of which the first `cached` were in the request before."""
        items = self.measured.sized_items
        sees_images = self._requests.info(self._number).sees_images
        rows = message_rows(
            items, self._requests, edited=self._edited, sent=self._sent, sees_images=sees_images
        )
        for place, row in enumerate(rows):
            is_summary = isinstance(items[place].message, CompactionSummaryMessage)
            can_hide = self._number is None and not is_summary
            yield msgspec.structs.replace(row, is_cached=place < cached, can_hide=can_hide)

    def seen(self, key: str) -> Seen | None:
        """What the model sees of the part with that key; None when the request has none."""
        if key.startswith(_SECTION):
            text = self._content.sections.get(key.removeprefix(_SECTION))
            return Seen(without_surrogates(text), []) if text is not None else None
        if key.startswith(_TOOL):
            name = key.removeprefix(_TOOL)
            found = next((tool for tool in self._content.tools if tool.name == name), None)
            return Seen(definition_text(found), []) if found is not None else self._seen_name(name)
        return seen_item(self.measured.items, key)

    def _seen_name(self, name: str) -> Seen | None:
        """Of a tool that is defined no more, what is known."""
        is_known = any(share.name == name for share in self._tools)
        return Seen(json.dumps({"name": name}, ensure_ascii=False, indent=2), []) if is_known else None

    @property
    def _tools(self) -> list[Share]:
        """The tools that were offered, those that are defined no more too."""
        return [share for share in self.measured.head if share.category == "tool_definitions"]

    def _cached_messages(self) -> int | None:
        """How many messages the request before begins with too; None when not even the head is the same."""
        if self._sent == 0:
            return None
        return self._requests.kept_messages(self._sent, self.measured, self._number)

    def _head(self, *, is_cached: bool) -> Iterator[Part]:
        sections = self._content.sections.items()
        shares = [(name, share) for name, text in sections for share in head_shares({name: text}, ())]
        keyed = [(_SECTION + name, name, share) for name, share in shares]
        keyed += [(_TOOL + share.name, share.name, share) for share in self._tools]
        sizes = [*(share.tokens for _, _, share in keyed), *(item.tokens for item in self.measured.items)]
        for (key, name, share), tokens in zip(keyed, parts_of(self.measured.tokens, sizes), strict=False):
            yield self._head_row(key, name, share.category, tokens, is_cached)

    def _head_row(self, key: str, name: str, category: Category, tokens: int, is_cached: bool) -> Part:
        return Part(
            key=key,
            entry_id="",
            category=category,
            label=name,
            tokens=tokens,
            age=self._sent,
            is_cached=is_cached,
            is_shortened=False,
            can_hide=False,
        )


def _key(entry_id: str, use: int) -> str:
    """What stands for a missing result has the entry of its call."""
    return f"{_ENTRY}{entry_id}" if use == 1 else f"{_ENTRY}{entry_id}#{use}"


def message_rows(
    items: Sequence[ContextItem],
    requests: SessionRequests,
    *,
    edited: Mapping[str, Message | None],
    sent: int,
    sees_images: bool,
) -> Iterator[Part]:
    """Messages as parts for a model that sees images or none.

    Entries were `edited` in their context, and so many requests were `sent` before it.
    """
    for key, item in _keyed(items):
        message = item.message
        shares = [one for one in message_shares(message) if sees_images or one.category != "images"]
        largest = max(shares, key=lambda share: share.tokens)
        is_edited = item.entry_id in edited and message != requests.said(item.entry_id)
        yield Part(
            key=key,
            entry_id=item.entry_id,
            category=largest.category,
            label=label_of(message),
            tokens=item.tokens,
            age=max(0, sent - requests.count_before(item.entry_id)),
            is_cached=False,
            is_shortened=is_edited or is_cut(message),
            can_hide=False,
        )


def seen_item(items: Sequence[ContextItem], key: str) -> Seen | None:
    """What the model sees of the message with that key; None when it is none of `items`."""
    return next((seen_message(item.message) for one, item in _keyed(items) if one == key), None)


def _keyed(items: Sequence[ContextItem]) -> Iterator[tuple[str, ContextItem]]:
    uses: Counter[str] = Counter()
    for item in items:
        uses[item.entry_id] += 1
        yield _key(item.entry_id, uses[item.entry_id]), item


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
