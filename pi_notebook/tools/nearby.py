"""What a path that leads nowhere may have meant: its name in other folders, and names like it."""

from __future__ import annotations

import itertools
import os
import time
import unicodedata
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from pi_notebook._nearest import nearest

_MOST_NAMES = 5000
"""Of a folder, looked at for a name that is nearly right."""
_MOST_ENTRIES = 20_000
_WALK_SECONDS = 0.25
_MOST_SHOWN = 3
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "site-packages", "venv"})


def near_paths(path: Path, folder: Path) -> list[Path]:
    """Up to three paths: of the same name below `folder`, the nearest first, then beside `path`."""
    names = [entry.name for entry, _ in zip(_entries(path.parent), range(_MOST_NAMES), strict=False)]
    beside = [path.parent / name for name in nearest(path.name, names)]
    found = dict.fromkeys([*_same_name(path.name, folder), *beside])
    found.pop(path, None)  # a link that leads nowhere
    return list(found)[:_MOST_SHOWN]


def _same_name(name: str, folder: Path) -> list[Path]:
    """Where `name` is below `folder`, as far as a moment's look tells; ignored files count."""
    wanted = _folded(name)
    deadline = time.monotonic() + _WALK_SECONDS
    entries = zip(_walk(folder), range(_MOST_ENTRIES), strict=False)
    in_time = itertools.takewhile(lambda _: time.monotonic() < deadline, entries)
    found = (Path(entry.path) for entry, _ in in_time if _folded(entry.name) == wanted)
    nearest = itertools.islice(found, _MOST_SHOWN)
    return sorted(nearest, key=lambda path: (len(path.parts), path))


def _walk(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What is below `folder`, level by level."""
    pending = deque([folder])
    while pending:
        for entry in _entries(pending.popleft()):
            yield entry
            if _is_entered(entry):
                pending.append(Path(entry.path))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def _is_entered(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name in _PASSED_OVER:
        return False
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
