"""The file that is imported: read as it was when it was opened, a line or the whole at a time."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from pi_notebook.errors import SessionFormatError
from pi_notebook.session.home import is_ours

MAX_LINE_BYTES = 64 * 2**20
MAX_DOCUMENT_BYTES = 256 * 2**20
_START_BYTES = 64 * 1024
_LOOK_LINES = 200


class Source:
    """An open transcript. What is appended to it meanwhile is not seen."""

    def __init__(self, path: Path, file: IO[bytes], status: os.stat_result) -> None:
        self.path = path
        self.modified_ms = status.st_mtime_ns // 1_000_000
        self._file = file
        self._size = status.st_size

    @cached_property
    def start(self) -> bytes:
        """The first bytes that are no white space."""
        self._file.seek(0)
        return self._file.read(min(_START_BYTES, self._size)).lstrip()

    @cached_property
    def first_records(self) -> list[dict[str, Any]]:
        """The objects on the first lines."""
        found = []
        for number, (_, record) in enumerate(self.records()):
            if record is not None:
                found.append(record)
            if number >= _LOOK_LINES:
                break
        return found

    @property
    def has_grown(self) -> bool:
        """True when the file is longer than it was."""
        return os.fstat(self._file.fileno()).st_size > self._size

    def records(self) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """The lines by number, decoded; None for one that is no JSON object, or too long to be one."""
        self._file.seek(0)
        for number, line in enumerate(self._lines(), 1):
            if line is None or not line.isspace():
                yield number, None if line is None else decoded(line)

    def document(self) -> bytes:
        """The whole file; `SessionFormatError` when it is too large for that."""
        if self._size > MAX_DOCUMENT_BYTES:
            raise SessionFormatError(
                f"{self.path} is too large to import: {self._size / 2**20:,.0f} MB, where "
                f"{MAX_DOCUMENT_BYTES // 2**20} are read.",
                path=self.path,
            )
        self._file.seek(0)
        return self._file.read(self._size)

    def _lines(self) -> Iterator[bytes | None]:
        left = self._size
        while left > 0 and (line := self._file.readline(min(left, MAX_LINE_BYTES))):
            left -= len(line)
            if line.endswith(b"\n") or left <= 0:
                yield line
                continue
            while left > 0 and not line.endswith(b"\n"):
                line = self._file.readline(min(left, MAX_LINE_BYTES))
                left -= len(line)
            yield None


def decoded(line: bytes) -> dict[str, Any] | None:
    """The object in `line`; None when it holds something else."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


@contextmanager
def opened_source(path: Path) -> Iterator[Source]:
    """The transcript at `path`.

    Raises `SessionFormatError` when it is none: no plain file, not this user's, or empty.
    """
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:  # `ValueError` for a name with a NUL in it
        why = error.strerror if isinstance(error, OSError) else error
        raise SessionFormatError(f"{path} cannot be imported: {why}.", path=path) from error
    try:
        status = os.fstat(fd)
        _check(path, status)
        with open(fd, "rb", closefd=False) as file:
            yield Source(path, file, status)
    finally:
        os.close(fd)


def _check(path: Path, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise SessionFormatError(
            f"{path} is a folder. Name one transcript in it: %agent import {path}/NAME.", path=path
        )
    if not stat.S_ISREG(status.st_mode):
        raise SessionFormatError(f"{path} is not a plain file and cannot be imported.", path=path)
    if not is_ours(status):
        raise SessionFormatError(f"{path} belongs to another user. Copy it and import the copy.", path=path)
    if not status.st_size:
        raise SessionFormatError(f"{path} is empty: there is nothing to import.", path=path)
