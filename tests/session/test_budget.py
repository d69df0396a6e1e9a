"""What a run may use: it ends at the limit, says which, and leaves a session that can go on."""

import asyncio
import itertools

import msgspec
import pytest

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.messages import NO_USAGE, Cost, ToolResultMessage
from pi_notebook.errors import BudgetError
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.scripted import ScriptedModel, call
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from tests.request_rules import find_problems

ran: list[int] = []


@tool(risk="read")
async def step(context: ToolContext, number: int) -> str:
    """Do one step."""
    ran.append(number)
    return f"did {number}"


@tool(risk="read")
async def wait(context: ToolContext) -> str:
    """Wait for ever."""
    await asyncio.Event().wait()
    return "never"


@pytest.fixture
def session(tmp_path):
    ran.clear()
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.agent.tools |= {"step": step, "wait": wait}
    yield runtime.session
    runtime.close()


class Endless(ScriptedModel):
    """Calls for ever, `at_once` calls a reply; the same one unless `numbers` are given."""

    def __init__(self, numbers=None, *, at_once=1, usage=NO_USAGE):
        super().__init__((), usage=usage, context_window=1_000_000)
        self._numbers = iter(numbers or itertools.repeat(0))
        self._at_once = at_once

    def _next_message(self, request):
        calls = [call("step", number=next(self._numbers)) for _ in range(self._at_once)]
        self._replies = [calls]
        return super()._next_message(request)


def assert_valid(*models):
    for model in models:
        for request in model.requests:
            assert find_problems({"model": "m", "messages": chat_messages(request, model.info)}) == []


async def ended(session, model):
    with pytest.raises(BudgetError) as raised:
        await session.prompt("go", model=model)
    assert "\n" not in str(raised.value)
    assert raised.value.setting in str(raised.value)
    assert not session.is_running
    return raised.value.setting


@pytest.mark.parametrize("at_once", [1, 7])
async def test_a_model_that_calls_for_ever_is_ended_at_the_limit_exactly(session, at_once):
    model = Endless(itertools.count(), at_once=at_once)
    assert await ended(session, model) == "budget.tool_calls"
    assert ran == list(range(50))
    assert len(model.requests) == 50 // at_once + 1
    going_on = ScriptedModel([call("step", number=99), "done"])
    assert (await session.continue_(model=going_on)).reason == "done"
    assert ran[-1] == 99
    assert_valid(model, going_on)


async def test_the_last_call_of_the_budget_is_still_answered(session):
    session.set_value("budget.tool_calls", "2")
    model = ScriptedModel([call("step", number=1), call("step", number=2), "both done"])
    assert (await session.prompt("go", model=model)).reason == "done"


@pytest.mark.parametrize("at_once", [1, 4])
async def test_the_same_call_again_and_again_is_ended_after_ten(session, at_once):
    assert await ended(session, Endless(at_once=at_once)) == "budget.same_calls"
    assert len(ran) == 10


async def test_the_same_call_with_others_between_is_no_repetition(session):
    numbers = itertools.cycle([1, 2])
    assert await ended(session, Endless(numbers)) == "budget.tool_calls"
    assert len(ran) == 50


async def test_calls_that_are_no_calls_are_counted_too(session):
    session.set_value("budget.same_calls", "none")
    model = ScriptedModel(itertools.repeat(call("no_such_tool"), 60))
    assert await ended(session, model) == "budget.tool_calls"
    assert len(model.requests) == 51
    results = [m for m in session.messages if isinstance(m, ToolResultMessage)]
    assert all("There is no tool" in result.text for result in results)


@pytest.mark.parametrize(
    ("name", "limit", "used", "requests"),
    [("tokens", "1000", {"total_tokens": 400}, 3), ("cost", "0.1", {"cost": Cost(total=0.05)}, 2)],
)
async def test_nothing_more_is_sent_once_tokens_or_money_are_used_up(session, name, limit, used, requests):
    session.set_value(f"budget.{name}", limit)
    usage = msgspec.structs.replace(NO_USAGE, **{"total_tokens": 1, **used})
    model = Endless(itertools.count(), usage=usage)
    assert await ended(session, model) == f"budget.{name}"
    assert len(model.requests) == requests
    assert (await session.continue_(model=ScriptedModel(["done"], usage=usage))).reason == "done"


async def test_tokens_that_nobody_counted_are_estimated(session):
    session.set_value("budget.tokens", "20000")
    model = Endless(itertools.count())
    assert await ended(session, model) == "budget.tokens"
    assert 2 < len(model.requests) < 20


async def test_a_run_that_takes_too_long_is_stopped_where_it_is(session):
    session.set_value("budget.seconds", "1")
    model = ScriptedModel([call("wait"), "never"])
    assert await ended(session, model) == "budget.seconds"
    (result,) = [m for m in session.messages if isinstance(m, ToolResultMessage)]
    assert result.is_error
    assert (await session.continue_(model=ScriptedModel(["done"]))).reason == "done"


async def test_a_budget_can_be_taken_away_and_each_run_has_its_own(session):
    session.set_value("budget.tool_calls", "3")
    calls = [call("step", number=number) for number in range(3)]
    for _ in range(2):
        assert (await session.prompt("go", model=ScriptedModel([*calls, "done"]))).reason == "done"
    session.set_value("budget.tool_calls", "none")
    many = [call("step", number=number) for number in range(60)]
    assert (await session.prompt("go", model=ScriptedModel([*many, "done"]))).reason == "done"
    assert len(ran) == 66


async def test_summaries_count_as_well(session):
    session.set_value("budget.cost", "1")
    usage = msgspec.structs.replace(NO_USAGE, total_tokens=1, cost=Cost(total=0.4))
    big = [call("step", number=number) for number in range(3)]
    for word in ("one", "two"):
        await session.prompt(f"{word} " * 6_000, model=ScriptedModel(["ok"]))
    model = ScriptedModel(["## Goal\nsummary", *big], usage=usage, context_window=16_000)
    assert await ended(session, model) == "budget.cost"
    assert [bool(request.tools) for request in model.requests] == [False, True, True]
