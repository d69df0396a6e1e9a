"""One run: the order of events, tool results, queues, stops."""

import asyncio
from typing import Annotated

import msgspec
import pytest

from pi_notebook.agent import Agent, Hooks, ToolCallDecision, ToolContext, ToolError, ToolResult, tool
from pi_notebook.agent.events import AgentEnd, MessageEnd, MessageUpdate, ToolExecutionUpdate
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    user_message,
)
from pi_notebook.errors import ModelUnavailableError, SessionBusyError, UsageError
from pi_notebook.models.scripted import ScriptedModel


@tool(risk="read")
async def add(context: ToolContext, a: Annotated[int, "one"], b: Annotated[int, "other"] = 1) -> str:
    """Add two numbers."""
    return str(a + b)


@tool(risk="read")
async def wait(context: ToolContext, seconds: float) -> str:
    """Wait, then say so."""
    await asyncio.sleep(seconds)
    return f"waited {seconds}"


@tool(risk="read")
async def fail(context: ToolContext) -> str:
    """Fail."""
    raise ValueError("no such thing")


def call(name: str, call_id: str = "c1", /, **arguments: object) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=arguments)


async def run(replies, *, tools=(add, wait, fail), prompt="go", **options):
    agent = Agent(ScriptedModel(replies), tools=tools, **options)
    events = []
    agent.subscribe(events.append)
    end = await agent.prompt(prompt)
    return agent, events, end


def names(events):
    return [type(event).__name__ for event in events if not isinstance(event, MessageUpdate)]


def results(agent):
    return [message for message in agent.messages if isinstance(message, ToolResultMessage)]


async def test_a_run_tells_its_events_in_the_documented_order():
    _, events, end = await run([[call("add", a=1)], "two"])
    assert names(events) == [
        "AgentStart",
        "MessageStart",
        "MessageEnd",
        "TurnStart",
        "MessageStart",
        "MessageEnd",
        "ToolExecutionStart",
        "ToolExecutionEnd",
        "MessageStart",
        "MessageEnd",
        "TurnEnd",
        "TurnStart",
        "MessageStart",
        "MessageEnd",
        "TurnEnd",
        "AgentEnd",
    ]
    assert end.reason == "done"
    assert [type(message) for message in end.messages] == [
        UserMessage,
        AssistantMessage,
        ToolResultMessage,
        AssistantMessage,
    ]


async def test_the_next_request_holds_the_results_of_the_calls_before_it():
    agent, _, _ = await run([[call("add", a=20, b=22)], "done"])
    last = agent.model.requests[-1].messages
    assert [message.role if hasattr(message, "role") else type(message).__name__ for message in last][-1] == (
        "ToolResultMessage"
    )
    assert last[-1].text == "42"
    assert last[-1].tool_call_id == last[-2].tool_calls[0].id


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ([call("nothing", a=1)], "There is no tool 'nothing'"),
        ([call("ad", a=1)], "Did you mean add?"),
        ([call("add", a="x")], "Wrong arguments for add"),
        ([call("add", a=1, c=2)], "It takes: a (required), b (optional)"),
        ([call("add")], "a (required)"),
        ([call("fail")], "fail failed: ValueError: no such thing"),
        (
            [ToolCall(id="c", name="add", arguments={}, malformed_arguments='{"a": 1')],
            "not a JSON object",
        ),
    ],
)
async def test_what_is_wrong_with_a_call_is_an_error_result_the_model_can_act_on(calls, expected):
    agent, _, end = await run([calls, "I see"])
    (result,) = results(agent)
    assert result.is_error
    assert expected in result.text
    assert end.reason == "done"


async def test_arguments_of_the_right_meaning_are_coerced():
    agent, _, _ = await run([[call("add", a="40", b="2")], "done"])
    assert results(agent)[0].text == "42"


async def test_parallel_calls_overlap_and_their_results_stand_in_call_order():
    calls = [call("wait", "slow", seconds=0.2), call("wait", "quick", seconds=0.01), call("add", "sum", a=1)]
    agent, events, _ = await run([calls, "done"])
    assert [result.text for result in results(agent)] == ["waited 0.2", "waited 0.01", "2"]
    ends = [event.call.id for event in events if type(event).__name__ == "ToolExecutionEnd"]
    assert ends[-1] == "slow"


