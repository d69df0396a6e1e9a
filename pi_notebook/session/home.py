"""Where sessions, spilled outputs and settings lie, and who may look into those folders.

Paths are given without touching the disk; folders are made when something is written, for this
user alone. What stands in the files is the business of `journal`, `settings` and the spill.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import platformdirs

from pi_notebook.errors import SessionWriteError
from pi_notebook.session.files import Files

APP = "pi-notebook"
HOME_VARIABLE = "PI_NOTEBOOK_HOME"


@dataclass(frozen=True, kw_only=True)
class Home:
    """The folder of everything that is kept between kernels."""

    root: Path
    """Absolute, unless no home folder is known for this user: then nothing can be written."""
    files: Files = field(default_factory=Files, compare=False, repr=False)

    @property
    def settings_file(self) -> Path:
        return self.root / "settings.json"

    @property
    def sessions_folder(self) -> Path:
        return self.root / "sessions"

    def folder_sessions(self, folder: Path) -> Path:
        """Where the sessions of the working folder `folder` lie; several folders may share it."""
        return self.sessions_folder / folder_slug(folder)

    def session_path(self, folder: Path, *, session_id: str, timestamp: str) -> Path:
        return self.folder_sessions(folder) / session_file_name(session_id, timestamp)

    def spill_folder(self, session_id: str) -> Path:
        return self.root / "spill" / session_id

    def make_folder(self, path: Path) -> None:
        """Make `path`, a folder of this home, with all that is missing above it.

        Raises `SessionWriteError` when it cannot be made or a folder on the way is not this user's:
        whoever owns a folder can put another file in the place of ours.
        """
        if not self.root.is_absolute():
            raise SessionWriteError(
                f"No home folder is known for this user. Set {HOME_VARIABLE} to a folder."
            )
        try:
            make_missing_folders(self.root, self.files)
            _check_link(self.root)
            _check_owner(self.root, os.stat(self.root))
            for folder in _below(self.root, path):
                _make(folder, self.files)
                _check_inner(folder)
        except OSError as error:
            raise SessionWriteError(
                f"The folder {path} cannot be made: {error.strerror}. Set {HOME_VARIABLE} to another folder.",
                path=path,
            ) from error


def find_home(environ: Mapping[str, str] = os.environ) -> Home:
    """The home that `PI_NOTEBOOK_HOME` names, else the platform's folder for this user's data."""
    chosen = environ.get(HOME_VARIABLE)
    if chosen:
        return Home(root=Path(os.path.abspath(os.path.expanduser(chosen))))
    return Home(root=platformdirs.user_data_path(APP, appauthor=False))


def session_file_name(session_id: str, timestamp: str) -> str:
    """The name of the file of a session that was begun at `timestamp`."""
    moment = re.sub(r"[:.]", "-", timestamp)
    return f"{moment}_{session_id}.jsonl"


def folder_slug(folder: Path) -> str:
    """A file name for `folder`, readable and at most 140 characters long; not unique."""
    text = str(folder)
    name = re.sub(r"[^A-Za-z0-9._-]", "-", text.strip("/\\"))
    if len(name) > 100:
        digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        name = f"{name[:20]}-{digest}-{name[-80:]}"
    return f"--{name}--"


def is_ours(status: os.stat_result) -> bool:
    """True when the file belongs to the user of this process."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def is_private(status: os.stat_result) -> bool:
    """True when nobody but this user can have written there."""
    return is_ours(status) and not (status.st_mode & 0o022 and hasattr(os, "geteuid"))


def make_missing_folders(path: Path, files: Files) -> None:
    """Make `path` and what is missing above it, for this user alone; raises `OSError`."""
    for folder in [*reversed(path.parents), path]:
        if not folder.exists():
            _make(folder, files)


def check_own_folder(folder: Path) -> None:
    """Raise `SessionWriteError` when `folder` is a link, no folder, or another user's."""
    _check_owner(folder, os.lstat(folder))


def _make(folder: Path, files: Files) -> None:
    try:
        files.make_folder(folder)
    except FileExistsError:
        return
    files.sync_folder(folder.parent)


def _below(root: Path, path: Path) -> Iterator[Path]:
    folder = root
    for part in path.relative_to(root).parts:
        folder = folder / part
        yield folder


def _check_link(root: Path) -> None:
    """A link in the place of the home must be of the user's own making."""
    if not is_ours(os.lstat(root)):
        raise _foreign(root)


def _check_inner(folder: Path) -> None:
    status = os.lstat(folder)
    _check_owner(folder, status)
    if status.st_mode & 0o077 and hasattr(os, "geteuid"):
        os.chmod(folder, 0o700)


def _check_owner(folder: Path, status: os.stat_result) -> None:
    if not stat.S_ISDIR(status.st_mode):
        what = "a link" if stat.S_ISLNK(status.st_mode) else "not a folder"
        raise SessionWriteError(
            f"{folder} is {what}. Move it away, or set {HOME_VARIABLE} to another folder.", path=folder
        )
    if not is_ours(status):
        raise _foreign(folder)


def _foreign(folder: Path) -> SessionWriteError:
    return SessionWriteError(
        f"The folder {folder} belongs to another user. Set {HOME_VARIABLE} to a folder of your own.",
        path=folder,
    )
