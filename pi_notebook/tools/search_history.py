"""`search_history`: what was said before, compacted parts included."""

from __future__ import annotations

import asyncio
from typing import Annotated

import msgspec

from pi_notebook.agent.tools import ToolContext, ToolError, tool
from pi_notebook.context.amounts import count_of
from pi_notebook.errors import SessionError, UsageError
from pi_notebook.tools.history import HistoryPage, HistorySearch

PAGE_CHARS = 6000
"""Of an entry that is read whole."""


@tool(risk="read", needs=(HistorySearch,))
async def search_history(
    context: ToolContext,
    query: Annotated[str, 'Words that all occur; "a phrase"'] = "",
    everywhere: Annotated[bool, "In the folder's other sessions too"] = False,
    entry: Annotated[str, "Instead: a hit to read whole"] = "",
    page: Annotated[int, msgspec.Meta(ge=1)] = 1,
) -> str:
    """Search all that was said in this session, what you no longer see included; newest first."""
    history = context.need(HistorySearch)
    try:
        if entry:
            return _page_of(await asyncio.to_thread(history.text, entry.strip("[] ")), page)
        found = await asyncio.to_thread(history.find, query, everywhere=everywhere, page=page)
    except (SessionError, UsageError) as error:
        raise ToolError(str(error)) from error
    return _worded(found, everywhere=everywhere)


def _worded(found: HistoryPage, *, everywhere: bool) -> str:
    lines = [f"[{hit.reference}] {hit.who}, {hit.timestamp[:16]}: {hit.excerpt}" for hit in found.hits]
    if not lines:
        where = (
            "more" if found.number > 1 else "in this folder's sessions" if everywhere else "in this session"
        )
        lines.append(f"Nothing {where}." + ("" if everywhere else " everywhere=true looks in others too."))
    if found.has_more:
        lines.append(f'[page={found.number + 1} gives more; entry="..." one hit whole]')
    elif found.hits:
        lines.append('[that is all; entry="..." gives one hit whole]')
    if found.is_cut:
        lines.append("[time was up before everything was searched]")
    return "\n".join(lines)


def _page_of(text: str, page: int) -> str:
    start = (page - 1) * PAGE_CHARS
    if start >= len(text):
        raise ToolError(f"The entry has {count_of(-(-len(text) // PAGE_CHARS), 'page')}.")
    part = text[start : start + PAGE_CHARS]
    left = len(text) - start - len(part)
    return f"{part}\n[{count_of(left, 'character')} more: page={page + 1}]" if left else part
