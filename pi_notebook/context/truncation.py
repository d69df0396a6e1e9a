"""Shortening one text to a number of lines and bytes, and saying truly what is left of it.

Sizes are bytes of UTF-8 and a final newline is no line. Whole lines are kept where one fits; a line
too big alone is cut between characters. The text may be a window on something longer: `whole` then
tells what the window is the start or the end of.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any, Literal

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.context.amounts import count_of

TruncatedBy = Literal["lines", "bytes", "binary"]
"""What a text was too much of; `binary` is no text at all."""


@dataclass(frozen=True, kw_only=True)
class OutputLimits:
    """How much of one text a model may read."""

    max_lines: int = 2000
    max_bytes: int = 51_200


DEFAULT_LIMITS = OutputLimits()


@dataclass(frozen=True, kw_only=True)
class TextSize:
    """Lines and bytes of a text."""

    line_count: int
    byte_count: int

    @classmethod
    def of(cls, data: bytes) -> TextSize:
        return cls(
            line_count=data.count(b"\n") + (not data.endswith(b"\n") and bool(data)), byte_count=len(data)
        )


@dataclass(frozen=True, kw_only=True)
class Span:
    """Lines that are shown, counted from 1, both ends included."""

    first: int
    last: int
    cut: Literal["start", "end"] | None = None
    """The end at which the outermost line lacks something; all lines beside it are blank."""
    byte_count: int = 0
    """Of what is shown of that line."""

    def __str__(self) -> str:
        size = format_bytes(self.byte_count)
        if self.cut == "start":
            blank = f" and {_lines(self.first + 1, self.last)}" if self.first < self.last else ""
            return f"the last {size} of line {self.first:,}{blank}"
        if self.cut == "end":
            blank = f"{_lines(self.first, self.last - 1)} and " if self.first < self.last else ""
            return f"{blank}the first {size} of line {self.last:,}"
        return _lines(self.first, self.last)


@dataclass(frozen=True, kw_only=True)
class Truncation:
    """A text within its limits, and how it came to be."""

    content: str
    truncated_by: TruncatedBy | None
    total_lines: int
    total_bytes: int
    output_lines: int
    output_bytes: int
    max_lines: int
    max_bytes: int
    shown: tuple[Span, ...] = ()

    @property
    def is_truncated(self) -> bool:
        return self.truncated_by is not None

    @property
    def last_line_partial(self) -> bool:
        """True when a line is shown without its start or its end."""
        return any(span.cut for span in self.shown)

    @property
    def notice(self) -> str:
        """What is shown, of how much; empty when it is all."""
        if not self.is_truncated:
            return ""
        if self.truncated_by == "binary":
            return f"Showing nothing of {format_bytes(self.total_bytes)} that are no text."
        limit = f"{self.max_lines:,} line" if self.truncated_by == "lines" else format_bytes(self.max_bytes)
        lines = count_of(self.total_lines, "line")
        shown = " and ".join(map(str, self.shown)) or "nothing"
        return f"Showing {shown} of {lines}, {format_bytes(self.total_bytes)} in all ({limit} limit)."

    def details(self) -> dict[str, Any]:
        """The record without its content, under the names Pi keeps in `details.truncation`."""
        return {
            "truncated": self.is_truncated,
            "truncatedBy": self.truncated_by,
            "totalLines": self.total_lines,
            "totalBytes": self.total_bytes,
            "outputLines": self.output_lines,
            "outputBytes": self.output_bytes,
            "lastLinePartial": self.last_line_partial,
            "maxLines": self.max_lines,
            "maxBytes": self.max_bytes,
        }


def truncate_head(
    text: str, limits: OutputLimits = DEFAULT_LIMITS, *, whole: TextSize | None = None
) -> Truncation:
    """The first lines of `text`."""
    data = _encoded(text)
    if whole is None and (fitting := _fitting(data, limits)):
        return fitting
    kept, by, cut = _first_lines(data.removesuffix(b"\n"), limits, is_window=whole is not None)
    shown: tuple[Span, ...] = ()
    if kept or not cut:
        size = len(kept.rpartition(b"\n")[2])
        shown = (Span(first=1, last=_count_lines(kept), cut="end" if cut else None, byte_count=size),)
    return _record(kept, by, shown, whole or TextSize.of(data), limits)


def truncate_tail(
    text: str, limits: OutputLimits = DEFAULT_LIMITS, *, whole: TextSize | None = None
) -> Truncation:
    """The last lines of `text`; blank ones at its end are left out where nothing else would be shown."""
    data = _encoded(text)
    if whole is None and (fitting := _fitting(data, limits)):
        return fitting
    total = whole or TextSize.of(data)
    body = data.removesuffix(b"\n")
    kept, by, cut = _last_lines(body, limits, is_window=whole is not None)
    last = total.line_count
    if not kept.strip() and (words := body.rstrip()):
        end = body.find(b"\n", len(words))
        last -= body.count(b"\n", end) if end >= 0 else 0
        kept, _, cut = _last_lines(body[:end] if end >= 0 else body, limits, is_window=whole is not None)
    shown: tuple[Span, ...] = ()
    if kept or not cut:
        first = max(1, last - _count_lines(kept) + 1)
        size = len(kept.partition(b"\n")[0])
        shown = (Span(first=first, last=last, cut="start" if cut else None, byte_count=size),)
    return _record(kept, by, shown, total, limits)


def truncate_middle(
    text: str,
    limits: OutputLimits = DEFAULT_LIMITS,
    *,
    tail: str | None = None,
    whole: TextSize | None = None,
) -> Truncation:
    """The first and the last lines of `text`, about half of the limit each.

    The head tells what an output is and the tail how it ended. Where the text is known by two
    windows only, `text` is the first of them and `tail` the last, and `whole` measures it all.
    """
    data = _encoded(text)
    if whole is None and (fitting := _fitting(data, limits)):
        return fitting
    if limits.max_lines < _LEAST_LINES or limits.max_bytes < 4 * _GAP_BYTES:
        return truncate_tail(text if tail is None else tail, limits, whole=whole)
    total = whole or TextSize.of(data)
    half = OutputLimits(max_lines=(limits.max_lines - 1) // 2, max_bytes=(limits.max_bytes - _GAP_BYTES) // 2)
    start = truncate_head(text, half, whole=total)
    end = truncate_tail(text if tail is None else tail, half, whole=total)
    content = f"{start.content}\n{_gap(start, end)}\n{end.content}"
    by: TruncatedBy = "bytes" if "bytes" in (start.truncated_by, end.truncated_by) else "lines"
    return _record(content.encode(), by, start.shown + end.shown, total, limits)


def format_bytes(count: int) -> str:
    """`count` for a reader: 512 bytes, 50.0 KB, 190.7 MB."""
    if count < 1024:
        return count_of(count, "byte")
    size, unit = count / 1024, "KB"
    for larger in ("MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1024, larger
    return f"{size:,.1f} {unit}"


_GAP_BYTES = 100
"""Room for the line that stands for what is left out."""
_LEAST_LINES = 3
"""A head, a gap and a tail."""
_JOINERS = "\u200d\ufe0e\ufe0f"
_LONGEST_CLUSTER = 16
"""Characters looked at for a place to cut that takes no mark from its letter."""


def _encoded(text: str) -> bytes:
    return without_surrogates(text).encode("utf-8")


def _lines(first: int, last: int) -> str:
    return f"line {first:,}" if first == last else f"lines {first:,}-{last:,}"


def _count_lines(kept: bytes) -> int:
    """Of lines that are kept, the last without its newline."""
    return kept.count(b"\n") + 1


def _fitting(data: bytes, limits: OutputLimits) -> Truncation | None:
    """The record of a text that needs no cut; None when it does."""
    size = TextSize.of(data)
    if size.line_count > limits.max_lines or len(data) - data.endswith(b"\n") > limits.max_bytes:
        return None
    kept = data if len(data) <= limits.max_bytes else data[:-1]
    return _record(kept, None, (), size, limits)


def _record(
    kept: bytes, by: TruncatedBy | None, shown: tuple[Span, ...], total: TextSize, limits: OutputLimits
) -> Truncation:
    return Truncation(
        content=kept.decode("utf-8"),
        truncated_by=by,
        total_lines=total.line_count,
        total_bytes=total.byte_count,
        output_lines=_count_lines(kept) if shown else TextSize.of(kept).line_count,
        output_bytes=len(kept),
        max_lines=limits.max_lines,
        max_bytes=limits.max_bytes,
        shown=shown,
    )


def _first_lines(body: bytes, limits: OutputLimits, *, is_window: bool) -> tuple[bytes, TruncatedBy, bool]:
    """The lines kept, what stopped them, and whether the last is cut.

    The last line of a window may go on behind it, so it is left out unless all before it are blank.
    """
    lines = body[: limits.max_bytes + 1].split(b"\n")
    is_cut = len(body) > limits.max_bytes
    if len(lines) > limits.max_lines:
        return b"\n".join(lines[: limits.max_lines]), "lines", False
    if not is_cut and not is_window:
        return body, "bytes", False
    if any(line.strip() for line in lines[:-1]):
        return b"\n".join(lines[:-1]), "bytes", False
    return _whole_characters(body[: limits.max_bytes], cut="end"), "bytes", True


def _last_lines(body: bytes, limits: OutputLimits, *, is_window: bool) -> tuple[bytes, TruncatedBy, bool]:
    lines = body[-limits.max_bytes - 1 :].split(b"\n")
    is_cut = len(body) > limits.max_bytes
    if len(lines) > limits.max_lines:
        return b"\n".join(lines[-limits.max_lines :]), "lines", False
    if not is_cut and not is_window:
        return body, "bytes", False
    if any(line.strip() for line in lines[1:]):
        return b"\n".join(lines[1:]), "bytes", False
    return _whole_characters(body[-limits.max_bytes :], cut="start"), "bytes", True


def _whole_characters(piece: bytes, *, cut: Literal["start", "end"]) -> bytes:
    """`piece` without the rest of a character that was cut, nor a mark parted from its letter."""
    text = piece.decode("utf-8", "ignore")
    if cut == "start":
        start = 0
        while start < min(len(text) - 1, _LONGEST_CLUSTER) and _is_mark(text[start]):
            start += 1
        return text[start:].encode("utf-8")
    return text.encode("utf-8")


def _is_mark(character: str) -> bool:
    return character in _JOINERS or bool(unicodedata.combining(character))


def _gap(start: Truncation, end: Truncation) -> str:
    after = start.shown[-1].last if start.shown else 0
    before = end.shown[0].first if end.shown else end.total_lines
    missing = before - after - 1
    if missing > 0:
        return f"[... {count_of(missing, 'line')} not shown ...]"
    return "[... part not shown ...]"