async def test_one_sequential_tool_makes_the_whole_batch_sequential():
    running, most = 0, 0

    async def body(context: ToolContext) -> str:
        """Count how many run at once."""
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return "ok"

    free, alone = tool(risk="read", name="free")(body), tool(risk="read", name="alone", sequential=True)(body)
    await run([[call("free", "a"), call("alone", "b"), call("free", "c")], "done"], tools=(free, alone))
    assert most == 1
    await run([[call("free", "a"), call("free", "c")], "done"], tools=(free, alone))
    assert most == 2
    most = 0
    await run([[call("free", "a"), call("free", "c")], "done"], tools=(free,), execution="sequential")
    assert most == 1


async def test_a_hook_can_block_a_call_with_a_reason():
    async def gate(tool, call):
        return ToolCallDecision(block=True, reason="Not today.")

    agent, _, _ = await run([[call("add", a=1)], "ok"], hooks=Hooks(before_tool_call=[gate]))
    assert results(agent)[0].text == "Not today."
    assert results(agent)[0].is_error


async def test_a_gate_that_fails_stays_shut():
    ran = []

    @tool(risk="execute")
    async def act(context: ToolContext) -> str:
        """Do it."""
        ran.append(1)
        return "done"

    async def broken(tool, call):
        raise RuntimeError("gate broke")

    agent, _, _ = await run([[call("act")], "ok"], tools=(act,), hooks=Hooks(before_tool_call=[broken]))
    assert not ran
    assert "gate broke" in results(agent)[0].text


async def test_a_hook_can_change_arguments_and_the_change_is_checked_again():
    async def edit(tool, call):
        return ToolCallDecision(arguments={"a": 5, "b": 5})

    async def spoil(tool, call):
        return ToolCallDecision(arguments={"a": "five"})

    agent, _, _ = await run([[call("add", a=1)], "ok"], hooks=Hooks(before_tool_call=[edit]))
    assert results(agent)[0].text == "10"
    agent, _, _ = await run([[call("add", a=1)], "ok"], hooks=Hooks(before_tool_call=[spoil]))
    assert results(agent)[0].is_error


async def test_an_after_hook_can_replace_a_result():
    async def shorten(call, result):
        return ToolResult.of_text("short")

    agent, _, _ = await run([[call("add", a=1)], "ok"], hooks=Hooks(after_tool_call=[shorten]))
    assert results(agent)[0].text == "short"


async def test_a_reply_cut_off_by_its_length_never_has_its_calls_run():
    ran = []

    @tool(risk="execute")
    async def act(context: ToolContext) -> str:
        """Do it."""
        ran.append(1)
        return "done"

    cut = AssistantMessage(
        content=[call("act")],
        api="scripted",
        provider="scripted",
        model="scripted",
        usage=NO_USAGE,
        stop_reason="length",
        timestamp=0,
    )
    agent, _, _ = await run([cut, "ok"], tools=(act,))
    assert not ran
    assert "may be cut off" in results(agent)[0].text


async def test_a_failed_model_is_recorded_and_told_in_the_end_of_the_run():
    error = ModelUnavailableError("the server is down", model="scripted")
    agent, _, end = await run([error])
    assert end.reason == "error"
    assert end.error is error
    assert agent.messages[-1].stop_reason == "error"
    assert agent.messages[-1].error_message == "the server is down"
    assert not agent.is_running


async def test_a_stream_that_ends_without_a_message_is_a_failure():
    class Silent(ScriptedModel):
        async def stream(self, request):
            return
            yield

    agent = Agent(Silent([]))
    end = await agent.prompt("hello")
    assert end.reason == "error"
    assert "without finishing" in agent.messages[-1].error_message


async def test_steering_is_delivered_before_the_next_request_and_a_follow_up_when_the_run_would_end():
    agent = Agent(ScriptedModel([[call("wait", seconds=0.05)], "first", "second"]), tools=(wait,))
    started = asyncio.Event()
    agent.subscribe(lambda event: started.set() if type(event).__name__ == "ToolExecutionStart" else None)
    running = asyncio.ensure_future(agent.prompt("go"))
    await started.wait()
    await agent.follow_up("and then?")
    await agent.steer("faster")
    await running
    told = [message.content for message in agent.messages if isinstance(message, UserMessage)]
    assert told == ["go", "faster", "and then?"]
    assert [m.text for m in agent.messages if isinstance(m, AssistantMessage)] == ["", "first", "second"]


