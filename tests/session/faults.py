"""A disk that fails when it is told to: one `Files` with a plan."""

import errno
import os
import signal

from pi_notebook.session.files import Files


class FaultyFiles(Files):
    """Real files, of which some calls fail.

    `fail` names the calls that fail; a call number counts from 1 over all calls, in the order they are
    made. A short write takes some bytes and raises nothing, as a full disk does; the next one fails.
    """

    def __init__(self, *, calls=(), at=None, lasting=False, error=errno.EIO, short=None):
        self.calls = set(calls)
        self.at = at
        self.lasting = lasting
        self.error = error
        self.short = short
        self.count = 0
        self.made = []

    def _may_fail(self, name):
        self.count += 1
        self.made.append(name)
        is_due = self.at is not None and (self.count == self.at or (self.lasting and self.count > self.at))
        if name in self.calls or is_due:
            raise OSError(self.error, os.strerror(self.error))

    def write(self, fd, data):
        self.made.append("write")
        self.count += 1
        is_due = self.at is not None and (self.count == self.at or (self.lasting and self.count > self.at))
        if not is_due and "write" not in self.calls:
            return super().write(fd, data)
        if self.short is not None and len(data) > self.short > 0:
            written = super().write(fd, data[: self.short])
            self.short = 0
            self.at = self.count + 1 if self.at is not None else None
            return written
        raise OSError(self.error, os.strerror(self.error))


def _failing(name):
    real = getattr(Files, name)

    def call(self, *args):
        self._may_fail(name)
        return real(self, *args)

    return call


for _name in (
    "open",
    "read_at",
    "sync",
    "status",
    "truncate",
    "lock",
    "make_private",
    "remove",
    "rename",
    "look_up",
    "make_folder",
    "sync_folder",
):
    setattr(FaultyFiles, _name, _failing(_name))


class DyingFiles(FaultyFiles):
    """Files of a process that is killed at its call number `at`, of a write after `short` bytes.

    Calls that change nothing are not counted, and the disk is not waited for: a kill spares its cache.
    """

    def _may_fail(self, name):
        if name in ("read_at", "status", "look_up"):
            return
        self.count += 1
        if self.count == self.at:
            os.kill(os.getpid(), signal.SIGKILL)

    def write(self, fd, data):
        self.count += 1
        if self.count == self.at:
            Files.write(self, fd, data[: self.short])
            os.kill(os.getpid(), signal.SIGKILL)
        return Files.write(self, fd, data)

    def sync(self, fd):
        self._may_fail("sync")

    def sync_folder(self, path):
        self._may_fail("sync_folder")
