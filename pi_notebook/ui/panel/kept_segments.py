"""The newest segments of a conversation, kept within bounds: how many, how large, how many pictures."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

import msgspec

from pi_notebook.ui.panel.segments import ended, index_of, newest
from pi_notebook.ui.protocol import segments as wire
from pi_notebook.ui.protocol.record import Image

MAX_SEGMENTS = 300
MAX_BYTES = 1_000_000
"""Of a snapshot, without its pictures."""
MAX_IMAGE_CHARS = 800_000
"""Of all the pictures that are kept, the newest."""


class KeptSegments:
    """Segments by id, in the order they began; what a reply is made of is kept or let go together."""

    def __init__(self, segments: Iterable[wire.Segment], *, is_shortened: bool) -> None:
        self._segments = {segment.id: segment for segment in segments}
        self._is_shortened = is_shortened

    def get(self, segment_id: str) -> wire.Segment | None:
        """The segment of that id, while it is kept."""
        return self._segments.get(segment_id)

    def put(self, segment: wire.Segment) -> None:
        """Keep `segment`, in the place of the one with its id."""
        self._segments[segment.id] = segment
        if len(self._segments) > MAX_SEGMENTS:
            self._drop_oldest()

    def put_pictures(self, segment_id: str, images: list[Image]) -> wire.Segment | None:
        """The segment with its pictures; None when it is not kept or takes none."""
        segment = self._segments.get(segment_id)
        if not images or not isinstance(segment, (wire.CallSegment, wire.PromptSegment)):
            return None
        shown = self._segments[segment_id] = msgspec.structs.replace(segment, images=images)
        self._drop_pictures()
        return shown

    def snapshot(self, *, is_running: bool) -> tuple[list[wire.Segment], bool]:
        """Those that fit a message, and whether older ones are left out."""
        shown = (ended(segment, is_running=is_running) for segment in self._segments.values())
        kept, is_cut = newest(shown, max_segments=MAX_SEGMENTS, max_bytes=MAX_BYTES + MAX_IMAGE_CHARS)
        return kept, is_cut or self._is_shortened

    def _drop_oldest(self) -> None:
        """Let go of all that the oldest reply is made of, unless that is the newest too."""
        ids = list(self._segments)
        first = index_of(ids[0])
        if first == index_of(ids[-1]):
            return
        self._is_shortened = True
        for segment_id in takewhile(lambda one: index_of(one) == first, ids):
            del self._segments[segment_id]

    def _drop_pictures(self) -> None:
        """Let go of the oldest pictures; panels that are open have them."""
        room = MAX_IMAGE_CHARS
        for segment_id, segment in reversed(self._segments.items()):
            if isinstance(segment, (wire.CallSegment, wire.PromptSegment)) and segment.images:
                room -= sum(len(image.data) for image in segment.images)
                if room < 0:
                    self._segments[segment_id] = msgspec.structs.replace(segment, images=[])
