"""A part of a text file, found by line number without holding the file."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pi_notebook.context.truncation import TextSize
from pi_notebook.tools.encoding import UTF16_MARKS, Encoding, EncodingCheck, decode_text, is_guessed


class TextBlocks:
    """The blocks of a text file with newlines as line ends, and what was met on the way."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = blocks
        self._check = EncodingCheck()
        self.is_utf16 = False
        """True when its mark says so; the blocks are in UTF-8 then."""
        self.has_returns = False
        """True when its lines end in a carriage return alone."""

    def __iter__(self) -> Iterator[bytes]:
        decoder: codecs.IncrementalDecoder | None = None
        for index, block in enumerate(self._blocks):
            if index == 0 and block.startswith(UTF16_MARKS):
                self.is_utf16 = True
                decoder = codecs.getincrementaldecoder("utf-16")("replace")
            plain = decoder.decode(block).encode("utf-8", "replace") if decoder else block
            self._check.take(plain)
            if index == 0:
                self.has_returns = b"\r" in plain and b"\n" not in plain
            yield plain.replace(b"\r", b"\n") if self.has_returns else plain

    @property
    def encoding(self) -> Encoding:
        """Of the blocks given so far."""
        return self._check.encoding()

    @property
    def is_settled(self) -> bool:
        """True when more blocks would not change the encoding."""
        return self._check.is_settled

    @property
    def is_plain(self) -> bool:
        """Whether what was met is lines of UTF-8."""
        return not (self.is_utf16 or self.has_returns) and self.encoding == "utf-8"

    @property
    def notes(self) -> list[str]:
        """What a program that opens the file must know of its bytes; nothing of plain UTF-8."""
        encoding = self.encoding
        notes = []
        if self.is_utf16:
            notes.append('Decoded from UTF-16; in code encoding="utf-16".')
        elif is_guessed(encoding):
            notes.append(f'Not UTF-8: decoded as {encoding}, a guess; in code encoding="{encoding}".')
        elif encoding == "damaged utf-8":
            notes.append("Damaged UTF-8: \ufffd marks bytes that do not decode.")
        elif encoding == "unknown":
            notes.append("Not UTF-8: \ufffd marks bytes that do not decode. Try encodings with run_code.")
        if self.has_returns:
            notes.append("Its lines end in a carriage return alone, shown as newlines.")
        return notes


@dataclass(frozen=True, kw_only=True)
class FilePart:
    """What a file has from one of its lines on."""

    data: bytes
    """From the line asked for, up to the bytes asked for."""
    whole: TextSize
    """Of the whole file."""


def scan_lines(blocks: Iterable[bytes], *, offset: int, max_bytes: int) -> FilePart:
    """The bytes from line `offset` (from 1) on, no more than `max_bytes`, and the size of it all."""
    kept = bytearray()
    lines = size = 0
    last = b"\n"
    for block in blocks:
        size += len(block)
        count = block.count(b"\n")
        if len(kept) < max_bytes and lines + count >= offset - 1:
            start = _line_start(block, offset - 1 - lines)
            kept += block[start : start + max_bytes - len(kept)]
        lines += count
        last = block[-1:] or last
    return FilePart(data=bytes(kept), whole=TextSize(line_count=lines + (last != b"\n"), byte_count=size))


def whole_text(blocks: TextBlocks) -> str:
    """The text of all blocks."""
    data = b"".join(blocks)
    return decode_text(data, blocks.encoding).removeprefix("\ufeff")


def _line_start(block: bytes, skipped: int) -> int:
    """Where a line starts in `block`, after `skipped` newlines."""
    if skipped <= 0:
        return 0
    return len(block) - len(block.split(b"\n", skipped)[-1])
