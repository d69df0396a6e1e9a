"""The whole of an output on disk, behind the shortened text a model reads.

A spill file is private (0600, in a folder of 0700 that we own), has a name nobody can guess, and
never replaces or follows what is there already. A provider's key that was printed is left out of it.
What cannot be written becomes a note, never an exception: an output is not lost because its copy is.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_notebook.context.key_mask import KeyMask
from pi_notebook.context.truncation import format_bytes

FRAME_ENDING = ".parquet"


_STALE_SECONDS = 24 * 3600.0
"""No file takes so long to write: what is unfinished then was left by a process that was killed."""


def remove_stale(folder: Path, ending: str) -> None:
    """Remove files in `folder` that were left unfinished long ago; `ending` is that of their names."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                is_old = time.time() - entry.stat(follow_symlinks=False).st_mtime > _STALE_SECONDS
                if is_old and entry.name.endswith(ending) and entry.is_file(follow_symlinks=False):
                    os.unlink(entry.path)


@dataclass(frozen=True, kw_only=True)
class SpillFolder:
    """Where full outputs and whole frames go, and how much of them is kept."""

    path: Path
    max_call_bytes: int = 256 * 1024 * 1024
    max_session_bytes: int = 1024 * 1024 * 1024
    """Of all outputs in the folder; what is there counts when the next file is begun."""
    max_frame_bytes: int = 2 * 1024 * 1024 * 1024
    """Of all frames in the folder."""

    def used_bytes(self) -> int:
        """What the outputs in the folder take."""
        try:
            with os.scandir(self.path) as entries:
                outputs = [entry for entry in entries if not entry.name.endswith(FRAME_ENDING)]
            return sum(entry.stat(follow_symlinks=False).st_size for entry in outputs)
        except OSError:
            return 0


@dataclass(frozen=True, kw_only=True)
class SpillRecord:
    """A spill file as it was left."""

    path: Path | None
    byte_count: int = 0
    note: str = ""
    """Why it is not the whole; empty when it is."""

    @property
    def is_whole(self) -> bool:
        return self.path is not None and not self.note

    @property
    def way_back(self) -> str:
        """Where the rest is, for the one who reads the shortened text."""
        if self.path is None or not self.byte_count:
            return f"The rest was not kept{': ' + self.note if self.note else ''}."
        if self.note:
            return f"The first {format_bytes(self.byte_count)}: {self.path} (`read` pages it); {self.note}."
        return f"Full output: {self.path} (`read` pages it)."

    def details(self) -> dict[str, Any]:
        return {
            "path": str(self.path) if self.path else None,
            "bytes": self.byte_count,
            "isWhole": self.is_whole,
            "note": self.note,
        }


NO_SPILL = SpillRecord(path=None)
"""There was nowhere to keep the rest."""


class SpillFile:
    """A file that takes bytes until it is closed, full or broken. No method raises."""

    def __init__(self, folder: SpillFolder, *, prefix: str = "output") -> None:
        self._folder = folder
        self._prefix = prefix
        self._pid = os.getpid()
        self._descriptor: int | None = None
        self._path: Path | None = None
        self._bytes = 0
        self._room = 0
        self._limit = ""
        self._note = ""
        self._is_closed = False
        self._mask = KeyMask()

    def write(self, data: bytes) -> None:
        """Take more of the output; the beginning of a key waits until it is whole."""
        if not self._is_closed:
            self._keep(self._mask.take(data))

    def flush(self) -> None:
        """Let all that was taken be in the file."""
        self._keep(self._mask.rest())

    def _keep(self, data: bytes) -> None:
        if self._is_closed or os.getpid() != self._pid or not data:
            return
        try:
            if self._descriptor is None:
                self._open()
            room = max(0, self._room - self._bytes)
            self._write_all(memoryview(data)[:room])
        except OSError as error:
            self._note = f"the file could not be written ({error.strerror or error})"
        else:
            if len(data) > room:
                self._note = self._limit
        if self._note:
            self._close()

    def close(self) -> None:
        """Take no more; what waited is in the file."""
        self.flush()
        self._close()

    def _close(self) -> None:
        self._is_closed = True
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    @property
    def record(self) -> SpillRecord:
        return SpillRecord(path=self._path, byte_count=self._bytes, note=self._note)

    def _open(self) -> None:
        make_private_folder(self._folder.path)
        path = self._folder.path / f"{self._prefix}-{secrets.token_hex(8)}.log"
        call, session = self._folder.max_call_bytes, self._folder.max_session_bytes
        left = session - self._folder.used_bytes()
        self._room = min(call, left)
        self._limit = f"the limit of {format_bytes(call)} a call was reached"
        if left < call:
            self._limit = f"the limit of {format_bytes(session)} a session was reached"
        self._descriptor = open_private(path)
        self._path = path

    def _write_all(self, data: memoryview) -> None:
        descriptor = self._descriptor
        if descriptor is None:
            return
        while data:
            # A disk that is almost full takes a part and says so only at the next write.
            written = os.write(descriptor, data)
            self._bytes += written
            data = data[written:]


def make_private_folder(path: Path) -> None:
    """Make `path`, for us alone; `OSError` when it is a link or another user's."""
    if not path.parent.exists():
        make_private_folder(path.parent)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode):
            raise OSError(f"{path} is not a folder") from None
        if sys.platform != "win32" and found.st_uid != os.geteuid():
            raise OSError(f"{path} belongs to another user") from None


def open_private(path: Path) -> int:
    """A descriptor of a new file at `path` that only we can read."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    return os.open(path, flags, 0o600)
