"""What people of other programs complain of about compaction, each kind a test here or where it is named.

- never during a long run of tools, a full context of results alone, kept results too large, a context
  that cannot be compacted, what was kept before is lost, endless compaction: `test_compaction` and
  `context/compaction/test_plan`
- a summary that is cut, empty or refused, no tries, output eaten by thinking, wishes lost on a split
  turn, text that is too long to summarise: `context/compaction/test_summarising`
- stale or missing counts of the provider, orphaned results after repairs, prompts during a compaction,
  the wrong branch: `test_context_machine`, `test_branch_summary`
"""

import pytest

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.events import CompactionStart
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    TextContent,
    ToolCall,
    UserMessage,
    text_of,
)
from pi_notebook.errors import ContextOverflowError, ModelError, ModelUnavailableError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services

OVERFLOW = ContextOverflowError("too long", model="m")


@tool(risk="read")
async def look(context: ToolContext, chars: int) -> str:
    """Give a text."""
    return "word " * (chars // 5)


@pytest.fixture
def session(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.agent.tools["look"] = look
    runtime.session.set_value("retry.base_delay_seconds", "0")
    yield runtime.session
    runtime.close()


def reply(*content, reason="stop"):
    return AssistantMessage(
        content=[TextContent(text=one) if isinstance(one, str) else one for one in content],
        api="scripted",
        provider="scripted",
        model="scripted",
        usage=NO_USAGE,
        stop_reason=reason,
        timestamp=0,
    )


def call(number, chars=10):
    return ToolCall(id=f"c{number}", name="look", arguments={"chars": chars})


def compactions(session):
    return list(session.store.branch().of_kind("compaction"))


async def test_an_answer_that_was_cut_short_does_not_allow_another_compaction_and_try(session):
    await session.prompt("one " * 3_000, model=ScriptedModel(["ok"]))
    begun = []
    session.subscribe(lambda event: begun.append(event) if isinstance(event, CompactionStart) else None)
    cut = [reply("half", call(number), reason="length") for number in range(9)]
    asked = [one for answer in cut for one in (OVERFLOW, "## Goal\nshort", answer)]
    with pytest.raises(ModelError):
        await session.prompt("go", model=ScriptedModel(asked))
    assert len(begun) == 1


async def test_an_answer_that_was_given_is_not_asked_for_again_after_a_compaction(session):
    model = ScriptedModel([reply("word " * 13_000), "## Goal\nshort", "never"], context_window=16_000)
    end = await session.prompt("go", model=model)
    assert end.reason == "done"
    assert sum(bool(request.tools) for request in model.requests) == 1


async def test_a_prompt_as_large_as_ten_windows_is_refused_and_the_next_one_is_answered(session):
    huge = "word " * 160_000

    def strict(request):
        size = sum(len(text_of(message)) for message in request.messages) // 5
        if size > 16_000:
            raise ContextOverflowError("too long", model="m")
        return "fine" if request.tools else "## Goal\nhuge"

    def model():
        return ScriptedModel([strict] * 60, context_window=16_000)

    end = await session.prompt(huge, model=model())
    assert end.reason == "done"
    asked = model()
    assert (await session.prompt("and now?", model=asked)).reason == "done"
    assert [m.content for m in asked.requests[-1].messages if isinstance(m, UserMessage)] == ["and now?"]
    assert compactions(session)


async def test_a_summary_is_asked_for_again_when_the_connection_was_lost(session, monkeypatch):
    monkeypatch.setattr("pi_notebook.session.summariser._PAUSES_SECONDS", (0.0, 0.0))
    await session.prompt("one " * 6_000, model=ScriptedModel(["ok"]))
    await session.prompt("two " * 6_000, model=ScriptedModel(["ok"]))
    lost = ModelUnavailableError("connection lost", model="m")
    model = ScriptedModel([lost, lost, "## Goal\nsummary", "fine"], context_window=16_000)
    await session.prompt("three", model=model)
    assert compactions(session)[-1].summary.startswith("## Goal\nsummary")


async def test_a_compaction_right_after_another_has_nothing_to_do(session):
    await session.prompt("one " * 6_000, model=ScriptedModel(["ok"]))
    await session.prompt("two " * 6_000, model=ScriptedModel(["ok"]))
    model = ScriptedModel(["## Goal\nsummary", "fine", "fine"], context_window=16_000)
    await session.prompt("three", model=model)
    await session.prompt("four", model=model)
    assert len(compactions(session)) == 1


async def test_what_could_free_nothing_in_a_large_window_is_tried_again_in_a_smaller_one(session):
    for words in ("one " * 2_000, "two " * 2_000):
        await session.prompt(words, model=ScriptedModel(["ok"], context_window=16_000))
    await session.prompt("three " * 7_200, model=ScriptedModel(["fine"], context_window=16_000))
    assert compactions(session) == []
    model = ScriptedModel([lambda r: "fine" if r.tools else "## Goal\nshort"] * 5, context_window=8_000)
    await session.prompt("four", model=model)
    assert compactions(session)
