"""Sessions from a panel: listed, searched, begun, gone on with, forked, named and thrown away."""

import pytest

from pi_notebook.agent.messages import AssistantMessage, CustomMessage, ToolResultMessage, UserMessage
from pi_notebook.models.scripted import ScriptedModel, call
from pi_notebook.session.attached_cells import AttachedCell
from pi_notebook.session.background import background
from pi_notebook.session.outline import outline
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.trash import trash_session
from pi_notebook.ui.commands import run_command
from pi_notebook.ui.panel.panels import Panels
from tests.ui.panel import Panel, ScriptedExecutor

FIRST = ["How many penguins?", "About How many penguins?"]
SENT = [UserMessage, AssistantMessage, ToolResultMessage, ToolResultMessage]


def say(runtime, *prompts, **options):
    for prompt in prompts:
        background.run(runtime.session.prompt(prompt, model=ScriptedModel([f"About {prompt}"]), **options))


def prompts(panel):
    return [segment["text"] for segment in panel.segments if segment["type"] == "prompt"]


@pytest.fixture
def two(runtime, panel):
    """A session about whales, and the current one about penguins."""
    say(runtime, "How heavy are whales?")
    first = runtime.session
    background.run(runtime.new())
    say(runtime, "How many penguins?", "And chicks?")
    panel.wait_until(lambda: prompts(panel) == ["How many penguins?", "And chicks?"])
    return first.id, runtime.session.id


def test_the_folders_sessions_are_listed_the_newest_first(two, panel):
    reply = panel.ask("sessions")
    rows = [(row["session_id"], row["name"], row["prompts"], row["is_current"]) for row in reply["sessions"]]
    assert rows == [(two[1], "How many penguins?", 2, True), (two[0], "How heavy are whales?", 1, False)]
    assert reply["more"] == 0
    assert all(row["time"] > 1e9 and row["excerpt"] == "" for row in reply["sessions"])


def test_a_search_finds_the_sessions_that_have_the_words(two, panel):
    found = panel.ask("sessions", query="about WHALES")["sessions"]
    assert [(row["session_id"], row["excerpt"]) for row in found] == [(two[0], "About How heavy are whales?")]
    assert panel.ask("sessions", query="walrus")["sessions"] == []
    assert "Write what to search for" in panel.ask("sessions", query='""')["text"]


def test_a_name_is_searched_too_and_stands_in_list_and_status(two, panel):
    assert panel.ask("rename_session", session_id=two[1], name=" Sea\n birds ")["type"] == "done"
    panel.wait_until(lambda: panel.status["session_name"] == "Sea birds")
    assert panel.ask("rename_session", session_id=two[0], name="Mammals")["type"] == "done"
    assert [row["name"] for row in panel.ask("sessions")["sessions"]] == ["Mammals", "Sea birds"]
    assert [row["excerpt"] for row in panel.ask("sessions", query="mammals")["sessions"]] == ["Mammals"]
    assert panel.ask("rename_session", session_id=two[0], name=" ")["text"] == "Write a name."


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("model offline", "model", "offline"),
        ("mode auto-edit", "mode", "auto-edit"),
        ("policy pi", "policy", "pi"),
        ("settings context_window 9000", "context_window", 9000),
        ("name Sea birds", "session_name", "Sea birds"),
    ],
)
def test_what_is_set_in_a_cell_stands_in_every_panel(panel, runtime, line, field, value):
    assert panel.status[field] != value
    run_command(runtime, line)
    panel.wait_until(lambda: panel.status[field] == value)


def test_where_a_cell_goes_in_the_tree_is_where_every_panel_is(two, panel, runtime):
    first, second = (prompt.entry_id for prompt in outline(runtime.session.store))
    for line, shown in (
        (f"tree {first}", ["How many penguins?"]),
        (f"tree {second}", ["How many penguins?", "And chicks?"]),
        (f"tree {first} --before", []),
        (f"tree {first}", ["How many penguins?"]),
    ):
        run_command(runtime, line)
        panel.wait_until(lambda shown=shown: prompts(panel) == shown)


