"""Prompts, compactions, words, stops and goings-on in any order: nothing hangs, nothing said is lost."""

import asyncio
import contextlib

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.messages import UserMessage, text_of
from pi_notebook.errors import ModelUnavailableError, PiNotebookError
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.scripted import ScriptedModel, call
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from tests.request_rules import find_problems

DOWN = ModelUnavailableError("overloaded", model="m")

steps = st.lists(
    st.tuples(
        st.sampled_from(["prompt", "continue", "compact", "steer", "follow", "abort", "wait"]),
        st.integers(min_value=0, max_value=40),
    ),
    max_size=14,
)
answers = st.lists(st.sampled_from(["ok", "call", "fail"]), min_size=1, max_size=8)


@tool(risk="read")
async def look(context: ToolContext) -> str:
    """Look."""
    await asyncio.sleep(0)
    return "seen " * 50


class Answering(ScriptedModel):
    """Answers as drawn, over and over; a summary is always one."""

    def __init__(self, answers):
        super().__init__((), context_window=16_000)
        self._kinds = answers

    def _next_message(self, request):
        kind = self._kinds[len(self.requests) % len(self._kinds)]
        answer = {"ok": "done " * 100, "call": call("look"), "fail": DOWN}[kind]
        self._replies = [answer if request.tools else "## Goal\nsummary"]
        return super()._next_message(request)


async def play(session, model, steps):
    """Do the steps while what they began goes on; the words that were taken, in order of their kind."""
    session.agent.model = session.choices.model = model
    running, taken = [], []
    for number, (step, pause) in enumerate(steps):
        words = f"words {number}"
        if step == "prompt":
            running.append(asyncio.ensure_future(session.prompt("go " * 500)))
        elif step == "continue":
            running.append(asyncio.ensure_future(session.continue_()))
        elif step == "compact":
            running.append(asyncio.ensure_future(session.compact()))
        elif step == "abort":
            session.abort()
        elif step in ("steer", "follow"):
            with contextlib.suppress(PiNotebookError):
                (session.steer if step == "steer" else session.follow_up)(words)
                taken.append(words)
        for _ in range(pause):
            await asyncio.sleep(0)
    outcomes = await asyncio.wait_for(asyncio.gather(*running, return_exceptions=True), 20)
    return outcomes, taken


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(steps=steps, answers=answers)
def test_nothing_hangs_and_what_was_taken_is_said_once_or_waits(tmp_path_factory, steps, answers):
    asyncio.run(_check(tmp_path_factory.mktemp("folder"), steps, answers))


async def _check(folder, steps, answers):
    runtime = AgentSessionRuntime(folder, build_services)
    session = runtime.session
    session.agent.tools["look"] = look
    for name, value in (("retry.enabled", "off"), ("budget.tool_calls", "6"), ("session.sync", "off")):
        session.set_value(name, value)
    model = Answering(answers)
    try:
        outcomes, taken = await play(session, model, steps)
        unexpected = [o for o in outcomes if isinstance(o, BaseException)]
        assert all(isinstance(outcome, (PiNotebookError, Aborted)) for outcome in unexpected), unexpected
        assert not session.is_running
        said = [text_of(m) for m in session.branch.all_messages() if isinstance(m, UserMessage)]
        waiting = [text_of(message) for message in session.queue.waiting]
        for words in taken:
            assert said.count(words) + waiting.count(words) == 1
        for request in model.requests:
            assert find_problems({"model": "m", "messages": chat_messages(request, model.info)}) == []
    finally:
        runtime.close()
