"""What a panel looks up: completions, models, the whole output of a call, older messages, the inspector."""

import pytest

from pi_notebook.agent.messages import TextContent, ToolCall, ToolResultMessage
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.background import background
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.ui.panel.panels import Panels
from tests.ui.panel import Panel, ScriptedExecutor


class Table:
    """A value that must not be looked into."""

    def __repr__(self):
        raise AssertionError("it was shown")

    def __len__(self):
        raise AssertionError("it was counted")


class Shell:
    """As much of an IPython shell as completions look at."""

    def __init__(self, **variables):
        self.user_ns = variables
        self.user_ns_hidden = {}


@pytest.fixture
def shell():
    return Shell(df=Table(), data=[1, 2, 3], n=7, _hidden=1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "tëst.csv").write_text("a\n1\n")
    return tmp_path


@pytest.fixture
def kernel_panel(folder, shell, monkeypatch, home):
    monkeypatch.setenv("PI_NOTEBOOK_MODEL", "openai/gpt-4o")
    (home / "prompts").mkdir()
    (home / "prompts" / "profile.md").write_text("---\ndescription: Profile a table.\n---\nProfile $1.")
    runtime = AgentSessionRuntime(folder, lambda where: build_services(where, shell=shell))
    panels = Panels(lambda: runtime, ScriptedExecutor)
    yield Panel(panels)
    background.run(panels.close())
    runtime.close()


def items(reply):
    return [(item["text"], item["kind"], item["detail"]) for item in reply["items"]]


def test_a_mention_is_completed_by_variables_and_files_without_a_look_into_them(kernel_panel):
    reply = kernel_panel.ask("completions", text="What is in @d")
    assert reply["start"] == 11
    assert items(reply) == [
        ("@data", "variable", "list (3)"),
        ("@df", "variable", "Table"),
        ("@data/", "file", ""),
    ]
    assert items(kernel_panel.ask("completions", text="@n")) == [("@n", "variable", "int 7")]
    assert items(kernel_panel.ask("completions", text="see @err")) == [("@error", "other", "")]


def test_a_word_begins_where_a_browser_counts_it(kernel_panel):
    reply = kernel_panel.ask("completions", text="🐧é @data/t")
    assert (reply["start"], items(reply)) == (4, [("@data/tëst.csv", "file", "")])


def test_a_slash_at_the_start_is_completed_by_templates_skills_and_commands(kernel_panel):
    found = items(kernel_panel.ask("completions", text="/"))
    assert ("/profile", "template", "Profile a table.") in found
    assert ("/compact", "other") in [item[:2] for item in found]
    assert any(text.startswith("/skill:") and kind == "skill" for text, kind, _ in found)
    assert [text for text, _, _ in items(kernel_panel.ask("completions", text="/prof"))] == ["/profile"]


@pytest.mark.parametrize("text", ["", "hello", "a@d", "1/2", "see /pro", "@df and", "\ud83d"])
def test_other_words_are_left_alone(kernel_panel, text):
    request_id = "plain"
    kernel_panel.send("completions", request_id=request_id, text=text)
    kernel_panel.send("completions", request_id="after", text="")
    kernel_panel.wait_until(lambda: kernel_panel.answers("after"))
    assert [reply["items"] for reply in kernel_panel.answers(request_id)] in ([[]], [])


def test_completions_are_bounded(kernel_panel, shell):
    shell.user_ns |= {f"x{number}": number for number in range(500)}
    assert len(kernel_panel.ask("completions", text="@x")["items"]) == 50


