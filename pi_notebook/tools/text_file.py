"""A part of a text file, found by line number without holding the file."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass

from pi_notebook.context.truncation import TextSize

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


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
        last = block[-1:]
    return FilePart(data=bytes(kept), whole=TextSize(line_count=lines + (last != b"\n"), byte_count=size))


def without_utf16(blocks: Iterable[bytes]) -> Iterable[bytes]:
    """`blocks` in UTF-8 where they say by their first bytes that they are UTF-16."""
    decoder = None
    for index, block in enumerate(blocks):
        if index == 0 and block.startswith(_UTF16_MARKS):
            decoder = codecs.getincrementaldecoder("utf-16")("replace")
        yield decoder.decode(block).encode("utf-8", "replace") if decoder else block


def _line_start(block: bytes, skipped: int) -> int:
    """Where a line starts in `block`, after `skipped` newlines."""
    if skipped <= 0:
        return 0
    return len(block) - len(block.split(b"\n", skipped)[-1])
