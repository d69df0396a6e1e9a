"""What is said to a run that is on, going on after one that ended, and who waits for whom."""

import asyncio
import threading

import pytest

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.events import (
    AgentEnd,
    CompactionEnd,
    MessageEnd,
    Notice,
    QueueUpdate,
    ToolExecutionStart,
    TurnEnd,
)
from pi_notebook.agent.messages import TextContent, ToolResultMessage, UserMessage, text_of
from pi_notebook.errors import ModelUnavailableError, SessionBusyError, UsageError
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.scripted import ScriptedModel, call
from pi_notebook.session.replay import recorded_run
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.typed_prompt import TYPED_TYPE
from tests.request_rules import find_problems

DOWN = ModelUnavailableError("overloaded", model="m")


@tool(risk="read")
async def look(context: ToolContext) -> str:
    """Look."""
    return "seen"


@pytest.fixture
def session(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.agent.tools["look"] = look
    runtime.session.set_value("retry.enabled", "off")
    yield runtime.session
    runtime.close()


def scripted(*replies, window=100_000):
    return ScriptedModel(list(replies), context_window=window)


def heard(session, *kinds):
    found = []
    session.subscribe(lambda event: found.append(event) if isinstance(event, kinds) else None)
    return found


def on(session, kind, action, *, times=1):
    """Do `action` when an event of this kind is told, the first `times`."""
    left = [times]

    def listen(event):
        if isinstance(event, kind) and left[0]:
            left[0] -= 1
            action()

    session.subscribe(listen)


def said(session):
    return [text_of(m) for m in session.messages if isinstance(m, UserMessage)]


def asked(request):
    """The person's words of a request; those of the program stand apart."""
    return [text_of(m) for m in request.messages if isinstance(m, UserMessage)]


def assert_valid(*models):
    for model in models:
        for request in model.requests:
            body = {"model": "m", "messages": chat_messages(request, model.info)}
            assert find_problems(body) == []


async def test_what_is_said_from_another_thread_reaches_the_next_request(session):
    def from_a_thread():
        thread = threading.Thread(target=lambda: session.steer("faster"))
        thread.start()
        thread.join()

    on(session, TurnEnd, from_a_thread)
    told = heard(session, QueueUpdate)
    model = scripted(call("look"), "ok", "done")
    await session.prompt("go", model=model)
    assert asked(model.requests[-1]) == ["go", "faster"]
    assert said(session) == ["go", "faster"]
    assert [len(update.steering) for update in told][-1] == 0
    assert_valid(model)


async def test_a_follow_up_is_said_when_the_run_would_end(session):
    on(session, TurnEnd, lambda: session.follow_up("and then?"))
    model = scripted(call("look"), "first", "second")
    end = await session.prompt("go", model=model)
    assert [asked(request)[-1] for request in model.requests] == ["go", "go", "and then?"]
    assert end.reason == "done"


async def test_what_comes_in_the_last_moment_of_a_run_is_still_said(session):
    on(session, AgentEnd, lambda: session.steer("one more thing"))
    model = scripted("first", "second")
    await session.prompt("go", model=model)
    assert asked(model.requests[-1]) == ["go", "one more thing"]
    assert session.queue.waiting == ()


async def test_a_stop_keeps_what_was_not_said_and_tells_so(session):
    notices = heard(session, Notice)
    on(session, TurnEnd, lambda: (session.steer("use b"), session.follow_up("then c"), session.abort()))
    model = scripted(call("look"))
    assert (await session.prompt("go", model=model)).reason == "aborted"
    assert said(session) == ["go"]
    assert "“use b”, “then c”" in notices[-1].text
    assert "%agent continue" in notices[-1].text
    with pytest.raises(UsageError):
        await session.compact()
    assert len([notice for notice in notices if "Not said yet" in notice.text]) == 1
    going_on = scripted("fine")
    assert (await session.continue_(model=going_on)).reason == "done"
    assert asked(going_on.requests[0]) == ["go", "use b", "then c"]
    assert session.queue.waiting == ()
    assert_valid(model, going_on)


async def test_what_was_left_unsaid_goes_before_the_next_prompt_or_is_given_back(session):
    on(session, TurnEnd, lambda: (session.steer("use b"), session.abort()))
    await session.prompt("go", model=scripted(call("look")))
    model = scripted("fine")
    await session.prompt("now d", model=model)
    assert asked(model.requests[0]) == ["go", "use b", "now d"]
    on(session, TurnEnd, lambda: (session.steer("no"), session.abort()))
    await session.prompt("again", model=scripted(call("look")))
    assert [text_of(message) for message in session.queue.take()] == ["no"]
    model = scripted("fine")
    await session.prompt("last", model=model)
    assert "no" not in asked(model.requests[0])


@pytest.mark.parametrize("say", ["steer", "follow_up"])
async def test_what_is_said_to_a_run_is_a_prompt_like_any_other(session, say):
    (session.services.folder / "notes.md").write_text("the answer is 42")

    @session.hooks.on("before_prompt")
    def facts(prompt):
        return f"known of {prompt}"

    on(session, TurnEnd, lambda: getattr(session, say)("what says @notes.md?"))
    model = scripted(call("look"), "first", "second")
    await session.prompt("go", model=model)
    *_, attached, passage, words = model.requests[-1].messages
    assert "the answer is 42" in text_of(attached)
    assert "known of what says" in text_of(passage)
    assert text_of(words) == "what says @notes.md?"
    assert_valid(model)


async def test_a_template_and_a_compaction_can_be_said_to_a_run(session):
    prompts = session.services.home.root / "prompts"
    prompts.mkdir()
    (prompts / "review.md").write_text("Review $1.")
    session.use(build_services(session.services.folder))
    session.agent.tools["look"] = look
    await filled(session)
    on(session, TurnEnd, lambda: (session.steer("/review a.py"), session.steer("/compact prices")))
    model = scripted(call("look"), "## Goal\nsummary", "done")
    await session.prompt("go", model=model)
    assert asked(model.requests[-1])[-1] == "Review a.py."
    records = [entry for entry in session.store.branch() if getattr(entry, "custom_type", "") == TYPED_TYPE]
    assert [record.data["typed"] for record in records] == ["/review a.py"]
    assert [bool(request.tools) for request in model.requests] == [True, False, True]
    assert_valid(scripted(), model)


async def test_what_a_stopped_run_left_unsaid_has_its_hooks_and_its_record_when_it_is_said(session):
    found = []
    session.hooks.on("before_prompt")(lambda prompt: found.append(prompt) or f"known of {prompt}")
    on(session, TurnEnd, lambda: (session.steer("use b"), session.abort()))
    await session.prompt("go", model=scripted(call("look")))
    model = scripted("fine")
    await session.prompt("now d", model=model)
    assert found == ["go", "now d", "use b"]
    texts = [text_of(message) for message in model.requests[0].messages]
    assert "known of use b" in texts[texts.index("use b") - 1]
    assert "known of now d" in texts[texts.index("now d") - 1]
    assert_valid(model)


async def test_a_stop_while_a_hook_looks_at_queued_words_leaves_them_waiting(session):
    @session.hooks.on("before_prompt")
    async def slow(prompt):
        if prompt == "use b":
            session.abort()
            await asyncio.Event().wait()

    on(session, TurnEnd, lambda: session.steer("use b"))
    assert (await session.prompt("go", model=scripted(call("look")))).reason == "aborted"
    assert [text_of(message) for message in session.queue.waiting] == ["use b"]
    assert said(session) == ["go"]


async def test_a_run_is_found_again_with_all_that_was_said_to_it(session):
    on(session, TurnEnd, lambda: (session.steer("faster"), session.follow_up("and then?")))
    await session.prompt("go", model=scripted(call("look"), "first", "second"))
    await session.prompt("go on", model=scripted("other"))
    run = recorded_run(session.store, "go")
    told = [text_of(message) for message in run.messages if not isinstance(message, ToolResultMessage)]
    assert told == ["go", "", "faster", "first", "and then?", "second"]
    assert [text_of(m) for m in recorded_run(session.store, "go on").messages] == ["go on", "other"]
    assert recorded_run(session.store, "faster") is None


async def test_without_a_run_nobody_can_be_told(session):
    for say in (session.steer, session.follow_up):
        with pytest.raises(UsageError, match="No run is on"):
            say("hello")
    on(session, TurnEnd, lambda: pytest.raises(UsageError, session.steer, " \n"))
    await session.prompt("go", model=scripted("ok"))


async def test_a_failed_run_is_continued_with_the_same_request(session):
    failing = scripted(call("look"), DOWN)
    with pytest.raises(ModelUnavailableError):
        await session.prompt("go", model=failing)
    model = scripted("done")
    end = await session.continue_(model=model)
    assert end.reason == "done"
    assert model.requests[0].messages == failing.requests[1].messages
    assert said(session) == ["go"]


async def test_a_stopped_answer_is_asked_for_anew(session):
    running = asyncio.ensure_future(session.prompt("go", model=scripted("a long answer " * 50)))
    begun = heard(session, object)
    while not any(type(event).__name__ == "MessageUpdate" for event in begun):
        await asyncio.sleep(0)
    session.abort()
    assert (await running).reason == "aborted"
    model = scripted("done")
    await session.continue_(model=model)
    assert asked(model.requests[0]) == ["go"]
    assert_valid(model)


async def test_after_an_answer_there_is_nothing_to_continue(session):
    with pytest.raises(UsageError, match="nothing to continue"):
        await session.continue_(model=scripted())
    await session.prompt("go", model=scripted("done"))
    with pytest.raises(UsageError, match="nothing to continue"):
        await session.continue_(model=scripted())
    assert not session.is_running


async def test_a_run_that_used_up_its_turns_can_be_continued(session):
    end = await session.prompt("go", model=scripted(call("look"), "never"), max_turns=1)
    assert end.reason == "max_turns"
    assert (await session.continue_(model=scripted("done"))).reason == "done"


async def filled(session):
    for word in ("one", "two"):
        await session.prompt(f"{word} " * 20_000, model=scripted("ok"))


async def test_prompts_that_come_while_the_context_is_compacted_wait_in_their_order(session):
    await filled(session)
    gate = asyncio.Event()
    session.agent.model = session.choices.model = Slow(gate, scripted("## Goal\nsummary"))
    compacting = asyncio.ensure_future(session.compact())
    while not session.upkeep.is_compacting:
        await asyncio.sleep(0)
    models = [scripted("first"), scripted("second")]
    waiting = [asyncio.ensure_future(session.prompt(str(i), model=models[i])) for i in range(2)]
    for _ in range(20):
        await asyncio.sleep(0)
    assert not any(model.requests for model in models)
    gate.set()
    entry = await compacting
    assert [end.reason for end in await asyncio.gather(*waiting)] == ["done", "done"]
    assert text_of(models[0].requests[0].messages[0]).find("## Goal\nsummary") >= 0
    assert entry.id == session.branch.last_compaction_id
    assert said(session)[-2:] == ["0", "1"]


async def test_a_stop_ends_the_compaction_and_the_prompt_that_waits_for_it(session):
    await filled(session)
    session.agent.model = session.choices.model = Slow(asyncio.Event(), scripted())
    compacting = asyncio.ensure_future(session.compact())
    while not session.upkeep.is_compacting:
        await asyncio.sleep(0)
    waiting = asyncio.ensure_future(session.prompt("three", model=scripted("never")))
    await asyncio.sleep(0)
    session.abort()
    with pytest.raises(Aborted):
        await compacting
    assert (await waiting).reason == "aborted"
    assert not session.is_running
    assert "three" not in said(session)


async def test_a_prompt_waits_for_the_compaction_that_follows_an_answer(session):
    gate = asyncio.Event()
    session.set_value("compaction.keep_recent_tokens", "256")
    summaries = scripted("## Goal\nsummary", "## Goal\nsummary", "## Goal\nsummary")
    first = Slow(gate, summaries, scripted("ok " * 9_000, window=16_000))
    running = asyncio.ensure_future(session.prompt("one " * 4_000, model=first))
    while not session.upkeep.is_compacting:
        await asyncio.sleep(0)
        assert not running.done()
    later = scripted("fine")
    waiting = asyncio.ensure_future(session.prompt("two", model=later))
    for _ in range(20):
        await asyncio.sleep(0)
    assert later.requests == []
    gate.set()
    assert (await running).reason == (await waiting).reason == "done"


async def test_a_compaction_asked_for_during_a_run_is_done_before_its_next_request(session):
    await filled(session)
    told = heard(session, CompactionEnd, TurnEnd)
    found = []
    on(session, ToolExecutionStart, lambda: found.append(asyncio.ensure_future(session.compact("prices"))))
    model = scripted(call("look"), "## Goal\nsummary", "done")
    await session.prompt("go", model=model)
    entry = await found[0]
    assert entry.details["focus"] == "prices"
    assert [type(event) for event in told] == [TurnEnd, CompactionEnd, TurnEnd]
    assert [bool(request.tools) for request in model.requests] == [True, False, True]
    assert_valid(scripted(), model)


async def test_a_compaction_asked_for_in_the_last_turn_is_done_when_the_run_ends(session):
    await filled(session)
    found = []
    on(session, MessageEnd, lambda: found.append(asyncio.ensure_future(session.compact())))
    await session.prompt("go", model=scripted("done", "## Goal\nsummary"))
    assert "## Goal" in (await found[0]).summary


async def test_a_compaction_that_has_nothing_to_do_does_not_end_the_run(session):
    notices = heard(session, Notice)
    found = []
    on(session, TurnEnd, lambda: found.append(asyncio.ensure_future(session.compact())))
    assert (await session.prompt("go", model=scripted(call("look"), "done"))).reason == "done"
    with pytest.raises(UsageError, match="nothing to compact"):
        await found[0]
    assert "nothing to compact" in notices[-1].text


async def test_a_stop_ends_a_compaction_that_waits_for_the_run(session):
    await filled(session)
    found = []

    def ask_and_stop():
        found.append(asyncio.ensure_future(session.compact()))
        asyncio.get_running_loop().call_soon(session.abort)

    on(session, MessageEnd, ask_and_stop)
    assert (await session.prompt("go", model=scripted("never"))).reason == "aborted"
    with pytest.raises(Aborted):
        await found[0]


@pytest.mark.parametrize(
    "prompt", ["/compact", "  /compact look after the prices\n", [TextContent(text="/compact")]]
)
async def test_a_prompt_that_begins_with_compact_compacts(session, prompt):
    await filled(session)
    session.agent.model = session.choices.model = model = scripted("## Goal\nsummary")
    before = said(session)
    end = await session.prompt(prompt)
    assert (end.reason, end.messages) == ("done", ())
    (request,) = model.requests
    assert ("look after the prices" in text_of(request.messages[0])) == ("prices" in prompt)
    assert session.branch.last_compaction_id is not None
    assert set(said(session)) <= set(before)


async def test_words_that_only_look_like_the_command_are_a_prompt(session):
    model = scripted("ok", "ok")
    await session.prompt("/compacted data", model=model)
    await session.prompt("what does /compact do?", model=model)
    assert said(session) == ["/compacted data", "what does /compact do?"]


async def test_a_second_prompt_is_refused_while_one_is_answered(session):
    gate = asyncio.Event()
    running = asyncio.ensure_future(
        session.prompt("one", model=Slow(gate, scripted("ok"), answers_first=False))
    )
    await asyncio.sleep(0)
    for second in (session.prompt("two", model=scripted()), session.continue_(model=scripted())):
        with pytest.raises(SessionBusyError):
            await second
    gate.set()
    assert (await running).reason == "done"


class Slow:
    """Gives the answers of `first` at once, then waits for `gate` and gives those of `then`."""

    def __init__(self, gate, then, first=None, *, answers_first=True):
        self.gate, self.then, self.first = gate, then, first if answers_first else None
        self.info = (first or then).info

    async def stream(self, request):
        model, self.first = self.first or self.then, None
        if model is self.then:
            await self.gate.wait()
        async for event in model.stream(request):
            yield event


async def test_what_is_said_while_a_run_prepares_comes_after_its_prompt(session):
    async def prepare(*arguments, **named):
        session.steer("hurry")
        return await make_room(*arguments, **named)

    make_room, session._requests.make_room = session._requests.make_room, prepare
    model = scripted("first", "second")
    await session.prompt("go", model=model)
    assert asked(model.requests[0]) == ["go"]
    assert asked(model.requests[1]) == ["go", "hurry"]
