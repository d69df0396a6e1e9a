"""What a model reads of a compaction: each request for a summary, and the context after one, as recorded."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path

import pytest

from pi_notebook.agent.entries import BranchSummaryEntry, CompactionEntry, MessageEntry
from pi_notebook.agent.messages import CustomMessage, ImageContent, TextContent, ToolCall, UserMessage
from pi_notebook.agent.protocols import ModelInfo, ModelRequest
from pi_notebook.context.call_record import CallRecord, FileNote, VariableNote
from pi_notebook.context.compaction.conversation_text import TextBounds, conversation_parts
from pi_notebook.context.compaction.ledger_block import with_ledger
from pi_notebook.context.compaction.numbers import compaction_numbers
from pi_notebook.context.compaction.plain_summary import plain_summary
from pi_notebook.context.compaction.plan import CompactionPlan
from pi_notebook.context.compaction.prompts import SECTIONS, SYSTEM_PROMPT, TURN_HEADING
from pi_notebook.context.compaction.summarising import summarise, summarise_branch
from pi_notebook.context.ledger import Ledger
from pi_notebook.context.projection import Projection, repair_pairs
from pi_notebook.models.conversion import chat_messages
from tests.context.conversations import asks, replies, result
from tests.request_rules import find_problems

GOLDEN = Path(__file__).parents[2] / "fixtures" / "compaction"
MODEL = ModelInfo(provider="p", id="m", api="a", context_window=32_000, max_output_tokens=8_000)
PICTURE = ImageContent(data="iVBORw0KGgo=", mime_type="image/png")
CODE = "df = pd.read_csv('sales.csv')\ndf.groupby('region').sum()"

TURN = [
    CustomMessage(custom_type="cells", content="In [3]: df.head()", display=False, timestamp=0),
    UserMessage(content=[TextContent(text="Which region sells most? See the plot."), PICTURE], timestamp=0),
    replies("I look at the sums.", ToolCall(id="a", name="run_code", arguments={"code": CODE, "n": 2})),
    result("a", "KeyError: 'region'", is_error=True),
    replies(ToolCall(id="b", name="read", arguments={"path": "sales.csv"})),
    result("b", "\n".join(f"row {number}" for number in range(300)), tool="read"),
    replies("North, with 42,017.5 EUR."),
]
LEDGER = Ledger(
    [
        CallRecord(
            tool_call_id="b",
            files=[
                FileNote(path="sales.csv", action="read", witness="tools"),
                FileNote(path="out.csv", action="written", witness="kernel"),
            ],
            variables=[
                VariableNote(name="i", action="created", type="int"),
                VariableNote(
                    name="part", action="created", type="pandas.DataFrame", shape=[9, 4], is_passing=True
                ),
                VariableNote(name="ax", action="created", type="matplotlib.axes._axes.Axes"),
                VariableNote(name="regions", action="created", type="list", length=5),
                VariableNote(name="df", action="created", type="pandas.DataFrame", shape=[300, 4]),
            ],
            imports=["pandas"],
        ),
        CallRecord(
            by="person",
            files=[
                FileNote(path="old.csv", action="deleted", witness="scan", renamed_to="archive/old.csv"),
                FileNote(path="archive/old.csv", action="written", witness="scan"),
            ],
        ),
    ]
)


def plan(**fields):
    given = {"previous_summary": None, "to_summarise": (), "turn_prefix": ()} | fields
    return CompactionPlan(kept=(), tokens_before=0, **given)


def asked(made=None, *, branch=None, focus=""):
    """The requests for a summary of `made`, or of `branch`."""
    prompts = []

    async def ask(prompt, *, max_tokens):
        prompts.append(f"(at most {max_tokens:,} tokens)\n{prompt}")
        return "## Goal\nsummary"

    numbers = compaction_numbers(MODEL)
    if branch is not None:
        asyncio.run(summarise_branch(branch, numbers, ask, focus=focus))
    else:
        asyncio.run(summarise(made, numbers, ask, focus=focus))
    return "\n\n=====\n\n".join([SYSTEM_PROMPT, *prompts])


def compacted():
    """The context after a compaction of a branch that begins with the summary of another, as it is sent."""
    entries = [
        BranchSummaryEntry(id="0", parent_id=None, timestamp="", from_id="x", summary="## Goal\nmedians"),
        *(
            MessageEntry(id=str(number), parent_id=str(number - 1), timestamp="", message=message)
            for number, message in enumerate(TURN, 1)
            if not isinstance(message, CustomMessage)
        ),
    ]
    summary = with_ledger(f"## Goal\nsales\n\n---\n\n{TURN_HEADING}\n\n## Original Request\nregions", LEDGER)
    entries.append(
        CompactionEntry(
            id="9", parent_id="8", timestamp="", summary=summary, first_kept_entry_id="5", tokens_before=9
        )
    )
    messages = repair_pairs(Projection(entries).messages)
    request = ModelRequest(system_prompt="(system prompt)", tools=(), messages=tuple(messages))
    sent = chat_messages(request, MODEL)
    assert find_problems({"model": "m", "messages": sent}) == []
    text = json.dumps(sent, indent=1, ensure_ascii=False).replace("\\n", "\n")
    return re.sub(r"row 3\n.*row 297", "row 3\n(...)\nrow 297", text, flags=re.DOTALL)


TEXTS = {
    "first": lambda: asked(plan(to_summarise=TURN), focus="the regions"),
    "update": lambda: asked(plan(to_summarise=TURN[1:], previous_summary="## Goal\nsales")),
    "split_turn": lambda: asked(plan(to_summarise=[asks("hello")], turn_prefix=TURN)),
    "branch": lambda: asked(branch=[m for m in TURN if not hasattr(m, "tool_call_id")]),
    "by_the_program": lambda: plain_summary(
        plan(to_summarise=TURN, previous_summary="## Goal\nsales"), max_tokens=2_000
    ),
    "context": compacted,
}


@pytest.mark.parametrize("name", TEXTS)
def test_what_the_model_reads_is_what_is_recorded(name):
    text = TEXTS[name]().rstrip() + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_a_summary_has_the_sections_that_a_person_looks_for():
    assert re.findall(r"^#+ .*$", SECTIONS, re.MULTILINE) == [
        "## Goal",
        "## Constraints & Preferences",
        "## Progress",
        "### Done",
        "### In Progress",
        "### Blocked",
        "## Key Decisions",
        "## Problems & Errors Found",
        "## Next Steps",
        "## Key Files, Functions & Paths",
        "## Critical Context",
    ]


def test_a_picture_that_its_result_names_is_named_once():
    picture = ImageContent(data="iVBORw0KGgo=", mime_type="image/png")
    named = TextContent(text="[image/png, 40 x 30, 1.2 KB]")
    one = result("a", "", content=[named, picture])
    two = result("b", "", content=[named, picture, picture])
    assert conversation_parts([one, two], TextBounds()) == [
        "[Result of run_code]: [image/png, 40 x 30, 1.2 KB]",
        "[Result of run_code]: [image/png, 40 x 30, 1.2 KB]\n[1 picture]",
    ]
