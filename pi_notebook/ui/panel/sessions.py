"""The folder's sessions as a panel lists them, and those that it puts in the place of the current one.

Every panel is sent a snapshot of the session that is there then; see `shown_session`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from pi_notebook.agent.entries import MessageEntry
from pi_notebook.context.amounts import count_of
from pi_notebook.errors import SessionError, SessionNotFoundError, UsageError
from pi_notebook.session.branch import Branch
from pi_notebook.session.found_sessions import FoundSession, find_in_sessions
from pi_notebook.session.listing import file_of, list_sessions, newest_first
from pi_notebook.session.reply_end import reply_end
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.store import SessionStore
from pi_notebook.session.trash import trash_session
from pi_notebook.session.typed_words import typed_words
from pi_notebook.ui.changing import tell_changed
from pi_notebook.ui.panel.area import Answering, Doing
from pi_notebook.ui.panel.open_panels import Panel
from pi_notebook.ui.panel.segments import index_of
from pi_notebook.ui.panel.shown_session import ShownSession
from pi_notebook.ui.protocol.messages import SessionRow, SessionsReply
from pi_notebook.ui.protocol.requests import (
    DeleteSessionRequest,
    ForkAfterRequest,
    ForkSessionRequest,
    NewSessionRequest,
    RenameSessionRequest,
    ResumeSessionRequest,
    SessionsRequest,
)

MAX_SESSIONS = 50
MAX_NAME_CHARS = 200
_LOST = "This message is no longer in the session. Load the conversation again."


class PanelSessions:
    """Sessions of the kernel's folder, as panels see and change them."""

    def __init__(self, runtime: Callable[[], AgentSessionRuntime], shown: ShownSession) -> None:
        self._runtime = runtime
        self._shown = shown
        self.does: dict[type, Doing] = {}
        self.answers: dict[type, Answering] = {
            SessionsRequest: self._list,
            NewSessionRequest: self._new,
            ResumeSessionRequest: self._resume,
            ForkSessionRequest: self._fork,
            ForkAfterRequest: self._fork_after,
            RenameSessionRequest: self._rename,
            DeleteSessionRequest: self._delete,
        }

    async def _list(self, panel: Panel, request: SessionsRequest) -> SessionsReply:
        runtime = self._runtime()
        rows, more = await asyncio.to_thread(_rows, runtime, request.query.strip())
        return SessionsReply(request_id=request.request_id, sessions=rows, more=more)

    async def _new(self, panel: Panel, request: NewSessionRequest) -> str:
        await self._runtime().new()
        return ""

    async def _resume(self, panel: Panel, request: ResumeSessionRequest) -> str:
        runtime = self._runtime()
        try:
            path = await asyncio.to_thread(_found, runtime, request.session_id)
        except SessionNotFoundError:
            self._shown.tell_status()  # which may have offered it
            raise
        session = await runtime.resume(str(path))
        return "\n".join(session.store.problems)

    async def _fork(self, panel: Panel, request: ForkSessionRequest) -> str:
        runtime = self._runtime()
        store = runtime.session.store
        entry = store.get(request.entry_id) if request.entry_id in store else None
        if not isinstance(entry, MessageEntry):
            raise UsageError(_LOST)
        if entry.parent_id is None:
            await runtime.new()
        else:
            await runtime.fork(entry_id=entry.parent_id)
        return typed_words(store, entry)

    async def _fork_after(self, panel: Panel, request: ForkAfterRequest) -> str:
        runtime = self._runtime()
        index = index_of(request.segment_id)
        if index is None:
            raise UsageError(_LOST)
        entry_id, calls = await asyncio.to_thread(reply_end, runtime.session.store, index)
        await runtime.fork(entry_id=entry_id)
        if not calls:
            return "The new session ends with this answer."
        return f"The new session ends with this answer and what came of its {count_of(calls, 'call')}."

    async def _rename(self, panel: Panel, request: RenameSessionRequest) -> str:
        name = " ".join(request.name.split())[:MAX_NAME_CHARS]
        if not name:
            raise UsageError("Write a name.")
        runtime = self._runtime()
        if request.session_id == runtime.session.id:
            runtime.session.branch.set_name(name)
            tell_changed(runtime.session)
        else:
            await asyncio.to_thread(_name, runtime, request.session_id, name)
        return ""

    async def _delete(self, panel: Panel, request: DeleteSessionRequest) -> str:
        runtime = self._runtime()
        if request.session_id == runtime.session.id:
            path = runtime.session.path
            await runtime.new()
            if path is None or not path.exists():
                return ""
        else:
            path = await asyncio.to_thread(_found, runtime, request.session_id)
        moved = await asyncio.to_thread(trash_session, path, home=runtime.services.home)
        return f"The session is in the trash: {moved}"


def _rows(runtime: AgentSessionRuntime, query: str) -> tuple[list[SessionRow], int]:
    """The sessions that are shown, and how many more there are."""
    folder, home = runtime.services.folder, runtime.services.home
    current = runtime.session.id
    found: Sequence[FoundSession]
    if query:
        found = find_in_sessions(query, folder=folder, home=home, limit=MAX_SESSIONS)
        more = 0
    else:
        listed = list_sessions(folder, home=home, limit=MAX_SESSIONS)
        found = [FoundSession(info=info, excerpt="") for info in listed]
        more = max(0, sum(1 for _ in newest_first(home, folder)) - len(found)) if found else 0
    rows = [
        SessionRow(
            session_id=one.info.id,
            name=one.info.name or one.info.first_prompt,
            time=one.info.modified_seconds,
            prompts=one.info.prompts,
            is_current=one.info.id == current,
            excerpt=one.excerpt,
        )
        for one in found
    ]
    return rows, more


def _found(runtime: AgentSessionRuntime, session_id: str) -> Path:
    """The file of a session that was listed: a panel names no other files."""
    path = file_of(session_id, folder=runtime.services.folder, home=runtime.services.home)
    if path is None:
        raise SessionNotFoundError("This session is no longer there. Load the list again.")
    return path


def _name(runtime: AgentSessionRuntime, session_id: str, name: str) -> None:
    """Name a session that is not the current one."""
    path = _found(runtime, session_id)
    store = SessionStore.open(path, files=runtime.services.home.files)
    try:
        if store.memory_reason:
            raise SessionError(store.memory_reason, path=path)
        Branch(store).set_name(name)
    finally:
        store.close()
