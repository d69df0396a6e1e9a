"""Reading a session file line by line into a tree, damaged lines and all.

The file is never changed here. A damaged line is reported and passed over, but for the whole lines
of ours that may stand in it, where a newline was lost or a torn start was never ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import msgspec

from pi_notebook.agent.entries import SessionHeader
from pi_notebook.errors import SessionWriteError
from pi_notebook.session.journal import Journal
from pi_notebook.session.lines import is_sealed, read_header, read_run, read_stub, whole_parts
from pi_notebook.session.tree import Tree

MAX_PROBLEMS = 100
_LINES_AT_ONCE = 400


class Intake:
    """How far a file has been read, and what was found wrong in it."""

    def __init__(self, journal: Journal, tree: Tree) -> None:
        self.header: SessionHeader | None = None
        """None until a first line was read that is one."""
        self.has_entries = False
        """True when a line has been read that says what it follows, as those of a session do."""
        self._journal = journal
        self._tree = tree
        self._problems: list[str] = []
        self._problem_count = 0
        self._by_us = True
        self._seen_bytes = 0
        self._seen_lines = 0

    @property
    def path(self) -> Path:
        return self._journal.path

    @property
    def problems(self) -> tuple[str, ...]:
        """One line each, with line numbers; when there are very many, the last one says how many."""
        more = self._problem_count - len(self._problems)
        return (*self._problems, f"{more} more lines are damaged") if more else tuple(self._problems)

    def read_on(self) -> None:
        """Read what stands behind the part seen before: at first, everything.

        Later that is what a failed append could not take back, or lines of a program without our lock.
        Raises `OSError`, or `SessionWriteError` when the file has become shorter.
        """
        end = self._journal.end
        if end < self._seen_bytes:
            raise SessionWriteError(
                f"The session file {self.path} was shortened by another program.", path=self.path
            )
        if end == self._seen_bytes:
            return
        lines = self._journal.lines(self._seen_bytes)
        while some := list(islice(lines, _LINES_AT_ONCE)):
            if self._is_run(some):
                continue
            for offset, line, is_whole in some:
                self._take_in(offset, line, is_whole=is_whole)
                self._seen_bytes = offset + len(line) + is_whole
                self._seen_lines += is_whole

    def passed(self, offset: int, data: bytes) -> None:
        """Count `data`, whole lines that were written at `offset`, as seen."""
        self._seen_bytes = offset + len(data)
        self._seen_lines += data.count(b"\n")

    def _is_run(self, some: Sequence[tuple[int, bytes, bool]]) -> bool:
        """Take in lines that are all good entries of ours, as most are; False when they are not."""
        offsets, lines, ends = zip(*some, strict=True)
        run = read_run(lines)
        if run is None:
            return False
        lengths = list(map(len, lines))
        if not self._tree.extend(run, offsets=offsets, lengths=lengths):
            return False
        self.has_entries = True
        self._seen_bytes = offsets[-1] + lengths[-1] + ends[-1]
        self._seen_lines += sum(ends)
        return True

    def _take_in(self, offset: int, line: bytes, *, is_whole: bool) -> None:
        if not line or line.isspace() or self._is_taken(offset, line):
            return
        parts = [(start, part) for start, part in whole_parts(line) if self._is_taken(offset + start, part)]
        if parts:
            self._report(f"is damaged; entries kept of it: {len(parts)}")
        else:
            self._report("is damaged and was skipped" if is_whole else "was cut off and is skipped")

    def _is_taken(self, offset: int, line: bytes) -> bool:
        if offset == 0:
            self.header = read_header(line)
            if self.header is not None:
                self._by_us = is_sealed(line)
                return True
        stub = read_stub(line, by_us=self._by_us)
        if stub is None:
            return False
        known = self._tree.find(stub.id)
        if known is not None:
            if self._journal.read(*self._tree.line(known)) == line:
                return True
            self._report(f"has the id {stub.id} of an earlier entry")
        self.has_entries = self.has_entries or stub.parent_id is not msgspec.UNSET
        fault = self._tree.add(stub, offset=offset, length=len(line))
        if fault:
            self._report(fault)
        return True

    def _report(self, fault: str) -> None:
        self._problem_count += 1
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(f"line {self._seen_lines + 1}: {fault}")
