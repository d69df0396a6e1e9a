"""Files that are no lines of UTF-8, put one after the other as lines that are, so that both engines can
search them: notebooks by cell, texts in other encodings, texts whose lines end in a carriage return.

The lines stand in a file without a name, which is gone with the process.
"""

from __future__ import annotations

import bisect
import tempfile
from dataclasses import dataclass
from typing import IO

from pi_notebook.tools.notebook_file import cell_texts


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a line comes from."""

    path: str
    cell: str
    """As in `cell 2` or `cell 2 output`; empty for a file that is no notebook."""
    line: int


@dataclass(frozen=True, kw_only=True)
class _Section:
    path: str
    cell: str
    line_count: int


class ConvertedText:
    """Lines of many files, each of which knows its place.

    `gap` blank lines part the sections, so that what stands around a match is never another's.
    """

    def __init__(self, *, gap: int) -> None:
        self._gap = b"\n" * gap
        self._file: IO[bytes] | None = None
        self._sections: list[_Section] = []
        self._starts: list[int] = []
        self._lines = 0

    @property
    def file(self) -> IO[bytes] | None:
        """At its start; None when nothing was added."""
        if self._file is not None:
            self._file.seek(0)
        return self._file

    def add_text(self, path: str, text: str) -> None:
        """Take the lines of a file."""
        self._add(path, "", text)

    def add_notebook(self, path: str, data: bytes) -> None:
        """Take sources and outputs of a notebook, cell by cell. `ValueError` when it is none."""
        for number, cell in enumerate(cell_texts(data), 1):
            self._add(path, f"cell {number}", cell.source)
            for output in cell.outputs:
                self._add(path, f"cell {number} output", output)

    def place(self, line: int) -> Place | None:
        """Where line `line` (from 1) comes from; None for a gap."""
        index = bisect.bisect_right(self._starts, line) - 1
        if index < 0:
            return None
        section, number = self._sections[index], line - self._starts[index] + 1
        if number > section.line_count:
            return None
        return Place(path=section.path, cell=section.cell, line=number)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def _add(self, path: str, cell: str, text: str) -> None:
        if not text:
            return
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        data = text.removesuffix("\n").encode("utf-8", "replace") + b"\n"
        count = data.count(b"\n")
        self._sections.append(_Section(path=path, cell=cell, line_count=count))
        self._starts.append(self._lines + 1)
        self._file.write(data + self._gap)
        self._lines += count + len(self._gap)
