"""A session that has a hostile text wherever one may stand."""

from __future__ import annotations

from pi_notebook.agent.entries import BranchSummaryEntry, CompactionEntry, ModelChangeEntry
from pi_notebook.agent.messages import ImageContent, ThinkingContent
from tests.session.export.scripted import PNG, Script


def branch(*payloads: str) -> Script:
    """Prompts, thinking, answers, calls with their results, pictures, failures, compactions."""
    script = Script()
    for payload in payloads:
        _tell(script, payload)
    return script


def odd_pictures(payload: str) -> list[ImageContent]:
    """What is no picture, or none that only shows."""
    return [
        ImageContent(data=payload, mime_type="image/png"),
        ImageContent(data=PNG, mime_type=f"image/svg+xml{payload}"),
        ImageContent(data=payload, mime_type="text/html"),
        ImageContent(data=f"top.pwned = {payload!r}", mime_type="application/javascript"),
    ]


def _tell(script: Script, payload: str) -> None:
    script.prompt(payload)
    script.say(payload, ThinkingContent(thinking=payload))
    script.call("run_code", {"code": payload}, payload, say=payload, images=odd_pictures(payload))
    script.call(payload[:40], {payload: payload}, payload, is_error=True)
    script.call("edit", {"path": payload, "edits": [{"old_text": payload, "new_text": payload}]}, payload)
    script.say("", stop_reason="error", error=payload)
    script.person(payload)
    script._add(CompactionEntry, summary=payload, first_kept_entry_id="", tokens_before=1)
    script._add(BranchSummaryEntry, summary=payload, from_id="x")
    script._add(ModelChangeEntry, provider=payload, model_id=payload)
