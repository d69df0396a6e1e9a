"""Where a session goes on: its entries up to the leaf, and what they come to.

The store is the truth. What is kept here beside it, the messages of the context and what was chosen
before, is computed from the entries and made anew when the leaf moves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pi_notebook.agent.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionInfoEntry,
    UsageEntry,
)
from pi_notebook.agent.messages import AssistantMessage, CustomMessage, Message, Usage
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.context.items import ContextItem
from pi_notebook.context.projection import Projection, message_of
from pi_notebook.session.context_entries import context_entries
from pi_notebook.session.lines import as_json, now_iso
from pi_notebook.session.recorded import QUEUED_TYPE, SETTING_TYPE, recorded_model, recorded_settings
from pi_notebook.session.store import SessionStore

E = TypeVar("E", bound=Entry)


class Branch:
    """The entries from the root to the leaf of `store`, and the one way to add to them."""

    def __init__(self, store: SessionStore) -> None:
        self.store = store
        self.values: dict[str, Any] = {}
        """Settings recorded for the session, by name; whether they are still valid is not looked at."""
        self._projected: Projection | None = None
        self._mutex = threading.Lock()
        self._model: tuple[str, str] | None = None
        self._look()

    @property
    def projection(self) -> Projection:
        """What the entries come to.

        Made when it is first looked at: many sessions are opened to be looked through.
        """
        with self._mutex:
            if self._projected is None:
                self._projected = Projection(context_entries(self.store.branch()))
            return self._projected

    @property
    def messages(self) -> list[Message]:
        """What the context holds: edited and compacted as the entries say, before pair repair."""
        return self.projection.messages

    @property
    def items(self) -> list[ContextItem]:
        """The same with the entries they come from and their sizes."""
        return self.projection.items

    def history(self, *, limit: int) -> list[Message]:
        """The newest messages as they were said, at most `limit`, compacted and hidden ones included."""
        newest: list[Message] = []
        for entry in reversed(self.store.branch()):
            if len(newest) >= limit:
                break
            message = message_of(entry)
            if message is not None:
                newest.append(message)
        return newest[::-1]

    def all_messages(self) -> Iterator[Message]:
        """The messages of every branch of the session, in the order they were made."""
        for entry in self.store.entries.of_kind("message"):
            if isinstance(entry, MessageEntry):
                yield entry.message

    def summary_usages(self) -> Iterator[tuple[str, Usage]]:
        """What the summaries of every branch took, and what else is recorded so, each with its model."""
        for entry in self.store.entries.of_kind("compaction", "branch_summary", "usage"):
            if isinstance(entry, UsageEntry):
                yield f"{entry.provider}/{entry.model}", entry.usage
            elif isinstance(entry, (CompactionEntry, BranchSummaryEntry)) and entry.usage is not None:
                details = entry.details if isinstance(entry.details, dict) else {}
                yield str(details.get("model") or "summaries"), entry.usage

    def add(self, kind: Callable[..., E], **fields: Any) -> E:
        """Append an entry at the leaf; it is durable when this returns."""
        projection = self.projection  # before the entry is there, lest it be taken in twice
        entry = self.store.add(kind, **fields)
        projection.add(entry)
        return entry

    def add_message(self, message: Message) -> None:
        """Append what was said. An attempt that failed stays in the file and leaves the context."""
        if isinstance(message, CustomMessage):
            self.add(
                CustomMessageEntry,
                custom_type=message.custom_type,
                content=message.content,
                display=message.display,
                details=message.details,
            )
            return
        entry = self.add(MessageEntry, message=message)
        if isinstance(message, AssistantMessage) and message.stop_reason == "error":
            self.hide(entry.id)

    def add_record(self, custom_type: str, data: dict[str, Any]) -> None:
        """Append a record of the program's, which takes no part in the context."""
        self.add(CustomEntry, custom_type=custom_type, data=data)

    def add_setting(self, name: str, value: Any) -> None:
        """Record that a setting was chosen for the session."""
        self.values = self.values | {name: value}
        self.add_record(SETTING_TYPE, {"name": name, "value": value})

    def add_model(self, info: ModelInfo) -> None:
        """Record which model answers from here on, unless it is the one recorded last."""
        if self._model != (info.provider, info.id):
            self.add(ModelChangeEntry, provider=info.provider, model_id=info.id)
            self._model = (info.provider, info.id)

    @property
    def prompted_ms(self) -> int:
        """When the person sent the last prompt, summarised or not; 0 before they did.

        What was said to a run that was on is none.
        """
        entries = self.store.branch().of_kind("message:user", f"custom:{QUEUED_TYPE}")
        for place in range(len(entries) - 1, -1, -1):
            entry = entries[place]
            is_queued = place > 0 and isinstance(entries[place - 1], CustomEntry)
            if isinstance(entry, MessageEntry) and not is_queued:
                return entry.message.timestamp
        return 0

    @property
    def last_compaction_id(self) -> str | None:
        """The entry of the newest compaction on the branch."""
        compactions = self.store.branch().of_kind("compaction")
        return compactions[-1].id if compactions else None

    @property
    def last_summary_usage(self) -> Usage | None:
        """What the summary of the newest compaction took; None when no model made one."""
        compactions = self.store.branch().of_kind("compaction")
        newest = compactions[-1] if compactions else None
        return newest.usage if isinstance(newest, CompactionEntry) else None

    def add_compaction(self, *, first_kept_entry_id: str | None, **fields: Any) -> CompactionEntry:
        """Record a compaction; without a first kept entry it keeps nothing of what came before."""
        return self.add(CompactionEntry, first_kept_entry_id=first_kept_entry_id or "", **fields)

    def set_name(self, name: str) -> None:
        """Name the session."""
        self.add(SessionInfoEntry, name=name)

    def set_label(self, entry_id: str, label: str | None) -> None:
        """Mark an entry for `%agent tree`; None takes its mark away."""
        self.add(LabelEntry, target_id=entry_id, label=label)

    def replace(self, entry_id: str, message: Message) -> None:
        """Put `message` in the place of an entry's in the context; the entry itself stays."""
        self.add(ContextEditEntry, target_id=entry_id, replacement=as_json(message))

    def hide(self, entry_id: str) -> None:
        """Take an entry out of the context; it stays in the file."""
        self.add(ContextEditEntry, target_id=entry_id, replacement=None)

    def move(self, entry_id: str | None) -> None:
        """Go on from `entry_id`, or from before the first entry; what is left stays in the file."""
        self.store.move_leaf(entry_id)
        self._look()

    def leave(self, entry_id: str | None, **fields: Any) -> BranchSummaryEntry:
        """Go on from `entry_id` with a summary of what is left: one entry, which names the leaf it leaves."""
        entry = BranchSummaryEntry(
            id=self.store.new_id(),
            parent_id=entry_id,
            timestamp=now_iso(),
            from_id=self.store.leaf_id or "root",
            **fields,
        )
        self.store.append(entry)
        self._look()
        return entry

    def _look(self) -> None:
        entries = self.store.branch()
        self._projected = None
        self.values = recorded_settings(entries.of_kind(f"custom:{SETTING_TYPE}"))
        self._model = recorded_model(entries.of_kind("model_change"))
