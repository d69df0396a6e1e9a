"""The current session and its services, replaced together: new and resume.

A session never runs with another folder's services: they are built for the folder of the session
that is opened, before the current one is let go.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pi_notebook.errors import SessionNotFoundError
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.listing import SessionInfo, find_session, list_sessions
from pi_notebook.session.services import AgentSessionServices, build_services
from pi_notebook.session.session import AgentSession
from pi_notebook.session.store import SessionStore

ServicesFactory = Callable[[Path], AgentSessionServices]
Rebind = Callable[[AgentSession], None]


class AgentSessionRuntime:
    """Holds the current session.

    Parameters
    ----------
    folder
        Where a new session works.
    build
        Makes the services of a folder.
    """

    def __init__(self, folder: Path, build: ServicesFactory) -> None:
        self._build = build
        self._reported: set[Diagnostic] = set()
        self._diagnostics: list[Diagnostic] = []
        self._rebinds: list[Rebind] = []
        self._session = self._open_new(folder)

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

    def new(self, folder: Path | None = None) -> AgentSession:
        """Begin a session, in this folder unless another is named; its file comes with the first prompt."""
        return self._replace(self._open_new(folder or self.services.folder))

    def resume(self, wanted: str | None = None) -> AgentSession:
        """Continue the session with this id, a part of it or a path; without one, the folder's newest.

        Raises `SessionNotFoundError` that names the nearest, or `SessionBusyError` when another
        process writes to it; the current session is then still there.
        """
        services = self.services
        path = find_session(wanted, folder=services.folder, home=services.home) if wanted else self._newest()
        if path == self._session.path:
            return self._session
        store = SessionStore.open(path)
        folder = store.folder
        if not folder.is_absolute() or not folder.is_dir():
            self._diagnostics.append(
                Diagnostic(level="warning", text=f"{_gone(folder)} The session goes on in {services.folder}.")
            )
            folder = services.folder
        return self._replace(self._bind(store, self._build(folder)))

    def sessions(self, *, limit: int = 20) -> list[SessionInfo]:
        """The folder's sessions, newest first."""
        return list_sessions(self.services.folder, home=self.services.home, limit=limit)

    def take_diagnostics(self) -> list[Diagnostic]:
        """What was met since the last call and has not been told before."""
        fresh, self._diagnostics = self._diagnostics, []
        return fresh

    def close(self) -> None:
        """Stop the run and let go of the file."""
        self._session.close()

    def _newest(self) -> Path:
        current = self._session.path
        for info in self.sessions():
            if info.path != current:
                return info.path
        raise SessionNotFoundError(
            f"{self.services.folder} has no earlier session. %agent sessions lists those there are."
        )

    def _open_new(self, folder: Path) -> AgentSession:
        services = self._build(folder)
        return self._bind(SessionStore.create(folder, home=services.home), services)

    def _bind(self, store: SessionStore, services: AgentSessionServices) -> AgentSession:
        session = AgentSession(store, services)
        for diagnostic in (*services.diagnostics, *session.diagnostics):
            if diagnostic not in self._reported:
                self._reported.add(diagnostic)
                self._diagnostics.append(diagnostic)
        return session

    def _replace(self, session: AgentSession) -> AgentSession:
        self._session.close()
        self._session = session
        for rebind in self._rebinds:
            rebind(session)
        return session


def _gone(folder: Path) -> str:
    if folder.is_absolute():
        return f"The session's working folder {folder} is gone."
    return "The session's working folder cannot be told from its file."


def open_session(wanted: str | Path | None = None, *, folder: str | Path | None = None) -> AgentSession:
    """A session for scripts, without a kernel: a new one, or the one with this id or path.

    Parameters
    ----------
    wanted
        An id, the beginning of one, or the path of a session file; None begins a session.
    folder
        Where a new session works; the current folder unless given.

    Raises
    ------
    SessionNotFoundError
        No session has that id or path; the message names the nearest.
    SessionBusyError
        Another process writes to it.
    """
    runtime = AgentSessionRuntime(Path(folder or Path.cwd()), build_services)
    return runtime.resume(str(wanted)) if wanted is not None else runtime.session
