"""A file that only grows: one writer by lock, whole lines, each on the disk before `append` returns.

Nothing in the file is ever rewritten. What an append that failed has left behind is cut off again,
or sealed with a newline before the next one, so that it can never swallow a good line. What the
lines mean is the business of `store`.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import platform
import stat
import weakref
from collections.abc import Iterator
from pathlib import Path

from pi_notebook.errors import SessionBusyError, SessionError, SessionFormatError, SessionWriteError
from pi_notebook.session import files as io
from pi_notebook.session.files import Files
from pi_notebook.session.home import is_ours
from pi_notebook.session.lines import now_iso

_CHUNK_BYTES = 1 << 20
_CANNOT_LOCK = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}
_CANNOT_WRITE = {errno.EROFS, errno.EACCES, errno.EPERM}

_OPEN: weakref.WeakSet[Journal] = weakref.WeakSet()


class Journal:
    """One open session file.

    Two descriptors: one holds the lock and reads, as long as the journal is open; the other appends
    and is given up when a sync fails, because a second sync on it would report success for data
    that was lost.
    """

    def __init__(self, path: Path, *, fd: int, files: Files, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._files = files
        self._fd: int | None = fd
        self._append_fd: int | None = None
        self._pid = os.getpid()
        self._has_record = False
        _OPEN.add(self)

    @classmethod
    def create(cls, path: Path, data: bytes, *, files: Files) -> Journal:
        """A new file that holds `data`; on failure there is no file and a `SessionWriteError`."""
        try:
            journal = cls(path, fd=files.open(path, io.CREATE), files=files)
        except OSError as error:
            raise write_error(path, error) from error
        try:
            files.make_private(journal._reader())
            journal._take_lock()
            journal.append(data)
            files.sync_folder(path.parent)
        except BaseException as error:
            journal.close()
            with contextlib.suppress(OSError):
                files.remove(path)
            if isinstance(error, OSError):
                raise write_error(path, error) from error
            raise
        return journal

    @classmethod
    def open(cls, path: Path, *, files: Files, read_only: bool = False) -> Journal:
        """The existing file at `path`, locked unless it can only be read.

        Raises `SessionBusyError` when another process, or this one, has it open for writing.
        """
        fd, read_only = _open_existing(path, files, read_only=read_only)
        journal = cls(path, fd=fd, files=files, read_only=read_only)
        try:
            _check_kind(path, files.status(fd))
            if not read_only:
                journal._take_lock()
        except OSError as error:
            journal.close()
            raise SessionError(f"{path} cannot be opened: {error.strerror}.", path=path) from error
        except SessionError:
            journal.close()
            raise
        return journal

    @property
    def end(self) -> int:
        """The size of the file now, in bytes."""
        return self._status().st_size

    def append(self, data: bytes) -> int:
        """Put whole lines at the end; their offset, when they are on the disk.

        Raises `SessionWriteError` when they are not, with the file as it was before wherever the
        system lets us put it so.
        """
        try:
            fd, start = self._appender(), self.end
            seal = b"" if self._ends_whole(start) else b"\n"
        except OSError as error:
            raise write_error(self.path, error) from error
        try:
            io.write_all(self._files, fd, seal + data)
            self._sync(fd)
        except BaseException as error:
            self._take_back(start, seal + data)
            if isinstance(error, OSError):
                raise write_error(self.path, error) from error
            raise
        return start + len(seal)

    def lines(self, start: int = 0) -> Iterator[tuple[int, bytes, bool]]:
        """The lines from `start` on: offset, bytes without the newline, and whether there was one."""
        held: list[bytes] = []
        offset = position = start
        while chunk := self._files.read_at(self._reader(), _CHUNK_BYTES, position):
            position += len(chunk)
            *ended, rest = chunk.split(b"\n")
            for piece in ended:
                line = b"".join((*held, piece))
                held.clear()
                yield offset, line, True
                offset += len(line) + 1
            held.append(rest)
        if last := b"".join(held):
            yield offset, last, False

    def read(self, offset: int, length: int) -> bytes:
        """What stands at `offset`; `SessionError` when it cannot be read any more."""
        try:
            data = io.read_exactly(self._files, self._reader(), length, offset)
        except OSError as error:
            raise SessionError(f"{self.path} cannot be read: {error.strerror}.", path=self.path) from error
        if len(data) < length:
            raise SessionError(
                f"The session file {self.path} was shortened by another program.", path=self.path
            )
        return data

    def close(self) -> None:
        """Give up the lock and the descriptors. A second call does nothing."""
        if self._has_record and self._pid == os.getpid():
            with contextlib.suppress(OSError):
                self._files.remove(_record_path(self.path))
        self._has_record = False
        for fd in (self._append_fd, self._fd):
            if fd is not None:
                with contextlib.suppress(OSError):
                    self._files.close(fd)
        self._fd = self._append_fd = None

    def _status(self) -> os.stat_result:
        return self._files.status(self._reader())

    def _reader(self) -> int:
        if self._fd is None:
            raise SessionError(f"The session file {self.path} is closed.", path=self.path)
        return self._fd

    def _appender(self) -> int:
        if self.read_only:
            raise SessionWriteError(
                f"The session file {self.path} was opened for reading only.", path=self.path
            )
        if self._append_fd is None:
            self._append_fd = self._files.open(self.path, io.APPEND)
        status = self._status()
        if status.st_nlink == 0 or not os.path.samestat(status, self._files.status(self._append_fd)):
            raise SessionWriteError(
                f"The session file {self.path} was deleted or replaced. Start another with %agent new.",
                path=self.path,
            )
        return self._append_fd

    def _ends_whole(self, end: int) -> bool:
        return end == 0 or self._files.read_at(self._reader(), 1, end - 1) == b"\n"

    def _sync(self, fd: int) -> None:
        try:
            self._files.sync(fd)
        except BaseException:
            # The system reports a lost page once and then calls it clean: this descriptor is done.
            self._append_fd = None
            with contextlib.suppress(OSError):
                self._files.close(fd)
            raise

    def _take_back(self, start: int, data: bytes) -> None:
        """Cut off what a failed append of `data` has left, if that is all there is from `start` on."""
        with contextlib.suppress(OSError, SessionError):
            left = self.read(start, self.end - start)
            if left and data.startswith(left):
                self._files.truncate(self._reader(), start)

    def _take_lock(self) -> None:
        try:
            self._files.lock(self._reader())
        except BlockingIOError as error:
            raise SessionBusyError(_busy_text(self.path, self._files), path=self.path) from error
        except OSError as error:
            if error.errno not in _CANNOT_LOCK:
                raise
        with contextlib.suppress(OSError):
            self._write_record()

    def _write_record(self) -> None:
        """Say who holds the lock. The lock alone counts: a record left by a dead process means nothing."""
        record = {"host": platform.node(), "pid": os.getpid(), "since": now_iso()}
        fd = self._files.open(_record_path(self.path), io.REPLACE)
        self._has_record = True
        try:
            self._files.make_private(fd)
            io.write_all(self._files, fd, json.dumps(record).encode())
        finally:
            self._files.close(fd)


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


def _record_path(path: Path) -> Path:
    return path.with_suffix(".owner")


def _busy_text(path: Path, files: Files) -> str:
    holder = "another process"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        fd = files.open(_record_path(path), io.READ)
        try:
            record = json.loads(io.read_exactly(files, fd, 4096, 0))
        finally:
            files.close(fd)
        is_us = record["pid"] == os.getpid() and record["host"] == platform.node()
        holder = "this kernel" if is_us else f"process {record['pid']} on {record['host']}"
        holder += f" since {record['since']}"
    return f"The session {path.name} is in use by {holder}. End it there, or start another with %agent new."


def _leave_to_parent() -> None:
    """In a forked child: close its copies of the descriptors, which would keep the parent's lock alive."""
    for journal in list(_OPEN):
        journal.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
