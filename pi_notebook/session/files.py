"""The file operations that sessions rest on.

Whatever must last goes through a `Files`, one method a system call, so that a test can make any
single one fail. What they are put together to is the business of `home`, `journal` and the spill.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no advisory locks
    _LOCK = None
else:
    _LOCK = fcntl.LOCK_EX | fcntl.LOCK_NB

_SYNC = getattr(os, "fdatasync", os.fsync)
_ALWAYS = (
    getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a named pipe in the place of a file must not stop us
    | getattr(os, "O_BINARY", 0)
)

READ = os.O_RDONLY
READ_WRITE = os.O_RDWR | os.O_APPEND
APPEND = os.O_WRONLY | os.O_APPEND
CREATE = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL
REPLACE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


class Files:
    """System calls on files that are this user's alone; each raises `OSError`."""

    def open(self, path: Path, flags: int) -> int:
        """A descriptor that no child inherits; links are not followed."""
        return os.open(path, flags | _ALWAYS, 0o600)

    def write(self, fd: int, data: memoryview) -> int:
        """How many bytes of `data` were taken: on a full disk fewer, without an error."""
        return os.write(fd, data)

    def read_at(self, fd: int, count: int, offset: int) -> bytes:
        return os.pread(fd, count, offset)

    def sync(self, fd: int) -> None:
        """Return when what was written is on the disk."""
        _SYNC(fd)

    def status(self, fd: int) -> os.stat_result:
        return os.fstat(fd)

    def truncate(self, fd: int, offset: int) -> None:
        os.ftruncate(fd, offset)

    def lock(self, fd: int) -> None:
        """Take the file for this process, or raise `BlockingIOError`; where there are no locks, another."""
        if _LOCK is None:
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
        fcntl.flock(fd, _LOCK)

    def make_private(self, fd: int) -> None:
        """Mode 0600, which the umask may have narrowed."""
        os.fchmod(fd, 0o600)

    def close(self, fd: int) -> None:
        os.close(fd)

    def look_up(self, path: Path) -> os.stat_result:
        """What stands at `path` itself, a link not followed."""
        return os.lstat(path)

    def rename(self, path: Path, new: Path) -> None:
        """Give the file another name at once; what had it before is gone."""
        os.replace(path, new)

    def remove(self, path: Path) -> None:
        os.unlink(path)

    def make_folder(self, path: Path) -> None:
        """A new folder of mode 0700 whatever the umask."""
        os.mkdir(path, 0o700)
        os.chmod(path, 0o700)

    def sync_folder(self, path: Path) -> None:
        """Return when the names in the folder `path` are on the disk."""
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        except OSError as error:
            if error.errno != errno.EINVAL:  # some network file systems cannot sync a folder
                raise
        finally:
            os.close(fd)


def write_all(files: Files, fd: int, data: bytes) -> None:
    """Write the whole of `data`, or raise `OSError`; a short write is followed by another."""
    rest = memoryview(data)
    while rest:
        written = files.write(fd, rest)
        if written == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rest = rest[written:]


def read_exactly(files: Files, fd: int, count: int, offset: int) -> bytes:
    """`count` bytes from `offset`; fewer only where the file ends."""
    parts: list[bytes] = []
    while count > 0:
        part = files.read_at(fd, count, offset)
        if not part:
            break
        parts.append(part)
        count -= len(part)
        offset += len(part)
    return b"".join(parts)
