"""Calls and results in pairs, as every provider wants them.

Whatever happened to a session, every call of what is sent is followed by exactly one result.
`repair_pairs` says it of a list of messages; `PairedItems` follows a conversation that grows and
gives the same, so that a request costs what is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pi_notebook.agent.messages import (
    AssistantMessage,
    Message,
    TextContent,
    ToolCall,
    ToolResultMessage,
)
from pi_notebook.context.composition import RunningShares
from pi_notebook.context.items import ContextItem

NO_RESULT_TEXT = (
    "No result was recorded: the run or the kernel ended during this call. "
    "It may have run; it was not run again."
)

NOT_SENT = -1
"""The place of what no request shows."""


def repair_pairs(messages: Sequence[Message]) -> list[Message]:
    """`messages` in which each call of a sent reply is followed by exactly one result, in call order.

    Replies that failed, were stopped or are empty are left out with their results; results without
    a call before them are left out; a call without a result gets an error result that says so. A
    message that stands between a call and its result moves behind the results.
    """
    repaired: list[Message] = []
    for message, answers in _with_results(messages):
        if isinstance(message, AssistantMessage):
            if not is_sent(message):
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
        if isinstance(message, AssistantMessage) and is_sent(message)
        for call, result in answers
        if result is None
    ]


class PairedItems:
    """The items of a conversation as they are sent; add them in order.

    A call has its place from the moment it is made, and its result takes that place: what was given
    out before stays where it was.
    """

    def __init__(self) -> None:
        self.items: list[ContextItem] = []
        self.messages: list[Message] = []
        """Those of the items."""
        self._waiting: dict[str, list[int]] = {}
        """By call id: where results of the newest reply that made it are still to be put."""
        self._running = RunningShares()
        self._counted = 0
        """So many of the items are in the running shares."""

    @property
    def running(self) -> RunningShares:
        """What the items come to; those that are new are counted now."""
        for message in self.messages[self._counted :]:
            self._running.add(message)
        self._counted = len(self.messages)
        return self._running

    @property
    def uncounted(self) -> int:
        """How many messages would have to be counted to know what the items come to."""
        return len(self.messages) - self._counted

    def add(self, item: ContextItem) -> int:
        """Where `item` stands now; -1 when it is not sent."""
        message = item.message
        if isinstance(message, AssistantMessage):
            return self._add_reply(item, message)
        if isinstance(message, ToolResultMessage):
            return self._add_result(item, message)
        return self._append(item)

    def replace(self, index: int, item: ContextItem) -> bool:
        """Put `item` at `index`; False, with nothing done, when that would change which result is whose."""
        before, now = self.messages[index], item.message
        if isinstance(before, AssistantMessage) or isinstance(now, AssistantMessage):
            return False
        if _call_of(before) != _call_of(now):
            return False
        self._put(index, item)
        return True

    def _add_reply(self, item: ContextItem, reply: AssistantMessage) -> int:
        sent = is_sent(reply)
        index = self._append(item) if sent else NOT_SENT
        places: dict[str, list[int]] = {}
        for call in reply.tool_calls:
            place = NOT_SENT
            if sent:
                missing = _missing_result(call, reply)
                place = self._append(ContextItem(entry_id=item.entry_id, message=missing))
            places.setdefault(call.id, []).append(place)
        self._waiting.update(places)
        return index

    def _add_result(self, item: ContextItem, result: ToolResultMessage) -> int:
        places = self._waiting.get(result.tool_call_id)
        if not places:
            return NOT_SENT
        index = places.pop(0)
        if index != NOT_SENT:
            self._put(index, item)
        return index

    def _put(self, index: int, item: ContextItem) -> None:
        if index < self._counted:
            self._running.remove(self.messages[index])
            self._running.add(item.message)
        self.items[index], self.messages[index] = item, item.message

    def _append(self, item: ContextItem) -> int:
        self.items.append(item)
        self.messages.append(item.message)
        return len(self.items) - 1


def is_sent(reply: AssistantMessage) -> bool:
    """Whether a provider is shown `reply`; one that failed or was stopped is kept for people only."""
    return reply.stop_reason not in ("error", "aborted") and bool(reply.tool_calls or reply.text.strip())


def _call_of(message: Message) -> str | None:
    return message.tool_call_id if isinstance(message, ToolResultMessage) else None


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
            for number in range(first.get(call_id, 1), made[call_id] + 1):
                if results.setdefault((call_id, number), message) is message:
                    break
    return results


def _missing_result(call: ToolCall, reply: AssistantMessage) -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=[TextContent(text=NO_RESULT_TEXT)],
        is_error=True,
        timestamp=reply.timestamp,
    )
