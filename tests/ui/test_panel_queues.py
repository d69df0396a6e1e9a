"""Panels while the context is compacted, and what is said to a run beside them."""

import asyncio
import threading

import pytest

from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.messages import UserMessage, text_of
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.background import background
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.ui.panel.panels import Panels
from tests.ui.panel import Panel, ScriptedExecutor


class Gated(ScriptedModel):
    """Answers once `gate` is open."""

    def __init__(self, *replies):
        super().__init__(replies)
        self.gate = threading.Event()

    async def stream(self, request):
        await asyncio.to_thread(self.gate.wait, 20)
        async for event in super().stream(request):
            yield event


@pytest.fixture
def session(tmp_path, monkeypatch):
    monkeypatch.setenv("PI_NOTEBOOK_MODEL", "openai/gpt-4o")  # named, and never asked
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.use(runtime.services.with_notebook())  # as a panel's first prompt does, models anew
    for word in ("one", "two"):
        background.run(runtime.session.prompt(f"{word} " * 20_000, model=ScriptedModel(["ok"])))
    runtime.session.agent.model = runtime.session.choices.model = Gated("## Goal\nsummary", "fine", "fine")
    panels = Panels(lambda: runtime, ScriptedExecutor)
    yield runtime.session, Panel(panels), panels
    runtime.session.agent.model.gate.set()
    background.run(panels.close())
    runtime.close()


def said(session):
    return [text_of(m) for m in session.messages if isinstance(m, UserMessage)]


def notices(panel):
    return [segment["text"] for segment in panel.segments if segment["type"] == "notice"]


def prompts(panel):
    return [segment["text"] for segment in panel.segments if segment["type"] == "prompt"]


def test_prompts_wait_for_a_compaction_in_their_order(session):
    session, panel, panels = session
    compacting = background.submit(session.compact())
    panel.wait_until(lambda: any("being summarised" in text for text in notices(panel)))
    panel.wait_until(lambda: panel.status["is_compacting"])
    late = Panel(panels)
    assert (late.status["is_compacting"], late.status["is_running"]) == (True, False)
    panel.send("prompt", text="first")
    panel.send("prompt", text="second")
    queued = [{"delivery": "follow_up", "text": text} for text in ("first", "second")]
    panel.wait_until(lambda: panel.status["is_running"] and panel.status["queued"] == queued)
    session.agent.model.gate.set()
    compacting.result(20)
    panel.wait_until(lambda: prompts(panel)[-2:] == ["first", "second"] and not panel.status["is_running"])
    assert said(session)[-2:] == ["first", "second"]
    assert (panel.status["is_compacting"], panel.status["queued"]) == (False, [])
    late.wait_until(lambda: late.status == panel.status)
    assert [message for message in panel.comm.sent if message["type"] == "error"] == []


def test_prompts_that_wait_for_a_compaction_are_taken_back(session):
    session, panel, _ = session
    compacting = background.submit(session.compact())
    panel.wait_until(lambda: panel.status["is_compacting"])
    panel.send("prompt", text="not this")
    panel.send("prompt", text="nor this")
    panel.wait_until(lambda: len(panel.status["queued"]) == 2)
    assert panel.ask("take_queued")["text"] == "not this\n\nnor this"
    panel.wait_until(lambda: panel.status["queued"] == [] and not panel.status["is_running"])
    session.agent.model.gate.set()
    compacting.result(20)
    panel.send("prompt", text="but this")
    panel.wait_until(lambda: prompts(panel)[-1:] == ["but this"] and not panel.status["is_running"])
    assert not {"not this", "nor this"} & set(said(session))


def test_a_stop_ends_the_compaction_and_what_waits_for_it(session):
    session, panel, _ = session
    compacting = background.submit(session.compact())
    panel.wait_until(lambda: any("being summarised" in text for text in notices(panel)))
    panel.send("prompt", text="never")
    panel.send("prompt", text="nor this")
    panel.wait_until(lambda: panel.status["is_running"])
    panel.send("stop")
    panel.wait_until(lambda: not panel.status["is_running"])
    with pytest.raises(Aborted):
        compacting.result(20)
    assert not {"never", "nor this"} & set(said(session))
    session.agent.model.gate.set()
    panel.send("prompt", text="again")
    panel.wait_until(lambda: prompts(panel)[-1:] == ["again"] and not panel.status["is_running"])
    assert said(session)[-1] == "again"


def test_compact_as_a_prompt_compacts(session):
    session, panel, _ = session
    session.agent.model.gate.set()
    panel.send("prompt", text="/compact the prices")
    panel.wait_until(lambda: panel.segments[-1]["type"] == "compaction" and not panel.status["is_running"])
    divider = panel.segments[-1]
    assert divider["entry_id"] == session.branch.last_compaction_id
    assert divider["summary"].startswith("## Goal\nsummary")
    assert 0 < divider["tokens_after"] < divider["tokens_before"]
    assert notices(panel) == []
    assert not any(text.startswith("/compact") for text in said(session))


def test_what_is_said_beside_a_panel_is_shown_when_it_waits_and_when_it_is_said(session):
    session, panel, _ = session
    session.agent.model = session.choices.model = model = Gated("first", "second")
    panel.send("prompt", text="go")
    panel.wait_until(lambda: "go" in prompts(panel))
    session.steer("take b")
    panel.wait_until(lambda: panel.status["queued"] == [{"delivery": "steer", "text": "take b"}])
    assert "take b" not in prompts(panel)
    model.gate.set()
    panel.wait_idle()
    assert prompts(panel)[-2:] == ["go", "take b"]
    assert notices(panel) == []  # what waits is no part of the conversation
