"""Opening a session to go on with it, whatever format its file is of."""

from __future__ import annotations

from pathlib import Path

from pi_notebook.errors import SessionWriteError
from pi_notebook.session.forking import fork_file
from pi_notebook.session.home import Home
from pi_notebook.session.store import SessionStore


def open_to_continue(path: Path, *, home: Home) -> tuple[SessionStore, str]:
    """The session at `path`, and what to tell of it in one line, mostly nothing.

    One of an older format is never added to: it goes on in a copy of the current format that names it.
    Raises what `SessionStore.open` raises. Where no copy can be made, what is added stays in memory, as
    the store's `memory_reason` says.
    """
    store = SessionStore.open(path, files=home.files)
    if not store.is_of_old_format:
        return store, ""
    try:
        copy = fork_file(store, home=home, mode="all")
    except SessionWriteError:
        return store, ""
    store.close()
    return copy, (
        f"{path.name} is of an older session format and stays as it is. "
        f"The session goes on in a copy, {copy.id}."
    )
