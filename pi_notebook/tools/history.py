"""What can be found in the history of sessions, and what must be given for it.

Searching itself is the business of `session/search.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

PAGE_HITS = 10


@dataclass(frozen=True, kw_only=True)
class HistoryHit:
    """An entry in which every word of a query occurs."""

    session_id: str
    entry_id: str
    who: str
    """`user`, `assistant`, `run_code result`, `summary`, ..."""
    timestamp: str
    """ISO 8601, UTC."""
    excerpt: str
    """One line of what stands around the first match."""
    is_here: bool
    """True in the session that was asked from."""

    @property
    def reference(self) -> str:
        """What names the entry from the session that was asked from."""
        return self.entry_id if self.is_here else f"{self.session_id[:8]}/{self.entry_id}"


@dataclass(frozen=True, kw_only=True)
class HistoryPage:
    """Some of the hits of a query, the newest first: `PAGE_HITS` at the most."""

    hits: tuple[HistoryHit, ...]
    number: int
    """From 1."""
    has_more: bool
    is_cut: bool = False
    """True when time was up before everything was searched."""


class HistorySearch(Protocol):
    """Looks through all that was said in this session and in others of its folder.

    Parts of the conversation that were compacted, hidden or left on another branch are searched too.
    """

    def find(self, query: str, *, everywhere: bool, page: int = 1, call_id: str = "") -> HistoryPage:
        """Hits for `query`: words in any order, in double quotes a phrase, upper and lower case alike.

        In this session alone, or `everywhere`: then in the folder's other sessions after it. The
        prompt that the call `call_id` is made for, and the replies to it that search, are no hits: they
        ask. Raises `UsageError` when the query has no word. May be called on any thread.
        """
        ...

    def text(self, reference: str) -> str:
        """All that the entry of a hit says, by its reference, under a line that tells who said it when.

        Raises `SessionError` when there is none.
        """
        ...
