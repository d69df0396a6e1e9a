"""Whatever a panel sends, and however it goes away: nothing breaks, and it is told or logged once."""

import asyncio
import threading
import time
import typing

import pytest

from pi_notebook.agent.messages import ToolCall
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.background import background
from pi_notebook.ui.protocol.requests import PanelRequest
from tests.patience import SOON
from tests.ui.panel import Panel


def kinds(union) -> set[type]:
    return {kind for one in typing.get_args(union) for kind in (typing.get_args(one) or (one,))}


def test_everything_that_can_be_asked_is_done_by_one_area(panels):
    areas = panels._areas
    assert set(areas._does) | set(areas._answers) == kinds(PanelRequest)
    assert not set(areas._does) & set(areas._answers)


def test_each_question_has_one_answer_also_when_many_are_asked_at_once(panel):
    asked = {
        "sessions": {},
        "models": {},
        "completions": {"text": "@d"},
        "output": {"segment_id": "x"},
        "earlier": {"segment_id": "0.p"},
        "take_queued": {},
        "inspect_overview": {},
        "fork_session": {"entry_id": "x"},
        "fork_after": {"segment_id": "x"},
    }
    for number in range(10):
        for kind, data in asked.items():
            panel.send(kind, request_id=f"{kind}-{number}", **data)
    names = [f"{kind}-{number}" for kind in asked for number in range(10)]
    panel.wait_until(lambda: all(panel.answers(name) for name in names))
    panel.send("snapshot")
    panel.wait("snapshot")
    assert {len(panel.answers(name)) for name in names} == {1}
    assert {panel.answers(f"{kind}-0")[0]["type"] for kind in ("output", "fork_session")} == {"failed"}


def test_a_fault_of_ours_is_one_sentence_for_the_panel_and_a_traceback_in_the_log(
    panel, runtime, monkeypatch, caplog
):
    def broken(*arguments, **options):
        raise RuntimeError("no luck")

    monkeypatch.setattr("pi_notebook.ui.panel.sessions.list_sessions", broken)
    reply = panel.ask("sessions")
    assert reply["type"] == "failed"
    assert reply["text"].startswith("pi-notebook failed: RuntimeError: no luck.")
    assert [record.exc_info is not None for record in caplog.records] == [True]


def test_a_prompt_of_five_megabytes_is_said_and_shown_as_far_as_it_fits(panel, runtime):
    model = ScriptedModel(["Long."], context_window=100_000_000)
    runtime.session.agent.model = model
    text = "word " * 1_000_000
    panel.send("prompt", text=text)
    panel.wait_idle()
    assert model.requests[0].messages[-1].content == text.strip()
    assert len(panel.segments[0]["text"]) < 21_000


def test_a_message_that_is_too_large_or_deep_is_ignored_with_one_warning(panel, caplog):
    deep: object = "x"
    for _ in range(50_000):
        deep = [deep]
    for data in ({"text": "x" * 13_000_000}, {"text": deep}):
        panel.send("prompt", **data)
    panel.send("snapshot")
    panel.wait("snapshot")
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert all(len(record.getMessage()) < 500 for record in caplog.records)


def test_a_comm_that_dies_in_mid_stream_is_warned_of_once_and_the_run_goes_on(panel, panels, runtime, caplog):
    runtime.session.agent.model = Steady(seconds=0.5)
    panel.send("prompt", text="Go.")
    panel.wait_until(lambda: len(panel.segments) == 2)
    panel.comm.is_broken = True
    other = Panel(panels)
    other.wait_until(lambda: not other.status["is_running"] and len(other.segments) == 2)
    assert other.segments[1]["text"] == Steady.text(0.5)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


class Steady(ScriptedModel):
    """Streams 200 pieces a second."""

    def __init__(self, *, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    @staticmethod
    def text(seconds: float) -> str:
        return "".join(f"word{number} " for number in range(int(200 * seconds)))

    async def stream(self, request):
        begun = time.monotonic()
        pieces = list(self._pieces(self._message(self.text(self.seconds))))
        per_piece = self.seconds / len(pieces)
        for number, event in enumerate(pieces):
            await asyncio.sleep(max(0.0, begun + number * per_piece - time.monotonic()))
            yield event
        async for event in ScriptedModel([self.text(self.seconds)], piece_chars=10**9).stream(request):
            if type(event).__name__ == "ModelDone":
                yield event


def most_in_a_second(panel: Panel) -> int:
    sent = [t for t, m in zip(panel.comm.times, panel.comm.sent, strict=False) if m["type"] == "events"]
    return max(sum(at <= other < at + 1 for other in sent) for at in sent)


@pytest.mark.parametrize("seconds", [3.0, pytest.param(30.0, marks=pytest.mark.soak)])
def test_two_hundred_deltas_a_second_are_at_most_twenty_messages(panel, runtime, seconds):
    runtime.session.agent.model = Steady(seconds=seconds)
    panel.send("prompt", text="Go.")
    panel.wait_until(
        lambda: any(event["type"] == "run_ended" for event in panel.comm.sent[-1].get("events", ())),
        patience_seconds=3 * seconds + 10,
    )
    assert panel.segments[1]["text"] == Steady.text(seconds)
    assert most_in_a_second(panel) <= 22  # and what cannot wait: the prompt, the end
    assert len(panel.events) < 30 * seconds + 10


def test_a_stop_during_a_question_ends_it_and_the_run(panel, runtime, script):
    model = script(ToolCall(id="c", name="run_code", arguments={"code": "1"}), "never")
    panel.send("prompt", text="Go.")
    question = panel.wait("ask")
    panel.send("stop")
    panel.wait("withdrawn", request_id=question["request_id"])
    panel.wait_idle()
    assert len(model.requests) == 1


def test_a_stop_ends_the_models_traffic_at_once(panel, runtime):
    closed = threading.Event()

    class Endless(ScriptedModel):
        async def stream(self, request):
            try:
                while True:
                    for event in self._pieces(self._message("more ")):
                        yield event
                    await asyncio.sleep(0.01)
            finally:
                closed.set()

    runtime.session.agent.model = Endless()
    panel.send("prompt", text="Go.")
    panel.wait_until(lambda: len(panel.segments) == 2)
    begun = time.monotonic()
    panel.send("stop")
    assert closed.wait(SOON)
    panel.wait_idle()
    assert time.monotonic() - begun < SOON


def test_panels_that_come_and_go_while_a_run_streams_leave_nothing_behind(panel, panels, runtime):
    runtime.session.agent.model = Steady(seconds=1.5)
    panel.send("prompt", text="Go.")
    for _ in range(10):
        visitor = Panel(panels)
        visitor.close()
    panel.wait_idle()
    assert panel.segments[1]["text"] == Steady.text(1.5)
    background.run(asyncio.sleep(0))
    assert len(panels._panels) == 1
