"""What became, unseen, of files that were seen before: by what name they go now, or that they are gone.

Nothing is watched meanwhile: a file that has moved is known by its size, time of change and inode. One
that was changed as well, or has left the folder, is told of as gone.
"""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterable

from pi_notebook.kernel.effects import FileEffect
from pi_notebook.kernel.folder_scan import scan

MAX_FILES = 200
"""The newest are kept in mind."""


class KnownFiles:
    """Files as they were last looked at; where one is now is looked for in `folder`."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._looking = threading.Lock()  # calls of one reply end at the same time
        self._states: dict[str, tuple[int, int, int]] = {}
        """Size, time of change in nanoseconds and inode, by absolute path, the newest last."""

    def look(self, paths: Iterable[str] = ()) -> None:
        """Keep how `paths`, and those known before, are now; what is gone is known no more."""
        with self._looking:
            wanted = {**self._states, **dict.fromkeys(paths)}
            states = {path: state for path in wanted if (state := _state(path)) is not None}
            self._states = dict(list(states.items())[-MAX_FILES:])

    def moved(self) -> list[FileEffect]:
        """What became of those that are no longer where they were, in the order of their paths."""
        gone = {path: state for path, state in self._states.items() if not os.path.lexists(path)}
        places = _places(self._folder, self._states) if gone else {}
        found = []
        for path, state in sorted(gone.items()):  # calls of one reply end in any order
            now = places.get(state, "")
            found.append(FileEffect(path=path, action="deleted", witness="scan", renamed_to=now))
            if now:
                found.append(FileEffect(path=now, action="written", witness="scan"))
        self.look(one.path for one in found)
        return found


def _places(folder: str, known: Iterable[str]) -> dict[tuple[int, int, int], str]:
    """Where in `folder` a file of each state lies that is not `known`."""
    before = set(known)
    return {state: path for path, state in scan(folder).files.items() if path not in before}


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):
        return None
    return (status.st_size, status.st_mtime_ns, status.st_ino) if stat.S_ISREG(status.st_mode) else None
