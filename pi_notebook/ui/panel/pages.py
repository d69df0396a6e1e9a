"""A session's conversation page by page, from the entries of its branch; only what is shown is decoded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_notebook.agent.entries import Entry, MessageEntry
from pi_notebook.agent.messages import ImageContent, ToolResultMessage
from pi_notebook.session.store import SessionStore
from pi_notebook.ui.panel.retelling import KINDS, Retelling
from pi_notebook.ui.panel.segments import call_of, index_of, newest
from pi_notebook.ui.protocol import segments as wire

PAGE_SEGMENTS = 100
PAGE_BYTES = 500_000
_CHUNK = 64
"""Entries that are looked at together."""
_MAX_AFTER_CALL = 1_000
"""Entries between a call and its result."""


@dataclass(frozen=True, kw_only=True)
class Page:
    """Segments that stand one after the other."""

    segments: list[wire.Segment]
    pictures: dict[str, Sequence[ImageContent]]
    """By segment; they are not in it yet."""
    has_earlier: bool


def page_before(
    store: SessionStore, end: int, *, max_segments: int = PAGE_SEGMENTS, max_bytes: int = PAGE_BYTES
) -> Page:
    """The newest segments of the first `end` entries of the branch, as many as are asked for."""
    start = end = min(end, len(store.branch()))
    entries: list[tuple[int, Entry]] = []
    kept: list[wire.Segment] = []
    told, is_cut = Retelling(entries), False
    while start > 0 and not is_cut:
        start, chunk = _chunk_before(store, start)
        entries[:0] = chunk
        told = Retelling(entries)
        for result in _results(store, end, told.open_calls):
            told.add_result(result)
        kept, is_cut = newest(told.segments.values(), max_segments=max_segments, max_bytes=max_bytes)
    shown = {segment.id for segment in kept}
    pictures = {segment_id: images for segment_id, images in told.pictures.items() if segment_id in shown}
    return Page(segments=kept, pictures=pictures, has_earlier=is_cut)


def call_result(store: SessionStore, segment_id: str) -> ToolResultMessage | None:
    """The result of the call that a segment shows; None when there is none yet."""
    index = index_of(segment_id)
    if index is None or not call_of(segment_id):
        return None
    return next(_results(store, index, {call_of(segment_id)}), None)


def _chunk_before(store: SessionStore, end: int) -> tuple[int, list[tuple[int, Entry]]]:
    """The next entries before `end` that are shown, in order, and where to look on."""
    branch = store.branch()
    start = max(0, end - _CHUNK)
    shown = set(_of_kinds(store, start, end, KINDS))
    wanted = [index for index in range(start, end) if branch.places[index] in shown]
    return start, list(zip(wanted, branch.at([branch.places[index] for index in wanted]), strict=True))


def _results(store: SessionStore, start: int, calls: set[str]) -> Iterator[ToolResultMessage]:
    """The results of `calls` that stand behind the first `start` entries of the branch, but not far."""
    if not calls:
        return
    branch = store.branch()
    end = min(len(branch), start + _MAX_AFTER_CALL)
    waiting = set(calls)
    for entry in branch.at(_of_kinds(store, start, end, ("message:toolResult",))):
        message = entry.message if isinstance(entry, MessageEntry) else None
        if isinstance(message, ToolResultMessage) and message.tool_call_id in waiting:
            waiting.discard(message.tool_call_id)
            yield message
        if not waiting:
            return


def _of_kinds(store: SessionStore, start: int, end: int, kinds: Sequence[str]) -> Sequence[int]:
    """The places of the entries of `kinds` among those from `start` to `end` of the branch."""
    branch = store.branch()
    places = branch.places[start:end]
    return branch.tree.of_kind(places, len(places), kinds)
