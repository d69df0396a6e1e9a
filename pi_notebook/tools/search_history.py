"""`search_history`: what was said before, compacted parts included."""

from __future__ import annotations

import asyncio
import re
from itertools import islice
from typing import Annotated

from pi_notebook.agent.tools import ToolContext, ToolError, tool
from pi_notebook.context.amounts import count_of
from pi_notebook.errors import SessionError, UsageError
from pi_notebook.tools.history import PAGE_HITS, HistoryPage, HistorySearch

PAGE_CHARS = 6000
"""Of an entry that is read whole."""
_LINE_CHARS = 2000
"""A longer line counts as several, so that all of an entry can be paged through."""
_MOST_LINES = 2000
_REFERENCE = re.compile(r"\s*\[([^\s\]]+)\]\s*")


@tool(risk="read", needs=(HistorySearch,))
async def search_history(
    context: ToolContext,
    query: Annotated[str, 'Words, "a phrase", or [id]: that one whole'],
    everywhere: Annotated[bool, "Other sessions of the folder too"] = False,
    offset: Annotated[int, "First hit or line"] = 1,
    limit: int = _MOST_LINES,
) -> str:
    """Search all that was said, in your view or not."""
    history, first, limit = context.need(HistorySearch), max(1, offset), max(1, limit)
    try:
        if one := _REFERENCE.fullmatch(query):
            return _part(await asyncio.to_thread(history.text, one[1]), first, limit)
        page = (first - 1) // PAGE_HITS + 1
        found = await asyncio.to_thread(
            history.find, query, everywhere=everywhere, page=page, call_id=context.call.id
        )
    except (SessionError, UsageError) as error:
        raise ToolError(str(error)) from error
    return _worded(found, first, limit, everywhere=everywhere)


def _worded(found: HistoryPage, first: int, limit: int, *, everywhere: bool) -> str:
    """The hits from `first` on to the end of their page."""
    rest = found.hits[(first - 1) % PAGE_HITS :]
    hits = rest[:limit]
    lines = [f"[{hit.reference}] {hit.who}, {hit.timestamp[:16]}: {hit.excerpt}" for hit in hits]
    if found.has_more or len(hits) < len(rest):
        lines.append(f"(offset={first + len(hits)} gives more)")
    if not lines:
        lines.append("Nothing more." if first > 1 else "Nothing is found.")
        lines += [] if everywhere else ["everywhere=true looks in the folder's other sessions too."]
    if found.is_cut:
        lines.append("(Time was up before everything was searched.)")
    return "\n".join(lines)


def _part(text: str, first: int, limit: int) -> str:
    """The lines of an entry from `first` on, as many as fit, under the line that says whose it is."""
    head, _, body = text.partition("\n")
    lines = [piece for line in body.split("\n") for piece in _pieces(line)]
    if first > len(lines):
        raise ToolError(
            f"offset={first} is behind the end of the entry, which has {count_of(len(lines), 'line')}."
        )
    shown: list[str] = []
    room = PAGE_CHARS
    for line in islice(lines, first - 1, first - 1 + limit):
        room -= len(line) + 1
        if room < 0:
            break
        shown.append(line)
    last = first + len(shown) - 1
    told = "\n".join([head, *shown])
    if first == 1 and last == len(lines):
        return told
    more = f" Use offset={last + 1} to continue." if last < len(lines) else ""
    return f"{told}\n\n[Showing lines {first:,}-{last:,} of {len(lines):,}.{more}]"


def _pieces(line: str) -> list[str]:
    return [line[at : at + _LINE_CHARS] for at in range(0, max(1, len(line)), _LINE_CHARS)]
