"""Policies in a session: what is shortened, named, told and shown again, and that requests stay valid."""

import dataclasses
import re

import msgspec
import pytest

from pi_notebook.agent import ToolContext, ToolResult, tool
from pi_notebook.agent.entries import ContextEditEntry, CustomEntry
from pi_notebook.agent.events import CompactionEnd, Notice
from pi_notebook.agent.messages import (
    NO_USAGE,
    CompactionSummaryMessage,
    ToolCall,
    ToolResultMessage,
    text_of,
)
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord, VariableNote
from pi_notebook.context.previews.references import Variables
from pi_notebook.context.reattaching import CUSTOM_TYPE as REATTACHED
from pi_notebook.context.result_notes import WARNING_TYPE as WARNING
from pi_notebook.context.result_notes import result_name
from pi_notebook.context.tokens import message_tokens
from pi_notebook.errors import ContextOverflowError, ModelUnavailableError, UsageError
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.failover import FailoverModel
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.pruning import PRUNING_TYPE
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.windows import smallest_window
from pi_notebook.tools.preview_data import preview_data
from tests.context.conversations import replies
from tests.request_rules import find_problems


@tool(risk="read")
async def big(context: ToolContext, tokens: int) -> str:
    """Give a long text."""
    return " ".join(["word"] * tokens)


@tool(risk="read")
async def failing(context: ToolContext, tokens: int) -> str:
    """Fail with a long text."""
    raise ValueError(" ".join(["word"] * tokens))


class Kernel:
    """A namespace, looked at on the thread that asks."""

    def __init__(self, **values):
        self.values = values

    async def call(self, function, *, timeout_seconds):
        return function()

    def names(self):
        return list(self.values)

    def get(self, name):
        return self.values[name]


