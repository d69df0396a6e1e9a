"""Which sessions there are: listed with what their ends tell, and found by what a person writes.

Files are only read. A file that is no session, or vanishes meanwhile, is left out.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pi_notebook._nearest import did_you_mean
from pi_notebook.errors import SessionNotFoundError
from pi_notebook.session.header import id_of_name
from pi_notebook.session.home import Home, find_home
from pi_notebook.session.setting import shortened
from pi_notebook.session.summary import SessionInfo, describe_session

__all__ = ["SessionInfo", "SessionList", "file_of", "find_session", "list_sessions", "newest_first"]

_DEADLINE_SECONDS = 2.0


class SessionList(list[SessionInfo]):
    """Sessions, the last written first."""

    is_cut = False
    """True when time was up before all were looked at, as in a home on a slow network."""


def list_sessions(
    folder: Path | None = None,
    *,
    notebook: str | None = None,
    limit: int = 50,
    home: Home | None = None,
    deadline_seconds: float = _DEADLINE_SECONDS,
) -> SessionList:
    """The sessions of the working folder `folder`, or of all, the last written first.

    Parameters
    ----------
    folder
        Whose sessions; those of all folders unless given.
    notebook
        Only those last used in the notebook at this path.
    limit
        How many at most.
    home
        Where they lie; the user's home unless given.
    deadline_seconds
        When to stop looking: the list then says that it is cut. One is looked at always.
    """
    home = home or find_home()
    sessions = SessionList()
    end = time.monotonic() + deadline_seconds
    for path in newest_first(home, folder, end=end):
        if len(sessions) >= limit:
            break
        summary = describe_session(path)
        if summary is not None and _is_of(summary, folder, notebook):
            sessions.append(summary)
        if time.monotonic() > end:
            sessions.is_cut = True
            break
    return sessions


def find_session(text: str, *, folder: Path | None = None, home: Home | None = None) -> Path:
    """The file of the session that `text` names: by path, by id, or by the first characters of its id.

    Sessions of `folder` come before others. Raises `SessionNotFoundError` that names the nearest ids.
    """
    home = home or find_home()
    if text.endswith(".jsonl") or os.path.basename(text) != text:
        return _file_at(Path(os.path.expanduser(text)))
    paths = [] if folder is None else list(newest_first(home, folder))
    for candidates in (paths, list(newest_first(home, None))):
        ids = {id_of_name(candidate): candidate for candidate in reversed(candidates)}
        if text in ids:
            return ids[text]
        found = [session_id for session_id in ids if text and session_id.startswith(text)]
        if len(found) == 1:
            return ids[found[0]]
        if found:
            raise SessionNotFoundError(
                f"{text!r} begins the ids of {len(found)} sessions: {', '.join(found[:5])}. Write more of it."
            )
    raise SessionNotFoundError(_not_found(text, list(ids)))


def file_of(session_id: str, *, folder: Path, home: Home) -> Path | None:
    """The file of that session of `folder`; None when there is none any more."""
    files = (Path(entry.path) for entry in _session_files(home, folder))
    return next((path for path in files if id_of_name(path) == session_id), None)


def _file_at(path: Path) -> Path:
    if not os.path.lexists(path):
        raise SessionNotFoundError(f"There is no file {path}. %agent sessions lists the sessions there are.")
    return path


def _is_of(session: SessionInfo, folder: Path | None, notebook: str | None) -> bool:
    return folder in (None, session.folder) and notebook in (None, session.notebook)


def newest_first(home: Home, folder: Path | None, *, end: float = math.inf) -> Iterator[Path]:
    """Session files, the last written first; of those that were found by `end`."""
    found: list[tuple[float, str]] = []
    for entry in _session_files(home, folder):
        with suppress(OSError):
            found.append((entry.stat(follow_symlinks=False).st_mtime, entry.path))
        if found and time.monotonic() > end:
            break
    yield from (Path(path) for _, path in sorted(found, reverse=True))


def _session_files(home: Home, folder: Path | None) -> Iterator[os.DirEntry[str]]:
    if folder is not None:
        folders = [os.fspath(home.folder_sessions(folder))]
    else:
        folders = [entry.path for entry in _in_folder(home.sessions_folder)]
    for path in folders:
        yield from (entry for entry in _in_folder(path) if entry.name.endswith(".jsonl"))


def _in_folder(path: str | Path) -> Iterator[os.DirEntry[str]]:
    """What the folder at `path` holds; nothing when there is none that can be read."""
    with suppress(OSError), os.scandir(path) as entries:
        yield from entries


def _not_found(text: str, ids: list[str]) -> str:
    if not ids:
        return f"There is no session {shortened(text)}: none is kept yet."
    near = did_you_mean(text, ids, count=3) or f" The newest: {', '.join(ids[:3])}."
    return f"There is no session {shortened(text)}.{near} %agent sessions lists them."