def test_a_new_session_and_an_earlier_one_are_shown_in_every_panel(two, panel, panels):
    other = Panel(panels)
    assert panel.ask("new_session")["type"] == "done"
    other.wait_until(lambda: other.segments == [])
    assert other.status["last_session"] == ""
    assert panel.ask("resume_session", session_id=two[0])["type"] == "done"
    other.wait_until(lambda: prompts(other) == ["How heavy are whales?"])
    panel.wait_until(lambda: panel.status["session_id"] == two[0])


def test_a_fork_goes_on_from_before_a_prompt_and_gives_its_words_back(two, panel, runtime):
    last = [segment for segment in panel.segments if segment["type"] == "prompt"][-1]
    reply = panel.ask("fork_session", entry_id=last["entry_id"])
    assert (reply["type"], reply["text"]) == ("done", "And chicks?")
    panel.wait_until(lambda: prompts(panel) == ["How many penguins?"])
    assert runtime.session.id not in two
    first = next(segment for segment in panel.segments if segment["type"] == "prompt")
    assert panel.ask("fork_session", entry_id=first["entry_id"])["text"] == "How many penguins?"
    panel.wait_until(lambda: panel.segments == [])


def test_a_fork_of_a_prompt_with_cells_gives_back_what_was_typed(panel, runtime):
    say(runtime, "Fix it.", cells=[AttachedCell(number=3, source="1 / 0", output="ZeroDivisionError")])
    panel.wait_until(lambda: prompts(panel) == ["Fix it."])
    prompt = next(segment for segment in panel.segments if segment["type"] == "prompt")
    assert panel.ask("fork_session", entry_id=prompt["entry_id"])["text"] == "Fix it."


def test_a_fork_goes_on_from_behind_an_answer(two, panel, runtime):
    answers = [segment for segment in panel.segments if segment["type"] == "text"]
    reply = panel.ask("fork_after", segment_id=answers[0]["id"])
    assert reply["text"] == "The new session ends with this answer."
    panel.wait_until(lambda: [segment["text"] for segment in panel.segments] == FIRST)
    assert runtime.session.id not in two
    say(runtime, "And seals?")
    panel.wait_until(lambda: prompts(panel) == ["How many penguins?", "And seals?"])


@pytest.mark.parametrize(("kind", "is_reloaded"), [("text", False), ("call", False), ("text", True)])
def test_a_fork_from_the_middle_of_a_run_takes_what_came_of_the_calls_with_it(
    panel, panels, runtime, script, kind, is_reloaded
):
    look = ["I look.", call("read", path="a.txt"), call("read", path="b.txt")]
    script(look, "There is none.", "Nothing more.")
    for run, prompt in enumerate(["Go.", "And now?"], 1):
        panel.send("prompt", text=prompt)
        panel.wait_idle(run)
    shown = Panel(panels) if is_reloaded else panel
    chosen = next(segment for segment in shown.segments if segment["type"] == kind)
    reply = shown.ask("fork_after", segment_id=chosen["id"])
    assert reply["text"] == "The new session ends with this answer and what came of its 2 calls."
    shown.wait_until(lambda: len(shown.segments) == 4)
    assert [segment["type"] for segment in shown.segments] == ["prompt", "text", "call", "call"]
    assert ["a.txt" in shown.segments[2]["output"], "b.txt" in shown.segments[3]["output"]] == [True, True]
    model = ScriptedModel(["As before."])
    runtime.session.agent.model = model
    shown.wait_until(lambda: shown.status["can_continue"])
    background.run(runtime.session.continue_())
    sent = [message for message in model.requests[0].messages if not isinstance(message, CustomMessage)]
    assert [type(message) for message in sent] == SENT


