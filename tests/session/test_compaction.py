"""Compaction in a session: when it happens, what is kept and recorded, and that nothing gets stuck."""

import asyncio
import dataclasses
import json

import pytest

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.events import CompactionEnd, CompactionStart, Notice
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    CompactionSummaryMessage,
    Cost,
    TextContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    text_of,
)
from pi_notebook.context.compaction.prompts import SummaryPrompts
from pi_notebook.context.policies.notebook import NotebookPolicy
from pi_notebook.context.usage import spending
from pi_notebook.errors import ContextOverflowError, ModelAuthError, ModelUnavailableError, UsageError
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from tests.request_rules import find_problems

OVERFLOW = ContextOverflowError("too long", model="m")


@tool(risk="read")
async def big(context: ToolContext, chars: int) -> str:
    """Give a long text."""
    return "word " * (chars // 5)


@pytest.fixture
def session(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.agent.tools["big"] = big
    runtime.session.set_value("retry.base_delay_seconds", "0")
    yield runtime.session
    runtime.close()


def call(chars, call_id):
    return [ToolCall(id=call_id, name="big", arguments={"chars": chars})]


def scripted(*replies, window=16_000):
    return ScriptedModel(list(replies), context_window=window)


async def filled(session):
    """Give the session more than fits a window of 16,000 tokens."""
    for word in ("one", "two"):
        await session.prompt(f"{word} " * 6_000, model=scripted("ok", window=100_000))


def compactions(session):
    return list(session.store.branch().of_kind("compaction"))


def summary_requests(model):
    return [request for request in model.requests if not request.tools]


def conversations(model):
    return [request for request in model.requests if request.tools]


def assert_valid(model):
    for request in conversations(model):
        body = {"model": "m", "messages": chat_messages(request, model.info)}
        assert find_problems(body) == []


def heard(session, *kinds):
    found = []
    session.subscribe(lambda event: found.append(event) if isinstance(event, kinds) else None)
    return found


def ended(text, stop_reason):
    return AssistantMessage(
        content=[TextContent(text=text)],
        api="scripted",
        provider="scripted",
        model="scripted",
        usage=NO_USAGE,
        stop_reason=stop_reason,
        timestamp=0,
    )


async def test_between_turns_a_full_context_is_summarised_before_the_next_request(session):
    told = heard(session, CompactionStart, CompactionEnd)
    model = scripted(call(20_000, "a"), call(20_000, "b"), call(20_000, "c"), "## Goal\nfind words", "done")
    await session.prompt("count the words", model=model)
    (asked,) = summary_requests(model)
    assert "count the words" in text_of(asked.messages[0])
    assert 0 < asked.max_output_tokens <= 0.8 * 4_000
    (entry,) = compactions(session)
    assert "## Goal\nfind words" in entry.summary
    assert entry.details["tokensAfter"] < entry.tokens_before
    assert [type(event) for event in told] == [CompactionStart, CompactionEnd]
    assert told[1].tokens_after == entry.details["tokensAfter"]
    assert isinstance(model.requests[-1].messages[0], CompactionSummaryMessage)
    assert_valid(model)


@pytest.mark.parametrize("policy", ["notebook", "pi"])
async def test_after_a_compaction_between_turns_the_model_still_knows_where_it_is(session, tmp_path, policy):
    def told(request):
        return [text_of(message).count(f"working folder: {tmp_path}") for message in request.messages]

    model = scripted(call(20_000, "a"), call(20_000, "b"), call(20_000, "c"), "## Goal\nfind words", "done")
    await session.prompt("count the words", model=model, policy=policy)
    assert isinstance(model.requests[-1].messages[0], CompactionSummaryMessage)
    assert [sum(told(request)) for request in model.requests if request.tools] == [1] * 4
    await session.prompt("and?", model=(then := scripted("fine")))
    assert told(then.requests[-1])[-2:] == [1, 0]  # whole again, with the kernel's state


async def test_before_a_prompt_room_is_made_for_it(session):
    await filled(session)
    model = scripted("## Goal\nsummary", "fine")
    await session.prompt("three", model=model)
    assert [bool(request.tools) for request in model.requests] == [False, True]
    assert text_of(model.requests[-1].messages[-1]) == "three"


async def test_an_overflow_is_compacted_once_and_the_request_sent_again(session):
    await session.prompt("one " * 3_000, model=scripted("ok", window=100_000))
    model = scripted(OVERFLOW, "## Goal\nsummary", "fine")
    end = await session.prompt("two", model=model)
    assert end.reason == "done"
    assert len(compactions(session)) == 1
    assert_valid(model)
    model = scripted(OVERFLOW, "## Goal\nshorter", OVERFLOW)
    with pytest.raises(ContextOverflowError):
        await session.prompt("three " * 2_000, model=model)


async def test_a_person_compacts_with_a_wish_and_hears_when_there_is_nothing(session):
    session.agent.model = session.choices.model = scripted("## Goal\nthe wish", window=100_000)
    with pytest.raises(UsageError, match="nothing to compact"):
        await session.compact("prices")
    await session.prompt("one " * 20_000, model=scripted("ok", window=100_000))
    await session.prompt("two " * 20_000, model=scripted("ok", window=100_000))
    entry = await session.compact("look after the prices")
    assert entry.details["focus"] == "look after the prices"
    assert "look after the prices" in text_of(session.agent.model.requests[-1].messages[0])


@pytest.mark.parametrize("answer", [ended("## Goal", "length"), "", call(5, "x"), ended("no", "error")])
async def test_an_answer_that_is_no_summary_is_never_stored(session, answer):
    await filled(session)
    model = scripted(answer, answer, answer, answer, "fine")
    await session.prompt("three", model=model)
    (entry,) = compactions(session)
    assert entry.details["model"] == ""
    assert "no model summarised" in entry.summary
    assert "one one" in entry.summary


async def test_a_summariser_whose_window_is_too_small_is_given_less_each_time(session):
    await filled(session)
    model = scripted(OVERFLOW, OVERFLOW, "## Goal\nfrom less", "fine")
    await session.prompt("three", model=model)
    sizes = [len(text_of(request.messages[0])) for request in summary_requests(model)]
    assert sizes[1] < sizes[0]
    assert "from less" in compactions(session)[0].summary


async def test_an_automatic_compaction_without_a_model_goes_on_and_a_manual_one_says_why(session):
    await filled(session)
    no_key = ModelAuthError("no key", model="m")
    session.agent.model = session.choices.model = scripted(no_key)
    with pytest.raises(ModelAuthError):
        await session.compact()
    assert compactions(session) == []
    await session.prompt("three", model=scripted(no_key, "fine"))
    assert compactions(session)[0].details["model"] == ""


async def test_a_stopped_compaction_stores_nothing_and_the_session_goes_on(session):
    await filled(session)
    begun = asyncio.Event()

    class Slow(ScriptedModel):
        async def stream(self, request):
            begun.set()
            await asyncio.sleep(60)
            yield

    running = asyncio.ensure_future(session.prompt("three", model=Slow(context_window=16_000)))
    await begun.wait()
    session.abort()
    assert (await running).reason == "aborted"
    assert compactions(session) == []
    assert (await session.prompt("four", model=scripted("ok", window=100_000))).reason == "done"


async def test_a_result_that_is_larger_than_what_may_be_kept_is_shortened_with_a_record(session):
    model = scripted(call(60_000, "a"), "## Goal\nprefix", "done", window=16_000)
    session.set_value("output.max_bytes", "100000")
    await session.prompt("go", model=model)
    kept = next(m for m in model.requests[-1].messages if isinstance(m, ToolResultMessage))
    assert "characters left out to save room" in kept.text
    assert "search_history" in kept.text
    assert len(kept.text) < 60_000
    whole = [m for m in session.branch.history(limit=99) if isinstance(m, ToolResultMessage)]
    assert len(whole[0].text) > 59_000
    assert_valid(model)


async def test_twenty_compactions_do_not_make_the_summary_grow(session):
    sizes = []
    for number in range(20):
        replies = ["## Goal\n" + f"step {number} " * 300]
        model = scripted(*(reply for reply in replies), "ok", window=16_000)
        model.add(*["## Goal\nmore"] * 3)
        await session.prompt(f"prompt {number} " * 2_500, model=scripted("ok", window=100_000))
        try:
            session.agent.model = session.choices.model = model
            await session.compact()
        except UsageError:
            continue
        sizes.append(len(compactions(session)[-1].summary))
    assert len(sizes) > 15
    assert max(sizes) <= 16_000 * 0.25 * 0.8 * 6
    chain = compactions(session)
    assert [entry.details["previous"] for entry in chain[1:]] == [entry.id for entry in chain[:-1]]


async def test_a_context_that_fills_again_and_again_stops_and_names_what_fills_it(session):
    numbers = iter(range(99))

    def reply(request):
        return call(40_000, f"a{next(numbers)}") if request.tools else "## Goal\nsmall"

    model = scripted(*[reply] * 99)
    with pytest.raises(ContextOverflowError, match="result of big"):
        await session.prompt("go", model=model)
    assert len(compactions(session)) == 3
    assert_valid(model)


async def test_compaction_that_is_switched_off_never_happens_by_itself(session):
    session.set_value("compaction.enabled", "false")
    model = scripted(call(40_000, "a"), call(40_000, "b"), "done")
    await session.prompt("go", model=model)
    assert compactions(session) == []
    with pytest.raises(ContextOverflowError):
        await session.prompt("on", model=scripted(OVERFLOW))


async def test_a_model_that_cannot_be_reached_is_asked_again_from_the_last_good_state(session):
    notices = heard(session, Notice)
    down = ModelUnavailableError("overloaded", model="m")
    model = scripted(call(10, "a"), down, down, "done", window=100_000)
    end = await session.prompt("go", model=model)
    assert end.reason == "done"
    assert len([n for n in notices if "overloaded" in n.text]) == 2
    assert model.requests[1].messages == model.requests[3].messages
    stored = [json.loads(line) for line in session.path.read_text().splitlines()]
    hidden = [entry["targetId"] for entry in stored if entry["type"] == "context_edit"]
    failed = [e["id"] for e in stored if e.get("message", {}).get("stopReason") == "error"]
    assert hidden == failed


async def test_retries_end_and_a_stop_ends_the_pause(session):
    down = ModelUnavailableError("overloaded", model="m")
    with pytest.raises(ModelUnavailableError):
        await session.prompt("go", model=scripted(down, down, down, down))
    session.set_value("retry.base_delay_seconds", "60")
    running = asyncio.ensure_future(session.prompt("go", model=scripted(down, "never")))
    waiting = heard(session, Notice)
    while not waiting:
        await asyncio.sleep(0)
    session.abort()
    assert (await running).reason == "aborted"


async def test_a_wait_longer_than_allowed_and_other_failures_end_the_run_at_once(session):
    for error in (
        ModelUnavailableError("later", model="m", retry_after_seconds=3_600),
        ModelAuthError("no key", model="m"),
    ):
        model = scripted(error, "never")
        with pytest.raises(type(error)):
            await session.prompt("go", model=model)
        assert len(model.requests) == 1


async def test_summaries_end_with_the_ledger_and_the_next_one_is_made_without_it(session, tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    read = ToolCall(id="r", name="read", arguments={"path": "notes.txt"})
    await session.prompt("read it", model=scripted([read], "ok", window=100_000))
    await filled(session)
    await session.prompt("three", model=scripted("## Goal\nfirst", "ok"))
    (entry,) = compactions(session)
    assert entry.summary.endswith("</ledger>")
    assert "Files read: notes.txt" in entry.summary
    assert entry.details["readFiles"] == ["notes.txt"]
    await session.prompt("four " * 9_000, model=scripted("ok", window=100_000))
    model = scripted("## Goal\nsecond", "ok", "x")
    await session.prompt("five", model=model)
    asked = text_of(summary_requests(model)[0].messages[0])
    assert "<previous-summary>\n## Goal\nfirst" in asked
    assert "<ledger>" not in asked


async def test_the_person_s_request_stays_word_for_word_while_its_turn_is_summarised_again_and_again(session):
    numbers = iter(range(99))

    def reply(request):
        if not request.tools:
            return "## Goal\nsmall"
        return "done" if next(numbers) > 4 else call(22_000, f"a{len(session.messages)}")

    model = scripted(*[reply] * 40)
    await session.prompt("Which of the words is the rarest?", model=model)
    assert len(compactions(session)) >= 2
    for request in conversations(model):
        assert "Which of the words is the rarest?" in str(request.messages)
    assert compactions(session)[-1].summary.count("<last-request>") == 1
    assert_valid(model)


async def test_a_finished_turn_is_summarised_whole_and_its_request_and_answer_stay_word_for_word(session):
    session.set_value("compaction.keep_recent_tokens", "2000")
    model = scripted(call(20_000, "a"), "The rarest is zebra.", window=100_000)
    await session.prompt("Which of the words is the rarest?", model=model)
    model = scripted("## Goal\nwords", "as said", "## Goal\nmore words", window=100_000)
    session.agent.model = session.choices.model = model
    entry = await session.compact()
    assert (entry.details["isSplitTurn"], entry.details["kept"], len(model.requests)) == (False, 0, 1)
    assert "The rarest is zebra." in text_of(model.requests[0].messages[0])
    assert entry.summary == (
        "## Goal\nwords\n\n<last-request>\nWhich of the words is the rarest?\n</last-request>\n\n"
        "<last-answer>\nThe rarest is zebra.\n</last-answer>"
    )
    await session.prompt("Say it again.", model=model)
    assert text_of(model.requests[-1].messages[-1]) == "Say it again."
    assert_valid(model)
    session.set_value("compaction.keep_recent_tokens", "256")
    await session.prompt("word " * 400, model=scripted("fine", window=100_000))
    await session.compact()
    assert "<previous-summary>\n## Goal\nwords\n</previous-summary>" in text_of(
        model.requests[-1].messages[0]
    )


async def test_date_and_folder_are_told_again_once_a_compaction_has_taken_them_away(session):
    await filled(session)
    model = scripted("## Goal\nsummary", "fine", "and fine")
    await session.prompt("three", model=model)
    await session.prompt("four", model=model)
    situations = [str(m) for m in model.requests[-1].messages if "<situation>" in str(m)]
    assert len(situations) == 1
    assert str(session.services.folder) in situations[0]


async def test_the_policy_s_words_and_numbers_hold_for_the_summary(session):
    class Short(NotebookPolicy):
        def summary_prompts(self):
            return SummaryPrompts(system="Be terse.", first="In one line.")

        def numbers(self, wanted):
            return dataclasses.replace(wanted, summary=300)

    await filled(session)
    session.choices.policy = Short()
    model = scripted("## Goal\none line", "no turn")
    session.agent.model = session.choices.model = model
    await session.compact()
    request = model.requests[0]
    assert request.system_prompt == "Be terse."
    assert text_of(request.messages[0]).endswith("In one line.")
    assert request.max_output_tokens == 300


async def test_a_talk_without_tools_is_compacted_as_often_as_it_fills(session):
    model = ScriptedModel(context_window=16_000)
    for number in range(60):
        model.add(*[lambda request: "ok" if request.tools else "## Goal\ntalk"] * 2)
        await session.prompt(f"{number} " + "word " * 500, model=model)
    assert len(compactions(session)) > 4


async def test_what_a_summary_took_is_part_of_what_the_session_has_spent(session):
    used = Usage(
        input=100, output=5, cache_read=0, cache_write=0, total_tokens=105, cost=Cost(input=0.5, total=0.5)
    )
    await filled(session)
    session.agent.model = session.choices.model = ScriptedModel(
        ["## Goal\nsummary", "fine"], context_window=16_000, usage=used
    )
    entry = await session.compact()
    assert entry.usage == used
    (spent,) = spending(session.branch.all_messages(), session.branch.summary_usages())
    assert (spent.model, spent.requests, spent.uncounted) == ("scripted", 3, 2)
    assert (spent.input, spent.output, spent.cost) == (100, 5, 0.5)
