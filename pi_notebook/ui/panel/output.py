"""All of the output of a call, as far as it fits a message: from its file, or from what was recorded."""

from __future__ import annotations

from pi_notebook.agent.messages import ToolResultMessage, without_surrogates
from pi_notebook.ui.inspection.spilled import MAX_TEXT_CHARS, spilled_text
from pi_notebook.ui.render import spill_path


def whole_output(result: ToolResultMessage) -> tuple[str, str, bool]:
    """The text, the file that has all of it if any, and whether the text is only its beginning."""
    path = spill_path(result)
    text = (spilled_text(path) if path else "") or without_surrogates(result.text)
    return text[:MAX_TEXT_CHARS], path, len(text) > MAX_TEXT_CHARS
