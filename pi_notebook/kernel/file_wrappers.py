"""Wrappers around `open` and functions of `os` that tell a watch what they did.

Owns where they stand and that they add next to nothing while no watch is on: a module that kept one
keeps a plain passage to the original. What is made of what they tell is `file_watch`'s.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import sys
from collections.abc import Callable, Iterator
from threading import get_ident
from typing import Any, Protocol

from pi_notebook.kernel.effects import FileAction


class Watch(Protocol):
    """What the wrappers tell."""

    log: list[tuple[str | None, Any, int]]
    """Each `open` and other action: the path as the code spelled it, a mode, flags or an action, the thread.

    No more than a line is written down while the code waits; what it means is worked out later.
    """

    def flush(self) -> None:
        """The log is long."""
        ...

    def settle(self) -> None:
        """The working folder is about to be another."""
        ...


def activate(watch: Watch | None) -> None:
    """Tell `watch` from now on; None for nobody."""
    global _active, _log
    _active = watch
    _log = watch.log if watch is not None else None


_active: Watch | None = None
_log: list[tuple[str | None, Any, int]] | None = None
_MOST_LINES = 10_000
"""Of the log, before the watch takes them in."""
_UNNAMED = getattr(os, "O_TMPFILE", -1)
"""Opens a folder to make a file without a name."""


def raw(owner: Any, name: str) -> Any:
    """The attribute itself, not what a class makes of it."""
    return vars(owner).get(name)


def places() -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    """Owner, name and wrapper-maker of each function that is watched."""
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
    # All arguments by name: handing on `*args` would double what this costs.
    @functools.wraps(original)
    def opened(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        result = original(file, mode, buffering, encoding, errors, newline, closefd, opener)
        log = _log
        # An opener opens what it likes, mostly by `os.open`.
        if log is not None and opener is None:
            log.append((file if type(file) is str else _spelled(file), mode, get_ident()))
            if len(log) > _MOST_LINES:
                _flush()
        return result

    return opened


@functools.lru_cache(maxsize=32)
def _wrapped_os_open(original: Any) -> Any:
    @functools.wraps(original)
    def opened(path: Any, flags: int, *args: Any, dir_fd: int | None = None, **options: Any) -> int:
        found: int = original(path, flags, *args, dir_fd=dir_fd, **options)
        if flags & _UNNAMED != _UNNAMED:
            _note(path, int(flags), dir_fd)
        return found

    return _as_able(original, opened)


@functools.lru_cache(maxsize=32)
def _wrapped_removal(original: Any) -> Any:
    @functools.wraps(original)
    def removed(path: Any, *, dir_fd: int | None = None) -> None:
        if dir_fd is None and type(path) is str:
            original(path)
            log = _log
            if log is not None:
                log.append((path, "deleted", get_ident()))
                if len(log) > _MOST_LINES:
                    _flush()
            return
        folder = _folder_of(dir_fd)  # the descriptor may be of the folder that goes next
        original(path, dir_fd=dir_fd)
        _note(path, "deleted", dir_fd, folder)

    return _as_able(original, removed)


@functools.lru_cache(maxsize=32)
def _wrapped_rename(original: Any) -> Any:
    @functools.wraps(original)
    def renamed(src: Any, dst: Any, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        original(src, dst, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        _note(src, "deleted", src_dir_fd)
        _note(dst, "written", dst_dir_fd)

    return _as_able(original, renamed)


@functools.lru_cache(maxsize=32)
def _wrapped_link(original: Any) -> Any:
    @functools.wraps(original)
    def linked(src: Any, dst: Any, *args: Any, **options: Any) -> None:
        original(src, dst, *args, **options)
        _note(dst, "written", options.get("dst_dir_fd", options.get("dir_fd")))

    return _as_able(original, linked)


@functools.lru_cache(maxsize=32)
def _wrapped_truncate(original: Any) -> Any:
    @functools.wraps(original)
    def truncated(path: Any, length: int) -> None:
        original(path, length)
        _note(path, "modified")

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


def _note(path: Any, how: int | FileAction, dir_fd: int | None = None, folder: str | None = None) -> None:
    log = _log
    if log is None:
        return
    spelled = path if type(path) is str else _spelled(path)
    if spelled is not None and dir_fd is not None and not os.path.isabs(spelled):
        parent = folder or _folder_of(dir_fd)
        spelled = os.path.join(parent, spelled) if parent else None
    log.append((spelled, how, get_ident()))
    if len(log) > _MOST_LINES:
        _flush()


def _flush() -> None:
    watch = _active
    if watch is not None:
        watch.flush()


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
