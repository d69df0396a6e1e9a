"""Plain files for the tools: opened without being led astray, replaced as a whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
import threading
import weakref
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from pi_notebook.agent.tools import ToolError
from pi_notebook.context.truncation import format_bytes
from pi_notebook.tools.paths import check_regular, missing_error, os_error, shown_path

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_CREATE |= getattr(os, "O_BINARY", 0)
_BLOCK_BYTES = 1024 * 1024


class _Lock:
    """A lock that can be kept only as long as somebody uses it."""

    def __init__(self) -> None:
        self.held = threading.Lock()


_locks: weakref.WeakValueDictionary[str, _Lock] = weakref.WeakValueDictionary()
_locks_guard = threading.Lock()


@contextmanager
def exclusive(path: Path) -> Iterator[Path]:
    """The real path of `path`, which no other call of a tool changes meanwhile."""
    real = os.path.realpath(path)
    with _locks_guard:
        lock = _locks.setdefault(real, _Lock())
    with lock.held:
        yield Path(real)


def open_plain(path: Path, folder: Path) -> int:
    """A descriptor to read a plain file by; `ToolError` for whatever else is there, without waiting."""
    shown = shown_path(path, folder)
    try:
        # Opening a device can have effects, so it is looked at first, and again in case it changed.
        check_regular(path.stat(), shown)
        descriptor = os.open(path, _READ)
        try:
            check_regular(os.fstat(descriptor), shown)
        except ToolError:
            os.close(descriptor)
            raise
    except (FileNotFoundError, NotADirectoryError):
        raise missing_error(path, folder) from None
    except OSError as error:
        raise os_error(error, "read", shown) from error
    return descriptor


def read_blocks(path: Path, folder: Path) -> Generator[bytes, None, None]:
    """The bytes of a plain file, a block at a time."""
    descriptor = open_plain(path, folder)
    try:
        while block := os.read(descriptor, _BLOCK_BYTES):
            yield block
    except OSError as error:
        raise os_error(error, "read", shown_path(path, folder)) from error
    finally:
        os.close(descriptor)


def read_whole(path: Path, folder: Path, *, max_bytes: int, advice: str) -> bytes:
    """All bytes of a plain file that is no larger than `max_bytes`."""
    parts: list[bytes] = []
    size = 0
    for block in read_blocks(path, folder):
        size += len(block)
        if size > max_bytes:
            raise ToolError(f"{shown_path(path, folder)} is larger than {format_bytes(max_bytes)}. {advice}")
        parts.append(block)
    return b"".join(parts)


def replace_file(real: Path, data: bytes, folder: Path) -> bool:
    """Put `data` at `real`, whole or not at all; true when nothing was there before.

    The old mode is kept. A file that may not be written is not replaced either, though its folder
    would allow it.
    """
    shown = shown_path(real, folder)
    try:
        mode = _mode_to_keep(real, shown)
        real.parent.mkdir(parents=True, exist_ok=True)
        temporary = real.with_name(f".{secrets.token_hex(8)}.tmp")
        _write_new(temporary, data, mode)
        try:
            os.replace(temporary, real)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise os_error(error, "written", shown) from error
    return mode is None


def _mode_to_keep(real: Path, shown: str) -> int | None:
    try:
        status = real.stat()
    except FileNotFoundError:
        return None
    check_regular(status, shown)
    if not os.access(real, os.W_OK):
        raise ToolError(f"{shown} is read-only. Write to another path, or ask the person to allow it.")
    return stat.S_IMODE(status.st_mode)


def _write_new(path: Path, data: bytes, mode: int | None) -> None:
    descriptor = os.open(path, _CREATE, 0o666 if mode is None else 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if mode is not None:
            os.chmod(path, mode)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
