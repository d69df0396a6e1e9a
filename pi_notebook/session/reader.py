"""Reading a session's entries: one by its place, or many in order, a block of the file at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pi_notebook.agent.entries import Entry
from pi_notebook.session.journal import Journal
from pi_notebook.session.lines import read_entry
from pi_notebook.session.recent import RecentEntries
from pi_notebook.session.tree import Tree

_BLOCK_BYTES = 1 << 20
_GAP_BYTES = 1 << 14
"""Read for nothing rather than in two pieces."""

Wanted = list[tuple[int, int, int]]
"""Place, offset and length of each."""


class EntryReader:
    """The lines of `tree`, from the file and from memory, as they were written and as entries."""

    def __init__(self, tree: Tree) -> None:
        self.journal: Journal | None = None
        self.kept_lines: dict[int, bytes] = {}
        """By place: what is in memory only."""
        self._tree = tree
        self._recent = RecentEntries()

    def line(self, place: int) -> bytes:
        """The line at `place`, without its newline."""
        kept = self.kept_lines.get(place)
        if kept is not None:
            return kept
        assert self.journal is not None
        return self.journal.read(*self._tree.line(place))

    def entry(self, place: int) -> Entry:
        """The entry at `place`."""
        entry = self._recent.get(place)
        if entry is None:
            line = self.line(place)
            entry = self._decoded(place, line)
            self._recent.put(place, entry, size=len(line))
        return entry

    def entries(self, places: Iterable[int]) -> Iterator[Entry]:
        """The entries at `places`. What was looked at before stays kept, however many these are."""
        wanted: Wanted = []
        start = end = 0
        for place in places:
            entry = self._recent.get(place)
            offset, length = self._tree.line(place)
            is_apart = not end <= offset <= end + _GAP_BYTES or offset + length > start + _BLOCK_BYTES
            if wanted and (entry is not None or is_apart or place in self.kept_lines):
                yield from self._block(wanted, start, end)
                wanted = []
            if entry is not None or place in self.kept_lines:
                yield entry or self.entry(place)
                continue
            if not wanted:
                start = offset
            end = offset + length
            wanted.append((place, offset, length))
        if wanted:
            yield from self._block(wanted, start, end)

    def _block(self, wanted: Wanted, start: int, end: int) -> Iterator[Entry]:
        assert self.journal is not None
        data = self.journal.read(start, end - start)
        for place, offset, length in wanted:
            entry = self._decoded(place, data[offset - start : offset - start + length])
            self._recent.offer(place, entry, size=length)
            yield entry

    def _decoded(self, place: int, line: bytes) -> Entry:
        return read_entry(line, entry_id=self._tree.entry_id(place), parent_id=self._tree.parent_id(place))
