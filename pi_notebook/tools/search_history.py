"""`search_history`: what was said before, compacted parts included."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

from pi_notebook.agent.tools import ToolContext, ToolError, tool
from pi_notebook.context.amounts import count_of
from pi_notebook.errors import SessionError, UsageError
from pi_notebook.tools.history import HistoryPage, HistorySearch

PAGE_CHARS = 6000
"""Of an entry that is read whole."""
_REFERENCE = re.compile(r"\s*\[([^\s\]]+)\]\s*")


@tool(risk="read", needs=(HistorySearch,))
async def search_history(
    context: ToolContext,
    query: Annotated[str, 'Words, "a phrase", or [id]: that hit whole'],
    everywhere: Annotated[bool, "Other sessions of the folder too"] = False,
    page: int = 1,
) -> str:
    """Search what was said before, also what you no longer see."""
    history, page = context.need(HistorySearch), max(1, page)
    try:
        if one := _REFERENCE.fullmatch(query):
            return _page_of(await asyncio.to_thread(history.text, one[1]), page)
        found = await asyncio.to_thread(history.find, query, everywhere=everywhere, page=page)
    except (SessionError, UsageError) as error:
        raise ToolError(str(error)) from error
    return _worded(found, everywhere=everywhere)


def _worded(found: HistoryPage, *, everywhere: bool) -> str:
    lines = [f"[{hit.reference}] {hit.who}, {hit.timestamp[:16]}: {hit.excerpt}" for hit in found.hits]
    if found.has_more:
        lines.append(f"(page={found.number + 1} gives more)")
    if not lines:
        lines.append("Nothing more." if found.number > 1 else "Nothing is found.")
        lines += [] if everywhere else ["everywhere=true looks in the folder's other sessions too."]
    if found.is_cut:
        lines.append("(Time was up before everything was searched.)")
    return "\n".join(lines)


def _page_of(text: str, page: int) -> str:
    start = (page - 1) * PAGE_CHARS
    if start >= len(text):
        raise ToolError(f"The entry has {count_of(-(-len(text) // PAGE_CHARS), 'page')}.")
    part = text[start : start + PAGE_CHARS]
    left = len(text) - start - len(part)
    return f"{part}\n[{count_of(left, 'character')} more: page={page + 1}]" if left else part
