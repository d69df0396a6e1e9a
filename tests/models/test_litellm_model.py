"""`LiteLLMModel` over real HTTP: what goes out, what comes back, and what goes wrong on the way."""

from __future__ import annotations

import asyncio
import gzip
import importlib.metadata
import json
import logging
import socket
import subprocess
import sys
import time

import pytest

from pi_notebook.agent.events import TextDelta
from pi_notebook.agent.messages import NO_USAGE, ThinkingContent
from pi_notebook.errors import (
    ContextOverflowError,
    ModelAuthError,
    ModelError,
    ModelNotFoundError,
    ModelRefusedError,
    ModelRequestError,
    ModelUnavailableError,
)
from pi_notebook.models import litellm_model
from pi_notebook.models.litellm_model import LiteLLMModel, load_litellm
from tests.models.conftest import KEY
from tests.models.subjects import TOOL, request
from tests.provider import (
    DONE,
    Fin,
    Hang,
    Ping,
    Rst,
    Sleep,
    Status,
    chunk,
    close_clients,
    failure,
    stream,
    text,
)

HELLO = chunk({"content": "Hello"})


async def message_of(model):
    return [event async for event in model.stream(request())][-1].message


async def error_of(model):
    with pytest.raises(ModelError) as raised:
        await message_of(model)
    return raised.value


async def test_the_request_streams_with_usage_and_carries_prompt_tools_and_key(provider):
    await message_of(LiteLLMModel("openai/m"))
    exchange = provider.exchanges[0]
    assert exchange.problems == []
    assert exchange.body["model"] == "m"
    assert exchange.body["stream"] is True
    assert exchange.body["stream_options"] == {"include_usage": True}
    assert [item["role"] for item in exchange.messages] == ["system", "user"]
    assert exchange.body["tools"][0]["function"]["parameters"] == TOOL.parameters
    assert exchange.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("thinking", [None, "off"])
async def test_nothing_is_sent_that_was_not_asked_for(provider, thinking):
    await message_of(LiteLLMModel("openai/m", thinking=thinking))
    assert set(provider.exchanges[0].body) == {"model", "messages", "stream", "stream_options", "tools"}


async def test_thinking_is_asked_for_only_when_it_is_set(provider):
    await message_of(LiteLLMModel("openai/gpt-5", thinking="low"))
    assert provider.exchanges[0].body["reasoning_effort"] == "low"


