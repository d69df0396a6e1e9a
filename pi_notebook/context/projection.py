"""From a session's entries to the messages of a request.

The branch's entries are the only input; nothing here is stored. A `Projection` follows a branch
that grows, so that a request costs what is new. `repair_pairs` is the last step before sending:
whatever happened to a session, every call in the result is followed by exactly one result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

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

NO_RESULT_TEXT = (
    "No result was recorded: the run or the kernel ended during this call. "
    "It may have run; it was not run again."
)


class Projection:
    """The messages of a branch; add its entries in order."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._items: list[tuple[str, Message | None]] = []
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
        return [message for _, message in self._items if message is not None]

    def _place(self, entry_id: str, message: Message | None) -> None:
        self._places[entry_id] = len(self._items)
        self._items.append((entry_id, message))

    def _edit(self, entry: ContextEditEntry) -> None:
        place = self._places.get(entry.target_id)
        if place is None:
            return  # what it points at was compacted away, or never was
        replacement = None if entry.replacement is None else _as_message(entry.replacement)
        self._items[place] = (entry.target_id, replacement)

    def _compact(self, entry: CompactionEntry) -> None:
        first = self._places.get(entry.first_kept_entry_id, len(self._items))
        kept = self._items[first:]
        self._items, self._places = [], {}
        self._place(entry.id, message_of(entry))
        for entry_id, message in kept:
            self._place(entry_id, message)


def repair_pairs(messages: Sequence[Message]) -> list[Message]:
    """`messages` in which each call of a sent reply is followed by exactly one result, in call order.

    Replies that failed, were stopped or are empty are left out with their results; results without
    a call are left out; a call without a result gets an error result that says so. A message that
    stands between a call and its result moves behind the results.
    """
    results = _results_by_call(messages)
    repaired: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            if not _is_sent(message):
                continue
            repaired.append(message)
            repaired.extend(
                results.get(call.id) or _missing_result(call, message) for call in message.tool_calls
            )
        elif not isinstance(message, ToolResultMessage):
            repaired.append(message)
    return repaired


def missing_results(messages: Sequence[Message]) -> list[ToolResultMessage]:
    """What stands for the results of calls that were running when a run or its kernel ended."""
    results = _results_by_call(messages)
    return [
        _missing_result(call, message)
        for message in messages
        if isinstance(message, AssistantMessage) and _is_sent(message)
        for call in message.tool_calls
        if call.id not in results
    ]


def _results_by_call(messages: Sequence[Message]) -> dict[str, ToolResultMessage]:
    """The first result of each call; a second one for the same call never reaches a provider."""
    results: dict[str, ToolResultMessage] = {}
    for message in messages:
        if isinstance(message, ToolResultMessage):
            results.setdefault(message.tool_call_id, message)
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


def _as_message(replacement: object) -> Message | None:
    try:
        message: Message = msgspec.convert(replacement, Message)
    except msgspec.ValidationError:
        return None  # a kind of message this version does not know: hidden rather than wrong
    return message


def _milliseconds(timestamp: str) -> int:
    try:
        return round(datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return 0
