"""What the inspector is told: requests taken apart, as they were sent, and what a person does with parts."""

import asyncio
import json
import re
from contextlib import suppress
from pathlib import Path

import pytest

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.entries import ContextEditEntry, CustomEntry
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    user_message,
)
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord, FileNote, VariableNote
from pi_notebook.context.reattaching import DETAILS_KEY, InUse, reattached_message, stored
from pi_notebook.context.tokens import count_tokens, message_tokens, tools_tokens
from pi_notebook.errors import ModelUnavailableError, UsageError
from pi_notebook.models.conversion import chat_messages, chat_tools
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.ui.compactions import compactions
from pi_notebook.ui.context import context
from pi_notebook.ui.inspection.inspection import Inspection
from pi_notebook.ui.inspection.parts import label_of
from pi_notebook.ui.ledger import ledger
from pi_notebook.ui.protocol import inspection as wire

KEY = "sk-test-0123456789abcdef"


@tool(risk="read")
async def give(context: ToolContext, chars: int) -> str:
    """Give a text."""
    return "word " * (chars // 5)


@pytest.fixture
def runtime(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.agent.tools["give"] = give
    runtime.session.set_value("retry.base_delay_seconds", "0")
    yield runtime
    runtime.close()


@pytest.fixture
def inspection(runtime):
    return Inspection(lambda: runtime)


def call(chars, call_id="a"):
    return ["I look.", ToolCall(id=call_id, name="give", arguments={"chars": chars})]


async def ask(runtime, *replies, prompt="go", **options):
    session = runtime.session
    session.agent.model = session.choices.model = ScriptedModel(list(replies), **options)
    await session.prompt(prompt)
    return session.agent.model.requests


async def asked(inspection, kind, **fields):
    reply = await inspection.answer(kind(request_id="r", **fields))
    assert reply.request_id == "r"
    return reply


async def composition(inspection, number=None):
    return await asked(inspection, wire.InspectCompositionRequest, number=number)


async def part_of(inspection, key, number=None):
    return await asked(inspection, wire.InspectPartRequest, number=number, key=key)


async def test_parts_and_shares_of_any_request_add_up_to_its_tokens_and_the_room_to_the_window(
    runtime, inspection
):
    await ask(runtime, call(2_000), call(40_000, "b"), "done")
    for number in (1, 2, 3, None):
        told = await composition(inspection, number)
        sizes = told.sizes
        assert sizes.number == number
        assert sum(part.tokens for part in told.parts) == sizes.tokens
        assert sum(share.tokens for share in told.shares) == sizes.tokens
        assert sizes.tokens + sizes.free + sizes.reserve == sizes.context_window
        assert len({part.key for part in told.parts}) == len(told.parts)


async def test_each_part_is_told_word_for_word_as_the_model_saw_it(runtime, inspection):
    sent = await ask(runtime, call(500), "done", prompt="Look at <b>this</b> \u202e.")
    told = await composition(inspection, 2)
    texts = {part.key: (await part_of(inspection, part.key, 2)).seen for part in told.parts}
    prompt = sent[1].system_prompt
    assert "\n\n".join(text for key, text in texts.items() if key.startswith("section:")) == prompt
    names = [json.loads(text)["name"] for key, text in texts.items() if key.startswith("tool:")]
    assert set(names) <= {definition.name for definition in sent[1].tools}
    shown = [text for key, text in texts.items() if key.startswith("entry:")]
    assert "Look at <b>this</b> \u202e." in shown
    assert "word " * 100 in shown
    assert any('give({\n  "chars": 500\n})' in text for text in shown)


def test_the_line_of_a_message_names_its_pictures_by_their_type():
    picture = ImageContent(data="iVBORw0KGgo=", mime_type="image/png")
    assert label_of(user_message([TextContent(text="What is this?"), picture])) == "What is this? [image/png]"


async def test_a_part_that_was_shortened_stands_beside_all_of_it(runtime, inspection):
    await ask(runtime, call(9_000), "done")
    session = runtime.session
    item = next(one for one in session.branch.items if isinstance(one.message, ToolResultMessage))
    whole = item.message.text
    less = {"content": [{"type": "text", "text": "word … word"}]}
    session.branch.add(ContextEditEntry, target_id=item.entry_id, replacement=less)
    told = await composition(inspection)
    part = next(one for one in told.parts if one.entry_id == item.entry_id)
    assert part.is_shortened
    opened = await part_of(inspection, part.key)
    assert (opened.seen, opened.full) == ("word … word", whole)
    assert (await part_of(inspection, part.key, 2)).seen == whole


async def test_the_whole_output_of_a_tool_is_read_back_from_where_it_lies(runtime, inspection):
    runtime.session.set_value("mode", "auto")
    code = "for i in range(9000): print('line', i)"
    await ask(runtime, [ToolCall(id="b", name="bash", arguments={"command": f'python3 -c "{code}"'})], "done",
              prompt="run it")  # fmt: skip
    told = await composition(inspection)
    part = next(one for one in told.parts if one.category == "tool_results")
    opened = await part_of(inspection, part.key)
    assert opened.full_path
    assert part.is_shortened
    assert opened.full.startswith("line 0\n")
    assert "line 0\n" not in opened.seen
    assert opened.seen.count("line ") < opened.full.count("line ")
    assert not opened.is_gone
    Path(opened.full_path).unlink()
    gone = await part_of(inspection, part.key)
    assert (gone.seen, gone.full, gone.is_gone) == (opened.seen, "", True)


async def test_age_and_cache_are_counted_in_requests(runtime, inspection):
    await ask(runtime, call(500), call(500, "b"), "done", prompt="first")
    told = await composition(inspection, 3)
    messages = [part for part in told.parts if part.entry_id]
    prompt = next(part for part in messages if part.category == "user")
    newest = messages[-1]
    assert (prompt.age, prompt.is_cached) == (2, True)
    assert (newest.age, newest.is_cached) == (0, False)
    first = await composition(inspection, 1)
    assert not any(part.is_cached for part in first.parts)


async def test_two_requests_are_compared(runtime, inspection):
    await ask(runtime, call(500), "done")
    told = await asked(inspection, wire.InspectDifferenceRequest, earlier=1, later=None)
    assert told.kept_share == 1
    assert [part.category for part in told.added] == ["tool_calls", "tool_results", "assistant"]
    assert not told.gone
    assert sum(change.tokens for change in told.changes) > 100


async def test_the_timeline_tells_sizes_outcomes_and_what_was_recorded_between(runtime, inspection):
    down = ModelUnavailableError("not there", model="m")
    await ask(runtime, call(20_000), down, call(20_000, "b"), "done", context_window=100_000)
    session = runtime.session
    session.agent.model = session.choices.model = ScriptedModel(["## Goal\nfind"], context_window=100_000)
    session.set_value("compaction.keep_recent_tokens", "1000")
    await asked(inspection, wire.CompactRequest, instructions="keep the names")
    await ask(runtime, "more", context_window=100_000)
    told = await asked(inspection, wire.InspectOverviewRequest)
    assert [point.number for point in told.timeline] == [1, 2, 3, 4, 5]
    assert [point.outcome for point in told.timeline] == ["done", "failed", "done", "done", "done"]
    assert [point.compactions for point in told.timeline] == [0, 0, 0, 0, 1]
    assert [point.edits for point in told.timeline] == [0] * 5
    sizes = [(await composition(inspection, point.number)).sizes.tokens for point in told.timeline]
    assert [point.tokens for point in told.timeline] == sizes
    (row,) = told.compactions
    assert (row.reason, row.previous_id, row.tokens_before) == ("manual", "", row.tokens_before)
    assert row.tokens_after < row.tokens_before
    opened = await asked(inspection, wire.InspectCompactionRequest, entry_id=row.entry_id)
    assert "## Goal\nfind" in opened.summary
    assert opened.folded
    texts = [(await part_of(inspection, part.key)).seen for part in opened.folded]
    assert any(text.startswith("word " * 4_000) for text in texts)


async def test_the_timeline_of_a_session_that_grows_is_what_a_new_one_is(runtime, inspection):
    for number in range(4):
        await ask(runtime, call(500, f"c{number}"), "done")
        grown = await asked(inspection, wire.InspectOverviewRequest)
        fresh = await asked(Inspection(lambda: runtime), wire.InspectOverviewRequest)
        assert grown == fresh
    runtime.session.move(runtime.session.store.branch()[3].id)
    moved = await asked(inspection, wire.InspectOverviewRequest)
    assert moved == await asked(Inspection(lambda: runtime), wire.InspectOverviewRequest)


async def test_what_is_hidden_is_not_sent_and_can_be_brought_back(runtime, inspection):
    await ask(runtime, call(500), "done")
    told = await composition(inspection)
    result = next(part for part in told.parts if part.category == "tool_results")
    assert result.can_hide
    done = await asked(inspection, wire.HideEntryRequest, entry_id=result.entry_id)
    assert isinstance(done, wire.DoneReply)
    (hidden,) = (await asked(inspection, wire.InspectOverviewRequest)).hidden
    assert (hidden.entry_id, hidden.is_hidden, hidden.reason) == (result.entry_id, True, "you")
    (sent,) = await ask(runtime, "ok", prompt="again")
    assert not any("word word" in text for text in map(str, sent.messages))
    await asked(inspection, wire.RestoreEntryRequest, entry_id=result.entry_id)
    assert (await asked(inspection, wire.InspectOverviewRequest)).hidden == []
    (sent,) = await ask(runtime, "ok", prompt="again")
    assert any("word word" in text for text in map(str, sent.messages))
    restored = next(p for p in (await composition(inspection)).parts if p.entry_id == result.entry_id)
    assert not restored.is_shortened


async def test_what_a_compaction_showed_again_is_hidden_and_brought_back_too(runtime, inspection):
    await ask(runtime, "done")
    again = reattached_message(InUse(kind="file", name="a.txt"), "the answer is 42")
    branch = runtime.session.branch
    branch.add_compaction(
        summary="## Goal", first_kept_entry_id=None, tokens_before=9, details={DETAILS_KEY: stored([again])}
    )
    (part,) = [part for part in (await composition(inspection)).parts if part.category == "previews"]
    before = branch.projection.paired
    await asked(inspection, wire.HideEntryRequest, entry_id=part.entry_id)
    (hidden,) = (await asked(inspection, wire.InspectOverviewRequest)).hidden
    assert (hidden.entry_id, hidden.is_hidden) == (part.entry_id, True)
    path = str(runtime.session.path)
    await runtime.new()
    await runtime.resume(path)
    assert "the answer is" not in str(runtime.session.messages)
    await asked(inspection, wire.RestoreEntryRequest, entry_id=part.entry_id)
    assert (await asked(inspection, wire.InspectOverviewRequest)).hidden == []
    assert runtime.session.branch.projection.paired == before


async def test_the_raw_request_is_what_goes_to_the_provider_without_keys(runtime, inspection):
    sent = await ask(runtime, call(500), "done", prompt=f"my key is {KEY}")
    told = await asked(inspection, wire.InspectRawRequest, number=2)
    assert KEY not in told.text
    body = json.loads(told.text)
    info = runtime.session.agent.model.info
    expected = json.loads(json.dumps(chat_messages(sent[1], info)).replace(KEY, "[key]"))
    assert body["messages"] == expected
    offered = [one["function"]["name"] for one in body["tools"]]
    assert set(offered) <= {one["function"]["name"] for one in chat_tools(sent[1].tools)}


async def test_a_past_request_goes_by_the_model_it_went_to_known_today_or_not(runtime, inspection):
    await ask(runtime, "done")
    session = runtime.session
    session.agent.model = session.choices.model = session.services.model(session.settings)
    assert session.upkeep.info.name != "scripted"
    told = await asked(inspection, wire.InspectRawRequest, number=1)
    assert json.loads(told.text)["model"] == (await composition(inspection, 1)).sizes.model == "scripted"


async def ledger_told(runtime, inspection, **done):
    await ask(runtime, "done")
    record = CallRecord(tool_call_id="a", tool="run_code", **done)
    runtime.session.branch.add(CustomEntry, custom_type=LEDGER_TYPE, data=record.data())
    return await asked(inspection, wire.InspectLedgerRequest)


async def test_the_ledger_tells_who_touched_what_and_when(runtime, inspection):
    told = await ledger_told(
        runtime,
        inspection,
        files=[FileNote(path="/d/a.csv", action="read", witness="python", count=2)],
        variables=[VariableNote(name="df", action="created", type="DataFrame", shape=[344, 7])],
    )
    (file,), (variable,) = told.files, told.variables
    assert (file.path, file.reads, file.last, file.by) == ("/d/a.csv", 2, "read", ["agent"])
    assert (variable.name, variable.kind, variable.shape) == ("df", "DataFrame", "344 × 7")
    assert file.time > 1_700_000_000


async def test_the_ledger_says_where_a_renamed_file_went_and_leaves_out_what_a_loop_ran_over(
    runtime, inspection
):
    told = await ledger_told(
        runtime,
        inspection,
        files=[
            FileNote(path="/d/a.csv", action="deleted", witness="scan", renamed_to="/d/b.csv"),
            FileNote(path="/d/b.csv", action="written", witness="scan"),
            FileNote(path="/d/c.csv", action="deleted", witness="scan"),
        ],
        variables=[
            VariableNote(name="row", action="created", type="Series", is_passing=True),
            VariableNote(name="part", action="created", type="Series", is_passing=True),
            VariableNote(name="part", action="deleted"),
            VariableNote(name="total", action="created", type="float"),
            VariableNote(name="old", action="deleted"),
        ],
    )
    assert {row.path: row.renamed_to for row in told.files} == {
        "/d/a.csv": "/d/b.csv", "/d/b.csv": "", "/d/c.csv": "",
    }  # fmt: skip
    assert [row.name for row in told.variables] == ["total", "old"]
    shown = ledger(runtime, "")
    assert [row[0] for part in shown.parts for row in part.rows][3:] == ["`total`"]
    assert "now `/d/b.csv`" in shown.parts[0].rows[0][1]


@pytest.mark.parametrize("file_format", ["ipynb", "html", "md", "jsonl"])
async def test_an_export_takes_no_name_that_is_there(runtime, inspection, file_format):
    await ask(runtime, "done", prompt="Say it.")
    runtime.session.branch.set_name("Sales / by city")
    first = await asked(inspection, wire.ExportRequest, format=file_format)
    second = await asked(inspection, wire.ExportRequest, format=file_format)
    if isinstance(first, wire.FailedReply):
        assert file_format == "ipynb"  # no code was run that a notebook could hold
        return
    assert first.path.endswith(f"Sales-by-city.{file_format}")
    assert second.path.endswith(f"Sales-by-city-2.{file_format}")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (wire.InspectCompositionRequest, {"number": 0}),
        (wire.InspectCompositionRequest, {"number": 99}),
        (wire.InspectPartRequest, {"number": None, "key": "entry:nothing"}),
        (wire.InspectPartRequest, {"number": 1, "key": "../../etc/passwd"}),
        (wire.InspectDifferenceRequest, {"earlier": 1, "later": 1}),
        (wire.InspectCompactionRequest, {"entry_id": "nothing"}),
        (wire.HideEntryRequest, {"entry_id": "nothing"}),
        (wire.RestoreEntryRequest, {"entry_id": "nothing"}),
        (wire.CompactRequest, {}),
        (wire.ExportRequest, {"format": "md", "session_id": "nothing"}),
    ],
)
async def test_what_is_not_there_is_told_in_one_sentence(runtime, inspection, kind, fields):
    await ask(runtime, "done")
    reply = await asked(inspection, kind, **fields)
    assert isinstance(reply, wire.FailedReply)
    assert 10 < len(reply.text) < 300
    assert "pi-notebook failed" not in reply.text


