"""The history that a session can look through: its own, and that of its folder's other sessions."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import msgspec

from pi_notebook.agent.entries import Entry, MessageEntry
from pi_notebook.agent.messages import AssistantMessage, ToolResultMessage
from pi_notebook.context.result_notes import without_notes
from pi_notebook.errors import SessionError
from pi_notebook.session.entry_text import entry_text, speaker
from pi_notebook.session.home import Home
from pi_notebook.session.lines import read_header
from pi_notebook.session.listing import find_session, newest_first
from pi_notebook.session.query import Query
from pi_notebook.session.search import SEARCHING, Match, search_file, search_lines
from pi_notebook.session.store import SessionStore
from pi_notebook.session.summary import open_own
from pi_notebook.tools.history import PAGE_HITS, HistoryHit, HistoryPage

__all__ = ["HistoryHit", "SessionHistory"]

_DEADLINE_SECONDS = 10.0
_HEADER_BYTES = 64 * 1024

Found = tuple[str, Match] | None
"""The id of a session and what was found in it; None now and then, to let others in."""


class SessionHistory:
    """What was said in the session of `store` and in others of `folder`; a `HistorySearch`."""

    def __init__(self, store: SessionStore, *, folder: Path, home: Home) -> None:
        self._store = store
        self._folder = folder
        self._home = home

    def find(
        self,
        query: str,
        *,
        everywhere: bool,
        page: int = 1,
        call_id: str = "",
        deadline_seconds: float = _DEADLINE_SECONDS,
    ) -> HistoryPage:
        """Hits for `query`, the newest of this session first, then session by session."""
        asking = self._asking(call_id) if call_id else ()
        wanted = Query.parse(query)
        end = time.monotonic() + deadline_seconds
        skipped = (page - 1) * PAGE_HITS
        hits: list[HistoryHit] = []
        is_cut = False
        for found in self._found(wanted, everywhere=everywhere):
            if found is not None and not (found[0] == self._store.id and found[1].entry.id in asking):
                hits.append(self._hit(*found))
            if len(hits) > skipped + PAGE_HITS:
                break
            if time.monotonic() > end:
                is_cut = True
                break
        return HistoryPage(
            hits=tuple(islice(hits, skipped, skipped + PAGE_HITS)),
            number=page,
            has_more=len(hits) > skipped + PAGE_HITS,
            is_cut=is_cut,
        )

    def text(self, reference: str) -> str:
        """All that the entry of a hit says, under a line that tells who said it when."""
        session_id, _, entry_id = reference.rpartition("/")
        if not session_id or self._store.id.startswith(session_id):
            return _told(self._store, entry_id)
        path = find_session(session_id, folder=self._folder, home=self._home)
        store = SessionStore.open(path, read_only=True)
        try:
            return _told(store, entry_id)
        finally:
            store.close()

    def _found(self, query: Query, *, everywhere: bool) -> Iterator[Found]:
        own = self._store.path
        if own is None or self._store.memory_reason:
            yield from self._in_memory(query)
        else:
            yield from _in_file(own, query, session_id=self._store.id)
        if everywhere:
            for path in newest_first(self._home, self._folder):
                if path != own:
                    yield from _in_file(path, query, folder=self._folder)
                    yield None

    def _asking(self, call_id: str) -> set[str]:
        """The prompt that is answered by the reply with that call, and the replies to it that search."""
        found: set[str] = set()
        for entry in reversed(self._store.branch().of_kind("message:user", "message:assistant")):
            message = entry.message if isinstance(entry, MessageEntry) else None
            if isinstance(message, AssistantMessage):
                calls = message.tool_calls
                if any(call.id == call_id or (found and call.name == SEARCHING) for call in calls):
                    found.add(entry.id)
            elif found:
                return {*found, entry.id}
        return found

    def _in_memory(self, query: Query) -> Iterator[Found]:
        lines = b"\n".join(map(self._store.line_at, self._store.entries.places))
        for match in search_lines(lines, query):
            yield self._store.id, match

    def _hit(self, session_id: str, match: Match) -> HistoryHit:
        return HistoryHit(
            session_id=session_id,
            entry_id=match.entry.id,
            who=speaker(match.entry),
            timestamp=match.entry.timestamp,
            excerpt=match.excerpt,
            is_here=session_id == self._store.id,
        )


def _in_file(
    path: Path, query: Query, *, session_id: str | None = None, folder: Path | None = None
) -> Iterator[Found]:
    """What is found in the file at `path`, if it is the session of that id or one of `folder`."""
    with suppress(OSError):
        file = open_own(path)
        if file is None:
            return
        with file:
            if session_id is None:
                header = read_header(file.readline(_HEADER_BYTES).rstrip(b"\n"))
                if header is None or Path(header.cwd) != folder:
                    return
                session_id = header.id
            for match in search_file(file, query):
                yield None if match is None else (session_id, match)


def _told(store: SessionStore, entry_id: str) -> str:
    if entry_id not in store:
        raise SessionError(f"There is no entry {entry_id!r} in session {store.id}.", path=store.path)
    entry = _bare(store.get(entry_id))
    return f"{speaker(entry)}, {entry.timestamp}\n{entry_text(entry) or '(no text)'}"


def _bare(entry: Entry) -> Entry:
    """`entry` without what the program added to a result: the one that shows it has its own name."""
    if isinstance(entry, MessageEntry) and isinstance(entry.message, ToolResultMessage):
        return msgspec.structs.replace(entry, message=without_notes(entry.message))
    return entry
