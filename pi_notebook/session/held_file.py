"""A session file that this process holds: checked, locked, and found again when its handle goes stale.

Code in the kernel may close any descriptor, and the next file that is opened gets the number. So one
is looked at before it is used, and is closed only while it leads to our file.

Whose it is when files cannot be locked is the business of `owner`; what is appended to it that of
`journal`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from pi_notebook.context.spill import remove_stale
from pi_notebook.errors import SessionBusyError, SessionError, SessionFormatError, SessionWriteError
from pi_notebook.session import files as io
from pi_notebook.session.files import Files
from pi_notebook.session.header import id_of_name
from pi_notebook.session.home import is_ours
from pi_notebook.session.lines import now_iso
from pi_notebook.session.owner import Owner, OwnerRecord

_CANNOT_LOCK = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}
_CANNOT_WRITE = {errno.EROFS, errno.EACCES, errno.EPERM}
UNFINISHED = ".part"
"""The ending of a file that is not yet what its name says; no listing shows it."""

_LAST_BREATH_SECONDS = 0.5
_NONE = -1
"""The descriptor of a file that must be opened again first."""
_RETRY_SECONDS = 0.01

T = TypeVar("T")


class HeldFile:
    """A descriptor that holds the lock and reads, and the path it was opened by."""

    def __init__(self, path: Path, *, fd: int, files: Files, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self.files = files
        self._fd: int | None = fd
        self._identity: os.stat_result | None = None
        """The file that the descriptor must lead to, once it was looked at."""
        self._owner = OwnerRecord(path, files=files)

    @classmethod
    def create(cls, path: Path, pieces: Iterable[bytes], *, files: Files) -> HeldFile:
        """A new file that holds `pieces`; on failure there is no file and a `SessionWriteError`.

        The file gets its name when it is whole and safe: what the end of the process cuts off is never seen.
        """
        unfinished = path.with_name(path.name + UNFINISHED)
        try:
            held = cls(path, fd=files.open(unfinished, io.CREATE), files=files)
        except OSError as error:
            raise write_error(path, error) from error
        try:
            files.make_private(held.fd)
            held._take(held.fd)
            held.status()
            for piece in pieces:
                io.write_all(files, held.fd, piece)
            files.sync(held.fd)
            files.rename(unfinished, path)
            files.sync_folder(path.parent)
            remove_stale(path.parent, UNFINISHED)
        except BaseException as error:
            held.close()
            for left in (unfinished, path):
                with contextlib.suppress(OSError):
                    files.remove(left)
            if isinstance(error, OSError):
                raise write_error(path, error) from error
            raise
        return held

    @classmethod
    def open(cls, path: Path, *, files: Files, read_only: bool = False) -> HeldFile:
        """The existing file at `path`, taken for this process unless it can only be read.

        Raises `SessionBusyError` when another process, or this one, has it open for writing.
        """
        fd, read_only = _open_existing(path, files, read_only=read_only)
        held = cls(path, fd=fd, files=files, read_only=read_only)
        try:
            held._check(fd)
        except OSError as error:
            held.close()
            raise SessionError(f"{path} cannot be opened: {error.strerror}.", path=path) from error
        except SessionError:
            held.close()
            raise
        return held

    @property
    def fd(self) -> int:
        """The descriptor; `SessionError` once it is closed."""
        if self._fd is None:
            raise SessionError(f"The session file {self.path} is closed.", path=self.path)
        return self._fd

    @property
    def is_closed(self) -> bool:
        return self._fd is None

    @property
    def checked_fd(self) -> int:
        """The descriptor, which leads to the file; `OSError` when code in this process has closed it."""
        self.status()
        return self.fd

    def status(self) -> os.stat_result:
        """Of the file; `OSError` when the descriptor leads to it no more."""
        found = self.files.status(self.fd)
        self._identity = self._identity or found
        if not os.path.samestat(found, self._identity):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return found

    def has(self, fd: int) -> bool:
        """Whether `fd` leads to this file."""
        try:
            return self._identity is None or os.path.samestat(os.fstat(fd), self._identity)
        except OSError:
            return False

    def whereabouts(self) -> os.stat_result | None:
        """What stands at the path now; None for nothing."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return self.files.look_up(self.path)
        return None

    def check_owner(self) -> None:
        """Raise `SessionBusyError` when another has taken a file that could not be locked."""
        if self._owner.is_lost:
            raise SessionBusyError(_busy_text(self.path, self._owner.read()), path=self.path)

    def steady(self, call: Callable[[], T]) -> T:
        """What `call` gives; once more with a new handle where ours was closed, or forgotten by a server."""
        try:
            return call()
        except OSError as error:
            if error.errno not in (errno.ESTALE, errno.EBADF):
                raise
        self._open_again()
        return call()

    def release(self) -> None:
        """Take away the record of who holds the file; the lock stays."""
        self._owner.release()

    def close(self) -> None:
        """Give up the lock and the descriptor. A second call does nothing."""
        self.release()
        fd, self._fd = self._fd, None
        if fd is not None:
            self.give_up(fd)

    def give_up(self, fd: int) -> None:
        """Close a descriptor of this file, unless its number is another file's by now."""
        if self.has(fd):
            with contextlib.suppress(OSError):
                self.files.close(fd)

    def _open_again(self) -> None:
        stale, self._fd = self.fd, _NONE
        self.give_up(stale)  # first: the new one may get its number
        fd, self.read_only = _open_existing(self.path, self.files, read_only=self.read_only)
        self._fd, self._identity = fd, None
        try:
            self._check(fd)
        except BaseException:  # without the lock nothing may be written
            self._fd = _NONE
            self.give_up(fd)
            raise

    def _check(self, fd: int) -> None:
        _check_kind(self.path, self.status())
        if not self.read_only:
            self._take(fd)

    def _take(self, fd: int) -> None:
        """Take the file behind `fd` by its lock, or by the record where there are no locks.

        A child that was being forked when the owner was killed holds the lock for another moment.
        """
        deadline = time.monotonic() + _LAST_BREATH_SECONDS
        while True:
            try:
                return self._lock(fd)
            except BlockingIOError as error:
                owner = self._owner.read()
                if owner is None or not owner.has_ended or time.monotonic() > deadline:
                    raise SessionBusyError(_busy_text(self.path, owner), path=self.path) from error
            time.sleep(_RETRY_SECONDS)

    def _lock(self, fd: int) -> None:
        try:
            self.files.lock(fd)
        except OSError as error:
            if error.errno not in _CANNOT_LOCK:
                raise
            self._owner.release()
            self._owner.claim(now_iso())
        else:
            self._owner.write(now_iso())