async def test_an_empty_session_has_a_next_request_and_nothing_else(inspection):
    told = await asked(inspection, wire.InspectOverviewRequest)
    assert (told.count, told.timeline, told.compactions, told.hidden) == (0, [], [], [])
    next_request = await composition(inspection)
    assert next_request.parts
    assert all(part.age == 0 and not part.is_cached for part in next_request.parts)
    assert (await asked(inspection, wire.InspectLedgerRequest)).files == []


def counted(reply, factor=1.4):
    """A reply whose provider counts more than is estimated."""

    def give(request):
        head = count_tokens(request.system_prompt) + tools_tokens(request.tools)
        tokens = int(factor * (head + sum(map(message_tokens, request.messages))))
        usage = Usage(
            input=tokens,
            output=9,
            cache_read=0,
            cache_write=0,
            total_tokens=tokens + 9,
            cost=NO_USAGE.cost,
        )
        blocks = [TextContent(text=one) if isinstance(one, str) else one for one in reply]
        return AssistantMessage(
            content=blocks,
            api="scripted",
            provider="scripted",
            model="scripted",
            usage=usage,
            stop_reason="toolUse" if any(isinstance(one, ToolCall) for one in blocks) else "stop",
            timestamp=1,
        )

    return give


async def eventful(runtime):
    """A session with requests that were counted, failed, uncounted and stopped, and one with a picture."""
    picture = ImageContent(data="iVBORw0KGgo=", mime_type="image/png")
    down = ModelUnavailableError("not there", model="m")
    prompt = [TextContent(text="Look."), picture]
    await ask(runtime, counted(call(20_000)), down, counted(call(9_000, "b")), "done", prompt=prompt)

    def stop(request):
        runtime.session.abort()
        return "This is stopped before it is all told."

    with suppress(Aborted):
        await ask(runtime, stop)
    await ask(runtime, counted(call(3_000, "c")), counted(["done"]))
    results = [one for one in runtime.session.branch.items if isinstance(one.message, ToolResultMessage)]
    less = {"content": [{"type": "text", "text": "word … word"}]}
    runtime.session.branch.add(ContextEditEntry, target_id=results[0].entry_id, replacement=less)
    await ask(runtime, counted(["pruned"]))
    return results[0].entry_id


