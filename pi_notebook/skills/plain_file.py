"""Reading a file that somebody else put there: its two ends at most, and without waiting for anything."""

from __future__ import annotations

import codecs
import os
import stat
from dataclasses import dataclass
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class UnreadableFile(Exception):
    """A file that cannot be used; its text says why, to stand behind the path."""


@dataclass(frozen=True, kw_only=True)
class FileText:
    """The text of a file, or of its two ends."""

    head: str
    tail: str = ""
    """Empty when all of the file is in `head`."""
    size: int
    """Bytes of the file."""
    omitted_bytes: int = 0
    """Between the ends."""
    is_utf8: bool = True
    """False when characters had to be replaced."""


def read_text(path: Path, *, max_bytes: int, tail_bytes: int = 0) -> FileText:
    """The text of the plain file at `path`: its first `max_bytes`, and of a larger one the last `tail_bytes`.

    Line ends are those of Unix, a byte order mark is left out. Raises `UnreadableFile` for what is no
    text, and `FileNotFoundError` when nothing is there.
    """
    try:
        descriptor = _open(path)
        try:
            head = _read(descriptor, max_bytes + 1)
            size = max(os.fstat(descriptor).st_size, len(head))
            if len(head) <= max_bytes:
                return _text_of(head)
            os.lseek(descriptor, max(max_bytes, size - tail_bytes), os.SEEK_SET)
            return _ends_of(head[:max_bytes], _read(descriptor, tail_bytes), size)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise UnreadableFile(f"cannot be read: {error.strerror or error}") from error


def is_plain(path: Path) -> bool:
    """Whether a plain file, or a link to one, is at `path`."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def lies_within(path: Path, root: Path) -> bool:
    """Whether `path`, its links followed, lies in `root`."""
    return is_below(os.path.realpath(path), os.path.realpath(root))


def is_below(real: str, real_root: str) -> bool:
    """Whether the real path `real` is `real_root` or lies in it."""
    return real == real_root or real.startswith(real_root.rstrip(os.sep) + os.sep)


def _open(path: Path) -> int:
    # Opening a device can have effects, so it is looked at first, and again in case it changed.
    _check_plain(os.stat(path))
    descriptor = os.open(path, _FLAGS)
    try:
        _check_plain(os.fstat(descriptor))
    except UnreadableFile:
        os.close(descriptor)
        raise
    return descriptor


def _check_plain(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableFile("is no plain file")


def _read(descriptor: int, count: int) -> bytes:
    parts = []
    while count > 0 and (block := os.read(descriptor, count)):
        parts.append(block)
        count -= len(block)
    return b"".join(parts)


def _text_of(data: bytes) -> FileText:
    if data.startswith(_UTF16):
        text = data.decode("utf-16", "replace")
        return FileText(head=_lines(text), size=len(data), is_utf8="\ufffd" not in text)
    head, is_utf8 = _decoded(data)
    return FileText(head=head, size=len(data), is_utf8=is_utf8)


def _ends_of(head: bytes, tail: bytes, size: int) -> FileText:
    # A character that a cut goes through is left out.
    start, is_head_utf8 = _decoded(_cut_end(head))
    end, is_tail_utf8 = _decoded(_cut_start(tail))
    return FileText(
        head=start,
        tail=end,
        size=size,
        omitted_bytes=max(0, size - len(head) - len(tail)),
        is_utf8=is_head_utf8 and is_tail_utf8,
    )


def _decoded(data: bytes) -> tuple[str, bool]:
    """The text, and whether it is UTF-8; `UnreadableFile` when it is no text at all."""
    if b"\0" in data:
        raise UnreadableFile("is no text file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _lines(data.decode("utf-8-sig", "replace")), False
    return _lines(text), True


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _cut_end(data: bytes) -> bytes:
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte >= 0xC0:
            return data[:-back]
        if byte < 0x80:
            break
    return data


def _cut_start(data: bytes) -> bytes:
    start = 0
    while start < min(3, len(data)) and 0x80 <= data[start] < 0xC0:
        start += 1
    return data[start:]