async def test_a_server_of_ones_own_is_asked_without_a_key(provider, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_API_BASE")
    assert (await message_of(LiteLLMModel("openai/m", api_base=provider.base_url))).text == "ok"


async def test_without_a_key_nothing_is_sent_and_the_variable_is_named(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    error = await error_of(LiteLLMModel("openai/gpt-4o"))
    assert isinstance(error, ModelAuthError)
    assert str(error) == "No API key for openai/gpt-4o. Set OPENAI_API_KEY, or use -m offline."


async def test_usage_is_the_providers_with_its_cost(provider):
    reported = {
        "prompt_tokens": 1000,
        "completion_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 400},
    }
    provider.reply(text("Hi.", usage=reported))
    usage = (await message_of(LiteLLMModel("openai/gpt-4o"))).usage
    assert (usage.input, usage.cache_read, usage.output) == (600, 400, 100)
    assert usage.cost.total == pytest.approx(600 * 2.5e-6 + 400 * 1.25e-6 + 100 * 10e-6)


async def test_usage_that_was_not_reported_is_not_invented(provider):
    provider.reply(text("Hi.", usage={}))
    assert (await message_of(LiteLLMModel("openai/gpt-4o"))).usage == NO_USAGE


async def test_the_last_usage_counts_when_several_are_sent(provider):
    first, last = {"prompt_tokens": 9, "completion_tokens": 1}, {"prompt_tokens": 9, "completion_tokens": 2}
    provider.reply([HELLO, chunk(usage=first), chunk({}, "stop", usage=last), DONE])
    assert (await message_of(LiteLLMModel("openai/m"))).usage.output == 2


@pytest.mark.parametrize(
    "data",
    [b"null", b"3", b"[]", b'"words"', b"{}"]
    + [b'{"choices": %s}' % choices for choices in (b"null", b'{"a": 1}', b"[null]", b"[{}]", b"3")]
    + [b'{"choices": [{"index": 0, "delta": %s}]}' % delta for delta in (b"null", b'"words"', b"[]")],
)
async def test_a_chunk_that_says_nothing_does_not_end_the_stream(provider, data):
    provider.reply([HELLO, b"data: " + data + b"\n\n", chunk({"content": " there"}), chunk({}, "stop"), DONE])
    (said,) = (await message_of(LiteLLMModel("openai/m"))).content
    assert said.text == "Hello there"


async def test_a_message_in_the_last_chunk_counts_when_nothing_was_said_before(provider):
    function = {"name": "f", "arguments": "{}"}
    message = {"content": "Hello", "tool_calls": [{"id": "a", "type": "function", "function": function}]}
    last = chunk({}, "stop")
    last["choices"][0]["message"] = message
    provider.reply([chunk({"role": "assistant"}), last, DONE])
    said, call = (await message_of(LiteLLMModel("openai/m"))).content
    assert (said.text, call.name) == ("Hello", "f")
    provider.script([HELLO, last, DONE])
    assert len((await message_of(LiteLLMModel("openai/m"))).content) == 1


async def test_calls_after_the_finish_reason_are_kept(provider):
    def made(index, name):
        function = {"name": name, "arguments": "{}"}
        return {"tool_calls": [{"index": index, "id": name, "type": "function", "function": function}]}

    provider.reply([chunk(made(0, "f"), "tool_calls"), chunk(made(1, "g")), chunk({}, "tool_calls"), DONE])
    assert [call.name for call in (await message_of(LiteLLMModel("openai/m"))).tool_calls] == ["f", "g"]


async def test_broken_arguments_are_marked_and_the_reply_is_kept(provider):
    function = {"name": "run_code", "arguments": '{"code": "1'}
    provider.reply(stream(chunk({"tool_calls": [{"index": 0, "id": "a", "function": function}]})))
    message = await message_of(LiteLLMModel("openai/m"))
    assert message.stop_reason == "toolUse"
    assert message.tool_calls[0].malformed_arguments == '{"code": "1'


async def test_a_reply_cut_at_the_output_limit_says_so(provider):
    provider.reply(stream(HELLO, finish="length"))
    assert (await message_of(LiteLLMModel("openai/m"))).stop_reason == "length"


@pytest.mark.parametrize(
    ("said", "asked", "is_full"), [("", 7_950, True), ("", 7_000, False), ("An answer", 7_950, False)]
)
async def test_a_reply_cut_before_its_first_word_in_a_full_window_is_an_overflow(
    provider, said, asked, is_full
):
    usage = {"prompt_tokens": asked, "completion_tokens": 0, "total_tokens": asked}
    provider.reply(stream(chunk({"content": said}), finish="length", usage=usage))
    answer = message_of(LiteLLMModel("openai/m", context_window=8_000))
    if is_full:
        with pytest.raises(ContextOverflowError):
            await answer
    else:
        assert (await answer).stop_reason == "length"


async def test_thinking_is_streamed_apart(provider):
    provider.reply(stream(chunk({"reasoning_content": "Hm."}), HELLO))
    message = await message_of(LiteLLMModel("openai/m"))
    assert message.content[0] == ThinkingContent(thinking="Hm.")
    assert message.text == "Hello"


async def test_a_piece_repeated_a_hundred_times_is_an_answer(provider):
    provider.reply(stream(*[chunk({"content": "-----"})] * 300))
    assert (await message_of(LiteLLMModel("openai/m"))).text == "-" * 1500


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (failure(401, f"Incorrect API key provided: {KEY}"), ModelAuthError),
        (failure(403, "no"), ModelAuthError),
        (failure(404, "no such thing", code="model_not_found"), ModelNotFoundError),
        (failure(429, "Slow down", headers={"retry-after": "7"}), ModelUnavailableError),
        (failure(429, "no more", code="insufficient_quota"), ModelAuthError),
        (failure(400, "no", code="context_length_exceeded"), ContextOverflowError),
        (failure(400, "Input is too long for requested model."), ContextOverflowError),
        (failure(413, "request_too_large"), ContextOverflowError),
        (failure(400, "flagged by our content policy"), ModelRefusedError),
        (failure(400, "Unsupported parameter: 'x'"), ModelRequestError),
        (failure(500, "boom"), ModelUnavailableError),
        (failure(503), ModelUnavailableError),
        (failure(529, "Overloaded"), ModelUnavailableError),
        ([Rst()], ModelUnavailableError),
        ([Fin()], ModelUnavailableError),
        ([HELLO, Rst()], ModelUnavailableError),
        ([HELLO, Fin()], ModelUnavailableError),
        ([HELLO, DONE], ModelUnavailableError),
        ([HELLO], ModelUnavailableError),
        ([], ModelUnavailableError),
        (stream(), ModelUnavailableError),
        ([HELLO, b"data: {not json\n\n", DONE], ModelUnavailableError),
        ([b"data: \xff\xfe\n\n"], ModelUnavailableError),
        ([HELLO, {"error": {"message": "Overloaded", "code": 529}}], ModelUnavailableError),
        (
            [HELLO, {"error": {"message": "too long", "code": "context_length_exceeded"}}],
            ContextOverflowError,
        ),
        (stream(HELLO, finish="content_filter"), ModelRefusedError),
    ],
)
async def test_each_failure_is_of_its_kind_is_one_request_and_shows_no_key(provider, reply, kind):
    provider.reply(reply)
    error = await error_of(LiteLLMModel("openai/m"))
    assert type(error) is kind, error
    assert len(provider.exchanges) == 1
    assert KEY not in str(error)
    assert "litellm" not in str(error)
    assert error.__cause__ is not None or kind in (ModelUnavailableError, ModelRefusedError)