async def test_what_a_hook_gives_for_a_queued_message_stands_before_it():
    agent = Agent(ScriptedModel([[call("wait", seconds=0.05)], "first", "second"]), tools=(wait,))

    async def known(message):
        return [user_message(f"known of {message.content}")]

    agent.hooks.before_queued.append(known)
    started = asyncio.Event()
    agent.subscribe(lambda event: started.set() if type(event).__name__ == "ToolExecutionStart" else None)
    running = asyncio.ensure_future(agent.prompt("go"))
    await started.wait()
    await agent.steer("faster")
    await agent.follow_up("and then?")
    await running
    told = [message.content for message in agent.messages if isinstance(message, UserMessage)]
    assert told == ["go", "known of faster", "faster", "known of and then?", "and then?"]


async def test_a_queued_message_is_not_lost_when_the_run_is_stopped_before_its_turn():
    agent = Agent(ScriptedModel([[call("wait", seconds=30)]]), tools=(wait,))
    started = asyncio.Event()
    agent.subscribe(lambda event: started.set() if type(event).__name__ == "ToolExecutionStart" else None)
    running = asyncio.ensure_future(agent.prompt("go"))
    await started.wait()
    await agent.steer("wait for me")
    agent.abort()
    assert (await running).reason == "aborted"
    assert [message.content for message in agent.steering.messages] == ["wait for me"]


async def test_max_turns_ends_a_run_that_would_go_on():
    agent = Agent(ScriptedModel([[call("add", "a", a=1)], [call("add", "b", a=1)], "never"]), tools=(add,))
    end = await agent.prompt("go", max_turns=2)
    assert end.reason == "max_turns"
    assert len(results(agent)) == 2


async def test_a_second_prompt_while_a_run_is_on_is_refused():
    agent = Agent(ScriptedModel([[call("wait", seconds=0.2)], "done"]), tools=(wait,))
    running = asyncio.ensure_future(agent.prompt("go"))
    await asyncio.sleep(0)
    with pytest.raises(SessionBusyError, match="steer"):
        await agent.prompt("again")
    await running


async def test_there_is_nothing_to_resume_after_an_answer():
    agent, _, _ = await run(["done"])
    with pytest.raises(UsageError, match="nothing to continue"):
        await agent.resume()


async def test_call_ids_that_repeat_or_no_provider_takes_are_replaced_in_call_and_result():
    replies = [
        [call("add", "same", a=1)],
        [call("add", "same", a=2)],
        [call("add", " functions.add:0", a=3)],
        "ok",
    ]
    agent, _, _ = await run(replies)
    ids = [c.id for m in agent.messages if isinstance(m, AssistantMessage) for c in m.tool_calls]
    assert len(set(ids)) == 3
    assert ids[0] == "same"
    assert all(i.replace("_", "").replace("-", "").isalnum() for i in ids)
    assert [result.tool_call_id for result in results(agent)] == ids


async def test_glances_from_a_thread_reach_the_person_while_the_tool_runs():
    @tool(risk="read")
    async def talk(context: ToolContext) -> str:
        """Talk."""
        for number in range(3):
            await asyncio.to_thread(context.update, f"part {number}")
            await asyncio.sleep(0.15)
        return "done"

    _, events, _ = await run([[call("talk")], "ok"], tools=(talk,))
    assert [event.text for event in events if isinstance(event, ToolExecutionUpdate)] == [
        "part 0",
        "part 1",
        "part 2",
    ]


async def test_a_subscriber_is_awaited_before_the_run_goes_on():
    order = []
    agent = Agent(ScriptedModel(["hello"]))

    async def slow(event):
        if isinstance(event, MessageEnd):
            await asyncio.sleep(0.01)
            order.append(type(event.message).__name__)

    agent.subscribe(slow)
    agent.subscribe(lambda event: order.append("end") if isinstance(event, AgentEnd) else None)
    await agent.prompt("hi")
    assert order == ["UserMessage", "AssistantMessage", "end"]


class Change(msgspec.Struct):
    old: str
    new: str