def test_the_models_are_those_that_can_be_asked(panel, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    reply = panel.ask("models")
    assert reply["models"][0] == "openai/gpt-4o"  # the one that is chosen, whatever it lacks
    providers = {name.partition("/")[0] for name in reply["models"][1:]}
    assert providers == {"offline", "anthropic"}
    assert {"notebook", "pi"} <= set(reply["policies"])
    monkeypatch.setenv("OLLAMA_API_BASE", "http://127.0.0.1:11434")
    assert any(name.startswith("ollama") for name in panel.ask("models")["models"])


def record(runtime, text, details=None, *, call_id="c1", index=0):
    """A call and its result, as a run records them."""
    runtime.session.store.sync_policy = "off"
    call = ToolCall(id=call_id, name="run_code", arguments={"code": f"work({index})"})
    reply = ScriptedModel()._message([f"Turn {index}.", call])
    result = ToolResultMessage(
        tool_call_id=call_id,
        tool_name="run_code",
        content=[TextContent(text=text)],
        is_error=False,
        timestamp=1,
        details=details,
        duration_ms=1_500,
    )
    runtime.session.branch.add_message(reply)
    runtime.session.branch.add_message(result)


def calls(panel):
    return [segment for segment in panel.segments if segment["type"] == "call"]


def test_the_whole_output_of_a_call_comes_from_what_was_recorded(panels, runtime):
    lines = "\n".join(map(str, range(100)))
    record(runtime, lines)
    panel = Panel(panels)
    (call,) = calls(panel)
    assert call["hidden_lines"] == 80
    reply = panel.ask("output", segment_id=call["id"])
    assert (reply["text"], reply["path"], reply["is_cut"]) == (lines, "", False)


def test_the_whole_output_of_a_call_comes_from_its_file_as_far_as_it_fits(panels, runtime, tmp_path):
    spill = tmp_path / "out.txt"
    spill.write_text("ä" * 1_499_999 + "z", encoding="utf-8")
    record(runtime, "the end", {"spill": {"path": str(spill)}})
    panel = Panel(panels)
    (call,) = calls(panel)
    reply = panel.ask("output", segment_id=call["id"])
    assert (len(reply["text"]), reply["path"], reply["is_cut"]) == (1_000_000, str(spill), True)
    rest = panel.ask("output", segment_id=call["id"], offset=reply["next_offset"])
    assert (rest["text"], rest["is_cut"]) == ("ä" * 499_999 + "z", False)
    for offset in (1_500_000, 9_000_000):
        assert panel.ask("output", segment_id=call["id"], offset=offset)["text"] == ""
    spill.unlink()
    assert panel.ask("output", segment_id=call["id"])["text"] == "the end"


@pytest.mark.parametrize("segment_id", ["", "x", "0.c:c1", "9999.c:c1", "1.0", "l1.1"])
def test_an_output_that_is_not_there_is_told(panels, runtime, segment_id):
    assert "no longer in the session" in Panel(panels).ask("output", segment_id=segment_id)["text"]


def test_a_long_session_is_read_back_to_its_beginning_page_by_page(panels, runtime):
    for index in range(700):
        record(runtime, f"result {index}", call_id=f"c{index}", index=index)
    panel = Panel(panels)
    shown = panel.segments
    assert panel.comm.sent[1]["is_shortened"]
    pages = 0
    while True:
        reply = panel.ask("earlier", segment_id=shown[0]["id"])
        shown = reply["segments"] + shown
        pages += 1
        if not reply["is_shortened"]:
            break
    texts = [segment["text"] for segment in shown if segment["type"] == "text"]
    assert texts == [f"Turn {index}." for index in range(700)]
    outputs = [(one["state"], one["output"]) for one in shown if one["type"] == "call"]
    assert outputs == [("done", f"result {index}") for index in range(700)]
    assert len({segment["id"] for segment in shown}) == len(shown)
    assert 8 < pages < 20
    assert panel.ask("earlier", segment_id="x")["type"] == "failed"
    newest = panel.ask("earlier", segment_id="99999999999.p")["segments"]  # of a branch that was left
    assert newest[-1]["output"] == "result 699"


def test_earlier_messages_follow_on_a_conversation_that_grew_in_the_panel(panel, runtime, script):
    for index in range(200):
        record(runtime, "r", call_id=f"c{index}", index=index)
    panel.send("snapshot")
    panel.wait("snapshot")
    runtime.session.set_value("budget.tool_calls", "500")
    script(
        *[[f"Step {n}.", ToolCall(id=f"d{n}", name="ls", arguments={"path": f"{n}"})] for n in range(180)],
        "End.",
    )
    panel.send("prompt", text="Go.")
    panel.wait_idle()
    panel.send("snapshot")
    reply = panel.wait("snapshot")
    assert reply["is_shortened"]
    first = reply["segments"][0]
    assert first["id"].startswith("l")
    before = panel.ask("earlier", segment_id=first["id"])["segments"]
    number = int(first["text"].split()[1].rstrip("."))
    texts = [one["text"] for one in before if one["type"] in ("text", "prompt")]
    assert texts[-1] == f"Step {number - 1}."
    assert before[-1]["call_id"] == f"d{number - 1}"


def test_the_inspector_is_answered_and_told_when_to_ask_again(panel, script):
    overview = panel.ask("inspect_overview")
    assert (overview["type"], overview["count"]) == ("overview", 0)
    script("Fine.")
    panel.send("prompt", text="Go.")
    panel.wait("inspection_changed")
    panel.wait_idle()
    assert panel.ask("inspect_overview")["count"] == 1
    assert panel.ask("inspect_composition", number=99)["type"] == "failed"


def test_a_panel_that_has_not_asked_is_not_told_of_the_inspector(panel, script):
    script("Fine.")
    panel.send("prompt", text="Go.")
    panel.wait_idle()
    assert not any(message["type"] == "inspection_changed" for message in panel.comm.sent)