WHOLE = {
    "id": "chatcmpl-9",
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2},
}


@pytest.mark.parametrize("headers", [{}, {"content-encoding": "gzip"}])
async def test_a_reply_that_comes_whole_though_a_stream_was_asked_for_is_one(provider, headers):
    body = json.dumps(WHOLE).encode()
    provider.reply([Status(200, gzip.compress(body) if headers else body, headers)])
    message = await message_of(LiteLLMModel("openai/m"))
    assert (message.text, message.stop_reason, message.usage.output) == ("Hello", "stop", 2)


async def test_events_under_another_content_type_are_a_stream(provider):
    events = b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in (HELLO, chunk({}, "stop")))
    provider.reply([Status(200, events + DONE)])
    assert (await message_of(LiteLLMModel("openai/m"))).text == "Hello"


@pytest.mark.parametrize(
    ("status", "body", "kind", "words"),
    [
        (200, b'{"error": {"message": "You exceeded your current quota"}}', ModelAuthError, "exceeded your"),
        (200, b'{"error": "overloaded"}', ModelUnavailableError, "is overloaded"),
        (200, b'{"status": "starting"}', ModelUnavailableError, '{"status": "starting"}'),
        (400, b'[{"error": {"message": "API key not valid.", "code": 400}}]', ModelAuthError, "not valid"),
        (400, b'{"detail": "the prompt is too long"}', ContextOverflowError, "prompt is too long"),
        (422, b'{"detail": [{"loc": ["x"], "msg": "Field required"}]}', ModelRequestError, "Field required"),
        (
            422,
            b'{"error": "inputs` tokens + `max_new_tokens` must be <= 4096"}',
            ContextOverflowError,
            "4096",
        ),
        (503, b"no healthy upstream", ModelUnavailableError, "no healthy upstream"),
    ],
)
async def test_what_a_failure_says_counts_whatever_shape_it_has(provider, status, body, kind, words):
    provider.reply([Status(status, body)])
    error = await error_of(LiteLLMModel("openai/m"))
    assert type(error) is kind, error
    assert words in str(error)


async def test_a_page_in_the_place_of_an_answer_is_told(provider):
    provider.reply([Status(200, b"<html>Please sign in</html>", {"content-type": "text/html; charset=x"})])
    assert "No answer came, but a page of text/html." in str(await error_of(LiteLLMModel("openai/m")))


async def test_a_finish_reason_that_is_no_text_is_one(provider):
    provider.reply(stream(HELLO, finish=1))
    assert (await message_of(LiteLLMModel("openai/m"))).stop_reason == "stop"


async def test_a_rate_limit_carries_the_time_to_wait(provider):
    provider.reply(failure(429, "Slow down", headers={"retry-after": "7"}))
    assert (await error_of(LiteLLMModel("openai/m"))).retry_after_seconds == 7


async def test_a_model_the_provider_does_not_have_is_answered_with_near_names(provider):
    provider.reply(failure(404, "no such model", code="model_not_found"))
    assert "Did you mean openai/gpt-4o" in str(await error_of(LiteLLMModel("openai/gpt-4oo")))


async def test_a_closed_port_is_said_to_be_unreachable(provider):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        error = await error_of(LiteLLMModel("openai/m", api_base=base))
    assert isinstance(error, ModelUnavailableError)
    assert "cannot be reached" in str(error)


