"""A disk that fails when it is told to: one `Files` with a plan."""

import errno
import os

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
    "make_folder",
    "sync_folder",
):
    setattr(FaultyFiles, _name, _failing(_name))
