"""The tree that the entries of a session form, and its current branch.

A parent always stands on an earlier line, so there can be no cycle: a parent that is missing, or
stands later, or is the entry itself, is replaced by the entry on the line before and reported.
An entry is known by its place, the how manieth it is in the file; some 200 bytes are kept of each,
however long it is. Reading and writing lines is the business of `store`.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, overload

from msgspec import UnsetType

from pi_notebook.agent.entries import Entry
from pi_notebook.session.lines import Run, Stub

NOWHERE = -1
"""The place before the first entry."""


class Tree:
    """Where each entry stands in the file and what it follows, the leaf, and the branch that ends in it.

    Others may read while one thread adds: an entry is counted when all is known of it.
    """

    def __init__(self) -> None:
        self.leaf = NOWHERE
        self.has_repeated_ids = False
        self._ids: list[str] = []
        self._by_id: dict[str, int] = {}
        self._parents = array("q")
        self._offsets = array("Q")
        self._lengths = array("Q")
        self._kinds = array("L")
        self._kind_numbers: dict[str, int] = {}
        self._branch: array[int] | None = array("L")
        self._moving = threading.Lock()
        """Held for moments only, so that who reads the branch never waits for a disk."""

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, stub: Stub, *, offset: int, length: int) -> str | None:
        """Put an entry after all others and make it the leaf; what was wrong with its parent, if anything."""
        place, entry_id, parent_id, fault = len(self._ids), stub.id, stub.parent_id, None
        parent = NOWHERE
        if parent_id is not None:
            parent = self._by_id.get(parent_id, NOWHERE)  # type: ignore[arg-type]
            if parent == NOWHERE:
                parent = place - 1
                fault = self._adopted(entry_id, parent_id, parent)
        self._parents.append(parent)
        self._offsets.append(offset)
        self._lengths.append(length)
        self._kinds.append(self._kind_numbers.setdefault(stub.kind, len(self._kind_numbers)))
        if entry_id in self._by_id:
            self.has_repeated_ids = True
        self._ids.append(entry_id)
        self._by_id[entry_id] = place
        self._move(place, parent)
        return fault

    def extend(self, run: Run, *, offsets: Sequence[int], lengths: Sequence[int]) -> bool:
        """Add `run` at the leaf; False, and nothing is added, when it belongs elsewhere or an id is taken."""
        start, ids, leaf = len(self._ids), run.ids, self.leaf
        places = dict(zip(ids, range(start, start + len(ids)), strict=True))
        is_next = run.parent_id == (None if leaf == NOWHERE else self._ids[leaf])
        if not is_next or len(places) < len(ids) or not self._by_id.keys().isdisjoint(places):
            return False
        numbers = self._kind_numbers
        self._parents.extend([leaf, *range(start, start + len(ids) - 1)])
        self._offsets.extend(offsets)
        self._lengths.extend(lengths)
        self._kinds.extend([numbers.setdefault(kind, len(numbers)) for kind in run.kinds])
        self._ids += ids
        self._by_id.update(places)
        with self._moving:
            if self._branch is not None:
                self._branch.extend(range(start, start + len(ids)))
            self.leaf = start + len(ids) - 1
        return True

    def find(self, entry_id: str) -> int | None:
        """The place of the newest entry of that id."""
        return self._by_id.get(entry_id)

    def entry_id(self, place: int) -> str:
        return self._ids[place]

    def parent(self, place: int) -> int:
        """The place that the entry at `place` follows, `NOWHERE` for a first one."""
        return self._parents[place]

    def parent_id(self, place: int) -> str | None:
        """The id of the entry that the one at `place` follows, or was taken to follow."""
        parent = self._parents[place]
        return None if parent == NOWHERE else self._ids[parent]

    def line(self, place: int) -> tuple[int, int]:
        """Offset and length of the line, without its newline."""
        return self._offsets[place], self._lengths[place]

    def branch(self) -> array[int]:
        """The places from the root to the leaf. The array may grow, but what is in it stays as it is."""
        with self._moving:
            if self._branch is None:
                branch = array("L")
                place = self.leaf
                while place != NOWHERE:
                    branch.append(place)
                    place = self._parents[place]
                branch.reverse()
                self._branch = branch
            return self._branch

    def of_kind(self, places: Sequence[int], count: int, kinds: Sequence[str]) -> array[int]:
        """Which of the first `count` of `places` hold an entry of one of `kinds` (see `StoredEntries`)."""
        numbers = {
            number
            for kind, number in list(self._kind_numbers.items())
            if any(kind == wanted or kind.startswith(f"{wanted}:") for wanted in kinds)
        }
        found = self._kinds
        return array("L", [place for place in islice(places, count) if found[place] in numbers])

    def _adopted(self, entry_id: str, parent_id: str | UnsetType, parent: int) -> str:
        named = parent_id or "nothing"
        instead = "nothing" if parent == NOWHERE else f"entry {self._ids[parent]}"
        return f"entry {entry_id} follows {named}, which is not above it; it is taken to follow {instead}"

    def _move(self, place: int, parent: int) -> None:
        with self._moving:
            if self._branch is not None and parent == self.leaf:
                self._branch.append(place)
            else:
                self._branch = None
            self.leaf = place


class Reader(Protocol):
    """What reads entries by their places, one or many in order."""

    def entry(self, place: int) -> Entry: ...

    def entries(self, places: Iterable[int]) -> Iterator[Entry]: ...


class StoredEntries(Sequence[Entry]):
    """The entries at the first `count` of `places`, each read when it is asked for."""

    def __init__(
        self, tree: Tree, places: Sequence[int], reader: Reader, *, count: int | None = None
    ) -> None:
        self.tree = tree
        self.places = places
        self._count = len(places) if count is None else count
        self._reader = reader

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Entry]:
        return self._reader.entries(islice(self.places, self._count))

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...

    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        if isinstance(index, slice):
            return [self._reader.entry(self.places[i]) for i in range(self._count)[index]]
        return self._reader.entry(self.places[range(self._count)[index]])

    def of_kind(self, *kinds: str) -> StoredEntries:
        """Those of one of these kinds; no other is read.

        A kind is a `type` of the file, or one with what it is of: `message:user` for a role,
        `custom:pi_notebook/setting` and `custom_message:...` for a `customType`.
        """
        return self.at(self.tree.of_kind(self.places, self._count, kinds))

    def at(self, places: Sequence[int]) -> StoredEntries:
        """The entries at other places of the same session."""
        return StoredEntries(self.tree, places, self._reader)
