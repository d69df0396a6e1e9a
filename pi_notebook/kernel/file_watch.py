"""Files that Python code opens, renames and deletes, noted while the code runs.

The wrappers stand only while a watch is open: an audit hook could never be removed again. What child
processes and native code do is not seen here, but by `folder_scan`.
"""

from __future__ import annotations

import functools
import os
import site
import sys
import sysconfig
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import get_ident
from types import TracebackType
from typing import Any

from pi_notebook.kernel.effects import FileAction
from pi_notebook.kernel.file_wrappers import activate, places, raw

MAX_FILES = 20_000
"""Different files of one call that are told apart; what comes after them is not noted."""


class FileWatch:
    """While open, notes what this process does to files. Threads that ran before are not the code's."""

    def __init__(self) -> None:
        self.is_cut = False
        self.log: list[tuple[str | None, Any, int]] = []
        """See `Watch`; threads other than the code's write into it too."""
        self._spelled: Counter[tuple[str, Any]] = Counter()
        """How often each path was opened in each mode since the working folder was another."""
        self._flushing = threading.RLock()  # a signal's handler may open a file in between
        self._effects: dict[tuple[str, FileAction], int] = {}
        self._new: set[str] = set()
        self._swapped: list[tuple[Any, str, Any, Any]] = []

    def __enter__(self) -> FileWatch:
        this = get_ident()
        self._others = frozenset(t.ident for t in threading.enumerate() if t.ident != this)
        for owner, name, wrap in places():
            self._swap(owner, name, wrap)
        activate(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        activate(None)
        for owner, name, original, wrapper in reversed(self._swapped):
            # Code may have put a function of its own there, which then calls ours.
            if raw(owner, name) is wrapper:
                setattr(owner, name, original)
        self._swapped.clear()

    def seen(self) -> dict[tuple[str, FileAction], int]:
        """How often each was done to each file, once the watch is closed.

        Files that lived in the call alone are left out, and what is read of libraries.
        """
        self.settle()
        gone = {path for path in self._new if not os.path.lexists(path)}
        libraries = _library_folders()
        return {
            key: count
            for key, count in self._effects.items()
            if key[0] not in gone and not (key[1] == "read" and key[0].startswith(libraries))
        }

    def flush(self) -> None:
        """Count what stands in the log, which is empty then."""
        with self._flushing:
            # Other threads append meanwhile: what is taken is what is removed.
            count = len(self.log)
            taken, self.log[:count] = self.log[:count], []
        for (path, how, thread), times in Counter(taken).items():
            if path is None or thread in self._others:
                continue
            key = (path, how)
            if key in self._spelled or len(self._spelled) < MAX_FILES:
                self._spelled[key] += times
            else:
                self.is_cut = True

    def settle(self) -> None:
        """Make absolute what was spelled relative to the folder that is the working folder until now."""
        self.flush()
        spelled, self._spelled = self._spelled, Counter()
        try:
            folder = os.getcwd()
        except OSError:
            return
        inside = folder if folder.endswith("/") else f"{folder}/"
        effects = self._effects
        for (path, how), count in spelled.items():
            full = _normal(folder, path) if _is_winding(path) else path if path[0] == "/" else inside + path
            action = _MEANINGS.get(how) or _action(how)
            if type(how) is int and action == "read" and not os.path.isfile(full):
                continue  # folders are opened to be walked
            if (how & os.O_EXCL) if type(how) is int else "x" in how:
                self._new.add(full)
            key = (full, action)
            if key in effects:
                effects[key] += count
            elif len(effects) < MAX_FILES:
                effects[key] = count
            else:
                self.is_cut = True

    def _swap(self, owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        original = raw(owner, name)
        if original is None:
            return
        wrapper = wrap(original)
        setattr(owner, name, wrapper)
        self._swapped.append((owner, name, original, wrapper))


def _is_winding(path: str) -> bool:
    """Whether `path` needs more than being put behind the folder."""
    return "./" in path or "//" in path or not path or path[-1] == "." or os.sep != "/"


def _normal(folder: str, path: str) -> str:
    return os.path.normpath(os.path.join(folder, path))


def _action(how: Any) -> FileAction:
    if type(how) is int:
        if not how & (os.O_WRONLY | os.O_RDWR):
            return "read"
        return "written" if how & (os.O_TRUNC | os.O_EXCL) else "modified"
    if "w" in how or "x" in how:
        return "written"
    return "modified" if "a" in how or "+" in how else "read"


_MEANINGS: dict[Any, FileAction] = {
    **dict.fromkeys(("written", "w", "wb"), "written"),
    **dict.fromkeys(("modified", "a", "ab"), "modified"),
    **dict.fromkeys(("r", "rb", "rt"), "read"),
    "deleted": "deleted",
}
"""What most opens are, and the actions themselves."""


@functools.lru_cache(maxsize=1)
def _library_folders() -> tuple[str, ...]:
    """Where lies what comes with Python or a package, or is the system's or a program's own."""
    paths = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths += [site.getusersitepackages(), "/proc", "/sys", "/dev", "/etc", "/usr/share"]
    if sys.prefix != sys.base_prefix:
        paths.append(sys.prefix)
    home = Path.home()
    paths += [str(home / name) for name in (".cache", ".config", ".ipython", ".jupyter", ".local")]
    return tuple(os.path.join(path, "") for path in paths if path)
