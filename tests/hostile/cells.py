"""What a cell shows of a session that has hostile texts; for the kernel of a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pi_notebook.agent.entries import MessageEntry
from pi_notebook.session.replay import RecordedRun
from pi_notebook.ui.replay import show_recorded
from tests.hostile.branches import odd_pictures
from tests.hostile.corpus import Payload, batches
from tests.session.export.scripted import Script

SHOW = f"""\
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.hostile.cells import show
show(get_ipython(), {{size}}, {{number}}, is_whole={{is_whole}})"""

KINDS = ("text/markdown", "text/latex", "image/svg+xml", "application/javascript", "text/plain")
DRAW = (
    SHOW.partition("from ")[0]
    + """\
from tests.hostile.cells import draw
draw(get_ipython(), {size}, {number})"""
)


def draw(shell: Any, size: int, number: int) -> None:
    """Put out batch `number` of all texts as what code draws: as HTML, and as a document of another kind."""
    for payload in list(batches(size))[number]:
        for kind in ("text/html", KINDS[payload.number % len(KINDS)]):
            shell.display_pub.publish(data={kind: payload.text}, metadata={})


def show(shell: Any, size: int, number: int, *, is_whole: bool) -> None:
    """Show batch `number` of all texts as recorded runs are shown.

    Each is an answer and one thing more; with `is_whole` it is all that may be shown.
    """
    for payload in list(batches(size))[number]:
        script = Script()
        script.prompt(payload.text)
        _tell(script, payload, is_whole=is_whole)
        messages = tuple(entry.message for entry in script.entries if isinstance(entry, MessageEntry))
        run = RecordedRun(
            session_id=payload.text, path=None, timestamp="2026-01-02T03:04:05Z", messages=messages
        )
        show_recorded(shell, run)
    print(f"The end of {number}.")


def _tell(script: Script, payload: Payload, *, is_whole: bool) -> None:
    text = payload.text
    more = (
        lambda: script.call("run_code", {"code": text}, text, images=odd_pictures(text)),
        lambda: script.call(text[:40], {text: text}, text, is_error=True),
        lambda: script.call("edit", {"path": text, "edits": [{"old_text": text, "new_text": text}]}, text),
        lambda: script.say("", stop_reason="error", error=text),
    )
    script.say(text)
    for one in more if is_whole else more[payload.number % len(more) :][:1]:
        one()
