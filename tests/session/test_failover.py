"""Other models stand in for one that is unavailable: over real HTTP, with the same request."""

import asyncio
import json
import time

import pytest

from pi_notebook.agent.events import Notice
from pi_notebook.agent.messages import AssistantMessage
from pi_notebook.errors import (
    ContextOverflowError,
    ModelAuthError,
    ModelNotFoundError,
    ModelRequestError,
    ModelUnavailableError,
)
from pi_notebook.models.failover import FailoverModel
from pi_notebook.models.litellm_model import LiteLLMModel
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from tests.patience import SOON
from tests.provider import Fin, Provider, Rst, calls, chunk, close_clients, failure, stream, text


@pytest.fixture
async def provider(monkeypatch):
    """One server for all names; what it answers to each is set in a test."""
    with Provider() as running:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
        monkeypatch.setenv("OPENAI_API_BASE", running.base_url)
        yield running
        await close_clients()


@pytest.fixture
def session(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    session = runtime.session
    session.set_value("retry.base_delay_seconds", "0")
    session.set_value("retry.max_retries", "2")
    session.set_value("model", "openai/first")
    session.set_value("fallback_models", "openai/second, openai/third")
    yield session
    runtime.close()


def answers(provider, **by_name):
    """Answer each model's requests with its replies, the last one again and again."""
    left = {f"{name}": list(replies) for name, replies in by_name.items()}

    def answer(body):
        replies = left[body["model"]]
        return replies.pop(0) if len(replies) > 1 else replies[0]

    provider.script(answer)


def asked(provider):
    return [exchange.body["model"] for exchange in provider.exchanges]


def warnings(session):
    found = []

    def listen(event):
        if isinstance(event, Notice) and event.level == "warning":
            found.append(event.text)

    session.subscribe(listen)
    return found


def replies(session):
    return [(m.provider, m.model) for m in session.messages if isinstance(m, AssistantMessage)]


async def test_after_its_retries_the_same_request_goes_to_the_next_model(session, provider):
    told = warnings(session)
    answers(provider, first=[failure(503, "overloaded")], second=[text("from the second")])
    end = await session.prompt("go")
    assert asked(provider) == ["first"] * 3 + ["second"]
    bodies = [{**exchange.body, "model": ""} for exchange in provider.exchanges]
    assert all(body == bodies[0] for body in bodies)
    assert end.messages[-1].text == "from the second"
    assert replies(session) == [("openai", "second")]
    assert "From here on openai/second is asked" in told[-1]
    assert "\n" not in told[-1]


async def test_a_model_that_cannot_be_reached_is_passed_over_at_once(session, provider):
    told = warnings(session)
    answers(provider, second=[text("here")])
    model = FailoverModel(
        [LiteLLMModel("openai/gone", api_base="http://127.0.0.1:1/v1"), LiteLLMModel("openai/second")]
    )
    end = await session.prompt("go", model=model)
    assert end.messages[-1].text == "here"
    assert len(told) == 1
    stored = [json.loads(line) for line in session.path.read_text().splitlines()]
    assert [e["message"]["model"] for e in stored if e.get("message", {}).get("role") == "assistant"] == [
        "second"
    ]
    assert not [entry for entry in stored if entry["type"] == "context_edit"]


@pytest.mark.parametrize("end", [Rst(), Fin()], ids=["reset", "closed"])
async def test_an_answer_that_broke_off_is_hidden_and_asked_for_anew(session, provider, end):
    answers(provider, first=[[chunk({"content": "half an ans"}), end]], second=[text("a whole one")])
    await session.prompt("go")
    assert asked(provider) == ["first"] * 3 + ["second"]
    assert "half an ans" not in json.dumps(provider.exchanges[-1].body)
    assert [m.text for m in session.messages if isinstance(m, AssistantMessage)] == ["a whole one"]


async def test_the_stand_in_stays_for_the_run_and_has_its_own_retries(session, provider):
    answers(
        provider,
        first=[failure(503, "overloaded")],
        second=[calls(("ls", {})), failure(502, "bad"), failure(502, "bad"), text("done")],
    )
    await session.prompt("go")
    assert asked(provider) == ["first"] * 3 + ["second"] * 4
    answers(provider, first=[text("back")])
    await session.prompt("again")
    assert asked(provider) == ["first"]


async def test_when_all_are_down_the_last_error_is_raised_and_the_run_can_be_continued(session, provider):
    down = [failure(503, "overloaded")]
    answers(provider, first=down, second=down, third=down)
    with pytest.raises(ModelUnavailableError) as raised:
        await session.prompt("go")
    assert raised.value.model == "openai/third"
    assert asked(provider) == ["first"] * 3 + ["second"] * 3 + ["third"] * 3
    answers(provider, first=[text("fine")])
    assert (await session.continue_()).reason == "done"
    assert replies(session) == [("openai", "first")]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (failure(401, "Incorrect API key provided"), ModelAuthError),
        (failure(429, "You exceeded your current quota", code="insufficient_quota"), ModelAuthError),
        (failure(404, "The model does not exist", code="model_not_found"), ModelNotFoundError),
        (failure(400, "bad parameter"), ModelRequestError),
    ],
)
async def test_what_the_person_must_mend_is_not_tried_again_or_elsewhere(session, provider, reply, kind):
    answers(provider, first=[reply], second=[text("never")])
    with pytest.raises(kind):
        await session.prompt("go")
    assert asked(provider) == ["first"]


