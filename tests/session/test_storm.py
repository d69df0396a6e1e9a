"""A model that fails in every way there is, again and again: each run ends well or with a known error."""

import itertools
import random

import pytest

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.messages import AssistantMessage
from pi_notebook.errors import (
    ContextOverflowError,
    ModelAuthError,
    ModelError,
    ModelRefusedError,
    ModelRequestError,
    ModelUnavailableError,
)
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.scripted import ScriptedModel, call
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from tests.request_rules import find_problems

_FAILURES = (
    ModelUnavailableError("overloaded", model="m"),
    ModelUnavailableError("gone", model="m", is_unreachable=True),
    ModelUnavailableError("slow down", model="m", retry_after_seconds=0.0),
    ModelUnavailableError("later", model="m", retry_after_seconds=3_600),
    ModelAuthError("no key", model="m"),
    ModelRefusedError("no", model="m"),
    ModelRequestError("wrong", model="m"),
    ContextOverflowError("too long", model="m"),
)
RUNS = 80


@tool(risk="read")
async def look(context: ToolContext) -> str:
    """Look."""
    return "seen " * 200


class Stormy(ScriptedModel):
    """Fails with a chance of three in ten; else calls, answers or summarises."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__((), context_window=16_000)
        self._chance = chance

    def _next_message(self, request):
        failing = self._chance.random() < 0.3
        answer = self._chance.choice(["done", "done", call("look")]) if request.tools else "## Goal\nsummary"
        self._replies = [self._chance.choice(_FAILURES) if failing else answer]
        return super()._next_message(request)


@pytest.fixture
def session(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.agent.tools["look"] = look
    runtime.session.set_value("retry.base_delay_seconds", "0")
    yield runtime.session
    runtime.close()


@pytest.mark.parametrize("seed", [1, 2])
async def test_each_run_ends_well_or_with_a_known_error_and_asks_no_step_too_often(
    session, seed, monkeypatch
):
    monkeypatch.setattr("pi_notebook.session.summariser._PAUSES_SECONDS", (0.0, 0.0))
    chance = random.Random(seed)
    model = Stormy(chance)
    ended = {"done": 0, "failed": 0, "continued": 0}
    for number in range(RUNS):
        before = len(model.requests)
        goes_on = chance.random() < 0.5 and bool(session.messages) and awaits_answer(session)
        ended["continued"] += goes_on
        running = session.continue_(model=model) if goes_on else session.prompt(f"go {number}", model=model)
        try:
            assert (await running).reason == "done"
            ended["done"] += 1
        except ModelError:
            ended["failed"] += 1
        assert not session.is_running
        assert most_asked_in_a_row(model.requests[before:]) <= 4
    assert min(ended.values()) > RUNS // 20
    for request in model.requests:
        assert find_problems({"model": "m", "messages": chat_messages(request, model.info)}) == []


def most_asked_in_a_row(requests):
    """How often the same request of the conversation was sent again."""
    asked = [request.messages for request in requests if request.tools]
    return max((len(list(same)) for _, same in itertools.groupby(asked)), default=0)


def awaits_answer(session):
    return not isinstance(session.messages[-1], AssistantMessage)
