"""The requests of a session over time, and its compactions: what the inspector shows first.

Looked up anew with each question, from the index and the replies alone; only requests that no
provider counted are estimated, by following the branch once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pi_notebook.agent.entries import CompactionEntry, ContextEditEntry, MessageEntry
from pi_notebook.agent.messages import AssistantMessage
from pi_notebook.context.projection import Projection
from pi_notebook.context.usage import asked_tokens, reply_model, seen_tokens
from pi_notebook.session.past_requests import SessionRequests
from pi_notebook.session.session import AgentSession
from pi_notebook.session.stored_prompt import recorded_prompt, recorded_shares
from pi_notebook.session.tree import StoredEntries
from pi_notebook.ui.protocol.inspected import CompactionRow, TimelinePoint

MAX_POINTS = 2_000
"""The newest; a line of more of them looks the same."""
Outcome = Literal["done", "aborted", "failed"]
_OUTCOMES: dict[str, Outcome] = {"error": "failed", "aborted": "aborted"}


class Timeline:
    """The timeline of one session; it remembers the sizes that it had to estimate."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._estimates: dict[str, tuple[int | None, int]] = {}
        """By reply: what came before the messages of its request, None where it is not stored; and they."""
        self._windows: dict[tuple[str, int], int] = {}
        """By model, and by how many settings had been recorded."""
        self._sees_images: dict[str, bool] = {}
        """By model."""
        self._projection = Projection()
        self._head: int | None = None
        self._followed: list[int] = []
        """Places of the branch that `_projection` has taken in."""

    def points(self) -> list[TimelinePoint]:
        """The newest requests, in order."""
        entries = self._session.store.branch()
        requests = SessionRequests(self._session)
        replies = entries.of_kind("message:assistant")
        first = max(0, len(replies) - MAX_POINTS)
        places = list(replies.places[first : len(replies)])
        newest = [entry for entry in replies.at(places) if isinstance(entry, MessageEntry)]
        marks = _Marks(entries, failed={entry.id for entry in newest if _outcome(entry) == "failed"})
        starts = [replies.places[first - 1] if first else -1, *places]
        return [
            TimelinePoint(
                number=number,
                time=time_of(entry.timestamp),
                tokens=asked_tokens(_reply(entry)) or self._estimate(entry, entries, requests),
                context_window=self._window(number, reply_model(_reply(entry)), requests),
                is_estimate=not asked_tokens(_reply(entry)),
                outcome=_outcome(entry),
                compactions=_between(marks.compactions, start, place),
                edits=_between(marks.edits, start, place),
            )
            for number, (entry, start, place) in enumerate(
                zip(newest, starts, places, strict=False), first + 1
            )
        ]

    def compactions(self) -> list[CompactionRow]:
        """The records, oldest first."""
        found = self._session.store.branch().of_kind("compaction")
        return [row_of(entry) for entry in found if isinstance(entry, CompactionEntry)]

    def _window(self, number: int, model: str, requests: SessionRequests) -> int:
        """That of the model that answered, as it was known then."""
        key = model, requests.settings_before(number)
        if key not in self._windows:
            self._windows[key] = requests.info(number).context_window
        return self._windows[key]

    def _estimate(self, entry: MessageEntry, entries: StoredEntries, requests: SessionRequests) -> int:
        """The size of a request that no provider counted, as `SessionRequests.past` has it."""
        if entry.id not in self._estimates:
            self._follow(entries, requests)
        head, messages = self._estimates.get(entry.id, (0, 0))
        head = self._session.upkeep.prompt.tokens if head is None else head
        return requests.counted_as(reply_model(_reply(entry)), head + messages)

    def _follow(self, entries: StoredEntries, requests: SessionRequests) -> None:
        """Take in what the branch has more than when it was looked at last; all of it when it is another."""
        places = list(entries.places[: len(entries)])
        known = len(self._followed)
        if places[:known] != self._followed:
            self._projection, self._head, known = Projection(), None, 0
        for entry in entries.at(places[known:]):
            if isinstance(entry, MessageEntry) and isinstance(entry.message, AssistantMessage):
                model = reply_model(entry.message)
                if model not in self._sees_images:
                    self._sees_images[model] = requests.sees_images(model)
                messages = seen_tokens(self._projection, sees_images=self._sees_images[model])
                self._estimates[entry.id] = self._head, messages
            elif (prompt := recorded_prompt([entry])) is not None:
                self._head = sum(share.tokens for share in recorded_shares(prompt))
            self._projection.add(entry)
        self._followed = places


def row_of(entry: CompactionEntry) -> CompactionRow:
    """The record of a compaction as the inspector shows it; of another program's what is there."""
    details = entry.details if isinstance(entry.details, dict) else {}
    cost = entry.usage.cost.total if entry.usage is not None else 0.0
    return CompactionRow(
        entry_id=entry.id,
        time=time_of(entry.timestamp),
        reason=_text(details.get("reason")),
        tokens_before=entry.tokens_before,
        tokens_after=_number(details.get("tokensAfter")),
        folded=_number(details.get("summarised")),
        kept=_number(details.get("kept")),
        seconds=float(seconds) if isinstance(seconds := details.get("seconds"), (int, float)) else 0.0,
        cost_usd=cost or None,
        model=_text(details.get("model")),
        by=written_by(entry),
        focus=_text(details.get("focus")),
        previous_id=_text(details.get("previous")),
    )


def written_by(entry: CompactionEntry) -> Literal["model", "program", "hook", ""]:
    """Who wrote the summary; empty where another program did not say."""
    if entry.from_hook:
        return "hook"
    model = entry.details.get("model") if isinstance(entry.details, dict) else None
    return ("model" if model else "program") if isinstance(model, str) else ""


def time_of(timestamp: str) -> float:
    """Seconds since 1970 of an entry's time; 0 when it cannot be read."""
    try:
        return datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0


class _Marks:
    """Where on the branch its context was compacted and edited; attempts that `failed` are no edits."""

    def __init__(self, entries: StoredEntries, *, failed: set[str]) -> None:
        self.compactions = entries.of_kind("compaction").places
        edits = entries.of_kind("context_edit")
        self.edits = [
            place
            for place, edit in zip(edits.places, edits, strict=True)
            if isinstance(edit, ContextEditEntry) and edit.target_id not in failed
        ]


def _reply(entry: MessageEntry) -> AssistantMessage:
    assert isinstance(entry.message, AssistantMessage)
    return entry.message


def _outcome(entry: MessageEntry) -> Outcome:
    return _OUTCOMES.get(_reply(entry).stop_reason, "done")


def _between(places: Sequence[int], start: int, end: int) -> int:
    return bisect_left(places, end) - bisect_left(places, start + 1)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
