"""What a cell shows of a session that has hostile texts; for the kernel of a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pi_notebook.agent.entries import MessageEntry
from pi_notebook.session.replay import RecordedRun
from pi_notebook.ui.replay import show_recorded
from tests.hostile.branches import odd_pictures
from tests.hostile.corpus import batches
from tests.session.export.scripted import Script

SHOW = f"""\
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.hostile.cells import show
show(get_ipython(), {{size}}, {{number}})"""


def show(shell: Any, size: int, number: int) -> None:
    """Show batch `number` of all texts as recorded runs are shown."""
    for payload in list(batches(size))[number]:
        text = payload.text
        script = Script()
        script.prompt(text)
        script.call("run_code", {"code": text}, text, say=text, images=odd_pictures(text))
        script.say("", stop_reason="error", error=text)
        messages = tuple(entry.message for entry in script.entries if isinstance(entry, MessageEntry))
        run = RecordedRun(session_id=text, path=None, timestamp="2026-01-02T03:04:05Z", messages=messages)
        show_recorded(shell, run)
    print(f"The end of {number}.")
