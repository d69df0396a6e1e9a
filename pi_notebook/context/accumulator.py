"""Output taken in while it is produced: bounded in memory, whole on disk, short for the model.

The stream passes through a window that holds its two ends; each block that leaves the window goes to
the spill file as it came, but for keys. Only what is shown is cleaned, at the end.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any, Literal

from pi_notebook.context.cleaning import (
    clean,
    decode,
    encode,
    fold_blank_lines,
    is_binary,
)
from pi_notebook.context.displays import DisplayList, DisplayRecord
from pi_notebook.context.spill import NO_SPILL, SpillFile, SpillFolder, SpillRecord
from pi_notebook.context.truncation import (
    DEFAULT_LIMITS,
    OutputLimits,
    TextSize,
    Truncation,
    format_bytes,
    truncate_head,
    truncate_middle,
    truncate_tail,
)
from pi_notebook.context.window import StreamWindow
from pi_notebook.kernel.outputs import DisplayOutput, StreamName

Keep = Literal["head", "tail", "ends"]
"""Which part of an output that is too long a model reads."""

GLANCE_LIMITS = OutputLimits(max_lines=20, max_bytes=4096)
"""What a person sees of a call while it runs."""

_LEAST_BLOCK_BYTES = 64 * 1024
_BATCH_CHARACTERS = 32 * 1024
"""Written text is gathered up to here: encoding and counting small pieces is what costs."""
_PIECE_CHARACTERS = 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class CapturedOutput:
    """An output within its limits, with the way back to the whole."""

    truncation: Truncation
    spill: SpillRecord = NO_SPILL
    displays: tuple[DisplayRecord, ...] = ()
    """Rich outputs in order, the newest state of each; their notes stand in the content."""
    dropped_displays: int = 0

    @property
    def content(self) -> str:
        return self.truncation.content

    @property
    def notice(self) -> str:
        """One line in brackets: what is shown, of how much, where the rest is; empty when all is shown."""
        if not self.truncation.is_truncated:
            return ""
        return f"[{self.truncation.notice} {self.spill.way_back}]"

    @property
    def text(self) -> str:
        """What the model reads."""
        return f"{self.content}\n\n{self.notice}" if self.notice else self.content

    def details(self) -> dict[str, Any]:
        """JSON for people and programs."""
        details: dict[str, Any] = {"truncation": self.truncation.details()}
        if self.notice:
            details["notice"] = self.notice
        if self.spill.path is not None:
            details["fullOutputPath"] = str(self.spill.path)
            details["spill"] = self.spill.details()
        return details


class OutputAccumulator:
    """An `OutputSink` that also takes bytes. Safe from any thread; nothing it is given makes it raise."""

    def __init__(
        self,
        *,
        limits: OutputLimits = DEFAULT_LIMITS,
        spill_folder: SpillFolder | None = None,
        prefix: str = "output",
    ) -> None:
        self._limits = limits
        self._spill = SpillFile(spill_folder, prefix=prefix) if spill_folder else None
        self._spilled_bytes = 0
        """How much of the window's current block is in the spill file."""
        # Re-entrant: a destructor or a signal handler may print while its own thread is writing.
        self._lock = threading.RLock()
        self._pieces: list[str] = []
        self._characters = 0
        self._displays = DisplayList()
        self._window = StreamWindow(
            block_bytes=max(_LEAST_BLOCK_BYTES, 4 * limits.max_bytes), on_block=self._spill_block
        )

    def write(self, stream: StreamName, text: str) -> None:
        """Take text of either stream; both stand in the order they came."""
        with self._lock:
            self._pieces.append(text)
            self._characters += len(text)
            if self._characters >= _BATCH_CHARACTERS:
                self._encode_pieces()

    def feed(self, data: bytes) -> None:
        """Take bytes as a process wrote them."""
        with self._lock:
            self._encode_pieces()
            self._window.take(data)

    def display(self, output: DisplayOutput) -> None:
        """Take a rich output; its text, or one line that stands for it, goes into the stream."""
        with self._lock:
            note = self._displays.add(output)
            if note:
                self._take_lines(note)

    def glance(self) -> str:
        """The last lines so far, cleaned, for a person who waits."""
        with self._lock:
            self._encode_pieces()
            recent = self._window.recent(4 * GLANCE_LIMITS.max_bytes)
        return truncate_tail(clean(decode(recent)), GLANCE_LIMITS).content.rstrip("\n")

    @property
    def size(self) -> TextSize:
        """Lines and bytes taken so far."""
        with self._lock:
            self._encode_pieces()
            return self._window.size

    def result(self, *, keep: Keep = "tail") -> CapturedOutput:
        """The output so far, within the limits. When that is not all of it, all of it is on disk."""
        with self._lock:
            self._encode_pieces()
            for note in self._displays.updates():
                self._take_lines(note)
            truncation = self._truncate(keep)
            if truncation.is_truncated or self._spilled_bytes or self._window.is_past_first_block:
                self._spill_rest()
            return CapturedOutput(
                truncation=truncation,
                spill=self._spill.record if self._spill else NO_SPILL,
                displays=self._displays.records,
                dropped_displays=self._displays.dropped,
            )

    def close(self) -> None:
        """Close the spill file; what comes later is counted but not kept."""
        with self._lock:
            if self._spill is not None:
                self._spill.close()

    def _encode_pieces(self) -> None:
        pieces, self._pieces, self._characters = self._pieces, [], 0
        if not pieces:
            return
        text = pieces[0] if len(pieces) == 1 else "".join(pieces)
        for start in range(0, len(text), _PIECE_CHARACTERS):
            self._window.take(encode(text[start : start + _PIECE_CHARACTERS]))

    def _take_lines(self, text: str) -> None:
        self._encode_pieces()
        start = "\n" if self._window.ends_in_line else ""
        self._window.take(encode(f"{start}{text}\n"))

    def _truncate(self, keep: Keep) -> Truncation:
        window = self._window
        whole = window.size if window.has_lost else None
        tail = decode(window.tail)
        if is_binary(tail):
            return _binary(window.size, self._limits)
        tail = clean(tail)
        if keep == "tail" and whole and not tail.strip():
            keep = "ends"
        if keep == "tail":
            truncation = truncate_tail(tail, self._limits, whole=whole)
        else:
            head = clean(decode(window.head)) if whole else tail
            if keep == "head":
                truncation = truncate_head(head, self._limits, whole=whole)
            else:
                truncation = truncate_middle(head, self._limits, tail=tail, whole=whole)
        return _finished(truncation, window.size)

    def _spill_block(self, block: bytes) -> None:
        if self._spill is not None:
            self._spill.write(block[self._spilled_bytes :] if self._spilled_bytes else block)
        self._spilled_bytes = 0

    def _spill_rest(self) -> None:
        rest = self._window.current[self._spilled_bytes :]
        if self._spill is not None and rest:
            self._spill.write(rest)
            self._spilled_bytes += len(rest)
        if self._spill is not None:
            self._spill.flush()


def _finished(truncation: Truncation, size: TextSize) -> Truncation:
    """`truncation` with the size the stream had as it came, and its blank lines folded."""
    content = fold_blank_lines(truncation.content)
    return replace(
        truncation,
        content=content,
        total_lines=size.line_count,
        total_bytes=size.byte_count,
        output_lines=TextSize.of(content.encode()).line_count,
        output_bytes=len(content.encode()),
    )


def _binary(size: TextSize, limits: OutputLimits) -> Truncation:
    content = f"(binary output of {format_bytes(size.byte_count)})"
    return Truncation(
        content=content,
        truncated_by="binary",
        total_lines=size.line_count,
        total_bytes=size.byte_count,
        output_lines=1,
        output_bytes=len(content),
        max_lines=limits.max_lines,
        max_bytes=limits.max_bytes,
    )