def listed(plain):
    """By entry, the tokens that `%agent context` lists."""
    lines = re.findall(r"([\d,]+)\s+([0-9a-f]{8})\s*$", plain, re.MULTILINE)
    return {entry: int(tokens.replace(",", "")) for tokens, entry in lines}


async def test_all_figures_of_a_request_are_the_same_wherever_they_are_told(runtime, inspection):
    await eventful(runtime)
    for _ in range(2):  # whatever was asked before
        overview = await asked(inspection, wire.InspectOverviewRequest)
        assert {point.outcome for point in overview.timeline} == {"done", "failed", "aborted"}
        before = None
        for point in overview.timeline:
            told = await composition(inspection, point.number)
            assert (point.tokens, point.context_window) == (told.sizes.tokens, told.sizes.context_window)
            sizes = {part.key: part.tokens for part in told.parts}
            plain = context(runtime, str(point.number)).plain
            assert f"{point.tokens:,} of {point.context_window:,} tokens" in plain
            assert {
                f"entry:{entry}": tokens for entry, tokens in listed(plain).items()
            }.items() <= sizes.items()
            assert {part.category for part in told.parts} <= {share.category for share in told.shares}
            if before is not None:
                found = await asked(
                    inspection, wire.InspectDifferenceRequest, earlier=point.number - 1, later=point.number
                )
                assert {part.key: part.tokens for part in found.added}.items() <= sizes.items()
                assert {part.key: part.tokens for part in found.gone}.items() <= before.items()
            before = sizes