async def test_a_tool_gets_nested_arguments_as_the_types_it_declares():
    @tool(risk="edit")
    async def change(context: ToolContext, changes: Annotated[list[Change], "what"]) -> str:
        """Change."""
        return ", ".join(f"{item.old}->{item.new}" for item in changes)

    changes = [{"old": "a", "new": "b"}, {"old": "c", "new": "d"}]
    agent, _, _ = await run([[call("change", changes=changes)], "ok"], tools=(change,))
    assert results(agent)[0].text == "a->b, c->d"
    assert agent.messages[1].tool_calls[0].arguments == {"changes": changes}


KEY = "sk-proj-0123456789abcdef"


@tool(risk="read")
async def leak(context: ToolContext, how: str) -> ToolResult:
    """Tell the key."""
    context.update(f"so far: {KEY}")
    await asyncio.sleep(0)  # the glance goes out
    if how == "error":
        raise ToolError(f"refused {KEY}")
    if how == "failure":
        raise ValueError(KEY)
    return ToolResult.of_text(f"it is {KEY!r}", details={"output": [f"…{KEY[:20]}", {KEY: KEY}]})


@pytest.mark.parametrize("how", ["result", "error", "failure"])
async def test_no_event_and_no_message_has_a_providers_key_that_a_tool_found(monkeypatch, how):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    agent, events, _ = await run([[call("leak", how=how)], "done"], tools=(leak,))
    assert KEY[:20] not in repr(events) + repr(agent.messages)
    assert "[key]" in results(agent)[0].content[0].text
    assert "so far: [key]" in [event.text for event in events if isinstance(event, ToolExecutionUpdate)]


@pytest.mark.parametrize(
    "given", [None, 5, {"a": 1}, ToolResult(content="abc"), ToolResult(content=[1])], ids=repr
)
async def test_what_is_no_result_is_an_error_that_the_model_reads(given):
    @tool(risk="read")
    async def odd(context: ToolContext) -> str:
        """Give something else than a text."""
        return given

    agent, _, end = await run([call("odd"), "done"], tools=[odd])
    (result,) = results(agent)
    assert end.reason == "done"
    assert result.is_error
    assert "odd failed: TypeError" in result.text


@pytest.mark.parametrize("where", ["tool", "gate", "hook"])
async def test_the_text_of_an_error_is_bounded_with_both_its_ends(where):
    text = "begin " + "word " * 100_000 + "end"

    async def block(tool, call):
        return ToolCallDecision(block=True, reason=text)

    async def broken(call, result):
        raise ValueError(text)

    @tool(risk="read")
    async def failing(context: ToolContext) -> str:
        """Fail, or not."""
        if where == "tool":
            raise ToolError(text)
        return "fine"

    hooks = {
        "tool": Hooks(),
        "gate": Hooks(before_tool_call=[block]),
        "hook": Hooks(after_tool_call=[broken]),
    }
    agent, _, _ = await run([call("failing"), "done"], tools=[failing], hooks=hooks[where])
    (result,) = results(agent)
    assert result.is_error
    assert len(result.text) < 4_200
    assert "begin" in result.text
    assert "end" in result.text[-5:]


class Panic(BaseException):
    pass


class Mute(Exception):
    def __str__(self):
        raise ValueError("no text")


@pytest.mark.parametrize("error", [SystemExit(3), Panic("in Rust"), Mute()], ids=["exit", "panic", "mute"])
@pytest.mark.parametrize("where", ["tool", "gate", "hook"])
async def test_whatever_a_tool_or_a_hook_raises_is_an_error_that_the_model_reads(where, error):
    async def broken(*given):
        raise Mute

    @tool(risk="read")
    async def failing(context: ToolContext) -> str:
        """Fail, or not."""
        if where == "tool":
            raise error
        return "fine"

    hooks = Hooks()
    if where != "tool":
        getattr(hooks, {"gate": "before_tool_call", "hook": "after_tool_call"}[where]).append(broken)
    agent, _, end = await run([call("failing"), "done"], tools=[failing], hooks=hooks)
    (result,) = results(agent)
    assert end.reason == "done"
    assert result.is_error
    assert "failed" in result.text
    if where == "tool":
        assert type(error).__name__ in result.text
