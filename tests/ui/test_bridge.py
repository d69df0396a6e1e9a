"""Panels on a session: what they are sent, what they may ask for, and what never holds a run."""

import asyncio
import threading

import pytest

from pi_notebook.agent.messages import ToolCall
from pi_notebook.errors import ModelUnavailableError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.background import background
from pi_notebook.ui.panel.comm_target import TARGET, CommTarget
from pi_notebook.ui.panel.open_panels import MAX_PANELS
from tests.ui.panel import FakeComm, Panel


def code(source: str, call_id: str = "c1") -> ToolCall:
    return ToolCall(id=call_id, name="run_code", arguments={"code": source})


def shown(panel: Panel) -> list[tuple[str, str]]:
    return [
        (segment["type"], segment.get("text") or f"{segment['state']}: {segment['output']}")
        for segment in panel.segments
    ]


def allow(panel: Panel, **changes) -> dict:
    question = panel.wait("ask")
    answer = {"request_id": question["request_id"], "fingerprint": question["fingerprint"], "allowed": True}
    panel.send("approve", **answer | changes)
    return question


def execute(panel: Panel, status: str = "ok") -> dict:
    request = panel.wait("run")
    panel.send("announced", request_id=request["request_id"], cell_id="cell-1")
    panel.wait("proceed", request_id=request["request_id"])
    panel.send("ran", request_id=request["request_id"], status=status)
    return request


def test_a_panel_is_told_the_session_and_its_state(panel, runtime):
    panel.wait_until(lambda: panel.status["cost_usd"] is not None)
    assert panel.status == {
        "type": "status",
        "session_id": runtime.session.id,
        "last_session": "",
        "model": "openai/gpt-4o",
        "mode": "ask",
        "is_running": False,
        "context_tokens": panel.status["context_tokens"],
        "context_window": runtime.session.model.context_window,
        "context_trigger": runtime.session.upkeep.trigger,
        "is_estimate": True,
        "is_compacting": False,
        "can_continue": False,
        "cost_usd": 0.0,
        "policy": "notebook",
        "queued": [],
        "session_name": "",
    }
    assert panel.segments == []


def test_an_answer_streams_and_is_whole_at_the_end(panel, script):
    script("There are **344** rows.", piece_chars=1)
    panel.send("prompt", text="How many rows?")
    panel.wait_idle()
    assert shown(panel) == [("prompt", "How many rows?"), ("text", "There are **344** rows.")]
    assert panel.segments[1]["is_whole"]
    assert panel.events[-1]["type"] == "status"


def test_a_call_is_asked_about_whole_and_run_as_the_cell_that_was_announced(panel, script):
    script([code("len(df)\n" * 2_000)], "Done.")
    panel.send("prompt", text="Count.")
    assert allow(panel)["code"] == "len(df)\n" * 2_000
    assert execute(panel) == {
        "type": "run",
        "request_id": "r1",
        "code": "len(df)\n" * 2_000,
        "is_hidden": False,
        "cell_id": "",
    }
    panel.wait_idle()
    assert shown(panel)[1:] == [("call", "done: ok in cell cell-1"), ("text", "Done.")]


def test_what_the_panel_has_after_events_is_what_a_snapshot_holds(panel, script):
    script(["Looking.", code("1", "a"), code("2", "b")], "It is *this*.", piece_chars=2)
    panel.send("prompt", text="Look.")
    allow(panel)
    execute(panel)
    allow(panel)
    execute(panel, "error")
    panel.wait_idle()
    followed = panel.segments
    panel.send("snapshot")
    assert panel.wait("snapshot")["segments"] == followed
    assert [segment["type"] for segment in followed] == ["prompt", "text", "call", "call", "text"]


def test_a_panel_that_comes_in_the_middle_of_a_run_ends_up_with_the_same(panel, panels, script):
    half = threading.Event()

    def second(request):
        half.wait(10)
        return "The end."

    script(["One.", code("1")], second)
    panel.send("prompt", text="Go.")
    question = panel.wait("ask")
    late = Panel(panels)
    assert late.wait("ask") == question
    late.send("approve", request_id=question["request_id"], fingerprint=question["fingerprint"], allowed=True)
    panel.wait("withdrawn", request_id=question["request_id"])
    execute(panel)
    half.set()
    panel.wait_idle()
    late.wait_idle()
    assert late.segments == panel.segments


