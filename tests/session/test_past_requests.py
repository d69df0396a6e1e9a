"""Any request of a session, told from its entries as it was when it was sent."""

import tracemalloc

import pytest

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    Cost,
    ImageContent,
    TextContent,
    ToolCall,
    Usage,
    user_message,
)
from pi_notebook.context.requests import difference
from pi_notebook.errors import ModelUnavailableError, UsageError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.past_requests import SessionRequests
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.ui.inspection.timeline import Timeline
from tests.context.composed import compose

COUNTED = Usage(input=5_000, output=20, cache_read=1_000, cache_write=0, total_tokens=6_020, cost=Cost())


@tool(risk="read")
async def give(context: ToolContext, chars: int) -> str:
    """Give a text."""
    return "word " * (chars // 5)


@pytest.fixture
def runtime(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.agent.tools["give"] = give
    runtime.session.set_value("retry.base_delay_seconds", "0")
    yield runtime
    runtime.close()


def call(chars, call_id):
    return ["I look.", ToolCall(id=call_id, name="give", arguments={"chars": chars})]


async def ask(runtime, *replies, prompt="go", **options):
    session = runtime.session
    session.agent.model = session.choices.model = ScriptedModel(list(replies), **options)
    await session.prompt(prompt)
    return session.agent.model.requests


def entries_of(found):
    return [item.message for item in found.items]


async def test_each_past_request_is_what_was_sent(runtime):
    down = ModelUnavailableError("not there", model="m")
    sent = await ask(runtime, call(2_000, "a"), down, call(500, "b"), "done")
    sent += await ask(runtime, "## Goal\nfind", "more", prompt="and " * 50)
    requests = SessionRequests(runtime.session)
    assert requests.count == len(sent) == 5
    for number, request in enumerate(sent, 1):
        past = requests.past(number)
        assert entries_of(past) == list(request.messages)
        parts, told = compose(request).by_category(), past.composition.by_category()
        assert {name: told[name] for name in parts if name != "system_prompt"} == {
            name: tokens for name, tokens in parts.items() if name != "system_prompt"
        }
        assert past.tokens == sum(share.tokens for share in past.composition.shares)


async def test_the_next_request_is_of_the_size_that_decides_and_its_parts_add_up_to_it(runtime):
    await ask(runtime, call(2_000, "a"), "done", usage=COUNTED)
    found = SessionRequests(runtime.session).next()
    assert (
        found.tokens == runtime.session.upkeep.usage.tokens == sum(found.composition.by_category().values())
    )
    assert not found.is_estimate
    assert found.trigger == runtime.session.upkeep.trigger
    assert found.tokens + found.free + found.reserve == found.context_window


async def test_a_past_request_is_of_the_size_its_provider_counted(runtime):
    await ask(runtime, "done", usage=COUNTED)
    past = SessionRequests(runtime.session).past(1)
    assert (past.tokens, past.is_estimate) == (6_000, False)


async def test_requests_from_before_a_compaction_and_a_resume_are_told_as_they_were(runtime):
    session = runtime.session
    sent = await ask(runtime, call(20_000, "a"), call(20_000, "b"), "done", context_window=100_000)
    session.agent.model = session.choices.model = ScriptedModel(["## Goal\nfind"], context_window=100_000)
    session.set_value("compaction.keep_recent_tokens", "1000")
    await session.compact()
    path = str(session.path)
    await runtime.new()
    await runtime.resume(path)
    requests = SessionRequests(runtime.session)
    assert entries_of(requests.past(3)) == list(sent[2].messages)
    found = difference(requests.past(3), requests.next())
    assert requests.recorded_between(3, None)[0] == 1
    assert found.kept_messages == 0
    assert any("give" in item.name for item in found.gone)
    assert found.by_category["summaries"] > 0


async def test_the_share_of_the_prefix_that_is_kept_is_told(runtime):
    await ask(runtime, call(2_000, "a"), call(2_000, "b"), "done")
    requests = SessionRequests(runtime.session)
    found = difference(requests.past(1), requests.past(3))
    assert found.kept_share == 1
    assert [item.message for item in found.added] == entries_of(requests.past(3))[found.kept_messages :]
    assert not found.gone


async def test_a_number_that_is_none_is_refused_with_those_there_are(runtime):
    with pytest.raises(UsageError, match="None was sent yet"):
        SessionRequests(runtime.session).past(1)
    await ask(runtime, "done")
    with pytest.raises(UsageError, match="1 to 1"):
        SessionRequests(runtime.session).past(2)


async def test_a_picture_is_held_once_however_often_it_is_sent(runtime):
    await ask(runtime, "ready")
    size = 8_000_000
    tracemalloc.start()
    try:
        picture = ImageContent(data="A" * size, mime_type="image/png")
        await ask(runtime, call(10, "a"), call(10, "b"), "done", prompt=[TextContent(text="see"), picture])
        runtime.session.agent.model.requests.clear()
        del picture
        SessionRequests(runtime.session).next()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size <= held < 1.5 * size


def answered(session, model):
    """A prompt and the answer of a model of that name, as a run records them."""
    session.upkeep.store_prompt()
    session.branch.add_message(user_message("go"))
    session.branch.add_message(
        AssistantMessage(
            content=[TextContent(text="ok")],
            api="litellm",
            provider="openai",
            model=model,
            usage=NO_USAGE,
            stop_reason="stop",
            timestamp=0,
        )
    )


def test_a_past_request_has_the_window_and_the_trigger_that_held_when_it_was_sent(runtime):
    session = runtime.session
    session.set_value("model", "openai/nobody-knows")
    answered(session, "nobody-knows")
    session.branch.add_setting("context_window@openai/nobody-knows", 9_000)  # learnt from an overflow
    answered(session, "nobody-knows")
    session.set_value("context_window", "50000")
    answered(session, "nobody-knows")
    session.set_value("fallback_models", "openai/gpt-4o")
    answered(session, "gpt-4o")  # it stood in, with its own window
    session.set_value("compaction.reserve_tokens", "300")
    answered(session, "nobody-knows")
    session.set_value("context_window", "20000")
    told = [(32_768, 24_576), (9_000, 6_750), (50_000, 37_500), (128_000, 111_616), (50_000, 49_700)]
    for chosen in ("openai/nobody-knows", "openai/gpt-4o-mini"):
        session.set_value("model", chosen)
        requests = SessionRequests(session)
        found = [requests.past(number) for number in range(1, requests.count + 1)]
        assert [(one.context_window, one.trigger) for one in found] == told
    points = Timeline(session).points()
    assert [point.context_window for point in points] == [window for window, _ in told]
