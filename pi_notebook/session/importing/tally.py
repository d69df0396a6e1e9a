"""What an import has met, and how a person is told of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.session.importing.new_session import NewSession

MAX_KINDS = 5


class Tally:
    """Counts by kind, and what is worth keeping about the transcript as a whole."""

    def __init__(self, name: str) -> None:
        self.about: dict[str, Any] = {}
        """What the transcript says of itself: its session, folder, version, result."""
        self.name = name
        self._left_out: Counter[str] = Counter()
        self._kept_as_text: Counter[str] = Counter()
        self._notes: list[str] = []

    def leave_out(self, kind: str, count: int = 1) -> None:
        """Something of this kind has no place in a session of ours."""
        self._left_out[kind] += count

    def keep_as_text(self, kind: str) -> None:
        """A block of this kind is kept as text for the model, and whole in an entry beside it."""
        self._kept_as_text[kind] += 1

    def note(self, text: str) -> None:
        """One line to tell, once."""
        if text not in self._notes:
            self._notes.append(text)

    def notes(self, session: NewSession) -> tuple[str, ...]:
        """All that is to be told."""
        calls, said = session.calls, count_of(session.message_count, "message")
        lines = [f"{self.name}: {said}, {count_of(len(calls), 'tool call')}."]
        if calls_left := len(calls) - session.answered_count:
            lines.append(f"Tool calls without a result: {calls_left:,}. They are not run again.")
        if session.orphan_count:
            lines.append(f"Results without a call, which no model is sent: {session.orphan_count:,}.")
        if self._kept_as_text:
            lines.append(f"Kept as text: {_listed(self._kept_as_text)}.")
        if self._left_out:
            lines.append(f"Left out: {_listed(self._left_out)}.")
        return (*lines, *self._notes)


def _listed(counts: Counter[str]) -> str:
    parts = [f"{count:,} x {kind}" for kind, count in counts.most_common(MAX_KINDS)]
    more = len(counts) - MAX_KINDS
    return ", ".join(parts) + (f" and {count_of(more, 'more kind')}" if more > 0 else "")
