"""From a session's entries to the messages of a request.

The branch's entries are the only input; nothing here is stored. A `Projection` follows a branch
that grows, so that one more request costs what is new: pairs, sizes and shares are those of before
and what was added. Which call a result belongs to is told in `pairs`.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

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
)
from pi_notebook.context.composition import Share
from pi_notebook.context.edits import bare, edited
from pi_notebook.context.items import ContextItem
from pi_notebook.context.pairs import (
    NO_RESULT_TEXT,
    NOT_SENT,
    PairedItems,
    is_sent,
    missing_results,
    repair_pairs,
)
from pi_notebook.context.reattaching import reattached_messages

__all__ = ["NO_RESULT_TEXT", "Projection", "message_of", "missing_results", "repair_pairs"]


class _Said(NamedTuple):
    entry_id: str
    said: Message | None
    """As it was said; without its content once an edit has given it another."""
    shown: Message | None
    """What the newest edit made of it."""


class Projection:
    """The messages of a branch; add its entries in order."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._all: list[_Said] = []
        self._places: dict[str, int] = {}
        self._counted_places: list[int] = []
        """Places of replies whose usage holds for all up to them."""
        self._made = _Made()
        self._mutex = threading.RLock()
        for entry in entries:
            self._add(entry)

    def add(self, entry: Entry) -> None:
        """Follow the branch by one entry; others may look at the projection meanwhile."""
        with self._mutex:
            self._add(entry)

    def _add(self, entry: Entry) -> None:
        if isinstance(entry, ContextEditEntry):
            self._edit(entry)
        elif isinstance(entry, CompactionEntry):
            self._compact(entry)
        else:
            message = message_of(entry)
            if isinstance(message, AssistantMessage) and is_sent(message) and reported_tokens(message):
                self._counted_places.append(len(self._all))
            self._place(entry.id, message)

    @property
    def items(self) -> list[ContextItem]:
        """What the branch says now, before pair repair, with the entries it comes from."""
        return list(self._follow().items)

    @property
    def messages(self) -> list[Message]:
        """The messages of `items`."""
        return list(self._follow().messages)

    @property
    def paired(self) -> tuple[Message, ...]:
        """What is sent when nothing else is made of it: `repair_pairs` of `messages`."""
        return self._follow().paired

    @property
    def paired_items(self) -> list[ContextItem]:
        """The same with the entries; what stands for a missing result has the entry of its call."""
        return list(self._follow().pairs.items)

    @property
    def shares(self) -> list[Share]:
        """What `paired` is made of."""
        with self._mutex:
            return self._follow().pairs.running.shares

    @property
    def tokens(self) -> int:
        """What `paired` comes to."""
        with self._mutex:
            return self._follow().pairs.running.tokens

    @property
    def uncounted(self) -> int:
        """How many messages `tokens` has still to look at."""
        return self._follow().pairs.uncounted

    @property
    def edited(self) -> dict[str, Message | None]:
        """By entry, what edits made of those that they changed; None where they hide it."""
        with self._mutex:
            return {one.entry_id: one.shown for one in self._all if one.shown is not one.said}

    def last_counted(self) -> tuple[AssistantMessage, Sequence[ContextItem]] | None:
        """The newest reply whose usage still holds, and the items of `paired_items` from it on.

        It holds for what was sent, so neither a compaction nor an edit of that may have come since.
        """
        with self._mutex:
            if not self._counted_places:
                return None
            made, place = self._follow(), self._counted_places[-1]
            reply = self._all[place].shown
            assert isinstance(reply, AssistantMessage)  # a reply that was edited is none of these places
            return reply, made.pairs.items[made.indices[place] :]

    def _place(self, entry_id: str, message: Message | None) -> None:
        self._keep(_Said(entry_id, message, message))

    def _keep(self, said: _Said) -> None:
        self._places[said.entry_id] = len(self._all)
        self._all.append(said)

    def _edit(self, entry: ContextEditEntry) -> None:
        place = self._places.get(entry.target_id)
        self._place(entry.id, None)
        if place is None:
            return  # what it points at was compacted away, or never was
        before = self._all[place]
        shown = edited(before.said, entry.replacement)
        self._all[place] = _Said(before.entry_id, bare(before.said), shown)
        if shown == before.shown:
            return
        if _is_seen(before.shown) or _is_seen(shown):
            while self._counted_places and self._counted_places[-1] >= place:
                self._counted_places.pop()
        if place < len(self._made.indices):
            self._show(place, before.shown)

    def _compact(self, entry: CompactionEntry) -> None:
        first = self._places.get(entry.first_kept_entry_id, len(self._all))
        kept = self._all[first:]
        self._all, self._places, self._counted_places = [], {}, []
        self._made = _Made()
        self._place(entry.id, message_of(entry))
        for number, message in enumerate(reattached_messages(entry)):
            self._place(f"{entry.id}/{number}", message)
        for item in kept:
            self._keep(item)

    def _follow(self) -> _Made:
        """What is made of the entries, with those taken in that were added since."""
        with self._mutex:
            made = self._made
            for place in range(len(made.indices), len(self._all)):
                made.add(self._all[place])
            return made

    def _show(self, place: int, before: Message | None) -> None:
        """Let an edit be seen in what was made already: in its place, or else by making all anew."""
        now = self._all[place]
        if now.shown is not None:
            item = ContextItem(entry_id=now.entry_id, message=now.shown)
            is_done = self._made.replace(place, item)
        else:
            is_done = not _makes_calls(before) and self._made.remove_unsent(place)
        if not is_done:
            self._made = _Made()


