"""The output of a call, as much of it as fits a message: from its file, or from what was recorded."""

from __future__ import annotations

from pi_notebook.agent.messages import ToolResultMessage, without_surrogates
from pi_notebook.ui.inspection.spilled import MAX_TEXT_CHARS, spilled_text
from pi_notebook.ui.render import spill_path


def output_from(result: ToolResultMessage, offset: int) -> tuple[str, str, bool]:
    """The text from `offset` on, the file that has all of it if any, and whether there is more behind it."""
    path = spill_path(result)
    text = (spilled_text(path, offset=offset) if path else None) or ""
    if not text and not (path and offset):
        text = without_surrogates(result.text)[offset:]
    return text[:MAX_TEXT_CHARS], path, len(text) > MAX_TEXT_CHARS
