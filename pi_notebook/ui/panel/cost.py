"""What a session has cost, as far as prices are known; looked up once and then kept up with events."""

from __future__ import annotations

from pi_notebook.agent.entries import BranchSummaryEntry, CompactionEntry, Entry, MessageEntry, UsageEntry
from pi_notebook.agent.events import AgentEvent, CompactionEnd, MessageEnd
from pi_notebook.agent.messages import AssistantMessage, Usage
from pi_notebook.session.store import SessionStore

_KINDS = ("message:assistant", "compaction", "branch_summary", "usage")


class SessionCost:
    """The cost of all requests that are recorded in `store`, those of branches that were left too."""

    def __init__(self, store: SessionStore) -> None:
        self._store = store
        self._seen = 0
        """Entries of the file that are counted."""
        self._usd = 0.0
        self._is_known = True

    @property
    def usd(self) -> float | None:
        """None when a price is not known."""
        return self._usd if self._is_known else None

    def count(self) -> None:
        """Count what was recorded since the last time; the first time all of it, which may take a while."""
        entries = self._store.entries
        start, self._seen = self._seen, len(entries)
        places = range(start, self._seen)
        for entry in entries.at(entries.tree.of_kind(places, len(places), _KINDS)):
            usage = _usage(entry)
            if usage is not None:
                self._usd += usage.cost.total
                self._is_known &= bool(usage.cost.total)


def is_counted(event: AgentEvent) -> bool:
    """Whether there is something new to count after `event`."""
    return isinstance(event, CompactionEnd) or (
        isinstance(event, MessageEnd) and isinstance(event.message, AssistantMessage)
    )


def _usage(entry: Entry) -> Usage | None:
    """What was used for an entry; None where nothing was, or the provider told nothing of a failure."""
    if isinstance(entry, MessageEntry):
        reply = entry.message
        assert isinstance(reply, AssistantMessage)
        is_free = reply.provider == reply.model == "offline"
        is_untold = not reply.usage.total_tokens and reply.stop_reason in ("error", "aborted")
        return None if is_free or is_untold else reply.usage
    if isinstance(entry, (CompactionEntry, BranchSummaryEntry, UsageEntry)):
        return entry.usage
    return None
