"""From a session's entries to the messages of a request.

The branch's entries are the only input; nothing here is stored. A `Projection` follows a branch
that grows, so that a request costs what is new. `repair_pairs` is the last step before sending:
whatever happened to a session, every call in the result is followed by exactly one result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from pi_notebook.agent.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
)
from pi_notebook.agent.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    TextContent,
    ToolCall,
    ToolResultMessage,
)
from pi_notebook.context.items import ContextItem
from pi_notebook.context.reattaching import reattached_messages
from pi_notebook.context.tokens import message_tokens

NO_RESULT_TEXT = (
    "No result was recorded: the run or the kernel ended during this call. "
    "It may have run; it was not run again."
)


class _Item(NamedTuple):
    entry_id: str
    said: Message | None
    shown: Message | None
    """What the newest edit made of it."""


class Projection:
    """The messages of a branch; add its entries in order."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._items: list[_Item] = []
        self._places: dict[str, int] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Follow the branch by one entry."""
        if isinstance(entry, ContextEditEntry):
            self._edit(entry)
        elif isinstance(entry, CompactionEntry):
            self._compact(entry)
        else:
            self._place(entry.id, message_of(entry))

    @property
    def messages(self) -> list[Message]:
        """What the branch says now, before pair repair."""
        return [item.shown for item in self._items if item.shown is not None]

    @property
    def items(self) -> list[ContextItem]:
        """The same with the entries they come from and their sizes."""
        return [
            ContextItem(entry_id=item.entry_id, message=item.shown, tokens=message_tokens(item.shown))
            for item in self._items
            if item.shown is not None
        ]

    def _place(self, entry_id: str, message: Message | None) -> None:
        self._keep(_Item(entry_id, message, message))

    def _keep(self, item: _Item) -> None:
        self._places[item.entry_id] = len(self._items)
        self._items.append(item)

    def _edit(self, entry: ContextEditEntry) -> None:
        place = self._places.get(entry.target_id)
        self._place(entry.id, None)
        if place is None:
            return  # what it points at was compacted away, or never was
        item = self._items[place]
        self._items[place] = item._replace(shown=_edited(item.said, entry.replacement))

    def _compact(self, entry: CompactionEntry) -> None:
        first = self._places.get(entry.first_kept_entry_id, len(self._items))
        kept = self._items[first:]
        self._items, self._places = [], {}
        self._place(entry.id, message_of(entry))
        for number, message in enumerate(reattached_messages(entry)):
            self._place(f"{entry.id}/{number}", message)
        for item in kept:
            self._keep(item)


def repair_pairs(messages: Sequence[Message]) -> list[Message]:
    """`messages` in which each call of a sent reply is followed by exactly one result, in call order.

    Replies that failed, were stopped or are empty are left out with their results; results without
    a call are left out; a call without a result gets an error result that says so. A message that
    stands between a call and its result moves behind the results.
    """
    repaired: list[Message] = []
    for message, answers in _with_results(messages):
        if isinstance(message, AssistantMessage):
            if not _is_sent(message):
                continue
            repaired.append(message)
            repaired.extend(result or _missing_result(call, message) for call, result in answers)
        elif not isinstance(message, ToolResultMessage):
            repaired.append(message)
    return repaired


def missing_results(messages: Sequence[Message]) -> list[ToolResultMessage]:
    """What stands for the results of calls that were running when a run or its kernel ended."""
    return [
        _missing_result(call, message)
        for message, answers in _with_results(messages)
        if isinstance(message, AssistantMessage) and _is_sent(message)
        for call, result in answers
        if result is None
    ]


def _with_results(
    messages: Sequence[Message],
) -> Iterator[tuple[Message, list[tuple[ToolCall, ToolResultMessage | None]]]]:
    """Each message, a reply with its calls and what they gave."""
    results = _results_by_call(messages)
    made: Counter[str] = Counter()
    for message in messages:
        answers: list[tuple[ToolCall, ToolResultMessage | None]] = []
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            made[call.id] += 1
            answers.append((call, results.get((call.id, made[call.id]))))
        yield message, answers


def _results_by_call(messages: Sequence[Message]) -> dict[tuple[str, int], ToolResultMessage]:
    """The first result of each call, by its id and the how manieth call of that id it is.

    Some providers give the same ids again in each reply: a result belongs to the newest of them.
    """
    results: dict[tuple[str, int], ToolResultMessage] = {}
    made: Counter[str] = Counter()
    first: dict[str, int] = {}
    for message in messages:
        if isinstance(message, AssistantMessage):
            first |= {call.id: made[call.id] + 1 for call in message.tool_calls}
            made.update(call.id for call in message.tool_calls)
        elif isinstance(message, ToolResultMessage):
            call_id = message.tool_call_id
            for number in range(first.get(call_id, 1), max(made[call_id], 1) + 1):
                if results.setdefault((call_id, number), message) is message:
                    break
    return results


def _is_sent(message: AssistantMessage) -> bool:
    return message.stop_reason not in ("error", "aborted") and bool(
        message.tool_calls or message.text.strip()
    )


def _missing_result(call: ToolCall, reply: AssistantMessage) -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=[TextContent(text=NO_RESULT_TEXT)],
        is_error=True,
        timestamp=reply.timestamp,
    )


def message_of(entry: Entry) -> Message | None:
    """What `entry` says in the conversation; None when it says nothing, or changes what others said."""
    if isinstance(entry, MessageEntry):
        return entry.message
    if isinstance(entry, CustomMessageEntry):
        return CustomMessage(
            custom_type=entry.custom_type,
            content=entry.content,
            display=entry.display,
            details=entry.details,
            timestamp=_milliseconds(entry.timestamp),
        )
    if isinstance(entry, BranchSummaryEntry):
        return BranchSummaryMessage(
            summary=entry.summary, from_id=entry.from_id, timestamp=_milliseconds(entry.timestamp)
        )
    if isinstance(entry, CompactionEntry):
        return CompactionSummaryMessage(
            summary=entry.summary, tokens_before=entry.tokens_before, timestamp=_milliseconds(entry.timestamp)
        )
    return None


def _edited(said: Message | None, replacement: Any) -> Message | None:
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


def _milliseconds(timestamp: str) -> int:
    try:
        return round(datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return 0
