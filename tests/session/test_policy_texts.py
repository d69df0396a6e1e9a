"""What the policy `notebook` lets a model read beside what was said, word for word.

Run with `UPDATE_GOLDEN=1` in the environment to write the file anew, then read the difference.
"""

import os
import re
from pathlib import Path

from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.messages import ToolCall, text_of
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.projection import Projection
from pi_notebook.context.reattaching import InUse, reattached_message, stored
from pi_notebook.context.repeats import repeated_text
from pi_notebook.context.result_notes import label, result_name, with_note
from pi_notebook.context.shortening import dropped_result, shortened_result
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.filling import Filling
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.tools.manage_context import manage_context
from tests.context.conversations import result

GOLDEN = Path(__file__).parents[1] / "fixtures" / "policies" / "notebook.txt"
ROWS = "\n".join(f"row {number}" for number in range(600))


def shortened():
    return shortened_result(
        result("c", ROWS), entry_id="1a2b3c4d", head_chars=40, tail_chars=40, note="of June"
    )


def warned():
    filling = Filling()
    filling.look(81_000, at_tokens=80_000, trigger=107_616, tells_model=True)
    return with_note(ToolResult.of_text("42"), filling.take_note()).content[0].text


def shown_again():
    things = [
        (InUse(kind="skill", name="skills/plotting/SKILL.md"), "Plot in blue."),
        (InUse(kind="file", name="notes.md"), "the answer is 42"),
        (InUse(kind="variable", name="prices"), "prices = [1, 2, 3]"),
    ]
    entry = CompactionEntry(
        id="1a2b3c4d",
        parent_id=None,
        timestamp="2026-01-01T00:00:00.000Z",
        summary="## Goal\nfind the answer",
        first_kept_entry_id="",
        tokens_before=90_000,
        details={"attached": stored(reattached_message(thing, text) for thing, text in things)},
    )
    return "\n".join(map(text_of, Projection([entry]).messages))


async def managed(tmp_path):
    """What the tool says, and what is left of the results."""
    runtime = AgentSessionRuntime(tmp_path, build_services)
    session = runtime.session
    (tmp_path / "a.txt").write_text(ROWS)
    name = result_name("r")
    calls = [
        ("r", "read", {"path": "a.txt"}),
        ("d", "manage_context", {"action": "drop", "results": ["r00000"]}),
        ("e", "manage_context", {"action": "drop", "results": [name], "note": "only numbers"}),
    ]
    model = ScriptedModel([*([ToolCall(id=i, name=n, arguments=a)] for i, n, a in calls), "ok"])
    await session.prompt("go", model=model)
    found = [message.text for message in model.requests[-1].messages if hasattr(message, "tool_call_id")]
    runtime.close()
    text = re.sub(r"\[[0-9a-f]{8}\]", "[1a2b3c4d]", "\n".join(found))
    return re.sub(r"about [0-9,]+ tokens", "about 2,385 tokens", text)  # those of the id are its own


async def test_the_texts_are_the_recorded_ones(tmp_path):
    parts = {
        "a shortened result": shortened().text,
        "a dropped result": dropped_result(result("c", ROWS), entry_id="1a2b3c4d", note="no duplicates").text,
        "a repeated read": repeated_text(ToolCall(id="c", name="read", arguments={"path": "a.txt"})),
        "a repeated preview": repeated_text(ToolCall(id="c", name="preview_data", arguments={"name": "df"})),
        "a long result": with_note(ToolResult.of_text("its end"), label(result_name("c"))).content[0].text,
        "a result when the context fills": warned(),
        "after a compaction": shown_again(),
        "manage_context": manage_context.description,
        "results that the model manages": await managed(tmp_path),
    }
    text = "\n\n".join(f"=== {title}\n{part}" for title, part in parts.items()) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