def test_a_conversation_is_there_again_for_the_next_panel(panel, panels, script):
    script([code("1")], "It is 1.")
    panel.send("prompt", text="Go.")
    allow(panel)
    execute(panel)
    panel.wait_idle()
    panel.close()
    assert shown(Panel(panels)) == shown(panel)


@pytest.mark.parametrize("nonce", ["", "wrong", "é"])
def test_a_message_without_the_nonce_of_its_comm_is_ignored(panel, panels, runtime, caplog, nonce):
    stranger = Panel(panels, hello=False)
    stranger.send_raw(type="set_mode", nonce=nonce, mode="auto")
    stranger.send_raw(type="set_mode", nonce=panel.nonce, mode="auto")
    panel.send("snapshot")
    panel.wait("snapshot")
    assert runtime.session.mode == "ask"
    assert "nonce" in caplog.text


def test_a_message_that_is_none_is_logged_and_ignored(panel, caplog):
    panel.comm.receive({})
    panel.comm.receive({"content": {"data": {"type": "explode"}}})
    panel.send("approve", request_id="r", fingerprint="f", allowed="yes")
    panel.send("snapshot")
    panel.wait("snapshot")
    assert len([record for record in caplog.records if "ignored" in record.message]) == 3


@pytest.mark.parametrize(
    ("field", "value"), [("fingerprint", "0" * 64), ("fingerprint", ""), ("request_id", "0")]
)
def test_an_answer_to_another_question_does_not_count(panel, script, caplog, field, value):
    script([code("1")], "Done.")
    panel.send("prompt", text="Go.")
    question = panel.wait("ask")
    answer = {"request_id": question["request_id"], "fingerprint": question["fingerprint"], "allowed": True}
    panel.send("approve", **answer | {field: value})
    panel.send("snapshot")
    panel.wait("snapshot")
    assert not any(message["type"] == "run" for message in panel.comm.sent)
    panel.send("approve", **answer | {"allowed": False, "reason": "too slow"})
    panel.wait_idle()
    assert "They said: too slow." in panel.segments[1]["output"]
    assert "an answer of a panel was ignored" in caplog.text


def test_an_answer_counts_once(panel, script, caplog):
    script([code("1")], [code("2", "b")], "Done.")
    panel.send("prompt", text="Go.")
    question = allow(panel)
    panel.send(
        "approve", request_id=question["request_id"], fingerprint=question["fingerprint"], allowed=True
    )
    execute(panel)
    second = panel.wait("ask")
    assert second["request_id"] != question["request_id"]
    assert second["fingerprint"] != question["fingerprint"]
    panel.send("stop")
    panel.wait_idle()
    assert sum(message["type"] == "run" for message in panel.comm.sent) == 1


def test_code_that_the_person_changed_is_what_runs_and_what_is_shown_as_it_does(panel, script):
    script([code("df.drop()")], "Done.")
    panel.send("prompt", text="Go.")
    allow(panel, code="df.head()")
    panel.wait_until(lambda: panel.segments[1]["given"] == "df.head()")
    assert panel.segments[1]["state"] == "running"
    assert execute(panel)["code"] == "df.head()"
    panel.wait_idle()
    assert panel.segments[1]["given"] == "df.head()"


@pytest.mark.parametrize("scope", ["run", "session"])
def test_a_grant_is_not_asked_for_again(panel, script, scope):
    script([code("1")], [code("2", "b")], "Done.")
    panel.send("prompt", text="Go.")
    allow(panel, scope=scope)
    execute(panel)
    execute(panel)
    panel.wait_idle()
    assert sum(message["type"] == "ask" for message in panel.comm.sent) == 1


def test_closing_the_last_panel_answers_its_question_with_nobody(panel, panels, script, runtime):
    script([code("1")], "I could not run it.")
    panel.send("prompt", text="Go.")
    panel.wait("ask")
    panel.close()
    later = Panel(panels)
    later.wait_until(lambda: not later.status["is_running"])
    assert "nobody can be asked here" in later.segments[1]["output"]


