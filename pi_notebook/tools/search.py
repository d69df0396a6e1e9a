"""Lines of files that match a pattern, by ripgrep where it is installed and by Python else.

Both are given the same files, so that what is found does not depend on what is installed.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pi_notebook.agent.tools import ToolError
from pi_notebook.tools import line_search

_RIPGREP_FILES = 500
"""Named on one command line."""
_PYTHON_FILES = 5000
_RIPGREP_ERROR = 2
_SNIFFED_BYTES = 8192
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
MAX_LINELESS_BYTES = 64 * 1024 * 1024
"""Larger files that do not begin with lines are named, not searched: a match would be all of them."""


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is looked for."""

    pattern: str
    ignore_case: bool = False
    literal: bool = False
    context: int = 0


@dataclass(frozen=True, kw_only=True)
class Row:
    """A line that matches, or one beside it."""

    path: str
    line: int
    text: str
    is_match: bool
    start: int
    """Characters before the match."""


def find_ripgrep() -> str | None:
    """The path of `rg`; None where it is not installed."""
    return shutil.which("rg")


class Search:
    """One search, which may be stopped from another thread. `ToolError` for a pattern that is none."""

    def __init__(self, query: Query, *, folder: Path, ripgrep: str | None) -> None:
        self._query = query
        self._folder = folder
        # Look-around and back references are Python's, not ripgrep's.
        self._ripgrep = ripgrep if ripgrep and _is_taken(ripgrep, query) else None
        if self._ripgrep is None:
            _check(query)
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self.skipped: list[str] = []
        """Files that are one line too long."""

    def stop(self) -> None:
        """End the search; `rows` gives no more."""
        self._is_stopped = True
        if (process := self._process) is not None:
            process.kill()

    def rows(self, files: Sequence[str]) -> Iterator[Row]:
        """Matches and their neighbours in the order of `files`, relative to the folder."""
        size = _RIPGREP_FILES if self._ripgrep else _PYTHON_FILES
        for at in range(0, len(files), size):
            batch = [name for name in files[at : at + size] if not self._is_stopped and self._is_text(name)]
            if batch:
                yield from self._search(batch)

    def _is_text(self, name: str) -> bool:
        path = self._folder / name
        try:
            with path.open("rb") as file:
                head = file.read(_SNIFFED_BYTES)
                size = os.fstat(file.fileno()).st_size if b"\n" not in head else 0
        except OSError:
            return False
        if size > MAX_LINELESS_BYTES:
            self.skipped.append(name)
            return False
        return b"\0" not in head or head.startswith(_UTF16_MARKS)

    def _search(self, batch: Sequence[str]) -> Iterator[Row]:
        names = [f"./{name}" for name in batch]
        if self._ripgrep:
            command = [self._ripgrep, *_ripgrep_options(self._query), "--", *names]
            given = b""
        else:
            command = [sys.executable, "-I", line_search.__file__, json.dumps(asdict(self._query))]
            given = b"".join(os.fsencode(name) + b"\0" for name in names)
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=self._folder, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        ) as process:
            self._process = process
            try:
                if not self._is_stopped:
                    yield from _rows_of(process, given)
            finally:
                self._process = None
                process.kill()


def _ripgrep_options(query: Query) -> list[str]:
    options = ["--no-config", "--json", "--text", "--crlf", "--threads=1", f"--context={query.context}"]
    if query.ignore_case:
        options.append("--ignore-case")
    if query.literal:
        options.append("--fixed-strings")
    return [*options, f"--regexp={query.pattern}"]


def _is_taken(ripgrep: str, query: Query) -> bool:
    """Whether ripgrep can read the pattern; tried on nothing."""
    try:
        done = subprocess.run(
            [ripgrep, *_ripgrep_options(query), "-"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except OSError:
        return False
    return done.returncode < _RIPGREP_ERROR


def _check(query: Query) -> None:
    try:
        line_search.compiled(query.pattern, literal=query.literal, ignore_case=query.ignore_case)
    except ValueError as error:
        raise ToolError(
            f"{query.pattern!r} is no regular expression: {error}. Use literal=true for plain text."
        ) from None


def _rows_of(process: subprocess.Popen[bytes], given: bytes) -> Iterator[Row]:
    if process.stdin is None or process.stdout is None:
        return
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(given)
        process.stdin.close()
    for line in process.stdout:
        event = json.loads(line)
        if event["type"] in ("match", "context"):
            yield _row(event["data"], is_match=event["type"] == "match")


def _row(data: dict[str, Any], *, is_match: bool) -> Row:
    raw = _bytes_of(data["lines"])
    start = data["submatches"][0]["start"] if data["submatches"] else 0
    return Row(
        path=os.fsdecode(_bytes_of(data["path"])).removeprefix("./"),
        line=data["line_number"],
        text=raw.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r"),
        is_match=is_match,
        start=len(raw[:start].decode("utf-8", "replace")),
    )


def _bytes_of(field: dict[str, str]) -> bytes:
    """What ripgrep gives as text, or as base64 where it is not UTF-8."""
    return field["text"].encode("utf-8") if "text" in field else base64.b64decode(field["bytes"])