@pytest.fixture
def runtime(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    runtime = AgentSessionRuntime(folder, build_services)
    for one in (big, failing):
        runtime.session.agent.tools[one.name] = one
    yield runtime
    runtime.close()


@pytest.fixture
def session(runtime):
    return runtime.session


def call(name, call_id, **arguments):
    return [ToolCall(id=call_id, name=name, arguments=arguments)]


def scripted(*replies, window=40_000):
    return ScriptedModel(list(replies), context_window=window)


def bigs(count, tokens=3_500, start=0):
    return [call("big", f"b{number}", tokens=tokens + number) for number in range(start, start + count)]


def entries(session, kind):
    return list(session.store.branch().of_kind(kind))


def notices(session):
    found = []
    session.subscribe(lambda event: found.append(event.text) if isinstance(event, Notice) else None)
    return found


def results(request):
    return {m.tool_call_id: m.text for m in request.messages if isinstance(m, ToolResultMessage)}


def assert_valid(model):
    for request in model.requests:
        body = {"model": "m", "messages": chat_messages(request, model.info)}
        assert find_problems(body) == []


def shared(earlier, later):
    """How many messages two requests begin with alike."""
    pairs = zip(earlier.messages, later.messages, strict=False)
    return next((n for n, (one, other) in enumerate(pairs) if one != other), len(earlier.messages))


async def test_old_results_are_shortened_before_anything_is_summarised(session):
    told = notices(session)
    model = scripted(*bigs(12, tokens=2_500), "done", window=60_000)
    await session.prompt("go", model=model)
    assert entries(session, "compaction") == []
    (record,) = entries(session, f"custom:{PRUNING_TYPE}")
    edits = entries(session, "context_edit")
    assert record.data["by"] == "notebook"
    assert record.data["targetIds"] == [edit.target_id for edit in edits]
    assert record.data["tokensBefore"] > 0.6 * 45_000
    assert record.data["tokensAfter"] <= 0.4 * 45_000
    last = results(model.requests[-1])
    short = [call_id for call_id, text in last.items() if "left out to save room" in text]
    assert short == [f"b{number}" for number in range(len(edits))]
    assert any("older results shortened: about" in text for text in told)
    assert_valid(model)


async def test_the_prefix_changes_only_where_a_pruning_is_recorded(session):
    model = scripted(*bigs(20), "done", window=60_000)
    session.set_value("compaction.enabled", "false")
    await session.prompt("go", model=model)
    pairs = zip(model.requests, model.requests[1:], strict=False)
    broken = sum(shared(one, other) < len(one.messages) for one, other in pairs)
    assert broken == len(entries(session, f"custom:{PRUNING_TYPE}"))
    assert 0 < broken <= 20 // 3
    assert_valid(model)


def counted(*content):
    """A reply of which the provider counts the request as we do, and half as much again."""

    def reply(request):
        asked = sum(map(message_tokens, request.messages)) * 3 // 2 + 2_000
        usage = msgspec.structs.replace(NO_USAGE, input=asked, output=10, total_tokens=asked + 10)
        return msgspec.structs.replace(replies(*content), usage=usage, provider="scripted", model="scripted")

    return reply


async def test_a_count_from_before_a_pruning_or_a_compaction_calls_for_no_other(session):
    calls = [counted(*one) for one in bigs(11, tokens=2_000)]
    await session.prompt("go", model=scripted(*calls, counted("done"), window=60_000))
    (record,) = entries(session, f"custom:{PRUNING_TYPE}")
    model = scripted(*[counted("fine")] * 3, window=60_000)
    session.agent.model = model
    assert session.upkeep.usage.tokens < record.data["tokensBefore"]
    assert record.data["tokensBefore"] > 27_000 >= 18_000 >= record.data["tokensAfter"]
    for word in ("on", "and on"):
        await session.prompt(word, model=model)
    assert len(entries(session, f"custom:{PRUNING_TYPE}")) == 1
    session.agent.model = session.choices.model = summariser(window=60_000)
    session.set_value("compaction.keep_recent_tokens", "2000")
    await session.compact()
    model = scripted(counted("fine"), window=session.upkeep.usage.tokens * 2)
    await session.prompt("two", model=model)
    assert len(entries(session, "compaction")) == 1


async def test_what_was_shortened_is_had_again_by_the_way_it_names(session):
    model = scripted(*bigs(6), "done")
    await session.prompt("go", model=model)
    short = results(model.requests[-1])["b0"]
    query = short.split("search_history(")[1].split(")")[0].strip('"')
    model = scripted(call("search_history", "s", query=query), "done")
    await session.prompt("again", model=model)
    assert "word word word" in results(model.requests[-1])["s"]


async def test_the_last_error_and_pinned_results_stay_whole(session):
    pin = call("manage_context", "p", action="pin", results=[result_name("b0")])
    model = scripted(
        *bigs(1), pin, call("failing", "f", tokens=1_500), *bigs(6, start=1), "done", window=30_000
    )
    await session.prompt("go", model=model)
    last = results(model.requests[-1])
    assert "left out" not in last["b0"]
    assert "left out" not in last["f"]
    assert "left out" in last["b1"]


async def test_pi_shortens_nothing_and_summarises_at_the_trigger(session):
    session.set_value("policy", "pi")
    model = scripted(*bigs(10), "done", window=40_000)
    model.add(*["## Goal\nsummary"] * 5)
    await session.prompt("go", model=scripted(*bigs(6), "done", window=60_000))
    assert entries(session, "context_edit") == []
    model = scripted("## Goal\nsummary", "fine", window=28_000)
    await session.prompt("on", model=model)
    assert len(entries(session, "compaction")) == 1
    assert not any("[result " in text for text in results(model.requests[-1]).values())


async def test_a_policy_is_chosen_for_the_session_or_for_one_run_and_recorded(runtime, session):
    assert session.policy.name == "notebook"
    await session.prompt("one", model=scripted("ok"), policy="pi")
    (record,) = entries(session, "custom:pi_notebook/policy")
    assert record.data == {"name": "pi"}
    assert session.policy.name == "notebook"
    with pytest.raises(UsageError, match="Did you mean pi"):
        await session.prompt("two", model=scripted("ok"), policy="pie")
    session.set_value("policy", "pi")
    session.set_value("notebook.prune_at_percent", "70")
    path = session.path
    await runtime.new()
    resumed = await runtime.resume(str(path))
    assert resumed.policy.name == "pi"
    resumed.set_value("policy", "notebook")
    assert resumed.policy.prune_at_percent == 70


async def test_a_repeated_read_gives_a_stub_until_something_changed(session):
    file = session.services.folder / "a.txt"
    file.write_text("a line\n" * 100)
    reads = [call("read", f"r{number}", path="a.txt") for number in range(4)]

    def changed(request):
        file.write_text("another line\n" * 100)
        return reads[2]

    model = scripted(reads[0], reads[1], changed, reads[3], "done")
    await session.prompt("go", model=model)
    given = results(model.requests[-1])
    assert given["r0"].startswith("a line\n")
    assert given["r1"] == ("[Unchanged: the same read of a.txt above gave this, word for word.]")
    assert given["r2"].startswith("another line\n")
    assert given["r3"] == given["r1"]
    session.set_value("notebook.stub_repeats", "false")
    model = scripted(call("read", "r4", path="a.txt"), "done")
    await session.prompt("again", model=model)
    assert results(model.requests[-1])["r4"] == given["r2"]


async def test_a_read_that_was_shortened_or_summarised_is_given_whole_again(session):
    file = session.services.folder / "a.txt"
    file.write_text("a line\n" * 3_000)
    read = [call("read", f"r{number}", path="a.txt") for number in range(3)]
    model = scripted(read[0], *bigs(6), read[1], "done")
    await session.prompt("go", model=model)
    last = results(model.requests[-1])
    assert "left out to save room" in last["r0"]
    assert last["r1"].startswith("a line\n")
    session.agent.model = session.choices.model = scripted("## Goal\nread", window=20_000)
    session.set_value("notebook.reattach_count", "0")
    session.set_value("compaction.keep_recent_tokens", "256")
    await session.compact()
    model = scripted(read[2], "done")
    await session.prompt("again", model=model)
    assert results(model.requests[-1])["r2"].startswith("a line\n")


async def test_that_the_context_fills_is_told_once_to_person_and_model(session):
    told = notices(session)
    session.set_value("notebook.prune_at_percent", "100")
    model = scripted(*bigs(8), "done")
    await session.prompt("go", model=model)
    filling = [text for text in told if text.startswith("The context is filling")]
    assert len(filling) == 1
    noted = [text for text in results(model.requests[-1]).values() if "[The context is filling" in text]
    assert len(noted) == 1
    assert isinstance(model.requests[-1].messages[-1], ToolResultMessage)
    assert_valid(model)


async def test_of_results_that_come_together_the_last_carries_the_warning_with_what_all_of_them_leave(
    session,
):
    told = notices(session)
    session.set_value("notebook.prune_at_percent", "100")
    together = [call("big", f"b{number}", tokens=3_000)[0] for number in range(8)]
    model = scripted(together, "done")
    await session.prompt("go", model=model)
    found = results(model.requests[-1])
    noted = [name for name, text in found.items() if "[The context is filling" in text]
    assert noted == ["b7"]
    (left,) = re.findall(r"about ([0-9,]+) tokens until", found["b7"])
    session.agent.model = model
    assert int(left.replace(",", "")) == pytest.approx(
        session.upkeep.trigger - session.upkeep.usage.tokens, abs=400
    )
    assert len(told) == 1


async def test_a_warning_and_a_name_are_no_part_of_what_is_summarised(session):
    session.set_value("notebook.prune_at_percent", "100")
    session.set_value("compaction.keep_recent_tokens", "2000")
    model = summariser()
    session.agent.model = session.choices.model = model
    await session.prompt("go", model=scripted(*bigs(7), "done"))
    await session.compact()
    asked = [text_of(request.messages[0]) for request in model.requests]
    assert "[Result of big]: word" in asked[0]
    assert not any("The context is filling" in text or "[result r" in text for text in asked)


async def test_where_nothing_is_summarised_the_warning_says_that_the_context_gets_full(session):
    told = notices(session)
    session.set_value("compaction.enabled", "false")
    session.set_value("notebook.prune_at_percent", "100")
    await session.prompt("word " * 24_000, model=scripted("fine"))
    assert [text.split(":")[1].split(".")[0].rpartition(" until ")[2] for text in told] == ["it is full"]


@pytest.mark.parametrize("execution", ["parallel", "sequential"])
@pytest.mark.parametrize("refused", ["unknown", "not permitted", "cut off"])
async def test_where_the_last_call_of_a_reply_is_refused_the_warning_is_not_late(session, execution, refused):
    session.set_value("notebook.prune_at_percent", "100")
    session.set_value("tools.execution", execution)
    last = {
        "unknown": call("nothing", "n")[0],
        "not permitted": call("write", "w", path="a.txt", content="a")[0],
        "cut off": ToolCall(id="m", name="big", arguments={}, malformed_arguments='{"tok'),
    }[refused]
    together = [*(call("big", f"b{number}", tokens=3_000)[0] for number in range(8)), last]
    model = scripted(together, "done")
    await session.prompt("go", model=model, mode="plan")
    noted = [text for text in results(model.requests[1]).values() if "[The context is filling" in text]
    assert len(noted) == 1
    assert not (session.services.folder / "a.txt").exists()
    assert_valid(model)


async def test_a_warning_that_no_result_could_carry_stands_before_the_next_prompt(session):
    session.set_value("notebook.prune_at_percent", "100")
    await session.prompt("go", model=scripted("word " * 24_000))
    model = scripted("ok", "ok")
    await session.prompt("two", model=model)
    await session.prompt("three", model=model)
    warnings = [m for m in model.requests[-1].messages if getattr(m, "custom_type", "") == WARNING]
    assert len(warnings) == 1
    assert text_of(model.requests[0].messages[-1]) == "two"
    assert model.requests[0].messages[-2] == warnings[0]


async def test_pi_tells_the_person_alone(session):
    told = notices(session)
    session.set_value("policy", "pi")
    model = scripted(*bigs(7), "done", window=46_000)
    await session.prompt("go", model=model)
    assert any(text.startswith("The context is filling") for text in told)
    assert "The context is filling" not in str(model.requests[-1].messages)


def summariser(summary="## Goal\nsummary", *, window=32_000):
    """A model that gives `summary` to those who ask without tools, and nothing to say to the others."""
    return scripted(*[lambda request: "fine" if request.tools else summary] * 30, window=window)


async def compacted(session, *, window=32_000, kernel=None):
    """The messages of the first request after a compaction."""
    if kernel is not None:
        session.agent.resources[Variables] = kernel
    session.set_value("notebook.prune_at_percent", "100")
    session.set_value("compaction.keep_recent_tokens", "4000")
    model = summariser(window=window)
    await session.prompt("word " * (window // 2), model=scripted("ok", window=200_000))
    await session.prompt("word " * (window // 3), model=scripted("ok", window=200_000))
    await session.prompt("go on", model=model, executor=kernel)
    assert_valid(model)
    return model.requests[-1].messages


async def test_files_variables_and_skills_in_use_stand_between_summary_and_kept_messages(session):
    folder = session.services.folder
    (folder / "skills").mkdir()
    (folder / "skills" / "SKILL.md").write_text("---\nname: s\n---\nPlot in blue.\n")
    (folder / "notes.md").write_text("the answer is 42\n")
    reads = [call("read", "r1", path="skills/SKILL.md"), call("read", "r2", path="notes.md")]
    await session.prompt("read", model=scripted(*reads, "ok"))
    note = VariableNote(name="prices", action="created", type="list", length=3)
    session.branch.add_record(
        LEDGER_TYPE, CallRecord(tool_call_id="x", tool="run_code", variables=[note]).data()
    )
    gone = VariableNote(name="gone", action="created", type="list", length=3)
    session.branch.add_record(
        LEDGER_TYPE, CallRecord(tool_call_id="y", tool="run_code", variables=[gone]).data()
    )
    messages = await compacted(session, kernel=Kernel(prices=[1, 2, 3]))
    assert isinstance(messages[0], CompactionSummaryMessage)
    again = [m for m in messages if getattr(m, "custom_type", "") == REATTACHED]
    assert list(messages[1 : 1 + len(again)]) == again
    assert [m.details["name"] for m in again] == ["skills/SKILL.md", "prices", "notes.md"]
    assert "Plot in blue." in text_of(again[0])
    assert "[1, 2, 3]" in text_of(again[1])
    assert "the answer is 42" in text_of(again[2])
    assert text_of(messages[-1]) == "go on"


async def test_a_variable_that_a_kept_result_shows_is_not_shown_again(session):
    record = CallRecord(
        tool_call_id="x",
        tool="run_code",
        variables=[
            VariableNote(name=name, action="created", type="list", length=3) for name in ("prices", "costs")
        ],
    )
    session.branch.add_record(LEDGER_TYPE, record.data())
    kernel = Kernel(prices=[1, 2, 3], costs=[4, 5, 6])
    session.agent.resources[Variables] = kernel
    session.set_value("compaction.keep_recent_tokens", "500")
    await session.prompt("word " * 16_000, model=scripted("ok", window=200_000))
    session.agent.tools["preview_data"] = preview_data
    look = [ToolCall(id="p", name="preview_data", arguments={"name": "prices"})]
    await session.prompt("look", model=scripted(look, "ok", window=200_000), executor=kernel)
    model = summariser(window=20_000)
    await session.prompt("go on", model=model, executor=kernel)
    sent = str(model.requests[-1].messages)
    assert sent.count("prices = [1, 2, 3]") == 1
    again = [m for m in model.requests[-1].messages if getattr(m, "custom_type", "") == REATTACHED]
    assert [m.details["name"] for m in again] == ["costs"]
    assert text_of(again[0]).splitlines()[1].startswith("[As it is now; shown again because")


async def test_what_is_shown_again_stays_the_same_and_is_shown_anew_by_the_next_compaction(runtime, session):
    notes = session.services.folder / "notes.md"
    notes.write_text("version one\n")
    await session.prompt("read", model=scripted(call("read", "r", path="notes.md"), "ok"))
    await compacted(session)
    before = session.messages
    notes.write_text("version two\n")
    assert session.messages == before
    await runtime.new()
    resumed = await runtime.resume(str(session.path))
    assert resumed.messages == before
    messages = await compacted(resumed)
    again = [text_of(m) for m in messages if getattr(m, "custom_type", "") == REATTACHED]
    assert [text.count("version two") for text in again] == [1]
    assert "version one" not in str(messages)


async def test_what_is_shown_again_is_bounded(session):
    folder = session.services.folder
    reads = []
    for number in range(8):
        (folder / f"{number}.txt").write_text(f"file {number} " * 9_000)
        reads.append(call("read", f"r{number}", path=f"{number}.txt", limit=1))
    await session.prompt("read", model=scripted(*reads, "ok", window=200_000))
    messages = await compacted(session, window=60_000)
    again = [m for m in messages if getattr(m, "custom_type", "") == REATTACHED]
    entry = entries(session, "compaction")[-1]
    assert 1 <= len(again) <= 5
    assert again[-1].details["name"] == "7.txt"
    tokens = [item.tokens for item in session.branch.items if item.message in again]
    assert max(tokens) <= 5_000
    assert sum(tokens) <= 6_000
    assert entry.details["tokensAfter"] < 45_000


async def test_a_file_that_is_kept_whole_is_not_shown_again(session):
    (session.services.folder / "notes.md").write_text("the answer is 42\n")
    session.set_value("notebook.prune_at_percent", "100")
    session.set_value("compaction.keep_recent_tokens", "4000")
    await session.prompt("word " * 20_000, model=scripted("ok", window=200_000))
    await session.prompt("read", model=scripted(call("read", "r", path="notes.md"), "ok", window=200_000))
    model = scripted("## Goal\nsummary", "ok", window=20_000)
    await session.prompt("on", model=model)
    assert str(model.requests[-1].messages).count("the answer is 42") == 1


async def test_a_compaction_that_frees_nothing_is_not_stored_and_not_tried_again_at_once(tmp_path, home):
    (home / "AGENTS.md").write_text("Be kind to the reader. " * 600)
    session = AgentSessionRuntime(tmp_path, build_services).session
    session.set_value("compaction.keep_recent_tokens", "256")
    ended = []
    session.subscribe(lambda event: ended.append(event) if isinstance(event, CompactionEnd) else None)
    assert 4_100 < session.upkeep.prompt.tokens < 5_200
    for words in ("one " * 850, "and " * 350):
        await session.prompt(words, model=scripted("ok", window=200_000))
    model = summariser("## Goal\n" + "more " * 1_350, window=7_000)
    await session.prompt("two", model=model)
    await session.prompt("three", model=model)
    assert entries(session, "compaction") == []
    assert [event.error for event in ended] == [
        "The summary would be no shorter than what it stands for, so the context stays as it is."
    ]
    assert [bool(request.tools) for request in model.requests] == [False, True, True]
    session.agent.model = session.choices.model = model
    with pytest.raises(UsageError, match="no shorter"):
        await session.compact()
    session.close()


async def test_a_compaction_that_leaves_the_context_too_full_is_not_repeated_before_it_has_grown(
    tmp_path, home
):
    (home / "AGENTS.md").write_text("Be kind to the reader. " * 600)
    session = AgentSessionRuntime(tmp_path, build_services).session
    session.set_value("compaction.keep_recent_tokens", "256")
    for words in ("one " * 1_500, "and " * 700):
        await session.prompt(words, model=scripted("ok", window=200_000))
    model = summariser("## Goal\n" + "more " * 1_100, window=7_000)
    for words in ("two", "three " * 270, "four"):
        await session.prompt(words, model=model)
    assert len(entries(session, "compaction")) == 1
    session.agent.model = model
    assert session.upkeep.usage.tokens > session.upkeep.trigger
    session.close()


class Guessed(ScriptedModel):
    """A model of which nobody knew the window."""

    def __init__(self, replies):
        super().__init__(replies)
        self.info = ModelInfo(
            provider="p",
            id="guessed",
            api="a",
            context_window=32_000,
            max_output_tokens=4_096,
            window_is_known=False,
        )


async def test_a_window_that_was_a_guess_is_learnt_from_the_overflow_and_recorded(runtime, session):
    told = notices(session)
    await session.prompt("one " * 12_000, model=scripted("ok", window=200_000))
    await session.prompt("two " * 2_000, model=scripted("ok", window=200_000))
    overflow = ContextOverflowError("too long", model="p/guessed", context_window=16_000)
    await session.prompt("three", model=Guessed([overflow, "## Goal\nsummary", "fine"]))
    assert len([text for text in told if "16,000" in text]) == 1
    session.agent.model = Guessed([])
    assert session.upkeep.usage.context_window == 16_000
    await runtime.new()
    resumed = await runtime.resume(str(session.path))
    resumed.agent.model = Guessed([])
    assert resumed.upkeep.info.context_window == 16_000
    resumed.agent.model = scripted(window=50_000)
    assert resumed.upkeep.info.context_window == 50_000


def guesses(told):
    return [text for text in told if "is not known and taken as" in text]


async def test_that_a_window_is_a_guess_is_told_once_a_session_and_model_before_it_is_asked(runtime, session):
    told = notices(session)
    at_request = []

    def asked(request):
        at_request.append(guesses(told))
        return "fine"

    await session.prompt("one", model=scripted("ok"))
    assert guesses(told) == []
    await session.prompt("two", model=Guessed([asked]))
    await session.prompt("three", model=Guessed(["fine"]))
    other = Guessed(["fine"])
    other.info = dataclasses.replace(other.info, id="another")
    await session.prompt("four", model=other)
    (first,), (again, second) = at_request[0], guesses(told)
    assert (
        first
        == again
        == (
            "The context window of p/guessed is not known and taken as 32,000 tokens: "
            "%agent settings context_window N says how large it is."
        )
    )
    assert "p/another" in second
    session.move(None)
    await session.prompt("on another branch", model=Guessed(["fine"]))
    assert len(guesses(told)) == 2
    await runtime.new()
    resumed = await runtime.resume(str(session.path))
    told = notices(resumed)
    await resumed.prompt("five", model=Guessed(["fine"]))
    assert guesses(told) == []


async def test_a_known_window_and_the_offline_model_are_no_guess(session):
    told = notices(session)
    await session.prompt("what is there?")
    session.set_value("context_window", "50000")
    session.set_value("model", "openai/nobody-has-described-this")
    assert session.upkeep.info.window_is_known
    await session.upkeep.tell_window()
    assert guesses(told) == []


async def test_that_the_window_of_a_model_that_stands_in_is_a_guess_is_told_before_it_is_asked(session):
    told = notices(session)
    down = ScriptedModel([ModelUnavailableError("down", model="m", is_unreachable=True)])
    await session.prompt("one", model=FailoverModel([down, Guessed([lambda r: str(len(guesses(told)))])]))
    assert text_of(session.messages[-1]) == "1"


async def test_a_window_too_small_to_work_in_is_told_before_the_first_request(session):
    told = notices(session)
    await session.prompt("one", model=scripted("ok", "ok", window=2_000))
    await session.prompt("two", model=scripted("ok", window=2_000))
    assert len([text for text in told if "the smallest window that works is" in text]) == 1
    assert smallest_window(2_100) == 7_000
    await session.prompt("again", model=scripted("ok", window=8_000))
    await session.prompt("and again", model=scripted("ok", window=2_000))
    assert len([text for text in told if "the smallest window that works is" in text]) == 1
    told.clear()
    await session.prompt("three", model=scripted("ok", window=8_000))
    assert told == []


@pytest.mark.parametrize("window", [8_000, 16_000, 32_000, 128_000])
async def test_long_instructions_make_no_window_too_small_that_they_are_cut_to(
    runtime, session, home, window
):
    (home / "AGENTS.md").write_text("Use metres, litres, hours and kilogrammes.\n" * 20_000)
    (home / "CLAUDE.md").write_text("指示を守る。" * 20_000)
    for number in range(300):
        skill = home / "skills" / f"skill-{number}" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(f"---\nname: skill-{number}\ndescription: work {number} done\n---\nDo it.")
    session.use(build_services(session.services.folder))
    told = notices(session)
    await session.prompt("one", model=scripted("ok", window=window))
    assert told == []


async def test_instructions_of_a_large_window_make_a_small_one_too_small(session, home):
    (home / "AGENTS.md").write_text("Use metres, litres, hours and kilogrammes.\n" * 20_000)
    session.use(build_services(session.services.folder))
    await session.prompt("one", model=scripted("ok", window=200_000))
    told = notices(session)
    await session.prompt("two", model=scripted("ok", window=5_000))
    assert len([text for text in told if "the smallest window that works is" in text]) == 1


async def test_texts_are_bounded_by_the_window_of_the_model_that_is_asked(session):
    (session.services.folder / "a.txt").write_text("one 2 three\n" * 9_000)
    sizes = []
    for number, window in enumerate((8_000, 16_000, 200_000)):
        model = scripted(call("read", f"r{number}", path="a.txt"), "ok", window=window)
        session.set_value("notebook.stub_repeats", "false")
        await session.prompt("read", model=model)
        sizes.append(
            len(
                next(
                    m.text
                    for m in reversed(session.branch.history(limit=9))
                    if isinstance(m, ToolResultMessage)
                )
            )
        )
    assert sizes[0] <= 8_000 + 300
    assert 8_000 < sizes[1] <= 16_000 + 300
    assert 20_000 < sizes[2] <= 51_500


async def test_the_model_drops_shortens_and_pins_results_by_the_name_they_carry(session):
    names = [result_name(f"b{number}") for number in range(3)]
    model = scripted(
        *bigs(3),
        call("manage_context", "m1", action="drop", results=[names[0]], note="no duplicates"),
        call("manage_context", "m2", action="shorten", results=[names[1]], note="prices in cents"),
        call("manage_context", "m3", action="pin", results=[names[2]]),
        "done",
        window=100_000,
    )
    await session.prompt("go", model=model)
    before, last = results(model.requests[3]), results(model.requests[-1])
    assert all(f"[result {name}]" in before[f"b{n}"] for n, name in enumerate(names))
    assert last["b0"].startswith("[left out to save room (no duplicates): search_history(")
    assert last["b1"].endswith(f"[prices in cents]\n[result {names[1]}]")
    assert last["b2"] == before["b2"]
    assert last["m1"].startswith("Dropped 1 result, which frees about")
    assert last["m3"] == "Pinned 1 result."
    edits = entries(session, "context_edit")
    assert all(isinstance(edit, ContextEditEntry) for edit in edits)
    assert len(edits) == 3
    records = entries(session, f"custom:{PRUNING_TYPE}")
    assert all(isinstance(record, CustomEntry) and record.data["by"] == "model" for record in records)
    assert_valid(model)


async def test_in_a_small_window_shorter_results_have_a_name(session):
    short = call("big", "b0", tokens=300)
    for window, is_named in ((8_000, True), (64_000, False)):
        model = scripted(short, "done", window=window)
        await session.prompt("go", model=model)
        given = [m.text for m in model.requests[-1].messages if isinstance(m, ToolResultMessage)][-1]
        assert ("[result r" in given) is is_named


async def test_the_ids_of_what_was_left_out_are_names_too(session):
    model = scripted(*bigs(1), "ok", window=100_000)
    await session.prompt("go", model=model)
    (entry,) = [one.entry_id for one in session.branch.items if isinstance(one.message, ToolResultMessage)]
    both, mark = [f"[{entry}]", f"[result {result_name('b0')}]"], f'search_history("[{entry}]")'
    model = scripted(
        call("manage_context", "m1", action="shorten", results=both),
        call("manage_context", "m2", action="drop", results=[mark], note="done with"),
        "done",
        window=100_000,
    )
    await session.prompt("on", model=model)
    assert f"{mark} shows them" in results(model.requests[1])["b0"]
    assert results(model.requests[-1])["b0"].startswith("[left out to save room (done with)")
    assert len(entries(session, "context_edit")) == 2


async def test_a_name_that_no_result_has_changes_nothing_and_names_those_there_are(session):
    name = result_name("b0")
    model = scripted(
        *bigs(1),
        call("manage_context", "m1", action="drop", results=[name, "r99999"]),
        call("manage_context", "m2", action="drop", results=["", " "]),
        "done",
    )
    await session.prompt("go", model=model)
    last = results(model.requests[-1])
    assert last["m1"] == f"No result in the context is named r99999. There are: {name}."
    assert last["m2"] == "Name at least one result."
    assert entries(session, "context_edit") == []


async def test_a_result_whose_details_are_no_json_is_pruned_like_any_other(session):
    @tool(risk="read")
    async def odd(context: ToolContext, number: int) -> ToolResult:
        """Give a long text, and details that no file can hold."""
        return ToolResult.of_text("word \ud83d " * 1_500, details={"object": object(), 3: {1, 2}})

    session.agent.tools["odd"] = odd
    calls = [call("odd", f"o{number}", number=number) for number in range(12)]
    model = scripted(*calls, "done", window=30_000)
    await session.prompt("go", model=model)
    assert "left out to save room" in str(model.requests[-1].messages)


async def test_a_result_that_is_shorter_than_what_stands_for_it_frees_nothing(session):
    drop = call("manage_context", "m1", action="drop", results=[result_name("b0")])
    model = scripted(call("big", "b0", tokens=2), drop, "done")
    await session.prompt("go", model=model)
    last = results(model.requests[-1])
    assert last["b0"].startswith("[left out to save room")
    assert last["m1"] == "Dropped 1 result."
