"""The parts of a byte stream that are worth holding: its first block, and its last two.

Blocks lie at fixed distances from the start of the stream, so what is held depends on the stream
alone, not on the pieces it came in.
"""

from __future__ import annotations

from collections.abc import Callable

from pi_notebook.context.cleaning import fold_frames
from pi_notebook.context.truncation import TextSize

_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


class StreamWindow:
    """Counts a whole stream and holds its two ends."""

    def __init__(self, *, block_bytes: int, on_block: Callable[[bytes], None]) -> None:
        self._block_bytes = block_bytes
        self._on_block = on_block
        """Called with each full block, in order; the window keeps no more than it needs."""
        self._head = b""
        self._tail = b""
        self._current = bytearray()
        self._lines = 0
        self._bytes = 0
        self.has_lost = False
        """True when something between the ends is not held any more."""

    def take(self, data: bytes) -> None:
        start = 0
        while len(data) - start >= (room := self._block_bytes - len(self._current)):
            self._current += data[start : start + room]
            start += room
            self._complete_block()
        self._current += data[start:] if start else data

    @property
    def size(self) -> TextSize:
        """Of all that was taken."""
        is_open = bool(last := self._last_byte()) and last != b"\n"
        return TextSize(
            line_count=self._lines + self._current.count(b"\n") + is_open,
            byte_count=self._bytes + len(self._current),
        )

    @property
    def ends_in_line(self) -> bool:
        """True when the next byte would go on in a line that was begun."""
        return self._last_byte() not in (b"", b"\n")

    @property
    def is_past_first_block(self) -> bool:
        return bool(self._head)

    @property
    def current(self) -> bytes:
        """What came after the last full block."""
        return bytes(self._current)

    @property
    def head(self) -> bytes:
        """The start of the stream, up to a block."""
        return self._head or bytes(self._current)

    @property
    def tail(self) -> bytes:
        """The end of the stream without overwritten frames; all of it when `has_lost` is false."""
        held = fold_frames(self._tail + self._current)
        return held[-self._block_bytes :].lstrip(_CONTINUATION_BYTES) if self.has_lost else held

    def recent(self, max_bytes: int) -> bytes:
        """The last bytes as they came."""
        recent = bytes(self._current[-max_bytes:])
        return recent if len(recent) >= max_bytes else (self._tail[-max_bytes:] + recent)[-max_bytes:]

    def _complete_block(self) -> None:
        block = bytes(self._current)
        self._current.clear()
        self._lines += block.count(b"\n")
        self._bytes += len(block)
        self._head = self._head or block
        self._tail = self._rolled(block)
        self._on_block(block)

    def _rolled(self, block: bytes) -> bytes:
        """The tail with `block` behind it: frames of a progress bar take no room from real lines."""
        if b"\r" not in block:
            self.has_lost = self.has_lost or bool(self._tail)
            return block
        folded = fold_frames(self._tail + block)
        self.has_lost = self.has_lost or len(folded) > self._block_bytes
        return folded[-self._block_bytes :]

    def _last_byte(self) -> bytes:
        return bytes(self._current[-1:]) or self._tail[-1:]