def write_error(path: Path | None, error: OSError) -> SessionWriteError:
    """What the person is told when the session file cannot be written."""
    text = f"The session file {path} could not be written: {error.strerror or error}."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        text += " Free some space and ask again."
    return SessionWriteError(text, path=path)


def _open_existing(path: Path, files: Files, *, read_only: bool) -> tuple[int, bool]:
    try:
        if not read_only:
            try:
                return files.open(path, io.READ_WRITE), False
            except OSError as error:
                if error.errno not in _CANNOT_WRITE:
                    raise
        return files.open(path, io.READ), True
    except OSError as error:
        reasons = {errno.EISDIR: "it is a folder", errno.ELOOP: "it is a link"}
        why = reasons.get(error.errno or 0, error.strerror)
        raise SessionFormatError(f"{path} cannot be opened as a session: {why}.", path=path) from error


def _check_kind(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise SessionFormatError(f"{path} is not a session: it is not a plain file.", path=path)
    if not is_ours(status):
        raise SessionFormatError(
            f"The session file {path} belongs to another user. Copy it and open the copy.", path=path
        )


def _busy_text(path: Path, owner: Owner | None) -> str:
    holder = "another process" if owner is None else str(owner)
    session_id = id_of_name(path)
    return (
        f"The session {session_id} is in use by {holder}. End it there, or go on in a copy of it: "
        f"%agent resume {session_id} --copy"
    )
