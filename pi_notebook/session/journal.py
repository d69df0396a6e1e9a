"""A file that only grows: whole lines, each as safe as the policy says before `append` returns.

Nothing in the file is ever rewritten. What an append that failed has left behind is cut off again,
or sealed with a newline before the next one, so that it can never swallow a good line. What the
lines mean is the business of `store`; whose the file is, that of `held_file`.
"""

from __future__ import annotations

import contextlib
import os
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

from pi_notebook.errors import SessionError, SessionWriteError
from pi_notebook.session import files as io
from pi_notebook.session.files import Files
from pi_notebook.session.header import id_of_name
from pi_notebook.session.held_file import HeldFile, write_error
from pi_notebook.session.home import check_own_folder, make_missing_folders, session_file_name
from pi_notebook.session.lines import now_iso
from pi_notebook.session.syncing import SLOW_DISK_TEXT, SyncPace, SyncPolicy

__all__ = ["Journal", "write_error"]

_CHUNK_BYTES = 1 << 20

_OPEN: weakref.WeakSet[Journal] = weakref.WeakSet()


class Journal:
    """One open session file.

    Beside the descriptor that holds it, one appends, and is given up when a sync fails, because a
    second sync on it would report success for data that was lost.
    """

    def __init__(self, held: HeldFile) -> None:
        self.sync_policy: SyncPolicy = "full"
        self.notices: list[str] = []
        """What the person is to be told, oldest first; whoever tells it takes it out."""
        self._held = held
        self._files = held.files
        self._append_fd: int | None = None
        self._pid = os.getpid()
        self._pace = SyncPace()
        self._loose_start: int | None = None
        """Where that begins which was appended and not synced."""
        self._is_doubtful = False
        """True when a sync of it failed: it may be lost though it can be read."""
        _OPEN.add(self)

    @classmethod
    def create(cls, path: Path, data: bytes, *, files: Files) -> Journal:
        """A new file that holds `data`; on failure there is no file and a `SessionWriteError`."""
        return cls(HeldFile.create(path, (data,), files=files))

    @classmethod
    def open(cls, path: Path, *, files: Files, read_only: bool = False) -> Journal:
        """The existing file at `path`, taken for this process unless it can only be read.

        Raises `SessionBusyError` when another process, or this one, has it open for writing.
        """
        return cls(HeldFile.open(path, files=files, read_only=read_only))

    @property
    def path(self) -> Path:
        """Where the file is; another place once it had to be written anew."""
        return self._held.path

    @property
    def read_only(self) -> bool:
        return self._held.read_only

    @property
    def end(self) -> int:
        """The size of the file now, in bytes."""
        return self._held.steady(self._held.status).st_size

    def append(self, data: bytes) -> int:
        """Put whole lines at the end; their offset, when they are as safe as `sync_policy` asks.

        Raises `SessionWriteError` when they are not, with the file as it was before wherever the
        system lets us put it so.
        """
        try:
            return self._held.steady(lambda: self._append(data))
        except OSError as error:
            raise write_error(self.path, error) from error

    def sync(self) -> None:
        """Return when all that was appended is on the disk; nothing is done under the policy `off`."""
        if self._loose_start is None or self.sync_policy == "off":
            return
        try:
            self._held.steady(self._sync_loose)
        except OSError as error:
            raise write_error(self.path, error) from error

    def lines(self, start: int = 0) -> Iterator[tuple[int, bytes, bool]]:
        """The lines from `start` on: offset, bytes without the newline, and whether there was one."""
        held: list[bytes] = []
        offset = start
        for chunk in self._pieces(start):
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
            data = self._held.steady(
                lambda: io.read_exactly(self._files, self._held.checked_fd, length, offset)
            )
        except OSError as error:
            raise SessionError(f"{self.path} cannot be read: {error.strerror}.", path=self.path) from error
        if len(data) < length:
            raise SessionError(
                f"The session file {self.path} was shortened by another program. "
                "Start another with %agent new.",
                path=self.path,
            )
        return data

    def close(self) -> None:
        """Give up the lock and the descriptors. A second call does nothing."""
        if not self._held.is_closed and self._pid == os.getpid():
            with contextlib.suppress(SessionError):
                self.sync()
        self._give_up_appender()
        self._held.close()

    def _read_at(self, count: int, offset: int) -> bytes:
        return self._held.steady(lambda: self._files.read_at(self._held.checked_fd, count, offset))

    def _pieces(self, position: int = 0) -> Iterator[bytes]:
        """All that stands in the file from `position` on."""
        while piece := self._read_at(_CHUNK_BYTES, position):
            yield piece
            position += len(piece)

    def _append(self, data: bytes) -> int:
        fd = self._appender()
        if self._is_doubtful:
            self._repeat_loose(fd)
        start = self._held.status().st_size
        seal = b"" if self._ends_whole(start) else b"\n"
        try:
            io.write_all(self._files, fd, seal + data)
            if self.sync_policy == "full":
                self._sync(fd)
            elif self._loose_start is None:
                self._loose_start = start
        except BaseException:
            self._take_back(start, seal + data)
            raise
        return start + len(seal)

    def _appender(self) -> int:
        if self.read_only:
            raise SessionWriteError(
                f"The session file {self.path} was opened for reading only.", path=self.path
            )
        self._held.check_owner()
        self._stay_in_place()
        if self._append_fd == self._held.fd:  # ours was closed, and the held file opened again got its number
            self._append_fd = None
        if self._append_fd is None or not self._held.has(self._append_fd):
            self._append_fd = self._files.open(self.path, io.APPEND)
        return self._append_fd

    def _ends_whole(self, end: int) -> bool:
        return end == 0 or self._files.read_at(self._held.fd, 1, end - 1) == b"\n"

    def _sync(self, fd: int) -> None:
        began = time.perf_counter()
        try:
            self._files.sync(fd)
        except BaseException:
            # The system reports a lost page once and then calls it clean: this descriptor is done.
            self._is_doubtful = self._loose_start is not None
            self._give_up_appender()
            raise
        self._loose_start, self._is_doubtful = None, False
        self._pace.add(time.perf_counter() - began)
        if self.sync_policy == "full" and self._pace.is_slow:
            self.sync_policy = "turn"
            self.notices.append(SLOW_DISK_TEXT.format(milliseconds=round(1000 * self._pace.p95_seconds)))

    def _sync_loose(self) -> None:
        fd = self._appender()
        if self._is_doubtful:
            self._repeat_loose(fd)
        self._sync(fd)

    def _repeat_loose(self, fd: int) -> None:
        """Append again what a failed sync may have lost: a line that stands twice counts once."""
        assert self._loose_start is not None
        end = self._held.status().st_size
        io.write_all(self._files, fd, self.read(self._loose_start, end - self._loose_start))
        self._loose_start, self._is_doubtful = end, False

    def _give_up_appender(self) -> None:
        fd, self._append_fd = self._append_fd, None
        if fd is not None and (self._held.is_closed or fd != self._held.fd):
            self._held.give_up(fd)

    def _take_back(self, start: int, data: bytes) -> None:
        """Cut off what a failed append of `data` has left, if that is all there is from `start` on."""
        with contextlib.suppress(OSError, SessionError):
            left = io.read_exactly(self._files, self._held.fd, len(data) + 1, start)
            if left and data.startswith(left):
                self._files.truncate(self._held.fd, start)

    def _stay_in_place(self) -> None:
        """See that the file is still the one at its path; else write it again, whole."""
        found = self._held.whereabouts()
        if found is None:
            self._write_anew(self.path)
        elif not os.path.samestat(found, self._held.status()):
            self._write_anew(self.path.with_name(session_file_name(id_of_name(self.path), now_iso())))

    def _write_anew(self, path: Path) -> None:
        """Go on in a new file at `path` that begins with all there is: our descriptor still leads to it."""
        make_missing_folders(path.parent, self._files)
        check_own_folder(path.parent)
        gone = self._held
        gone.release()
        self._give_up_appender()
        self._held = HeldFile.create(path, self._pieces(), files=self._files)
        self.notices.append(
            f"The session file {gone.path} was deleted, moved or replaced. The whole session is now in {path}"
        )
        self._loose_start, self._is_doubtful = None, False
        gone.close()


def _leave_to_parent() -> None:
    """In a forked child: close its copies of the descriptors, which would keep the parent's lock alive."""
    for journal in list(_OPEN):
        journal.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
