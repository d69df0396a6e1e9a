"""Which entries of a branch its context is made of: what the compactions kept, and what came after.

Told from the index and the compactions alone, so that resuming a long session reads its end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.session.tree import StoredEntries

_KINDS = ("message", "custom_message", "branch_summary", "compaction", "context_edit")
"""What a projection makes something of; the records of the program are not among them."""

Span = tuple[int, int]
"""From one place in the branch to before another."""


def context_entries(branch: StoredEntries) -> StoredEntries:
    """The entries of `branch` whose projection has the same messages as that of the whole branch."""
    if branch.tree.has_repeated_ids:
        return branch  # which of them a compaction means depends on what was read before it
    kept: list[Span] = []
    firsts = set()
    begin = 0
    for compaction in branch.of_kind("compaction"):
        index = _index(branch, compaction.id)
        if index is None or not isinstance(compaction, CompactionEntry):
            continue
        first = compaction.first_kept_entry_id
        kept = [(index, index + 1), *_from(first, [*kept, (begin, index)], branch)]
        firsts.add(branch.tree.find(first))
        begin = index + 1
    if not kept:
        return branch.of_kind(*_KINDS)
    spans = sorted([*kept, (begin, len(branch))])
    places = [place for start, end in spans for place in branch.places[start:end]]
    said = set(branch.at(places).of_kind(*_KINDS).places) | firsts
    return branch.at([place for place in places if place in said])


def _from(entry_id: str, spans: Sequence[Span], branch: StoredEntries) -> list[Span]:
    """What of `spans` begins with that entry; nothing when it is not in them."""
    index = _index(branch, entry_id)
    if index is None:
        return []
    for number, (start, end) in enumerate(spans):
        if start <= index < end:
            return [(index, end), *spans[number + 1 :]]
    return []


def _index(branch: StoredEntries, entry_id: str) -> int | None:
    """Where in the branch that entry stands. Places grow along a branch: a parent is always above."""
    place = branch.tree.find(entry_id)
    if place is None:
        return None
    index = bisect_left(branch.places, place, 0, len(branch))
    return index if index < len(branch) and branch.places[index] == place else None
