"""Searching session files as they stand, from the last line to the first.

All that was said is in the file: compacted parts, hidden entries, other branches. Memory holds a few
blocks of it at a time, and only lines that may match are decoded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from pi_notebook.agent.entries import Entry
from pi_notebook.session.entry_text import entry_text
from pi_notebook.session.lines import read_entry, read_stub
from pi_notebook.session.query import Query

SEARCHING = "search_history"
"""The tool whose calls and results are not searched: they say what other entries say."""

_BLOCK_BYTES = 4 * 2**20


@dataclass(frozen=True, kw_only=True)
class Match:
    """An entry that has all terms of a query."""

    entry: Entry
    excerpt: str


def search_file(file: BinaryIO, query: Query) -> Iterator[Match | None]:
    """The matches in a session file, the newest first; None after each block, to let others in."""
    for block in _blocks_backwards(file):
        yield from search_lines(block, query)
        yield None


def search_lines(block: bytes, query: Query) -> Iterator[Match]:
    """The matches in lines that stand one after the other, the last first."""
    low = block.lower()
    wanted = query.pieces[:1] or query.spellings
    end = len(low)
    while (at := max(low.rfind(piece, 0, end) for piece in wanted)) >= 0:
        start = low.rfind(b"\n", 0, at) + 1
        stop = low.find(b"\n", at, end)
        stop = end if stop < 0 else stop
        end = max(0, start - 1)
        if query.may_stand_in(low[start:stop]):
            match = _match(block[start:stop], query)
            if match is not None:
                yield match


def _match(line: bytes, query: Query) -> Match | None:
    stub = read_stub(line, by_us=False)
    if stub is None:
        return None
    entry = read_entry(line, entry_id=stub.id, parent_id=None)
    excerpt = query.excerpt(entry_text(entry, without=SEARCHING))
    return Match(entry=entry, excerpt=excerpt) if excerpt is not None else None


def _blocks_backwards(file: BinaryIO) -> Iterator[bytes]:
    """The file in blocks of whole lines, the last block first."""
    end = _size(file)
    held = b""
    while end > 0:
        start = max(0, end - _BLOCK_BYTES)
        file.seek(start)
        data = file.read(end - start) + held
        end = start
        cut = data.find(b"\n") if start else -1
        if start and cut < 0:
            held = data
            continue
        held, block = data[: cut + 1], data[cut + 1 :]
        yield block


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size
