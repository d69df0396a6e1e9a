"""The current session and its services, replaced together: new, resume, fork and import.

A session never runs with another folder's services: they are built for the folder of the session
that is opened. A hook may stop a replacement before anything has changed, and whatever fails on the
way leaves the current session as it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pi_notebook.errors import (
    SessionBusyError,
    SessionError,
    SessionFolderError,
    SessionNotFoundError,
    UsageError,
)
from pi_notebook.session.continuing import open_to_continue
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.forking import fork_file
from pi_notebook.session.importing import import_session
from pi_notebook.session.listing import SessionList, find_session, list_sessions
from pi_notebook.session.services import AgentSessionServices, build_services
from pi_notebook.session.session import AgentSession
from pi_notebook.session.store import SessionStore

ServicesFactory = Callable[[Path], AgentSessionServices]
Rebind = Callable[[AgentSession], None]
Reason = Literal["new", "resume", "fork", "import"]


@dataclass(frozen=True, kw_only=True)
class SessionChange:
    """A replacement of the current session that is asked for."""

    reason: Reason
    path: Path | None = None
    """The file that is opened, copied or imported; None for a new session."""


BeforeChange = Callable[[SessionChange], Awaitable["str | None"]]
"""Gives the reason why the change may not happen, or None. One that raises stops it too."""


class AgentSessionRuntime:
    """Holds the current session.

    Parameters
    ----------
    folder
        Where a new session works.
    build
        Makes the services of a folder; it never raises for what stands in the folder.
    """

    def __init__(self, folder: Path, build: ServicesFactory) -> None:
        self._build = build
        self._reported: set[Diagnostic] = set()
        self._diagnostics: list[Diagnostic] = []
        self._rebinds: list[Rebind] = []
        self._is_replacing = False
        self.session_hint = ""
        """The session that the notebook says it had last: an id to look up among the folder's, no more."""
        self.before_change: list[BeforeChange] = []
        """Asked in order before the current session is replaced."""
        services = build(folder)
        self._session = self._bind(SessionStore.create(folder, home=services.home), services)
        self.first_id = self._session.id
        """Of the session that it began with, which nobody chose."""

    @property
    def session(self) -> AgentSession:
        """The session that prompts go to."""
        return self._session

    @property
    def services(self) -> AgentSessionServices:
        """What the current session works with."""
        return self._session.services

    def on_replaced(self, rebind: Rebind) -> None:
        """Call `rebind` with the new session after each replacement."""
        self._rebinds.append(rebind)

    async def new(self, folder: Path | None = None) -> AgentSession:
        """Begin a session, in this folder unless another is named; its file comes with the first prompt."""
        target = folder or self.services.folder
        home = self.services.home
        return await self._replace(
            SessionChange(reason="new"), lambda: SessionStore.create(target, home=home), folder=folder
        )

    async def resume(
        self, wanted: str | None = None, *, folder: Path | None = None, notebook: str | None = None
    ) -> AgentSession:
        """Continue the session with this id, a part of it or a path.

        Without one it is the newest before this one, of `notebook` if it has any, else of the folder.
        `folder` says where the session goes on when its own folder is gone. Raises
        `SessionNotFoundError` that names the nearest, `SessionBusyError` when another process writes to
        it, and `SessionFolderError` when its folder is gone and no other is given.
        """
        path = self._found(wanted) if wanted else self.newest_session(notebook)
        if path == self._session.path:
            return self._session
        home = self.services.home

        def opened() -> SessionStore:
            store, note = open_to_continue(path, home=home)
            if note:
                self._diagnostics.append(Diagnostic(level="note", text=note))
            return store

        return await self._replace(SessionChange(reason="resume", path=path), opened, folder=folder)

    async def fork(
        self, wanted: str | None = None, *, entry_id: str | None = None, folder: Path | None = None
    ) -> AgentSession:
        """Go on in a copy of a session's branch up to `entry_id`, its leaf unless given.

        `wanted` and `folder` are as for `resume`, the current session unless given; the session that is
        copied stays as it is, and may be in use elsewhere. Raises `KeyError` for an unknown entry.
        """
        source = self._found(wanted) if wanted else self._session.store
        if isinstance(source, SessionStore) and source.leaf_id is None:
            raise UsageError("There is nothing to copy yet: nothing was asked in this session.")
        home = self.services.home
        path = source.path if isinstance(source, SessionStore) else source
        change = SessionChange(reason="fork", path=path)
        return await self._replace(
            change, lambda: fork_file(source, home=home, folder=folder, at=entry_id), folder=folder
        )

    async def renew(self) -> AgentSession:
        """Build the services of the current session anew, as when its folder has been trusted.

        The session stays the same. Raises `SessionBusyError` while it is answering.
        """
        session = self._session
        session.check_idle()
        session.use(await asyncio.to_thread(self._build, session.services.folder))
        self._note(session)
        return session

    async def import_session(self, path: Path) -> tuple[AgentSession, tuple[str, ...]]:
        """Go on with another program's session in this folder; the session, and what to tell of it."""
        services = self.services
        notes: list[str] = []

        def opened() -> SessionStore:
            imported = import_session(path, home=services.home, folder=services.folder)
            notes.extend(imported.notes)
            return imported.store

        session = await self._replace(SessionChange(reason="import", path=path), opened)
        return session, tuple(notes)

    def sessions(self, *, limit: int = 20) -> SessionList:
        """The folder's sessions, newest first."""
        return list_sessions(self.services.folder, home=self.services.home, limit=limit)

    def earlier_sessions(self, notebook: str | None) -> Iterator[Path]:
        """The files of the folder's sessions before this one, newest first.

        Those that `notebook` had if there are any, else all; the one it says it had last comes first.
        """
        folder, home = self.services.folder, self.services.home
        found = list_sessions(folder, home=home)
        of_notebook = list_sessions(folder, notebook=notebook, home=home) if notebook is not None else []
        hinted = [info for info in found if info.id == self.session_hint]
        ordered = dict.fromkeys(info.path for info in (*hinted, *(of_notebook or found)))
        yield from (path for path in ordered if path != self._session.path)

    def take_diagnostics(self) -> list[Diagnostic]:
        """What was met since the last call and has not been told before."""
        fresh, self._diagnostics = self._diagnostics, []
        return fresh

    def close(self) -> None:
        """Stop the run and let go of the file."""
        self._session.close()

    async def _replace(
        self, change: SessionChange, opened: Callable[[], SessionStore], *, folder: Path | None = None
    ) -> AgentSession:
        """Open the target, let the current session come to rest, and put the target in its place."""
        if self._is_replacing:
            raise SessionBusyError("Another session is being opened. Wait until it is there.")
        self._is_replacing = True
        try:
            await self._ask(change)
            store = await asyncio.to_thread(opened)
            try:
                target = folder or _folder_of(store, self.services.folder)
                await self._session.settle()
                session = self._bind(store, self._build(target))
            except BaseException:
                store.close()
                raise
            before, self._session = self._session, session
            before.close()
        finally:
            self._is_replacing = False
        for rebind in self._rebinds:
            rebind(session)
        await session.hooks.tell_all("after_session_change", session)
        return session

    async def _ask(self, change: SessionChange) -> None:
        for hook in self.before_change:
            try:
                reason = await hook(change)
            except Exception as error:
                reason = f"a hook failed: {type(error).__name__}: {error}"
            if reason is not None:
                raise SessionError(f"This session stays: {reason}", path=change.path)
        refusal = await self._session.hooks.refusal("before_session_change", change)
        if refusal is not None:
            raise SessionError(f"This session stays: {refusal}", path=change.path)

    def _found(self, wanted: str) -> Path:
        return find_session(wanted, folder=self.services.folder, home=self.services.home)

    def newest_session(self, notebook: str | None) -> Path:
        """The file of the newest session before this one; `SessionNotFoundError` when there is none."""
        for path in self.earlier_sessions(notebook):
            return path
        raise SessionNotFoundError(
            f"{self.services.folder} has no earlier session. %agent sessions lists those there are."
        )

    def _bind(self, store: SessionStore, services: AgentSessionServices) -> AgentSession:
        session = AgentSession(store, services)
        self._note(session)
        return session

    def _note(self, session: AgentSession) -> None:
        """Keep what is to be told of the session's services."""
        for diagnostic in (*session.services.diagnostics, *session.choices.diagnostics):
            if diagnostic not in self._reported:
                self._reported.add(diagnostic)
                self._diagnostics.append(diagnostic)


