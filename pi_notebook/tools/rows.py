"""Rows of a listing as a tool result: within the limits, with what to do about the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.truncation import OutputLimits, truncate_head


def rows_result(
    rows: Sequence[str], limits: OutputLimits, *, notices: Sequence[str] = (), empty: str
) -> ToolResult:
    """`rows` one a line, then `notices` in brackets; `empty` when there are none."""
    kept = truncate_head("\n".join(rows), limits)
    said = list(notices)
    details: dict[str, Any] = {"rows": len(rows)}
    if kept.is_truncated:
        said.insert(0, f"{kept.notice} Narrow the search to see the rest.")
        details["truncation"] = kept.details()
    text = kept.content or empty
    if said:
        text += f"\n\n[{' '.join(said)}]"
    return ToolResult.of_text(text, details=details)


def limit_notice(shown: int, total: int, what: str) -> list[str]:
    """Says that a limit of rows was reached; nothing when it was not."""
    if shown >= total:
        return []
    return [f"{shown:,} of {total:,} {what} shown; limit={total} gives all."]