async def test_what_was_folded_is_told_as_it_was_sent_until_then(runtime, inspection):
    pruned = await eventful(runtime)
    session = runtime.session
    session.agent.model = session.choices.model = ScriptedModel(["## Goal\nfind"] * 2)
    session.set_value("compaction.keep_recent_tokens", "256")
    await asked(inspection, wire.CompactRequest, instructions="keep the names")
    (row,) = (await asked(inspection, wire.InspectOverviewRequest)).compactions
    assert (row.by, row.focus) == ("model", "keep the names")
    opened = await asked(inspection, wire.InspectCompactionRequest, entry_id=row.entry_id)
    assert opened.folded_count == len(opened.folded) == row.folded
    assert sum(part.tokens for part in opened.folded) < row.tokens_before
    part = next(one for one in opened.folded if one.entry_id == pruned)
    assert part.is_shortened
    assert part.tokens < 100
    fields = {"number": None, "key": part.key, "compaction": row.entry_id}
    seen = await asked(inspection, wire.InspectPartRequest, **fields)
    assert seen.seen == "word … word"
    assert seen.full.startswith("word word")


async def test_where_a_list_is_bounded_the_whole_number_is_told(runtime, inspection, monkeypatch):
    for name in ("MAX_FOLDED", "MAX_HIDDEN", "MAX_ROWS"):
        monkeypatch.setattr(f"pi_notebook.ui.inspection.inspection.{name}", 1)
    await ask(runtime, call(500), call(500, "b"), "done")
    await ask(runtime, "word " * 500)
    for part in (await composition(inspection)).parts:
        if part.category == "tool_results":
            await asked(inspection, wire.HideEntryRequest, entry_id=part.entry_id)
    overview = await asked(inspection, wire.InspectOverviewRequest)
    assert (len(overview.hidden), overview.hidden_count) == (1, 2)
    notes = [FileNote(path=f"/d/{name}.csv", action="read", witness="python") for name in "abc"]
    made = [VariableNote(name=name, action="created", type="int") for name in "xy"]
    told = await ledger_told(runtime, inspection, files=notes, variables=made)
    assert (len(told.files), told.file_count) == (1, 3)
    assert (len(told.variables), told.variable_count) == (1, 2)
    session = runtime.session
    session.agent.model = session.choices.model = ScriptedModel(["## Goal\nfind"] * 2)
    session.set_value("compaction.keep_recent_tokens", "256")
    await asked(inspection, wire.CompactRequest)
    (row,) = (await asked(inspection, wire.InspectOverviewRequest)).compactions
    opened = await asked(inspection, wire.InspectCompactionRequest, entry_id=row.entry_id)
    assert len(opened.folded) == 1
    assert opened.folded_count == row.folded > 1