def _folder_of(store: SessionStore, current: Path) -> Path:
    """Where the session goes on: in its folder. One whose header is lost goes on in the current one."""
    folder = store.folder
    if not folder.is_absolute():
        return current
    if not folder.is_dir():
        raise SessionFolderError(
            f"The working folder {folder} of session {store.id} is gone. "
            f"%agent resume {store.id} --here goes on with it in {current}.",
            path=store.path,
            folder=folder,
        )
    return folder


def open_session(wanted: str | Path | None = None, *, folder: str | Path | None = None) -> AgentSession:
    """A session for scripts, without a kernel: a new one, or the one with this id or path.

    Parameters
    ----------
    wanted
        An id, the beginning of one, or the path of a session file; None begins a session.
    folder
        Where the session works. Unless given, a new one works in the current folder and an earlier one
        in its own.

    Raises
    ------
    SessionNotFoundError
        No session has that id or path; the message names the nearest.
    SessionBusyError
        Another process writes to it.
    SessionFolderError
        The folder of the earlier session is gone and no other is given.
    """
    here = Path(folder or Path.cwd())
    services = build_services(here)
    if wanted is None:
        return AgentSession(SessionStore.create(here, home=services.home), services)
    path = find_session(str(wanted), folder=here, home=services.home)
    store, _ = open_to_continue(path, home=services.home)
    try:
        target = here if folder is not None else _folder_of(store, here)
        return AgentSession(store, services if target == here else build_services(target))
    except BaseException:
        store.close()
        raise
