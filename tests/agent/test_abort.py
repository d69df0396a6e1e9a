"""A stop at any point leaves a history that the strictest provider takes."""

import asyncio
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent import Agent, ToolContext, tool
from pi_notebook.agent.abort import Aborted, AbortSignal
from pi_notebook.agent.messages import AssistantMessage, ToolCall, ToolResultMessage
from pi_notebook.context.projection import repair_pairs
from pi_notebook.models.scripted import ScriptedModel
from tests.patience import SOON


@tool(risk="read")
async def work(context: ToolContext, steps: Annotated[int, "how long"]) -> str:
    """Work for some turns of the loop."""
    for _ in range(steps):
        await asyncio.sleep(0)
    return "worked"


@tool(risk="read", sequential=True)
async def alone(context: ToolContext) -> str:
    """Work alone."""
    await asyncio.sleep(0)
    return "worked alone"


def problems(messages) -> list[str]:
    """What a strict provider would refuse."""
    found, open_calls, seen = [], [], set()
    for message in messages:
        if isinstance(message, ToolResultMessage):
            if message.tool_call_id not in open_calls:
                found.append(f"result without call {message.tool_call_id}")
            else:
                open_calls.remove(message.tool_call_id)
            continue
        if open_calls:
            found.append(f"calls without result {open_calls}")
        open_calls = []
        if isinstance(message, AssistantMessage):
            if not message.text and not message.tool_calls:
                found.append("empty answer")
            open_calls = [call.id for call in message.tool_calls]
            found += [f"id twice {i}" for i in open_calls if i in seen]
            seen.update(open_calls)
    return found + ([f"calls without result {open_calls}"] if open_calls else [])


replies = st.lists(
    st.one_of(
        st.just("some words of an answer"),
        st.lists(
            st.one_of(
                st.builds(lambda n: ToolCall(id="", name="work", arguments={"steps": n}), st.integers(0, 3)),
                st.just(ToolCall(id="", name="alone", arguments={})),
                st.just(ToolCall(id="x", name="missing", arguments={})),
            ),
            min_size=1,
            max_size=3,
        ),
    ),
    max_size=4,
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(replies=replies, stop_at=st.integers(0, 60))
def test_a_stop_at_any_event_leaves_a_valid_history_that_goes_on(replies, stop_at):
    asyncio.run(_stop_and_go_on(replies, stop_at))


async def _stop_and_go_on(replies, stop_at):
    agent = Agent(ScriptedModel([*replies, "the end"]), tools=(work, alone))
    count = 0

    def stop(event):
        nonlocal count
        count += 1
        if count == stop_at:
            agent.abort()

    unsubscribe = agent.subscribe(stop)
    end = await agent.prompt("go")
    assert end.reason in ("done", "aborted")
    assert problems(repair_pairs(agent.messages)) == []
    assert not agent.is_running

    unsubscribe()
    agent.model = ScriptedModel(["and on"])
    assert (await agent.prompt("again")).reason == "done"
    assert problems(repair_pairs(agent.messages)) == []
    assert agent.messages[-1].text == "and on"


async def test_calls_that_had_not_begun_when_the_run_was_stopped_are_answered_and_not_run():
    ran = []

    @tool(risk="execute", sequential=True)
    async def act(context: ToolContext, name: str) -> str:
        """Do it."""
        ran.append(name)
        agent.abort()
        await asyncio.sleep(30)
        return "done"

    calls = [ToolCall(id=f"c{n}", name="act", arguments={"name": str(n)}) for n in range(3)]
    agent = Agent(ScriptedModel([calls]), tools=(act,))
    end = await agent.prompt("go")
    results = [message for message in end.messages if isinstance(message, ToolResultMessage)]
    assert ran == ["0"]
    assert [result.is_error for result in results] == [True, True, True]
    assert "not finished" in results[0].text
    assert "not run" in results[1].text


async def test_a_tool_that_ignores_its_cancellation_does_not_hold_up_a_stop():
    is_over = False

    @tool(risk="execute")
    async def deaf(context: ToolContext) -> str:
        """Go on whatever happens."""
        while not is_over:
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                continue
        return "late"

    agent = Agent(ScriptedModel([[ToolCall(id="c", name="deaf", arguments={})]]), tools=(deaf,))
    asyncio.get_running_loop().call_later(0.05, agent.abort)
    end = await asyncio.wait_for(agent.prompt("go"), SOON)
    is_over = True
    assert end.reason == "aborted"


async def test_a_guard_gives_what_was_finished_and_raises_for_what_was_not():
    signal = AbortSignal()
    assert await signal.guard(asyncio.sleep(0, "done")) == "done"
    asyncio.get_running_loop().call_later(0.01, signal.set)
    with pytest.raises(Aborted):
        await signal.guard(asyncio.sleep(30))
    assert signal.is_set
    with pytest.raises(Aborted):
        await signal.guard(asyncio.sleep(30))


async def test_an_error_in_guarded_work_comes_out_as_it_is():
    async def broken():
        raise KeyError("x")

    with pytest.raises(KeyError):
        await AbortSignal().guard(broken())


async def test_a_result_given_within_the_grace_is_kept():
    @tool(risk="execute")
    async def tidy(context: ToolContext) -> str:
        """Say how far it came."""
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            assert context.abort.is_set
        return "half of it"

    agent = Agent(ScriptedModel([[ToolCall(id="c", name="tidy", arguments={})]]), tools=(tidy,))
    asyncio.get_running_loop().call_later(0.05, agent.abort)
    end = await agent.prompt("go")
    assert end.reason == "aborted"
    assert end.messages[-1].text == "half of it"