async def test_a_full_context_is_no_reason_to_ask_another_model(session, provider):
    long = failure(400, "This model's maximum context length is 10 tokens", code="context_length_exceeded")
    answers(provider, first=[long], second=[text("never")])
    with pytest.raises(ContextOverflowError):
        await session.prompt("go")
    assert set(asked(provider)) == {"first"}


async def test_a_wait_that_is_too_long_is_not_waited_for_when_another_can_answer(session, provider):
    slow = failure(429, "Slow down.", headers={"retry-after": "3600"})
    answers(provider, first=[slow], second=[text("now")])
    await session.prompt("go")
    assert asked(provider) == ["first", "second"]


async def test_an_answer_cut_at_the_output_limit_is_not_asked_for_again(session, provider):
    cut = stream(chunk({"content": "and so"}), finish="length")
    answers(provider, first=[cut], second=[text("never")])
    end = await session.prompt("go")
    assert (end.reason, asked(provider)) == ("done", ["first"])


def test_wrong_names_are_said_when_they_are_set_and_change_nothing(session):
    with pytest.raises(ModelNotFoundError, match="nonsense"):
        session.set_value("fallback_models", "openai/second, nonsense")
    assert session.settings.get("fallback_models") == "openai/second, openai/third"
    session.set_value("fallback_models", "none")
    assert isinstance(session.choices.model, LiteLLMModel)


async def test_without_a_session_the_next_model_is_asked_too():
    gone = ModelUnavailableError("gone", model="m", is_unreachable=True)
    second = ScriptedModel(["here"])
    model = FailoverModel([ScriptedModel([gone]), second])
    events = [event async for event in model.stream(_request())]
    assert events[-1].message.text == "here"
    assert second.requests == [_request()]


def _request():
    from pi_notebook.agent.messages import UserMessage
    from pi_notebook.agent.protocols import ModelRequest

    return ModelRequest(system_prompt="", tools=(), messages=(UserMessage(content="go", timestamp=0),))


@pytest.mark.parametrize("header", ["1", None], ids=["as long as the server says", "as the settings say"])
async def test_the_pause_before_a_model_is_asked_again(session, provider, header):
    session.set_value("retry.base_delay_seconds", "0" if header else "0.5")
    answers(
        provider,
        first=[failure(429, "Slow down.", headers={"retry-after": header} if header else {}), text("ok")],
    )
    await session.prompt("go")
    first, second = (exchange.received_at for exchange in provider.exchanges)
    assert (1.0 if header else 0.5) <= second - first < SOON


async def test_a_stop_ends_the_pause_at_once_and_what_was_left_can_be_continued(session, provider):
    session.set_value("retry.base_delay_seconds", "60")
    told = asyncio.Event()
    session.subscribe(lambda event: told.set() if "Asking again" in getattr(event, "text", "") else None)
    answers(provider, first=[failure(503, "overloaded"), text("fine")])
    running = asyncio.ensure_future(session.prompt("go"))
    await told.wait()
    session.abort()
    began = time.monotonic()
    assert (await running).reason == "aborted"
    assert time.monotonic() - began < SOON
    assert (await session.continue_()).reason == "done"
    first, second = provider.exchanges
    assert first.body == second.body


def test_a_name_that_stands_in_and_is_none_leaves_the_model_as_it_was_chosen(tmp_path, home):
    settings = {"model": "openai/first", "fallback_models": "openai/second, nonsense"}
    (home / "settings.json").write_text(json.dumps(settings))
    runtime = AgentSessionRuntime(tmp_path, build_services)
    (told,) = runtime.session.choices.diagnostics
    assert runtime.session.model.name == "openai/first"
    assert "'nonsense'" in told.text
    assert "(From fallback_models, " in told.text
    assert told.text.endswith("No other model stands in for openai/first.")
    runtime.close()


def test_the_offline_model_has_the_window_that_is_set(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.set_value("context_window", "9000")
    assert (runtime.session.model.name, runtime.session.model.context_window) == ("offline", 9000)
    runtime.session.set_value("context_window", "none")
    assert runtime.session.model.context_window == 32_768
    runtime.close()
