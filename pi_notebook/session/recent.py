"""The entries looked at last, decoded, within a bound; the others are read again when they are wanted."""

from __future__ import annotations

import threading
from collections import OrderedDict

from pi_notebook.agent.entries import Entry

MAX_BYTES = 8 * 2**20
"""Of the lines of all that are kept."""
KEEP_BYTES = 256 * 1024
"""An entry whose line is longer is not kept at all: images and large results."""


class RecentEntries:
    """Entries by place; the one unused for longest goes first. For any thread."""

    def __init__(self, *, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[int, tuple[Entry, int]] = OrderedDict()
        self._mutex = threading.Lock()

    def get(self, place: int) -> Entry | None:
        """The entry at `place`, if it is kept."""
        with self._mutex:
            found = self._kept.get(place)
            if found is None:
                return None
            self._kept.move_to_end(place)
            return found[0]

    def put(self, place: int, entry: Entry, *, size: int) -> None:
        """Keep `entry`, whose line has `size` bytes, if it is not large."""
        if size > KEEP_BYTES:
            return
        with self._mutex:
            self._add(place, entry, size)
            while self._bytes > self._max_bytes:
                _, (_, dropped) = self._kept.popitem(last=False)
                self._bytes -= dropped

    def offer(self, place: int, entry: Entry, *, size: int) -> None:
        """Keep `entry` if it is not large and there is room: a walk over all drops nothing."""
        if size > KEEP_BYTES or self._bytes + size > self._max_bytes:
            return
        with self._mutex:
            self._add(place, entry, size)

    def _add(self, place: int, entry: Entry, size: int) -> None:
        if place not in self._kept:
            self._kept[place] = entry, size
            self._bytes += size