async def test_a_model_works_after_a_failure(provider):
    provider.reply(failure(500), text("Hi."))
    model = LiteLLMModel("openai/m")
    await error_of(model)
    assert (await message_of(model)).text == "Hi."


async def test_a_stream_that_only_pings_is_given_up(provider):
    provider.reply([HELLO, *[Ping(), Sleep(0.05)] * 100, Hang()])
    began = time.monotonic()
    error = await error_of(LiteLLMModel("openai/m", idle_seconds=0.3))
    assert isinstance(error, ModelUnavailableError)
    assert "sent nothing for" in str(error)
    assert time.monotonic() - began < 3
    assert await asyncio.to_thread(provider.exchanges[0].hung_up.wait, 5)


async def test_a_provider_that_never_answers_is_given_up(provider):
    provider.reply([Hang()])
    error = await error_of(LiteLLMModel("openai/m", first_event_seconds=0.3))
    assert isinstance(error, ModelUnavailableError)
    assert await asyncio.to_thread(provider.exchanges[0].hung_up.wait, 5)


@pytest.mark.parametrize("reply", [[Hang()], [HELLO, Hang()]], ids=["silent", "begun"])
async def test_cancelling_when_the_request_has_just_arrived_closes_the_connection(provider, reply):
    provider.reply(reply)
    reading = asyncio.ensure_future(message_of(LiteLLMModel("openai/m")))
    exchange = await asyncio.to_thread(provider.wait_for, 1)
    await cancelled(reading)
    assert await asyncio.to_thread(exchange.hung_up.wait, 5)


async def test_cancelling_within_a_stream_closes_the_connection(provider):
    provider.reply([HELLO, Hang()])
    begun = asyncio.Event()

    async def read():
        async for _ in LiteLLMModel("openai/m").stream(request()):
            begun.set()

    reading = asyncio.ensure_future(read())
    await begun.wait()
    await cancelled(reading)
    assert await asyncio.to_thread(provider.exchanges[0].hung_up.wait, 5)


async def cancelled(task):
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_leaving_a_stream_closes_the_connection(provider):
    provider.reply([HELLO, Hang()])
    events = LiteLLMModel("openai/m").stream(request())
    assert await anext(events) == TextDelta("Hello")
    await events.aclose()
    assert await asyncio.to_thread(provider.exchanges[0].hung_up.wait, 5)


async def test_a_connection_is_used_again_for_the_next_request(provider):
    model = LiteLLMModel("openai/m")
    for _ in range(3):
        await message_of(model)
    assert provider.connections == 1


async def test_nothing_is_left_running_and_nothing_is_said(provider, capfd, caplog):
    caplog.set_level(logging.DEBUG, logger="LiteLLM")
    provider.reply(text("Hi."), failure(500, "boom"), stream(HELLO, finish="banana"), [HELLO, Fin()])
    load_litellm("openai/m")
    model = LiteLLMModel("openai/m")
    for _ in range(2):
        await message_of(model)
        await error_of(model)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert capfd.readouterr() == ("", "")


def test_a_loop_on_another_thread_can_use_the_model_after_one_has_closed(provider):
    model = LiteLLMModel("openai/m")

    async def ask():
        assert (await message_of(model)).text == "ok"
        await close_clients()

    for _ in range(3):
        asyncio.run(ask())


@pytest.mark.parametrize("version", sorted(litellm_model.COMPROMISED_VERSIONS))
def test_a_compromised_release_is_not_loaded(version, tmp_path):
    metadata = tmp_path / f"litellm-{version}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: litellm\nVersion: {version}\n")
    (tmp_path / "litellm.py").write_text("raise SystemExit('it was loaded')")
    code = "from pi_notebook.models.litellm_model import load_litellm; load_litellm('openai/m')"
    shown = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        capture_output=True,
        text=True,
    )
    assert f"litellm {version} is a compromised release" in shown.stderr
    assert "it was loaded" not in shown.stderr


def test_the_installed_release_is_not_a_compromised_one():
    assert importlib.metadata.version("litellm") not in litellm_model.COMPROMISED_VERSIONS


def test_warming_says_nothing_and_touches_no_network():
    code = (
        "import socket, sys\n"
        "def refuse(*arguments): raise SystemExit('network')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from pi_notebook.models.litellm_model import warm\n"
        "assert 'litellm' not in sys.modules\n"
        "warm()\n"
        "assert 'litellm' in sys.modules"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "", "")