@pytest.mark.parametrize("taken", [False, True])
def test_closing_the_last_panel_ends_what_it_was_to_run(panel, panels, script, taken):
    script([code("1")], "It did not run.")
    panel.send("prompt", text="Go.")
    allow(panel)
    request = panel.wait("run")
    if taken:
        panel.send("announced", request_id=request["request_id"], cell_id="c")
        panel.wait("proceed")
    panel.close()
    later = Panel(panels)
    later.wait_until(lambda: not later.status["is_running"])
    assert panel.segments[1]["state"] == "running"
    assert ("aborted" if taken else "refused") in later.segments[1]["output"]


def test_a_request_of_a_panel_that_is_gone_goes_to_the_one_that_came(panel, panels, script):
    script([code("1")], "Done.")
    panel.send("prompt", text="Go.")
    allow(panel)
    request = panel.wait("run")
    reloaded = Panel(panels)
    assert reloaded.wait("run") == request
    reloaded.send("announced", request_id=request["request_id"], cell_id="new")
    reloaded.wait("proceed")
    panel.send("announced", request_id=request["request_id"], cell_id="old")
    panel.wait("withdrawn", request_id=request["request_id"])
    panel.send("ran", request_id=request["request_id"], status="error")
    reloaded.send("ran", request_id=request["request_id"], status="ok")
    reloaded.wait_idle()
    assert reloaded.segments[1]["output"] == "ok in cell new"


def test_a_request_that_the_origin_does_not_take_goes_to_the_others(panel, panels, script):
    script([code("1")], [code("2", "b")], "Done.")
    reloaded = Panel(panels)
    panel.send("prompt", text="Go.")
    allow(reloaded, scope="run")
    panel.wait("run")
    assert execute(reloaded)["code"] == "1"
    assert execute(reloaded)["code"] == "2"
    reloaded.wait_idle()
    assert sum(message["type"] == "run" for message in panel.comm.sent) == 1


def test_a_stop_ends_the_run_and_withdraws_what_is_open(panel, script):
    script([code("1")], "never said")
    panel.send("prompt", text="Go.")
    allow(panel)
    request = panel.wait("run")
    panel.send("stop")
    panel.wait("withdrawn", request_id=request["request_id"])
    panel.wait_idle()
    assert [event["reason"] for event in panel.events if event["type"] == "run_ended"] == ["aborted"]
    panel.send("announced", request_id=request["request_id"], cell_id="late")
    panel.wait("withdrawn", request_id=request["request_id"])


def test_a_stop_without_a_run_does_nothing(panel):
    panel.send("stop")
    panel.send("snapshot")
    panel.wait("snapshot")


def test_a_prompt_during_a_run_is_refused_in_one_sentence(panel, script):
    script([code("1")], "Done.")
    panel.send("prompt", text="Go.")
    panel.wait("ask")
    panel.send("prompt", text="And this?")
    assert panel.wait("error")["text"] == (
        "The agent is answering already. Stop it first, or wait until it is done."
    )
    panel.send("stop")
    panel.wait_idle()
    assert shown(panel)[0] == ("prompt", "Go.")


def test_an_empty_prompt_is_refused(panel):
    panel.send("prompt", text=" \n")
    assert "There is no prompt" in panel.wait("error")["text"]


def test_what_the_model_could_not_do_stands_in_the_conversation_once(panel, panels, script, runtime):
    runtime.session.set_value("retry.enabled", "false")
    script(ModelUnavailableError("The provider is overloaded; try again later.", model="m"))
    panel.send("prompt", text="Go.")
    panel.wait_idle()
    expected = [("prompt", "Go."), ("notice", "The provider is overloaded; try again later.")]
    assert shown(panel) == expected
    assert not any(message["type"] == "error" for message in panel.comm.sent)
    assert shown(Panel(panels)) == expected


def test_a_run_begun_elsewhere_is_shown_and_can_be_stopped(panel, runtime, script):
    began = threading.Event()

    class Slow:
        info = ScriptedModel().info

        async def stream(self, request):
            began.set()
            await asyncio.sleep(60)
            yield None

    run = background.submit(runtime.session.prompt("From a cell.", model=Slow()))
    assert began.wait(10)
    panel.wait_until(lambda: panel.status["is_running"])
    panel.send("stop")
    panel.wait_idle()
    assert run.result(10).reason == "aborted"
    assert shown(panel) == [("prompt", "From a cell.")]


