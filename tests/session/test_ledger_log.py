"""The account a session keeps of its tool calls, and what a new kernel lacks of it."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from pi_notebook.agent.entries import CustomEntry, MessageEntry
from pi_notebook.agent.messages import ToolCall, ToolResultMessage, text_of
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord, VariableNote
from pi_notebook.context.ledger import ledger_of
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.restoring import restore_plan
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from tests.session.recorded import recorded_branch


@pytest.fixture
def session(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    environ = {"PI_NOTEBOOK_HOME": str(tmp_path / "home")}
    runtime = AgentSessionRuntime(folder, lambda path: build_services(path, environ=environ))
    yield runtime.session
    runtime.close()


async def run(session, *calls):
    model = ScriptedModel([*(ToolCall(id="", name=name, arguments=given) for name, given in calls), "done"])
    await session.prompt("go", model=model, mode="auto")


async def test_file_tools_tell_exactly_what_they_did(session):
    await run(
        session,
        ("write", {"path": "a.txt", "content": "one"}),
        ("read", {"path": "a.txt"}),
        ("edit", {"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]}),
        ("read", {"path": "missing.txt"}),
        ("ls", {}),
    )
    ledger = ledger_of(session.store.branch())
    assert {path: state.counts for path, state in ledger.files.items()} == {
        "a.txt": {"written": 1, "read": 1, "modified": 1}
    }
    assert ledger.files["a.txt"].witnesses == {"tools"}


async def test_what_a_command_of_the_shell_writes_is_found(session):
    await run(
        session, ("bash", {"command": "echo 1 > a; mkdir sub; echo 2 > sub/b"}), ("bash", {"command": "rm a"})
    )
    files = ledger_of(session.store.branch()).files
    assert {path: (state.last, state.witnesses) for path, state in files.items()} == {
        "a": ("deleted", {"scan"}),
        "sub/b": ("written", {"scan"}),
    }


async def test_a_record_stands_before_the_result_of_its_call_and_none_where_nothing_was_done(session):
    await run(session, ("write", {"path": "a.txt", "content": "one"}), ("ls", {}))
    branch = session.store.branch()
    places = [
        place
        for place, entry in enumerate(branch)
        if isinstance(entry, CustomEntry) and entry.custom_type == LEDGER_TYPE
    ]
    assert len(places) == 1
    after = branch[places[0] + 1]
    assert isinstance(after, MessageEntry)
    assert isinstance(after.message, ToolResultMessage)
    assert after.message.tool_call_id == branch[places[0]].data["toolCallId"]


class Here:
    """An executor that looks on the thread that asks."""

    async def call(self, function, *, timeout_seconds):
        return function()


async def test_what_the_person_renames_is_told_with_the_next_prompt_and_what_the_agent_does_is_not(tmp_path):
    folder, environ = tmp_path / "work", {"PI_NOTEBOOK_HOME": str(tmp_path / "home")}
    folder.mkdir()
    shell = SimpleNamespace(user_ns={}, user_ns_hidden={})
    runtime = AgentSessionRuntime(folder, lambda path: build_services(path, environ=environ, shell=shell))
    session = runtime.session
    for name in ("a.csv", "b.csv", "c.csv"):
        (folder / name).write_text(name)
    reads = [ToolCall(id=name, name="read", arguments={"path": name}) for name in ("a.csv", "b.csv", "c.csv")]
    removes = ToolCall(id="rm", name="bash", arguments={"command": "rm c.csv"})
    model = ScriptedModel([reads, [removes], "read", "and now", "nothing new"])
    await session.prompt("read", model=model, mode="auto", executor=Here())
    (folder / "old").mkdir()
    shutil.move(folder / "a.csv", folder / "old" / "first.csv")
    (folder / "b.csv").unlink()
    await session.prompt("go on", model=model, executor=Here())
    sent = "\n".join(map(text_of, model.requests[-1].messages))
    assert "files the person changed: a.csv (renamed to old/first.csv), b.csv (deleted)\n" in sent
    ledger = ledger_of(session.store.branch())
    assert (ledger.files["a.csv"].by, ledger.files["c.csv"].by) == ({"agent", "person"}, {"agent"})
    assert "Files renamed: a.csv -> old/first.csv" in ledger.text()
    await session.prompt("and", model=model, executor=Here())
    assert "files the person changed" not in text_of(model.requests[-1].messages[-2])
    runtime.close()


def test_cells_are_run_again_only_for_what_is_lost_and_with_what_they_use(tmp_path):
    branch = recorded_branch(
        ("import math", []),
        ("a = 1", ["a"]),
        ("b = a + math.pi", ["b"]),
        ("unrelated = 5", ["unrelated"]),
        ("%matplotlib inline\nc = b", ["c"]),
    )
    plan = restore_plan(branch, present={"unrelated", "a"}, spill_folder=tmp_path)
    assert [state.name for state in plan.lost] == ["b", "c"]
    assert plan.cells == ("import math", "a = 1", "b = a + math.pi", "%matplotlib inline\nc = b")
    assert plan.unmade == ()
    everything = {"a", "b", "c", "unrelated"}
    assert restore_plan(branch, present=everything, spill_folder=tmp_path).cells == ()


def test_a_frame_is_loaded_from_its_file_only_while_it_is_there_and_ours(tmp_path):
    (tmp_path / "spill").mkdir()
    ours, foreign = tmp_path / "spill" / "a.parquet", tmp_path / "b.parquet"
    ours.touch()
    foreign.touch()
    branch = recorded_branch(("a = load()\na", ["a"], ours), ("b = load()\nb", ["b"], foreign))
    plan = restore_plan(branch, present=(), spill_folder=tmp_path / "spill")
    assert [frame.name for frame in plan.frames] == ["a"]
    assert plan.cells == ("b = load()\nb",)
    ours.unlink()
    assert restore_plan(branch, present=(), spill_folder=Path(tmp_path / "spill")).frames == ()


def test_what_running_cells_again_means_is_told(tmp_path):
    branch = recorded_branch(
        ("import json", []),
        ("unused = 1", ["unused"]),
        ("a = theirs + int(input())", ["a"]),
        ("b = a", ["b"]),
    )
    records = [entry for entry in branch if isinstance(entry, CustomEntry)]
    records[1].data["files"] = [{"path": "unused.txt", "action": "written", "witness": "python"}]
    records[2].data["files"] = [
        {"path": "in.txt", "action": "read", "witness": "python"},
        {"path": "out.txt", "action": "written", "witness": "scan"},
    ]
    person = CallRecord(
        by="person",
        variables=[VariableNote(name=name, action="created", type="int") for name in ("theirs", "other")],
    )
    first = CustomEntry(id="p", parent_id=None, timestamp="", custom_type=LEDGER_TYPE, data=person.data())
    plan = restore_plan([first, *branch], present={"unused"}, spill_folder=tmp_path)
    assert [state.name for state in plan.lost] == ["a", "b"]
    assert plan.cells == ("a = theirs + int(input())", "b = a")
    assert (plan.writes, plan.asking, plan.from_person) == (("out.txt",), 1, ("theirs",))


def test_a_name_that_the_person_set_last_is_not_made_again_as_the_agent_had_it(tmp_path):
    branch = recorded_branch(("m = 1", ["m"]), ("z = m", ["z"]))
    person = CallRecord(by="person", variables=[VariableNote(name="m", action="rebound", type="str")])
    entry = CustomEntry(id="p", parent_id=None, timestamp="", custom_type=LEDGER_TYPE, data=person.data())
    plan = restore_plan([*branch[:3], entry, *branch[3:]], present=(), spill_folder=tmp_path)
    assert (plan.cells, plan.from_person) == (("z = m",), ("m",))
