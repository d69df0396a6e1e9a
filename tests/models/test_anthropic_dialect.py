"""`LiteLLMModel` where litellm translates: a provider that does not speak OpenAI's form."""

from __future__ import annotations

import asyncio
import dataclasses
import json

import pytest

from pi_notebook.agent.events import TextDelta
from pi_notebook.agent.messages import ImageContent, TextContent, ThinkingContent, ToolCall, ToolResultMessage
from pi_notebook.errors import (
    ContextOverflowError,
    ModelAuthError,
    ModelError,
    ModelRequestError,
    ModelUnavailableError,
)
from pi_notebook.models.litellm_model import LiteLLMModel
from tests.models.subjects import request
from tests.provider import Fin, Hang, Provider, Status, close_clients

NAME = "anthropic/claude-sonnet-4-5"


def event(kind, **fields):
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


USAGE = {
    "input_tokens": 5,
    "cache_creation_input_tokens": 50,
    "cache_read_input_tokens": 200,
    "output_tokens": 1,
}
START = event(
    "message_start",
    message={
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "usage": USAGE,
    },
)


def block(index, content, *deltas):
    return [
        event("content_block_start", index=index, content_block=content),
        *(event("content_block_delta", index=index, delta=delta) for delta in deltas),
        event("content_block_stop", index=index),
    ]


THOUGHT = block(
    0,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "Hm"},
    {"type": "thinking_delta", "thinking": "m."},
    {"type": "signature_delta", "signature": "SIG"},
)
TEXT = block(
    1,
    {"type": "text", "text": ""},
    {"type": "text_delta", "text": "Let me "},
    {"type": "text_delta", "text": "look."},
)


def made(index, call_id, code):
    half = json.dumps({"code": code})
    pieces = [{"type": "input_json_delta", "partial_json": part} for part in (half[:5], half[5:])]
    return block(index, {"type": "tool_use", "id": call_id, "name": "run_code", "input": {}}, *pieces)


def ended(reason):
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [event("message_delta", delta=delta, usage={"output_tokens": 20}), event("message_stop")]


def failure(status, kind, message):
    return [
        Status(status, json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode())
    ]


@pytest.fixture
async def anthropic(monkeypatch):
    with Provider() as running:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key-0123456789")
        monkeypatch.setenv("ANTHROPIC_API_BASE", running.base_url.removesuffix("/v1"))
        yield running
        await close_clients()


async def message_of(asked=None):
    return [item async for item in LiteLLMModel(NAME).stream(asked or request())][-1].message


async def test_thinking_text_and_parallel_calls_are_put_together(anthropic):
    anthropic.reply([START, *THOUGHT, *TEXT, *made(2, "t1", "1"), *made(3, "t2", "2"), *ended("tool_use")])
    message = await message_of()
    assert message.content == [
        ThinkingContent(thinking="Hmm.", thinking_signature="SIG"),
        TextContent(text="Let me look."),
        ToolCall(id="t1", name="run_code", arguments={"code": "1"}),
        ToolCall(id="t2", name="run_code", arguments={"code": "2"}),
    ]
    assert message.stop_reason == "toolUse"


async def test_usage_is_told_apart_by_class(anthropic):
    anthropic.reply([START, *TEXT, *ended("end_turn")])
    usage = (await message_of()).usage
    assert (usage.input, usage.cache_write, usage.cache_read, usage.output) == (5, 50, 200, 20)
    expected = 5 * 3e-6 + 50 * 3.75e-6 + 200 * 0.3e-6 + 20 * 15e-6
    assert usage.cost.total == pytest.approx(expected)


async def test_a_whole_exchange_goes_back_with_signature_results_and_image(anthropic):
    anthropic.reply(
        [START, *THOUGHT, *TEXT, *made(2, "t1", "1"), *ended("tool_use")], [START, *TEXT, *ended("end_turn")]
    )
    first = request()
    reply = await message_of(first)
    result = ToolResultMessage(
        tool_call_id="t1",
        tool_name="run_code",
        content=[TextContent(text="a plot"), ImageContent(data="aGk=", mime_type="image/png")],
        is_error=False,
        timestamp=1,
    )
    await message_of(dataclasses.replace(first, messages=(*first.messages, reply, result)))
    _, assistant, answered = anthropic.exchanges[1].messages
    assert assistant["content"][0] == {"type": "thinking", "thinking": "Hmm.", "signature": "SIG"}
    (block_of_result,) = answered["content"]
    assert block_of_result["tool_use_id"] == "t1"
    assert [part["type"] for part in block_of_result["content"]] == ["text", "image"]


OVERLOADED = event("error", error={"type": "overloaded_error", "message": "Overloaded"})
BAD = "invalid_request_error"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (failure(400, BAD, "prompt is too long: 210000 tokens > 200000 maximum"), ContextOverflowError),
        (failure(413, "request_too_large", "Request exceeds the maximum size"), ContextOverflowError),
        (failure(401, "authentication_error", "invalid x-api-key"), ModelAuthError),
        (failure(400, BAD, "Your credit balance is too low to access the API"), ModelAuthError),
        (failure(400, BAD, "messages: unexpected thing"), ModelRequestError),
        (failure(429, "rate_limit_error", "slow down"), ModelUnavailableError),
        (failure(529, "overloaded_error", "Overloaded"), ModelUnavailableError),
        ([START, *TEXT, OVERLOADED], ModelUnavailableError),
        ([START, *TEXT, Fin()], ModelUnavailableError),
        ([START, *TEXT], ModelUnavailableError),
        ([START, *ended("end_turn")], ModelUnavailableError),
    ],
)
async def test_each_failure_is_of_its_kind(anthropic, reply, kind, capfd):
    anthropic.reply(reply)
    with pytest.raises(ModelError) as raised:
        await message_of()
    assert type(raised.value) is kind
    assert len(anthropic.exchanges) == 1
    assert "litellm" not in str(raised.value)
    assert "test-key" not in str(raised.value)
    assert capfd.readouterr() == ("", "")


async def test_cancelling_closes_the_connection(anthropic):
    anthropic.reply([START, *TEXT, Hang()])
    events = LiteLLMModel(NAME).stream(request())
    assert await anext(events) == TextDelta("Let me ")
    await events.aclose()
    assert await asyncio.to_thread(anthropic.exchanges[0].hung_up.wait, 5)
