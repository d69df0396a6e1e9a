"""Who writes to a session: a small file beside it that names the process.

Where files can be locked the lock alone counts, and the record only says whom to ask. Where they
cannot, as on some network file systems, the record takes the lock's place: it is made only where
there is none, and one whose process is known to have ended counts for nothing. A process on another
machine cannot be looked at; its session is offered as a copy or for reading, so that no file ever
has two writers.
"""

from __future__ import annotations

import contextlib
import os
import platform
import time
from pathlib import Path

import msgspec

from pi_notebook.session import files as io
from pi_notebook.session.files import Files

_MAX_BYTES = 4096
_UNREADABLE_SECONDS = 0.5
_RETRY_SECONDS = 0.01
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """A process, told apart from every other that ever had its number."""

    host: str
    pid: int
    since: str
    """When it took the session, ISO 8601."""
    boot: str = ""
    """Of the machine's last start; empty where the system does not say."""
    started: str = ""
    """When the process began, in the system's own count; empty where it does not say."""

    @property
    def has_ended(self) -> bool:
        """True only when it is certain."""
        if self.host != platform.node():
            return False
        if self.boot and self.boot != _boot_id():
            return True
        return not _is_alive(self.pid) or bool(self.started) and self.started != _start_of(self.pid)

    def __str__(self) -> str:
        is_us = self.pid == os.getpid() and self.host == platform.node()
        name = "this kernel" if is_us else f"process {self.pid} on {self.host}"
        return f"{name} since {self.since}"


class OwnerRecord:
    """The record beside the session file at `path`."""

    def __init__(self, path: Path, *, files: Files) -> None:
        self.path = path.with_suffix(".owner")
        self._files = files
        self._pid = os.getpid()
        self._fd: int | None = None
        """Held while the record stands for the lock."""
        self._is_made = False

    def write(self, since: str) -> None:
        """Name this process, which holds the lock; a record that a dead one left is written over."""
        with contextlib.suppress(OSError):
            fd = self._files.open(self.path, io.REPLACE)
            self._is_made = True
            try:
                self._fill(fd, since)
            finally:
                self._files.close(fd)

    def claim(self, since: str) -> None:
        """Take the session by the record alone; `BlockingIOError` when somebody has, or may have, it."""
        deadline = time.monotonic() + _UNREADABLE_SECONDS
        while (fd := self._made_anew()) is None:
            owner = self.read()
            if owner is None and time.monotonic() < deadline:
                time.sleep(_RETRY_SECONDS)  # another may be writing it just now
                continue
            if owner is not None and not owner.has_ended:
                raise BlockingIOError
            with contextlib.suppress(FileNotFoundError):
                self._files.remove(self.path)
        self._fd, self._is_made = fd, True
        self._fill(fd, since)

    @property
    def is_lost(self) -> bool:
        """True when the record stood for the lock and another has removed it."""
        return self._fd is not None and self._files.status(self._fd).st_nlink == 0

    def read(self) -> Owner | None:
        """Who is named; None when nobody is, or it cannot be read."""
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            fd = self._files.open(self.path, io.READ)
            try:
                return msgspec.json.decode(io.read_exactly(self._files, fd, _MAX_BYTES, 0), type=Owner)
            finally:
                self._files.close(fd)
        return None

    def release(self) -> None:
        """Take the record away, if this process made it."""
        with contextlib.suppress(OSError):
            if self._is_made and self._pid == os.getpid() and not self.is_lost:
                self._files.remove(self.path)
        self._is_made = False
        if self._fd is not None:
            fd, self._fd = self._fd, None
            with contextlib.suppress(OSError):
                self._files.close(fd)

    def _made_anew(self) -> int | None:
        """A descriptor of a record that was not there before; None when there is one."""
        try:
            return self._files.open(self.path, io.CREATE)
        except FileExistsError:
            return None

    def _fill(self, fd: int, since: str) -> None:
        self._files.make_private(fd)
        pid = os.getpid()
        owner = Owner(host=platform.node(), pid=pid, since=since, boot=_boot_id(), started=_start_of(pid))
        io.write_all(self._files, fd, msgspec.json.encode(owner))


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _start_of(pid: int) -> str:
    """The moment the process began, in ticks since the machine's start."""
    try:
        # The name in brackets may hold anything; what follows it is numbers.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
