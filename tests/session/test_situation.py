"""What a model is told of the moment: whole at first, then what changed, never more than a little."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import CustomMessageEntry
from pi_notebook.agent.messages import CustomMessage, text_of
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord, FileNote
from pi_notebook.context.call_record import VariableNote as CallVariable
from pi_notebook.context.variables import variable_notes, with_passing
from pi_notebook.kernel.namespace import VariableInfo
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.situation import (
    NOWHERE,
    Situation,
    Traces,
    current_situation,
    passing_before,
    situation_message,
    told_situation,
)


def frame(name, width=3):
    columns = tuple((f"column_{chr(97 + i % 26)}{i * i}", "float64") for i in range(width))
    return VariableInfo(name=name, type="pandas.DataFrame", shape=(10, width), columns=columns)


def scalar(name, value=0.5):
    return VariableInfo(name=name, type="float", text=repr(value))


def moment(*infos, folder="/data"):
    return Situation(facts={"working folder": folder}, variables=variable_notes(infos))


def lines(told, now):
    message = situation_message(told, now)
    return message.content.split("\n")[1:-1] if message else []


def reread(*messages):
    """As a resumed session finds it."""
    return told_situation(
        CustomMessage(**{name: getattr(one, name) for name in one.__struct_fields__}) for one in messages
    )


def test_all_is_told_at_first_tables_before_others_and_plain_things_in_one_line():
    assert lines(NOWHERE, moment(values("xs"), frame("df", 1), scalar("t"), scalar("b"))) == [
        "working folder: /data",
        "variables:",
        "  df: pandas.DataFrame, 10 x 1; float64: column_a0",
        "  xs: list, length 3",
        "  also: t, b (float)",
    ]


def test_then_only_what_changed_is_told_and_a_new_value_of_a_number_is_no_change():
    before = moment(frame("df"), scalar("t", 0.5), scalar("old"))
    message = situation_message(NOWHERE, before)
    now = moment(frame("df", 1), scalar("t", 0.7), scalar("n"))
    assert lines(reread(message), now) == [
        "variables new or changed:",
        "  df: pandas.DataFrame, 10 x 1; float64: column_a0",
        "  also: n (float)",
        "variables gone: old",
    ]
    assert situation_message(reread(message), before) is None


def test_columns_that_another_has_too_are_told_by_its_name():
    df, big = frame("df", 9), frame("big", 9)
    columns = lines(NOWHERE, moment(df))[2].partition("; ")[2]
    assert lines(NOWHERE, moment(df, big))[2:] == [
        f"  df: pandas.DataFrame, 10 x 9; {columns}",
        "  big: pandas.DataFrame, 10 x 9; columns as in df",
    ]
    first = situation_message(NOWHERE, moment(df))
    assert lines(reread(first), moment(df, big)) == [
        "variables new or changed:",
        "  big: pandas.DataFrame, 10 x 9; columns as in df",
    ]
    longer = VariableInfo(name="df", type="pandas.DataFrame", shape=(11, 9), columns=df.columns)
    assert lines(reread(first), moment(longer))[1:] == ["  df: pandas.DataFrame, 11 x 9; columns as before"]
    both = reread(situation_message(NOWHERE, moment(df, big)))
    assert lines(both, moment(big)) == ["variables gone: df"]


def test_of_what_the_agent_made_since_only_the_size_is_told():
    first = situation_message(NOWHERE, moment(frame("df", 9)))
    now = moment(frame("df", 9), frame("mine", 8), frame("theirs", 7))
    message = situation_message(reread(first), now, Traces(variables={"mine": "agent", "theirs": "person"}))
    mine, theirs = message.content.split("\n")[2:4]
    assert mine == "  mine: pandas.DataFrame, 10 x 8"
    assert theirs.startswith("  theirs: pandas.DataFrame, 10 x 7; float64: ")
    assert lines(reread(first, message), now) == []


def test_the_newest_of_many_are_told_and_the_others_counted():
    message = situation_message(NOWHERE, moment(*(frame(f"df{i}", 20) for i in range(100))))
    assert "  df99: " in message.content
    assert "  df0: " not in message.content
    told = message.content.count("pandas.DataFrame")
    assert f"  ({100 - told} more; list_variables shows them)" in message.content


infos = st.one_of(
    st.builds(frame, st.text(min_size=1, max_size=40), st.integers(0, 60)),
    st.builds(scalar, st.text(min_size=1, max_size=40)),
)


@settings(max_examples=50, derandomize=True, deadline=None, database=None)
@given(st.lists(infos, max_size=60), st.lists(infos, max_size=60))
def test_no_message_is_long_and_nothing_is_told_twice(first, second):
    message = situation_message(NOWHERE, moment(*first))
    assert len(message.content.encode("utf-8", "backslashreplace")) <= 1600
    after = situation_message(reread(message), moment(*second))
    if after is not None:
        assert len(after.content.encode("utf-8", "backslashreplace")) <= 1600
        assert situation_message(reread(message, after), moment(*second)) is None


def record(by, *names, **fields):
    notes = [CallVariable(name=name, action="changed", type="list") for name in names]
    return CallRecord(by=by, variables=notes, **fields)


def traced(told, now, *records):
    message = situation_message(told, now, Traces.of(records))
    return message.content.split("\n")[1:-1] if message else []


def values(name, length=3):
    return VariableInfo(name=name, type="list", length=length)


def test_what_the_person_changed_is_marked_and_what_looks_the_same_is_named():
    before = reread(situation_message(NOWHERE, moment(frame("df"), values("a"), values("b"), scalar("t"))))
    now = moment(frame("df"), values("a", 4), values("b", 5), scalar("t", 1.5))
    files = [FileNote(path="a.csv", action="written", witness="code")]
    files.append(FileNote(path="b.csv", action="read", witness="code"))
    assert traced(before, now, record("agent", "b"), record("person", "df", "a", "t", files=files)) == [
        "variables new or changed:",
        "  a: list, length 4  [by the person]",
        "  b: list, length 5",
        "changed by the person, same type and size: df",
        "files the person changed: a.csv (written)",
    ]


def test_a_file_that_the_person_renamed_is_told_by_both_names():
    before = reread(situation_message(NOWHERE, moment(frame("df"))))
    files = [FileNote(path="a.csv", action="deleted", witness="scan", renamed_to="old/a.csv")]
    files.append(FileNote(path="old/a.csv", action="written", witness="scan"))
    files.append(FileNote(path="gone.csv", action="deleted", witness="scan"))
    told = traced(before, moment(frame("df")), record("person", files=files))
    assert told == ["files the person changed: a.csv (renamed to old/a.csv), gone.csv (deleted)"]


def test_what_code_of_the_person_changed_in_place_is_named():
    before = reread(situation_message(NOWHERE, moment(frame("df"), frame("other"))))
    traces = Traces.of([record("agent", "df")], in_place=["df", "gone"])
    message = situation_message(before, moment(frame("df"), frame("other")), traces)
    assert message.content.split("\n")[1:-1] == ["changed by the person, same type and size: df"]


def test_where_all_is_told_the_agents_own_variables_are_marked():
    now = moment(frame("df", 1), values("a"))
    told = traced(NOWHERE, now, record("person", "df"), record("agent", "a"))
    assert told[2:] == ["  df: pandas.DataFrame, 10 x 1; float64: column_a0", "  a: list, length 3  [yours]"]
    assert traced(reread(situation_message(NOWHERE, now)), now, record("agent", "a")) == []


def test_no_word_is_lost_on_what_code_needed_for_a_moment():
    passing = [
        values("row"),
        VariableInfo(name="c", type="str", length=3, text="'abc'"),
        VariableInfo(name="ax", type="matplotlib.axes._axes.Axes"),
        VariableInfo(name="fig", type="matplotlib.figure.Figure"),
        VariableInfo(name="file", type="_io.TextIOWrapper"),
        VariableInfo(name="tmp", type="int", text="3"),
    ]
    plain = moment(frame("df", 1), *passing)
    loop = ["for row in rows:\n    pass"]
    now = Situation(facts=plain.facts, variables=with_passing(plain.variables, loop, asked=["fig", "row"]))
    assert lines(NOWHERE, now)[1:] == [
        "variables:",
        "  df: pandas.DataFrame, 10 x 1; float64: column_a0",
        "  also: fig (Figure)",
    ]
    told = reread(situation_message(NOWHERE, now))
    assert lines(told, moment(frame("df", 1))) == ["variables gone: fig"]
    set_plainly = with_passing(plain.variables, [*loop, "row = [1, 2, 3]"], asked=["fig"])
    assert lines(told, Situation(facts=plain.facts, variables=set_plainly)) == [
        "variables new or changed:",
        "  row: list, length 3",
    ]


def test_what_a_loop_has_used_since_is_no_news():
    plain = moment(frame("df", 1), values("part"))
    folded = with_passing(plain.variables, ["for part in parts:\n    pass"])
    told = reread(situation_message(NOWHERE, plain))
    assert lines(told, Situation(facts=plain.facts, variables=folded)) == []


def test_the_window_of_the_model_is_told_once_and_again_when_it_is_another():
    def moment_of(window):
        info = ModelInfo(provider="p", id="m", api="", context_window=window, max_output_tokens=1)
        return current_situation(Path("/data"), info, {})

    first = situation_message(NOWHERE, moment_of(200_000))
    assert "your context window: 200,000 tokens" in first.content
    assert situation_message(reread(first), moment_of(200_000)) is None
    assert lines(reread(first), moment_of(32_000)) == ["your context window: 32,000 tokens"]


async def test_what_is_recorded_since_the_last_prompt_is_told_with_the_next_alone(tmp_path):
    session = AgentSessionRuntime(tmp_path, build_services).session
    model = ScriptedModel(["ok"] * 3, context_window=64_000)
    for number, path in enumerate(("a.csv", "b.csv", None)):
        if path is not None:
            files = [FileNote(path=path, action="modified", witness="code")]
            session.branch.add_record(LEDGER_TYPE, record("person", files=files).data())
        await session.prompt(f"go {number}", model=model)
    told = [str(request.messages[-2:]) for request in model.requests]
    assert "your context window: 64,000 tokens" in told[0]
    assert "files the person changed" not in told[0]
    assert "files the person changed: b.csv (modified)" in told[1]
    assert "<situation>" not in told[2]
    session.close()


def test_what_was_passing_is_so_after_its_code_has_left_the_context():
    variables = moment(frame("part"), frame("df", 1)).variables
    loop = ["for _, part in df.groupby('a'):\n    pass"]
    message = situation_message(NOWHERE, Situation(facts={}, variables=with_passing(variables, loop)))
    entry = CustomMessageEntry(
        id="a", parent_id=None, timestamp="", custom_type=message.custom_type, content=message.content,
        display=False, details=message.details,
    )  # fmt: skip
    before = passing_before([entry])
    assert before == ["part"]
    assert with_passing(variables, [], before=before)["part"].is_passing
    assert not with_passing(variables, ["part = df"], before=before)["part"].is_passing
    assert passing_before([]) == []


class Here:
    """An executor that looks on the thread that asks."""

    async def call(self, function, *, timeout_seconds):
        return function()


async def test_what_a_summarised_loop_bound_is_not_told_after_a_compaction(tmp_path):
    shell = SimpleNamespace(user_ns={"part": [1], "whole": [1, 2]}, user_ns_hidden={})
    session = AgentSessionRuntime(tmp_path, build_services).session
    session.use(dataclasses.replace(session.services, shell=shell))
    await session.prompt("word " * 3_000, model=ScriptedModel(["ok"]))
    notes = [
        CallVariable(name=name, action="created", type="list", length=2, is_passing=name == "part")
        for name in ("part", "whole")
    ]
    session.branch.add_record(LEDGER_TYPE, CallRecord(tool_call_id="c", variables=notes).data())
    session.set_value("compaction.keep_recent_tokens", "256")
    model = ScriptedModel([lambda request: "ok" if request.tools else "## Goal\nwords"] * 9)
    session.agent.model = session.choices.model = model
    await session.prompt("word " * 3_000, model=model, executor=Here())
    await session.compact()
    await session.prompt("go on", model=model, executor=Here())
    sent = "\n".join(map(text_of, model.requests[-1].messages))
    assert "Variables: whole (list, length 2)\n</ledger>" in sent
    assert "  whole: list, length 2  [yours]" in sent
    assert "part" not in sent
    session.close()


def test_plain_things_that_the_agent_has_just_set_are_no_news_to_it():
    before = reread(situation_message(NOWHERE, moment(frame("df", 1))))
    now = moment(frame("df", 1), scalar("t"), scalar("u"))
    assert traced(before, now, record("agent", "t", "u")) == []
    assert traced(before, now, record("agent", "t"), record("person", "u"))[1:] == ["  also: u (float)"]
