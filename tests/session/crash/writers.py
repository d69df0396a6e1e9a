"""A program that adds entries to a session that others add to as well: `PATH NAME COUNT [lockless]`."""

from __future__ import annotations

import errno
import os
import random
import sys
import time
from pathlib import Path

from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.errors import SessionBusyError, SessionWriteError
from pi_notebook.session.files import Files
from pi_notebook.session.store import SessionStore


class Lockless(Files):
    """A file system without locks."""

    def lock(self, fd: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def write(path: Path, name: str, count: int, files: Files) -> None:
    chance = random.Random(name)
    done = 0
    while done < count:
        try:
            store = SessionStore.open(path, files=files)
        except SessionBusyError:
            time.sleep(chance.uniform(0, 0.01))
            continue
        for _ in range(chance.randint(1, 40)):
            if done < count:
                store.add(MessageEntry, message=user_message(f"{name} {done}"))
                done += 1
            if chance.random() < 0.02:
                _fork(store)
        store.close()


def _fork(store: SessionStore) -> None:
    """A child that tries to write, too, and lives on for a moment."""
    if os.fork() == 0:
        try:
            store.add(MessageEntry, message=user_message("from a child"))
        except SessionWriteError:
            time.sleep(0.05)
        finally:
            os._exit(0)


if __name__ == "__main__":
    path, name, count, *how = sys.argv[1:]
    write(Path(path), name, int(count), Lockless() if how else Files())