@pytest.mark.parametrize(
    ("fields", "by", "told"),
    [
        ({"details": {"model": "m", "seconds": 2.0}}, "model", "m, 2.0 s"),
        ({"details": {"model": ""}}, "program", "listed by the program"),
        ({"details": {"model": ""}, "from_hook": True}, "hook", "given by a hook"),
        ({"details": {"readFiles": []}}, "", ""),
        ({}, "", ""),
    ],
)
async def test_who_wrote_a_summary_is_told_where_it_is_recorded(runtime, inspection, fields, by, told):
    await ask(runtime, "done")
    kept = runtime.session.branch.items[-1].entry_id
    runtime.session.branch.add_compaction(summary="s", first_kept_entry_id=kept, tokens_before=9, **fields)
    (row,) = (await asked(inspection, wire.InspectOverviewRequest)).compactions
    assert row.by == by
    assert compactions(runtime, "").rows[0][3] == told


def test_a_request_of_a_session_that_has_none_is_named_no_range(runtime):
    with pytest.raises(UsageError, match=r"^A request is now: none was sent yet; not 'one'\.$"):
        context(runtime, "one")


async def test_questions_while_a_run_is_on_are_answered(runtime, inspection):
    @tool(risk="read")
    async def look(context: ToolContext) -> str:
        """Look at the inspector."""
        seen.append(await composition(inspection))
        seen.append(await asked(inspection, wire.InspectOverviewRequest))
        return "seen"

    seen: list = []
    runtime.session.agent.tools["look"] = look
    await ask(runtime, [ToolCall(id="l", name="look", arguments={})], "done")
    assert seen[1].is_running
    assert sum(part.tokens for part in seen[0].parts) == seen[0].sizes.tokens
    await asyncio.sleep(0)
