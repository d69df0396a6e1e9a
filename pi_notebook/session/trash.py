"""Where sessions go that a person deletes: a folder of the home, from which they can be taken back."""

from __future__ import annotations

import os
from pathlib import Path

from pi_notebook.errors import SessionError
from pi_notebook.session.held_file import HeldFile
from pi_notebook.session.home import Home


def trash_session(path: Path, *, home: Home) -> Path:
    """Move the session file at `path` to the trash; where it is now.

    Raises `SessionBusyError` when somebody writes to it, and `SessionError` when it cannot be moved.
    """
    HeldFile.open(path, files=home.files, read_only=False).close()  # nobody else has it
    folder = home.root / "trash"
    home.make_folder(folder)
    target = _free(folder / path.name)
    try:
        os.replace(path, target)
    except OSError as error:
        raise SessionError(f"{path} cannot be moved to {folder}: {error.strerror}.", path=path) from error
    return target


def _free(path: Path) -> Path:
    """`path`, or one like it that is not taken."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem} ({number}){path.suffix}")
    return free
