"""Sizes and times of the files in a folder, before and after, and what differs.

Sees what child processes and native code write, which no wrapper does. Bounded in files and time.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass

from pi_notebook.kernel.effects import FileEffect

MAX_FILES = 10_000
MAX_SECONDS = 0.1
_MAX_EFFECTS = 1_000
_SKIPPED = {"node_modules", "__pycache__", "site-packages"}
"""Besides folders whose name begins with a dot: none of them is the person's work."""


@dataclass(frozen=True, kw_only=True)
class FolderState:
    """The files of a folder as they stood at one moment."""

    folder: str
    files: dict[str, tuple[int, int, int]]
    """Size, time of change in nanoseconds and inode, by path."""
    is_cut: bool
    """Whether there are more files than were looked at."""
    taken_ns: int


def scan(folder: str, *, max_files: int = MAX_FILES, max_seconds: float = MAX_SECONDS) -> FolderState:
    """The files beneath `folder`, nearest first; links are not followed, nor folders that are hidden."""
    taken_ns = time.time_ns()
    until = time.monotonic() + max_seconds
    files: dict[str, tuple[int, int, int]] = {}
    waiting = deque([folder])
    while waiting:
        if len(files) >= max_files or time.monotonic() > until:
            return FolderState(folder=folder, files=files, is_cut=True, taken_ns=taken_ns)
        is_whole = _scan_one(waiting.popleft(), files, waiting, max_files)
        if not is_whole:
            return FolderState(folder=folder, files=files, is_cut=True, taken_ns=taken_ns)
    return FolderState(folder=folder, files=files, is_cut=False, taken_ns=taken_ns)


def _scan_one(
    folder: str, files: dict[str, tuple[int, int, int]], waiting: deque[str], max_files: int
) -> bool:
    """Add what lies in one folder; False when there was no room for all."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and entry.name not in _SKIPPED:
                        waiting.append(entry.path)
                elif len(files) >= max_files:
                    return False
                else:
                    status = entry.stat(follow_symlinks=False)
                    files[entry.path] = (status.st_size, status.st_mtime_ns, status.st_ino)
    except OSError:  # gone meanwhile, or not ours to read
        return True
    return True


def changes(before: FolderState, after: FolderState, *, known: Collection[str] = ()) -> list[FileEffect]:
    """What became of the files between two scans; `known` paths are told exactly elsewhere."""
    own = notebook_path()
    found = []
    for path, state in after.files.items():
        old = before.files.get(path)
        if old == state or path in known or path == own:
            continue
        if old is not None:
            found.append(FileEffect(path=path, action="modified", witness="scan"))
        elif not before.is_cut or state[1] >= before.taken_ns - _CLOCK_NS:
            found.append(FileEffect(path=path, action="written", witness="scan"))
    for path in before.files.keys() - after.files.keys():
        if path not in known and not (after.is_cut and os.path.lexists(path)):
            found.append(FileEffect(path=path, action="deleted", witness="scan"))
    return found[:_MAX_EFFECTS]


_CLOCK_NS = 10_000_000
"""File systems stamp by a clock that ticks this seldom."""


def notebook_path() -> str | None:
    """The notebook of this kernel, which its front end saves at any time; None where nobody tells."""
    name = os.environ.get("JPY_SESSION_NAME", "")
    return os.path.abspath(name) if name.endswith(".ipynb") else None
