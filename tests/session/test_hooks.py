"""Hooks of others: what each may do, that it is recorded, and that a broken one breaks nothing."""

import asyncio
import json
import threading

import msgspec
import pytest

from pi_notebook import on
from pi_notebook.agent import ToolCallDecision, ToolContext, ToolResult, tool
from pi_notebook.agent.events import CompactionEnd, Notice
from pi_notebook.agent.messages import (
    CustomMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_notebook.context.retrieved import MAX_TOKENS, RETRIEVED_TYPE
from pi_notebook.context.tokens import message_tokens
from pi_notebook.errors import SessionError, UsageError
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.hook_events import HOOK_EVENTS, CompactionDecision
from pi_notebook.session.hook_registry import PROCESS_HOOKS, HookRegistry
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from tests.request_rules import find_problems


@tool(risk="read")
async def echo(context: ToolContext, text: str) -> str:
    """Give the text back."""
    return text


@pytest.fixture
def runtime(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.agent.tools["echo"] = echo
    yield runtime
    runtime.close()
    for hook in list(PROCESS_HOOKS):
        PROCESS_HOOKS.remove(hook.function)


@pytest.fixture
def session(runtime):
    return runtime.session


def heard(session, kind):
    found = []
    session.subscribe(lambda event: found.append(event) if isinstance(event, kind) else None)
    return found


def faults(notices):
    return [notice.text for notice in notices if " hook " in notice.text]


def calling(*texts):
    return [ToolCall(id=f"c{text}", name="echo", arguments={"text": text}) for text in texts]


async def asked(session, *replies, prompt="go", window=100_000):
    """The model, after the prompt; each of its requests is one a provider takes."""
    model = ScriptedModel(list(replies) or ["done"], context_window=window)
    await session.prompt(prompt, model=model)
    for request in model.requests:
        assert find_problems({"model": "m", "messages": chat_messages(request, model.info)}) == []
    return model


def retrieved(session):
    return [
        one
        for one in session.messages
        if isinstance(one, CustomMessage) and one.custom_type == RETRIEVED_TYPE
    ]


def results(session):
    return [text_of(one) for one in session.messages if isinstance(one, ToolResultMessage)]


# before_prompt


async def test_a_passage_goes_before_the_prompt_and_stands_in_the_file(session):
    @session.hooks.on("before_prompt")
    def facts(prompt):
        return f"known of {prompt}"

    model = await asked(session, prompt="sales")
    *_, passage, prompt = model.requests[0].messages
    assert prompt.content == "sales"
    assert "known of sales" in passage.content
    kinds = [json.loads(line).get("customType") for line in session.path.read_text().splitlines()]
    assert kinds.count(RETRIEVED_TYPE) == 1


async def test_a_passage_that_is_in_view_is_not_sent_twice(session):
    session.hooks.on("before_prompt")(lambda prompt: ["always the same", prompt])
    await asked(session, prompt="one")
    await asked(session, prompt="two")
    first, second = (one.content for one in retrieved(session))
    assert "always the same" in first
    assert "always the same" not in second
    assert "two" in second


@pytest.mark.parametrize("count", [1, 40])
async def test_passages_are_bounded_whatever_hooks_give(session, count):
    for number in range(3):

        @session.hooks.on("before_prompt")
        def many(prompt, number=number):
            return [f"{number} {part} " + "word " * 50_000 for part in range(count)]

    await asked(session)
    found = retrieved(session)
    assert sum(map(message_tokens, found)) < MAX_TOKENS * 1.2
    assert "left out" in found[0].content


async def test_a_provider_key_in_a_passage_is_not_sent(session, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    session.hooks.on("before_prompt")(lambda prompt: "use sk-canary-0123456789abcdef")
    await asked(session)
    assert "sk-canary-0123456789abcdef" not in session.path.read_text()


@pytest.mark.parametrize("given", [None, "", [], "  \n", ["", ""]])
async def test_nothing_found_adds_nothing(session, given):
    session.hooks.on("before_prompt")(lambda prompt: given)
    notices = heard(session, Notice)
    await asked(session)
    assert retrieved(session) == []
    assert faults(notices) == []


@pytest.mark.parametrize("given", [3, [1, 2], {"a": 1}.items(), object()])
async def test_what_is_no_text_is_told_and_left_out(session, given):
    session.hooks.on("before_prompt")(lambda prompt: given)
    notices = heard(session, Notice)
    await asked(session)
    assert retrieved(session) == []
    assert len(faults(notices)) == 1


# every event: a hook that raises


@pytest.mark.parametrize("event", [event for event in HOOK_EVENTS if not event.startswith("before_session")])
@pytest.mark.parametrize("error", [ValueError("broken"), AssertionError(), KeyError("x")])
async def test_a_hook_that_raises_is_told_once_and_breaks_no_run(runtime, event, error):
    session = runtime.session

    @on(event)
    def broken(*arguments):
        raise error

    notices = heard(session, Notice)
    await asked(session, calling("a"), calling("b"), "done", prompt="word " * 3000)
    await asked(session, "done", prompt="word " * 3000)
    session.set_value("compaction.keep_recent_tokens", "300")
    session.choices.model = ScriptedModel(["summary"] * 3, context_window=100_000)
    session.agent.model = session.choices.model
    await session.compact()
    if event == "after_session_change":
        await runtime.new()
        return
    assert len(faults(notices)) == 1
    assert type(error).__name__ in faults(notices)[0]


@pytest.mark.parametrize("event", [event for event in HOOK_EVENTS if "session_change" not in event])
@pytest.mark.parametrize("is_coroutine", [False, True])
async def test_an_exit_in_a_hook_is_told_and_ends_nothing(session, event, is_coroutine):
    def leave(*given):
        raise SystemExit(3)

    async def leave_later(*given):
        raise SystemExit(3)

    await filled(session)
    notices = heard(session, Notice)
    session.hooks.on(event)(leave_later if is_coroutine else leave)
    await asked(session, calling("a"), "done")
    await compacted(session, "summary")
    assert any("SystemExit: 3" in text for text in faults(notices))


async def test_a_coroutine_function_is_awaited_and_a_plain_one_runs_on_a_thread_of_its_own(session):
    threads = []

    @session.hooks.on("before_prompt")
    async def awaited(prompt):
        await asyncio.sleep(0)
        threads.append(threading.current_thread())
        return "from a coroutine"

    @session.hooks.on("before_prompt")
    def plain(prompt):
        threads.append(threading.current_thread())
        return "from a function"

    await asked(session)
    assert [text for one in retrieved(session) for text in ("coroutine", "function") if text in one.content]
    assert threads[0] is threading.current_thread() is not threads[1]


async def test_a_stop_does_not_wait_for_a_hook(session):
    begun, release = threading.Event(), threading.Event()

    @session.hooks.on("before_prompt")
    def slow(prompt):
        begun.set()
        release.wait(30)

    run = asyncio.ensure_future(session.prompt("go", model=ScriptedModel(["done"])))
    await asyncio.to_thread(begun.wait, 10)
    session.abort()
    assert (await asyncio.wait_for(run, 5)).reason == "aborted"
    release.set()
    await asked(session, prompt="again")


# tool calls


async def test_a_gate_blocks_with_its_reason(session):
    @session.hooks.on("before_tool_call")
    def gate(tool, call):
        return "not this one" if call.arguments["text"] == "bad" else None

    await asked(session, calling("bad", "good"), "done")
    assert results(session) == ["not this one", "good"]


@pytest.mark.parametrize("given", [True, 3, {"block": False}, []])
async def test_a_gate_that_raises_or_gives_nonsense_stays_shut(session, given):
    @session.hooks.on("before_tool_call")
    def gate(tool, call):
        return given

    notices = heard(session, Notice)
    await asked(session, calling("a"), calling("b"), "done")
    assert all(text.startswith("Not run") for text in results(session))
    assert len(faults(notices)) == 1


async def test_gates_pass_changed_arguments_on_and_they_are_checked_again(session):
    @session.hooks.on("before_tool_call")
    async def first(tool, call):
        return ToolCallDecision(arguments={"text": call.arguments["text"] + "1"})

    @session.hooks.on("before_tool_call")
    async def second(tool, call):
        return ToolCallDecision(arguments={"text": call.arguments["text"] + "2"})

    await asked(session, calling("a"), "done")
    assert results(session) == ["a12"]
    session.hooks.on("before_tool_call")(lambda tool, call: ToolCallDecision(arguments={"wrong": 1}))
    await asked(session, calling("b"), "done")
    assert results(session)[-1].startswith("Wrong arguments")


async def test_the_person_is_asked_for_what_the_gates_made_of_a_call(session):
    asked_for = []

    class Approver:
        async def ask(self, request):
            asked_for.append(request.call.arguments)

    session.hooks.on("before_tool_call")(
        lambda tool, call: ToolCallDecision(arguments={"command": "echo safe"})
    )
    model = ScriptedModel([[ToolCall(id="c1", name="bash", arguments={"command": "rm x"})], "done"])
    await session.prompt("go", model=model, approver=Approver())
    assert [arguments["command"] for arguments in asked_for] == ["echo safe"]


async def test_a_result_is_replaced_by_a_text_or_a_result(session):
    @session.hooks.on("after_tool_call")
    def shout(call, result):
        return text_of(ToolResultMessage(**parts_of(result))).upper()

    @session.hooks.on("after_tool_call")
    def mark(call, result):
        return ToolResult.of_text(text_of(ToolResultMessage(**parts_of(result))) + "!")

    await asked(session, calling("a"), "done")
    assert results(session) == ["A!"]


def parts_of(result):
    return {
        "tool_call_id": "",
        "tool_name": "",
        "content": list(result.content),
        "is_error": result.is_error,
        "timestamp": 0,
    }


async def test_what_a_hook_makes_of_a_result_is_bounded(session):
    session.hooks.on("after_tool_call")(lambda call, result: "word\n" * 1_000_000)
    await asked(session, calling("a"), "done")
    assert len(results(session)[0].encode()) < 60_000


@pytest.mark.parametrize("content", ["abc", [1], None, [TextContent(text=5)], {"type": "text"}], ids=repr)
async def test_a_result_that_holds_no_content_is_told_and_passed_over(session, content):
    notices = heard(session, Notice)
    session.hooks.on("after_tool_call")(lambda call, result: ToolResult(content=content))
    await asked(session, calling("a"), "done")
    assert results(session) == ["a"]
    assert len(faults(notices)) == 1


# context


async def test_a_message_is_hidden_and_another_changed_for_good_and_both_are_recorded(session):
    @session.hooks.on("context")
    def without_names(messages):
        changed = []
        for message in messages:
            if isinstance(message, ToolResultMessage) and "secret" in text_of(message):
                message = msgspec.structs.replace(message, content=[])
            if isinstance(message, UserMessage) and "Ada" in str(message.content):
                message = msgspec.structs.replace(message, content=message.content.replace("Ada", "N."))
            changed.append(None if isinstance(message, CustomMessage) else message)
        return changed

    model = await asked(
        session, [ToolCall(id="c1", name="echo", arguments={"text": "secret"})], "done", prompt="hello Ada"
    )
    for request in model.requests:
        assert "Ada" not in str(request.messages)
        assert not [one for one in request.messages if isinstance(one, CustomMessage)]
    assert model.requests[1].messages[-1].content == []
    assert "Ada" in session.path.read_text()
    session.hooks.remove(without_names)
    model = await asked(session, prompt="again")
    assert "Ada" not in str(model.requests[0].messages)
    kinds = [json.loads(line)["type"] for line in session.path.read_text().splitlines()]
    assert kinds.count("context_edit") == 3


async def test_a_hook_gets_copies_and_what_it_does_to_them_changes_nothing(session):
    @session.hooks.on("context")
    def careless(messages):
        for message in messages:
            if isinstance(message.content, list):
                message.content.clear()
        messages.clear()

    model = await asked(session, calling("a"), "done")
    assert results(session) == ["a"]
    assert text_of(model.requests[1].messages[-1]) == "a"


@pytest.mark.parametrize(
    "change",
    [
        lambda messages: messages[1:],
        lambda messages: [*messages, messages[0]],
        lambda messages: "text",
        lambda messages: [*messages[:-1], None],
        lambda messages: [
            ToolResultMessage(
                tool_call_id="x", tool_name="x", content=[], is_error=False, timestamp=one.timestamp
            )
            for one in messages
        ],
        lambda messages: ["x" for _ in messages],
        lambda messages: [
            msgspec.structs.replace(one, tool_call_id="x") if isinstance(one, ToolResultMessage) else one
            for one in messages
        ],
    ],
    ids=["fewer", "more", "no list", "no prompt", "other kinds", "no messages", "another call's result"],
)
async def test_what_would_make_a_request_wrong_is_told_and_not_done(session, change):
    await asked(session)
    notices = heard(session, Notice)
    session.hooks.on("context")(change)
    await asked(session, calling("a"), "done", prompt="the prompt")
    assert len(faults(notices)) == 1
    assert "the prompt" in [one.content for one in session.messages if isinstance(one, UserMessage)]


class Foreign:
    def __eq__(self, other):
        raise ValueError("not comparable")

    __hash__ = None


@pytest.mark.parametrize(
    "content",
    [5, None, [1], object(), Foreign(), [Foreign()], "word " * 50_000],
    ids=["number", "nothing", "no blocks", "object", "foreign", "foreign block", "too large"],
)
async def test_a_message_that_is_none_is_told_and_the_prompt_stays(session, content):
    notices = heard(session, Notice)
    session.hooks.on("context")(
        lambda messages: [*messages[:-1], msgspec.structs.replace(messages[-1], content=content)]
    )
    model = await asked(session, prompt="the prompt")
    assert text_of(model.requests[0].messages[-1]) == "the prompt"
    assert len(faults(notices)) == 1
    assert not session.store.branch().of_kind("context_edit")


async def test_half_a_character_in_what_a_hook_made_of_a_message_is_replaced(session):
    session.hooks.on("context")(
        lambda messages: [*messages[:-1], msgspec.structs.replace(messages[-1], content="half \ud83d")]
    )
    model = await asked(session)
    assert text_of(model.requests[0].messages[-1]) == "half \ufffd"


async def test_a_hook_that_changes_the_same_again_and_again_is_stopped(session):
    @session.hooks.on("context")
    def longer(messages):
        return [
            msgspec.structs.replace(one, content=f"{one.content}x") if isinstance(one, UserMessage) else one
            for one in messages
        ]

    notices = heard(session, Notice)
    await asked(session, calling("a"), calling("b"), "done", prompt="go")
    assert [one.content for one in session.messages if isinstance(one, UserMessage)] == ["gox"]
    assert len(faults(notices)) == 1


async def test_without_a_context_hook_no_message_is_copied(session, monkeypatch):
    monkeypatch.setattr("copy.deepcopy", None)
    await asked(session, calling("a"), "done")


# compaction


async def filled(session):
    for word in ("one", "two"):
        await asked(session, "ok", prompt=f"{word} " * 6_000)


async def compacted(session, *replies):
    session.agent.model = session.choices.model = ScriptedModel(list(replies), context_window=16_000)
    return await session.compact()


async def test_a_hook_sees_what_is_coming_and_what_was_recorded(session):
    await filled(session)
    seen = []
    session.hooks.on("before_compaction")(lambda coming: seen.append(coming))
    session.hooks.on("after_compaction")(lambda entry: seen.append(entry))
    entry = await compacted(session, "the summary")
    coming, told = seen
    assert told == entry
    assert coming.reason == "manual"
    assert [one for one in coming.to_summarise if "one " in str(one.content)]
    assert "the summary" in entry.summary
    assert entry.from_hook is None


async def test_a_hook_gives_the_summary_and_no_model_is_asked(session):
    await filled(session)
    session.hooks.on("before_compaction")(lambda coming: "what mattered")
    entry = await compacted(session)
    assert entry.summary.startswith("what mattered")
    assert entry.from_hook is True
    assert entry.details["model"] == ""


async def test_a_hooks_summary_is_cut_to_what_a_summary_may_have(session):
    await filled(session)
    seen = []
    session.hooks.on("before_compaction")(lambda coming: seen.append(coming) or "word " * 100_000)
    entry = await compacted(session)
    assert len(entry.summary.split()) < seen[0].max_summary_tokens * 1.2


async def test_a_hook_cancels_a_compaction_with_its_reason(session):
    await filled(session)
    session.hooks.on("before_compaction")(lambda coming: CompactionDecision(cancel=True, reason="not now"))
    ends = heard(session, CompactionEnd)
    with pytest.raises(UsageError, match="not now"):
        await compacted(session)
    assert "not now" in ends[0].error
    assert not session.store.branch().of_kind("compaction")


@pytest.mark.parametrize("summary", [5, b"bytes", ["text"]], ids=repr)
async def test_a_decision_that_holds_no_summary_is_told_and_the_model_is_asked(session, summary):
    await filled(session)
    notices = heard(session, Notice)
    session.hooks.on("before_compaction")(lambda coming: CompactionDecision(summary=summary))
    entry = await compacted(session, "the model's")
    assert entry.summary.startswith("the model's")
    assert len(faults(notices)) == 1


async def test_a_cancelled_compaction_does_not_end_the_run(session):
    await filled(session)
    session.hooks.on("before_compaction")(lambda coming: CompactionDecision(cancel=True))
    ends = heard(session, CompactionEnd)
    model = ScriptedModel([calling("a"), "done"], context_window=16_000)
    end = await session.prompt("and on", model=model)
    assert end.reason == "done"
    assert ends
    assert not session.store.branch().of_kind("compaction")


# session changes


@pytest.mark.parametrize("broken", [False, True])
async def test_a_gate_keeps_the_session(runtime, broken):
    first = runtime.session

    @on("before_session_change")
    def stay(change):
        if broken:
            raise RuntimeError("broken gate")
        return f"no {change.reason}"

    with pytest.raises(SessionError, match="broken gate" if broken else "no new"):
        await runtime.new()
    assert runtime.session is first


async def test_the_new_session_is_told_and_has_the_hooks_of_the_process_but_not_of_the_other(runtime):
    told = []
    on("after_session_change")(lambda session: told.append(session))
    runtime.session.hooks.on("before_prompt")(lambda prompt: "of the first")
    on("before_prompt")(lambda prompt: "of all")
    session = await runtime.new()
    assert told == [session]
    await asked(session)
    assert [("of all" in one.content, "of the first" in one.content) for one in retrieved(session)] == [
        (True, False)
    ]


# the registry


def test_a_cell_that_is_run_again_replaces_its_hook():
    registry = HookRegistry()
    cell = "@registry.on('before_prompt')\ndef facts(prompt):\n    return {text!r}\n"
    space = {"registry": registry, "__name__": "__main__"}
    for text in ("old", "new"):
        exec(compile(cell.format(text=text), "<cell>", "exec"), space)
    assert [hook.function("") for hook in registry.of("before_prompt")] == ["new"]
    lambdas = "registry.on('before_prompt')(lambda prompt: 'lambda')"
    for _ in range(2):
        exec(compile(lambdas, "<cell 2>", "exec"), space)
    assert len(registry.of("before_prompt")) == 2


def test_methods_and_closures_are_each_their_own():
    registry = HookRegistry()

    class Facts:
        def find(self, prompt):
            return ""

    one, other = Facts(), Facts()
    for owner in (one, other, one):
        registry.on("before_prompt")(owner.find)
    assert len(registry.of("before_prompt")) == 2

    def made(number):
        def inner(prompt):
            return number

        return inner

    for number in range(3):
        registry.on("before_prompt")(made(number))
    assert len(registry.of("before_prompt")) == 5
    assert registry.remove(one.find)
    assert not registry.remove(one.find)
    assert len(registry.of("before_prompt")) == 4


def test_an_unknown_event_names_the_nearest():
    with pytest.raises(UsageError, match="before_prompt"):
        on("before_promt")
