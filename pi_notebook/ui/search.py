"""`%agent search`: what was said in this session and in others of its folder."""

from __future__ import annotations

import re

from pi_notebook.session.history import HistoryHit, SessionHistory
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.tables import Report, when

_PAGE = re.compile(r"(?:^|\s)--page[ =](\d{1,9})$")


def search(runtime: AgentSessionRuntime, text: str) -> Report:
    """Where the words of `text` all occur, the newest of this session first."""
    asked = _PAGE.search(text)
    query = text[: asked.start()] if asked else text
    history = SessionHistory(
        runtime.session.store, folder=runtime.services.folder, home=runtime.services.home
    )
    page = history.find(query, everywhere=True, page=max(1, int(asked[1])) if asked else 1)
    footer = [f"`%agent search {query.strip()} --page {page.number + 1}` shows more"] if page.has_more else []
    if page.is_cut:
        footer.append("time was up before all sessions were searched")
    if not page.hits:
        what = "No more is found" if page.number > 1 else "Nothing is found"
        return Report(lines=(f"{what} for **{query.strip()}**.",), footer=tuple(footer))
    rows = tuple(map(_row, page.hits))
    return Report(header=("session", "entry", "when", "who", "what"), rows=rows, footer=tuple(footer))


def _row(hit: HistoryHit) -> tuple[str, ...]:
    session = "this one" if hit.is_here else hit.session_id[:8]
    return session, hit.entry_id, when(hit.timestamp), hit.who, hit.excerpt