class _Made:
    """What was made of the entries so far, so that it need not be made again for each request."""

    def __init__(self) -> None:
        self.indices: list[int] = []
        """By place: where in the pairs it stands."""
        self.items: list[ContextItem] = []
        self.messages: list[Message] = []
        self.pairs = PairedItems()
        self._item_places: list[int] = []
        self._paired: tuple[Message, ...] | None = None

    @property
    def paired(self) -> tuple[Message, ...]:
        """The paired messages; the same object until there are others."""
        if self._paired is None:
            self._paired = tuple(self.pairs.messages)
        return self._paired

    def add(self, said: _Said) -> None:
        index = NOT_SENT
        if said.shown is not None:
            item = ContextItem(entry_id=said.entry_id, message=said.shown)
            self.items.append(item)
            self.messages.append(said.shown)
            self._item_places.append(len(self.indices))
            index = self.pairs.add(item)
            self._paired = None
        self.indices.append(index)

    def replace(self, place: int, item: ContextItem) -> bool:
        """Put `item` where the one of `place` stood; False when pairs would have to be found anew."""
        index = self.indices[place]
        if index == NOT_SENT or not self.pairs.replace(index, item):
            return False
        at = bisect_left(self._item_places, place)
        self.items[at], self.messages[at] = item, item.message
        self._paired = None
        return True

    def remove_unsent(self, place: int) -> bool:
        """Take out the item of `place`; False when it has a part in what is sent."""
        if self.indices[place] != NOT_SENT:
            return False
        at = bisect_left(self._item_places, place)
        del self.items[at], self.messages[at], self._item_places[at]
        return True


def reported_tokens(reply: AssistantMessage) -> int:
    """What the provider counted for a request and its reply; 0 when it told nothing that can be."""
    usage = reply.usage
    asked = usage.input + usage.cache_read + usage.cache_write
    total = usage.total_tokens or asked + usage.output
    if min(usage.input, usage.output, usage.cache_read, usage.cache_write) < 0 or asked <= 0 < usage.output:
        return 0
    return max(0, total)


def _is_seen(message: Message | None) -> bool:
    """Whether a request shows it."""
    return message is not None and (not isinstance(message, AssistantMessage) or is_sent(message))


def _makes_calls(message: Message | None) -> bool:
    return isinstance(message, AssistantMessage) and bool(message.tool_calls)


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


def _milliseconds(timestamp: str) -> int:
    try:
        return round(datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp() * 1000)
    except ValueError:
        return 0
