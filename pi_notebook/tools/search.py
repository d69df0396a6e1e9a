"""Lines of files that match a pattern, by ripgrep where it is installed and by Python else.

Both are given the same files, and files that are no lines of UTF-8 as the same text, so that what is
found does not depend on what is installed.
"""

from __future__ import annotations

import base64
import heapq
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from pi_notebook.agent.tools import ToolError
from pi_notebook.tools import line_search
from pi_notebook.tools.converted import ConvertedText
from pi_notebook.tools.searched_files import SearchedFiles

_RIPGREP_FILES = 500
"""Named on one command line."""
_PYTHON_FILES = 5000
_RIPGREP_ERROR = 2


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is looked for."""

    pattern: str
    ignore_case: bool = False
    literal: bool = False
    context: int = 0
    first_only: bool = False
    """Leave a file after its first match."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A line that matches, or one beside it."""

    path: str
    line: int
    text: str
    is_match: bool
    start: int
    """Characters before the match."""
    cell: str = ""
    """Of a notebook, whose lines are counted within it."""


def find_ripgrep() -> str | None:
    """The path of `rg`; None where it is not installed."""
    return shutil.which("rg")


class Search:
    """One search, which may be stopped from another thread. `ToolError` for a pattern that is none."""

    def __init__(self, query: Query, *, folder: Path, ripgrep: str | None) -> None:
        self.query = query
        self._folder = folder
        # Look-around and back references are Python's, not ripgrep's.
        self._ripgrep = ripgrep if ripgrep and _is_taken(ripgrep, query) else None
        if self._ripgrep is None:
            _check(query)
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._is_stopped = False
        self.files = SearchedFiles(folder, should_stop=lambda: self._is_stopped)
        """What became of the files that were not searched as they are."""

    def stop(self) -> None:
        """End the search; `rows` gives no more."""
        self._is_stopped = True
        for process in tuple(self._processes):
            process.kill()

    def rows(self, files: Sequence[str]) -> Iterator[Row]:
        """Matches and their neighbours in the order of `files`, relative to the folder."""
        return self._rows(files, self.query)

    def paths(self, files: Sequence[str]) -> Iterator[str]:
        """Those of `files` that have a match, in order."""
        last = None
        for row in self._rows(files, replace(self.query, context=0, first_only=True)):
            if row.path != last:
                yield row.path
            last = row.path

    def _rows(self, files: Sequence[str], query: Query) -> Iterator[Row]:
        size = _RIPGREP_FILES if self._ripgrep else _PYTHON_FILES
        for at in range(0, len(files), size):
            batch = files[at : at + size]
            converted = ConvertedText(gap=query.context)
            try:
                plain = self.files.sort(batch, converted)
                order = {name: index for index, name in enumerate(batch)}
                found = (self._plain_rows(plain, query), self._converted_rows(converted, query))
                yield from heapq.merge(*found, key=lambda row: order.get(row.path, 0))
            finally:
                converted.close()

    def _plain_rows(self, batch: Sequence[str], query: Query) -> Iterator[Row]:
        if not batch:
            return
        names = [f"./{name}" for name in batch]
        if self._ripgrep:
            yield from self._run([*self._command(query), "--", *names], subprocess.DEVNULL)
            return
        with tempfile.TemporaryFile() as given:
            given.write(b"".join(os.fsencode(name) + b"\0" for name in names))
            given.seek(0)
            yield from self._run([*self._command(query), "paths"], given)

    def _converted_rows(self, converted: ConvertedText, query: Query) -> Iterator[Row]:
        given = converted.file
        if given is None:
            return
        # Its files are one to the engine, which may not leave it after the first.
        command = self._command(replace(query, first_only=False))
        rows = self._run([*command, *(("--", "-") if self._ripgrep else ("text",))], given)
        for row in _around_matches(rows, converted, query.context):
            if place := converted.place(row.line):
                yield replace(row, path=place.path, cell=place.cell, line=place.line)

    def _command(self, query: Query) -> list[str]:
        if self._ripgrep:
            return [self._ripgrep, *_ripgrep_options(query)]
        return [sys.executable, "-I", line_search.__file__, json.dumps(asdict(query))]

    def _run(self, command: Sequence[str], given: IO[bytes] | int) -> Iterator[Row]:
        with subprocess.Popen(
            command, cwd=self._folder, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            self._processes.add(process)
            try:
                if not self._is_stopped:
                    yield from _rows_of(process)
            finally:
                self._processes.discard(process)
                process.kill()


def _around_matches(rows: Iterator[Row], converted: ConvertedText, context: int) -> Iterator[Row]:
    """`rows` without matches in the gaps and what stands around those alone."""
    held: deque[Row] = deque(maxlen=context)
    last = -context - 1
    for row in rows:
        if not row.is_match and row.line - last > context:
            held.append(row)
        elif not row.is_match:
            yield row
        elif converted.place(row.line):
            yield from (earlier for earlier in held if row.line - earlier.line <= context)
            held.clear()
            last = row.line
            yield row


def _ripgrep_options(query: Query) -> list[str]:
    options = ["--no-config", "--json", "--text", "--crlf", "--threads=1", f"--context={query.context}"]
    if query.ignore_case:
        options.append("--ignore-case")
    if query.literal:
        options.append("--fixed-strings")
    if query.first_only:
        options.append("--max-count=1")
    return [*options, f"--regexp={query.pattern}"]


def _is_taken(ripgrep: str, query: Query) -> bool:
    """Whether ripgrep can be given the pattern and read it; tried on nothing."""
    try:
        done = subprocess.run(
            [ripgrep, *_ripgrep_options(query), "-"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, ValueError):  # ValueError: a NUL byte or half a character, which no argument may hold
        return False
    return done.returncode < _RIPGREP_ERROR


def _check(query: Query) -> None:
    try:
        line_search.compiled(query.pattern, literal=query.literal, ignore_case=query.ignore_case)
    except ValueError as error:
        raise ToolError(
            f"{query.pattern!r} is no regular expression: {error}. Use literal=true for plain text."
        ) from None


def _rows_of(process: subprocess.Popen[bytes]) -> Iterator[Row]:
    for line in process.stdout or ():
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
