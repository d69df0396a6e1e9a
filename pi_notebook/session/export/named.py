"""Exporting by a button: the file is named after the session, in the working folder, over nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from pi_notebook.session.export.session import export_session
from pi_notebook.session.export.target import Target
from pi_notebook.session.listing import find_session
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.store import SessionStore

_MAX_NAME_CHARS = 60
_NOT_IN_NAMES = re.compile(r"[^\w-]+")


def export_named(
    runtime: AgentSessionRuntime, file_format: str, *, session_id: str = ""
) -> tuple[list[str], Path]:
    """Write a session, the current one unless another is named; what a person is told, and the file.

    Raises what `find_session` and `export_session` raise.
    """
    services, session = runtime.services, runtime.session
    if session_id in ("", session.id):
        return _export(session.store, session.store.name, file_format, services.folder)
    path = find_session(session_id, folder=services.folder, home=services.home)
    store = SessionStore.open(path, read_only=True)
    try:
        return _export(store, store.name, file_format, services.folder)
    finally:
        store.close()


def _export(store: SessionStore, name: str, file_format: str, folder: Path) -> tuple[list[str], Path]:
    stem = _NOT_IN_NAMES.sub("-", name)[:_MAX_NAME_CHARS].strip("-") or f"session-{store.id[:8]}"
    path = _free(folder / f"{stem}.{file_format}")
    return export_session(store, Target(path=path), folder=folder), path


def _free(path: Path) -> Path:
    """`path`, or the first with a number behind its name that is not taken."""
    number, found = 1, path
    while found.exists() or found.is_symlink():
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found