def test_another_session_takes_the_place_of_the_one_shown(panel, runtime, script):
    script("One.")
    panel.send("prompt", text="Go.")
    panel.wait_idle()
    session = background.run(runtime.new())
    assert panel.wait("snapshot")["segments"] == []
    assert panel.status["session_id"] == session.id
    session.agent.model = ScriptedModel(["Two."])
    panel.send("prompt", text="Again.")
    panel.wait_until(lambda: len(panel.segments) == 2)
    assert ("text", "One.") not in shown(panel)


def test_a_session_that_is_resumed_is_shown_as_it_was(panel, runtime, script):
    script("One.")
    panel.send("prompt", text="Go.")
    panel.wait_idle()
    before, path = shown(panel), runtime.session.path
    background.run(runtime.new())
    panel.wait_until(lambda: panel.segments == [])
    background.run(runtime.resume(str(path)))
    panel.wait_until(lambda: shown(panel) == before)


def test_mode_and_model_are_set_or_refused_with_what_is_right(panel, runtime):
    panel.send("set_mode", mode="plan")
    panel.wait_until(lambda: panel.status["mode"] == "plan")
    panel.send("set_mode", mode="automatic")
    assert "auto" in panel.wait("error")["text"]
    panel.send("set_model", model="nothing")
    assert "nothing" in panel.wait("error")["text"]
    assert (runtime.session.mode, runtime.session.model.name) == ("plan", "openai/gpt-4o")


def test_deltas_are_gathered_to_what_a_page_keeps_up_with(panel, script):
    script("word " * 20_000, piece_chars=5)
    panel.send("prompt", text="Go.")
    panel.wait_idle()
    text = panel.segments[1]["text"]
    assert text == "word " * 20_000
    sent = [t for t, m in zip(panel.comm.times, panel.comm.sent, strict=True) if m["type"] == "events"]
    for place, at in enumerate(sent):
        assert sum(at <= other < at + 1 for other in sent[place:]) <= 22


def test_long_texts_are_bounded_and_say_so(panel, script):
    script("x" * 250_000, piece_chars=9_000)
    panel.send("prompt", text="y" * 30_000)
    panel.wait_idle()
    prompt, text = panel.segments
    assert prompt["text"].endswith("… (10,000 more characters)")
    assert len(text["text"]) < 101_000
    assert text["text"].endswith("more characters)")


def test_a_comm_that_fails_is_let_go_and_the_run_goes_on(panel, panels, script):
    script("Fine.")
    panel.comm.is_broken = True
    panel.send("prompt", text="Go.")
    other = Panel(panels)
    other.wait_until(lambda: shown(other)[-1:] == [("text", "Fine.")])


def test_the_oldest_of_too_many_panels_is_sent_nothing_until_it_speaks(panel, panels, script):
    others = [Panel(panels) for _ in range(MAX_PANELS)]
    script("One.")
    others[0].send("prompt", text="Go.")
    others[0].wait_idle()
    assert panel.segments == []
    panel.send("set_mode", mode="plan")
    panel.wait_until(lambda: panel.status["mode"] == "plan")
    assert panel.segments == others[0].segments


def test_a_lone_surrogate_of_the_model_reaches_the_panel_as_a_mark(panel, script):
    script("half \ud83d here", piece_chars=100)
    panel.send("prompt", text="Go.")
    panel.wait_idle()
    assert panel.segments[1]["text"] == "half \ufffd here"


class Manager:
    """A kernel's table of comm targets."""

    def __init__(self) -> None:
        self.targets = {}

    def register_target(self, name, callback):
        self.targets[name] = callback

    def unregister_target(self, name, callback):
        del self.targets[name]


class Shell:
    def __init__(self) -> None:
        self.kernel = type("Kernel", (), {"comm_manager": Manager()})()


def test_the_target_is_there_while_the_extension_is(runtime):
    shell = Shell()
    target = CommTarget(shell, lambda: runtime)
    target.install()
    assert set(shell.kernel.comm_manager.targets) == {TARGET}
    comm = FakeComm()
    shell.kernel.comm_manager.targets[TARGET](comm, {})
    target.uninstall()
    assert shell.kernel.comm_manager.targets == {}


def test_a_shell_without_a_kernel_has_no_target():
    target = CommTarget(object(), lambda: None)
    target.install()
    target.uninstall()
