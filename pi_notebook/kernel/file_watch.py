"""Files that Python code opens, renames and deletes, noted while the code runs.

Owns the wrappers around `open` and the functions of `os`, which stand only while a watch is open:
an audit hook could never be removed again. What child processes and native code do is not seen
here, but by `folder_scan`. A module that kept a wrapper keeps a plain passage to the original.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import site
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from pi_notebook.kernel.effects import FileAction, FileEffect

MAX_FILES = 20_000
"""Different files of one call that are told apart; what comes after them is not noted."""


class FileWatch:
    """While open, notes what this process does to files. Threads that ran before are not the code's."""

    def __init__(self) -> None:
        self.is_cut = False
        self._opened: dict[tuple[str, Any], int] = {}
        """As the code spelled them, since this stands in the way of every `open`: path and mode, or flags."""
        self._effects: dict[tuple[str, FileAction], int] = {}
        self._new: set[str] = set()
        self._swapped: list[tuple[Any, str, Any, Any]] = []

    def __enter__(self) -> FileWatch:
        global _active
        this = threading.get_ident()
        self.others = frozenset(t.ident for t in threading.enumerate() if t.ident != this)
        for owner, name, wrap in _places():
            self._swap(owner, name, wrap)
        _active = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _active
        _active = None
        for owner, name, original, wrapper in reversed(self._swapped):
            # Code may have put a function of its own there, which then calls ours.
            if _raw(owner, name) is wrapper:
                setattr(owner, name, original)
        self._swapped.clear()

    def effects(self) -> list[FileEffect]:
        """What was done, once the watch is closed; files that lived in the call alone are left out."""
        self.settle()
        gone = {path for path in self._new if not os.path.lexists(path)}
        return [
            FileEffect(path=path, action=action, witness="python", count=count)
            for (path, action), count in self._effects.items()
            if path not in gone and not (action == "read" and _is_library(path))
        ]

    def note_open(self, path: str, how: Any) -> None:
        """Count an `open` of `path`; `how` is a mode, or flags."""
        key = (path, how)
        count = self._opened.get(key)
        if count is None and len(self._opened) >= MAX_FILES:
            self.is_cut = True
        else:
            self._opened[key] = (count or 0) + 1

    def note(self, path: str, action: FileAction) -> None:
        """Count an action that is not an `open`."""
        key = (os.path.abspath(path), action)
        if key not in self._effects and len(self._effects) >= MAX_FILES:
            self.is_cut = True
        else:
            self._effects[key] = self._effects.get(key, 0) + 1

    def settle(self) -> None:
        """Make absolute what was spelled relative to the folder that is the working folder until now."""
        opened, self._opened = self._opened, {}
        try:
            folder = os.getcwd()
        except OSError:
            return
        for (path, how), count in opened.items():
            full = os.path.normpath(os.path.join(folder, path))
            action = _action(how)
            if type(how) is int and action == "read" and not os.path.isfile(full):
                continue  # folders are opened to be walked
            if (type(how) is int and how & os.O_EXCL) or (type(how) is str and "x" in how):
                self._new.add(full)
            self._effects[full, action] = self._effects.get((full, action), 0) + count

    def _swap(self, owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        original = _raw(owner, name)
        if original is None:
            return
        wrapper = wrap(original)
        setattr(owner, name, wrapper)
        self._swapped.append((owner, name, original, wrapper))


_active: FileWatch | None = None
_UNNAMED = getattr(os, "O_TMPFILE", -1)
"""Opens a folder to make a file without a name."""


def _raw(owner: Any, name: str) -> Any:
    """The attribute itself, not what a class makes of it."""
    return vars(owner).get(name)


def _places() -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    yield builtins, "open", _wrapped_open
    yield io, "open", _wrapped_open
    for module, name in _KEPT_OPENS:
        if module in sys.modules:
            yield sys.modules[module], name, _wrapped_open
    yield os, "open", _wrapped_os_open
    yield os, "chdir", _wrapped_chdir
    for name in ("remove", "unlink"):
        yield os, name, _wrapped_removal
    for name in ("rename", "replace"):
        yield os, name, _wrapped_rename
    for name in ("link", "symlink"):
        yield os, name, _wrapped_link
    yield os, "truncate", _wrapped_truncate
    accessor = getattr(sys.modules.get("pathlib"), "_NormalAccessor", None)
    if accessor is not None:  # Python 3.10 keeps the functions there
        yield accessor, "open", _wrapped_static_open
        yield accessor, "unlink", _wrapped_static_removal
        yield accessor, "rename", _wrapped_static_rename
        yield accessor, "replace", _wrapped_static_rename


_KEPT_OPENS = (
    ("IPython.core.interactiveshell", "io_open"),
    ("tarfile", "bltn_open"),
)
"""Modules that took `open` under another name; IPython's is the `open` of the person's cells."""


@functools.lru_cache(maxsize=32)
def _wrapped_open(original: Any) -> Any:
    @functools.wraps(original)
    def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        result = original(file, mode, *args, **options)
        watch = _active
        # An opener opens what it likes, mostly by `os.open`.
        if watch is not None and "opener" not in options and threading.get_ident() not in watch.others:
            path = file if type(file) is str else _spelled(file)
            if path is not None:
                watch.note_open(path, mode)
        return result

    return opened


@functools.lru_cache(maxsize=32)
def _wrapped_os_open(original: Any) -> Any:
    @functools.wraps(original)
    def opened(path: Any, flags: int, *args: Any, dir_fd: int | None = None, **options: Any) -> int:
        found: int = original(path, flags, *args, dir_fd=dir_fd, **options)
        if flags & _UNNAMED != _UNNAMED:
            _note(lambda watch, spelled: watch.note_open(spelled, int(flags)), path, dir_fd)
        return found

    return _as_able(original, opened)


@functools.lru_cache(maxsize=32)
def _wrapped_removal(original: Any) -> Any:
    @functools.wraps(original)
    def removed(path: Any, *, dir_fd: int | None = None) -> None:
        folder = _folder_of(dir_fd)  # the descriptor may be of the folder that goes next
        original(path, dir_fd=dir_fd)
        _note(lambda watch, spelled: watch.note(spelled, "deleted"), path, dir_fd, folder)

    return _as_able(original, removed)


@functools.lru_cache(maxsize=32)
def _wrapped_rename(original: Any) -> Any:
    @functools.wraps(original)
    def renamed(src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        original(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        _note(lambda watch, spelled: watch.note(spelled, "deleted"), src, src_dir_fd)
        _note(lambda watch, spelled: watch.note(spelled, "written"), dst, dst_dir_fd)

    return _as_able(original, renamed)


@functools.lru_cache(maxsize=32)
def _wrapped_link(original: Any) -> Any:
    @functools.wraps(original)
    def linked(src: Any, dst: Any, *args: Any, **options: Any) -> None:
        original(src, dst, *args, **options)
        _note(
            lambda watch, spelled: watch.note(spelled, "written"),
            dst,
            options.get("dst_dir_fd", options.get("dir_fd")),
        )

    return _as_able(original, linked)


@functools.lru_cache(maxsize=32)
def _wrapped_truncate(original: Any) -> Any:
    @functools.wraps(original)
    def truncated(path: Any, length: int) -> None:
        original(path, length)
        _note(lambda watch, spelled: watch.note(spelled, "modified"), path)

    return _as_able(original, truncated)


@functools.lru_cache(maxsize=32)
def _wrapped_chdir(original: Any) -> Any:
    @functools.wraps(original)
    def moved(path: Any) -> None:
        watch = _active
        if watch is not None:
            watch.settle()
        original(path)

    return _as_able(original, moved)


def _wrapped_static_open(original: Any) -> Any:
    return staticmethod(_wrapped_open(original))


def _wrapped_static_removal(original: Any) -> Any:
    return staticmethod(_wrapped_removal(original))


def _wrapped_static_rename(original: Any) -> Any:
    return staticmethod(_wrapped_rename(original))


def _as_able(original: Any, wrapper: Any) -> Any:
    """`wrapper`, which whoever asks `os` what the original can do is told the same of."""
    for known in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        if original in known:
            known.add(wrapper)
    return wrapper


def _note(
    note: Callable[[FileWatch, str], None], path: Any, dir_fd: int | None = None, folder: str | None = None
) -> None:
    watch = _active
    if watch is None or threading.get_ident() in watch.others:
        return
    spelled = _spelled(path)
    if spelled is not None and dir_fd is not None and not os.path.isabs(spelled):
        parent = folder or _folder_of(dir_fd)
        spelled = os.path.join(parent, spelled) if parent else None
    if spelled is not None:
        note(watch, spelled)


def _spelled(path: Any) -> str | None:
    """A path as text; None for a descriptor and what is none."""
    if isinstance(path, int):
        return None
    try:
        return os.fsdecode(path)
    except Exception:  # an object of the person's
        return None


def _folder_of(descriptor: int | None) -> str | None:
    """Where a folder's descriptor leads, on systems that tell."""
    if descriptor is None:
        return None
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return None


def _action(how: Any) -> FileAction:
    if type(how) is int:
        if not how & (os.O_WRONLY | os.O_RDWR):
            return "read"
        return "written" if how & (os.O_TRUNC | os.O_EXCL) else "modified"
    if "w" in how or "x" in how:
        return "written"
    return "modified" if "a" in how or "+" in how else "read"


def _is_library(path: str) -> bool:
    """Whether the file comes with Python or a package, or is the system's or a program's own."""
    return path.startswith(_library_folders())


@functools.lru_cache(maxsize=1)
def _library_folders() -> tuple[str, ...]:
    paths = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    paths += [site.getusersitepackages(), "/proc", "/sys", "/dev", "/etc", "/usr/share"]
    if sys.prefix != sys.base_prefix:
        paths.append(sys.prefix)
    home = Path.home()
    paths += [str(home / name) for name in (".cache", ".config", ".ipython", ".jupyter", ".local")]
    return tuple(os.path.join(path, "") for path in paths if path)