def test_a_fork_waits_for_the_calls_of_an_answer(panel, runtime, script):
    script(["I run it.", call("run_code", code="1")], "Done.")
    panel.send("prompt", text="Go.")
    asked = panel.wait("ask")
    text = next(segment for segment in panel.segments if segment["type"] == "text")
    before = runtime.session.id
    assert "has no result" in panel.ask("fork_after", segment_id=text["id"])["text"]
    assert runtime.session.id == before
    panel.send(
        "approve",
        request_id=asked["request_id"],
        fingerprint=asked["fingerprint"],
        allowed=False,
        reason="No.",
    )
    panel.wait_idle()
    assert panel.ask("fork_after", segment_id=text["id"])["type"] == "done"


@pytest.mark.parametrize("kind", ["fork_session", "fork_after"])
def test_what_is_no_message_cannot_be_forked(two, panel, kind):
    for named in ("0", "", "99.0", "x.y"):
        reply = panel.ask(kind, **{"entry_id" if kind == "fork_session" else "segment_id": named})
        assert "no longer in the session" in reply["text"]


def test_a_deleted_session_lies_in_the_trash_and_can_be_taken_from_there(two, panel, runtime, home):
    gone = panel.ask("delete_session", session_id=two[0])
    (kept,) = (home / "trash").iterdir()
    assert gone["text"] == f"The session is in the trash: {kept}"
    assert [row["session_id"] for row in panel.ask("sessions")["sessions"]] == [two[1]]
    background.run(runtime.resume(str(kept)))
    panel.wait_until(lambda: prompts(panel) == ["How heavy are whales?"])


def test_the_current_session_is_deleted_with_another_in_its_place(two, panel, runtime):
    assert panel.ask("delete_session", session_id=two[1])["type"] == "done"
    panel.wait_until(lambda: panel.segments == [] and panel.status["session_id"] not in two)
    assert panel.ask("delete_session", session_id=runtime.session.id)["type"] == "done"  # never written


def test_a_session_that_another_kernel_writes_to_is_left_alone(two, panel, tmp_path):
    other = AgentSessionRuntime(tmp_path, build_services)
    background.run(other.resume(two[0]))
    try:
        for kind, more in (
            ("delete_session", {}),
            ("rename_session", {"name": "Mine"}),
            ("resume_session", {}),
        ):
            reply = panel.ask(kind, session_id=two[0], **more)
            assert reply["type"] == "failed"
            assert "this kernel" in reply["text"] or "in use" in reply["text"]
    finally:
        other.close()


@pytest.mark.parametrize("named", ["/etc/passwd", "../x.jsonl", "", "x"])
def test_a_panel_names_no_files(two, panel, named):
    for kind in ("delete_session", "resume_session"):
        assert "no longer there" in panel.ask(kind, session_id=named)["text"]


def test_the_policy_is_set_or_refused(panel, runtime):
    panel.send("set_policy", policy="pi")
    panel.wait_until(lambda: panel.status["policy"] == "pi")
    panel.send("set_policy", policy="none")
    assert "none" in panel.wait("error")["text"]


def test_the_last_session_of_the_notebook_is_offered_for_as_long_as_it_is_kept(runtime, panels, two):
    before, home = runtime.session.path, runtime.services.home
    background.run(runtime.new())
    anew = AgentSessionRuntime(runtime.services.folder, build_services)
    panels = Panels(lambda: anew, ScriptedExecutor)
    try:
        panel = Panel(panels, session_hint=two[1])
        assert panel.status["last_session"] == two[1]
        trash_session(before, home=home)
        assert "no longer there" in panel.ask("resume_session", session_id=two[1])["text"]
        panel.wait_until(lambda: panel.status["last_session"] == "")
        assert Panel(panels, session_hint=two[1]).status["last_session"] == ""
        assert Panel(panels, session_hint=two[0]).status["last_session"] == two[0]
    finally:
        background.run(panels.close())
        anew.close()
