"""The loopback provider itself: what it refuses, and that its replies are what they say."""

from __future__ import annotations

import copy
import json
import urllib.error
import urllib.request

import pytest

from tests.provider import DONE, Fin, Provider, calls, chunk, failure, stream, text
from tests.request_rules import find_problems


def ask(provider, body):
    """The status and the text of the answer to `body`."""
    made = urllib.request.Request(
        f"{provider.base_url}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(made) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


GOOD = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be exact."},
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
                {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "user", "content": "go on"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "f",
                "description": "F.",
                "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
            },
        }
    ],
}


def spoilt(change):
    body = copy.deepcopy(GOOD)
    change(body)
    return body


def call(body, number=0):
    return body["messages"][2]["tool_calls"][number]


FAULTS = {
    "no messages": lambda body: body.update(messages=[]),
    "no model": lambda body: body.pop("model"),
    "unknown role": lambda body: body["messages"][1].update(role="person"),
    "late system message": lambda body: body["messages"].append({"role": "system", "content": "x"}),
    "blank text": lambda body: body["messages"][1].update(content=" \n"),
    "blank part": lambda body: body["messages"][1].update(content=[{"type": "text", "text": ""}]),
    "no parts": lambda body: body["messages"][1].update(content=[]),
    "image in a result": lambda body: body["messages"][3].update(
        content=[{"type": "image_url", "image_url": {"url": "data:image/png;base64,aa"}}]
    ),
    "unknown key": lambda body: body["messages"][1].update(timestamp=1),
    "unanswered call": lambda body: body["messages"].pop(4),
    "result twice": lambda body: body["messages"].insert(4, dict(body["messages"][3])),
    "late result": lambda body: body["messages"].insert(4, {"role": "user", "content": "x"}),
    "result of no call": lambda body: body["messages"][3].update(tool_call_id="z"),
    "one id twice": lambda body: call(body, 1).update(id="a"),
    "empty id": lambda body: call(body).update(id=""),
    "broken arguments": lambda body: call(body)["function"].update(arguments="{"),
    "arguments with NaN": lambda body: call(body)["function"].update(arguments='{"x": NaN}'),
    "arguments no object": lambda body: call(body)["function"].update(arguments="[]"),
    "bad function name": lambda body: call(body)["function"].update(name="a b"),
    "no calls": lambda body: body["messages"][2].update(tool_calls=[]),
    "empty reply": lambda body: body["messages"].append({"role": "assistant", "content": ""}),
    "empty result": lambda body: body["messages"][3].update(content=""),
    "lone surrogate": lambda body: body["messages"][1].update(content="\ud800"),
    "no tools": lambda body: body.update(tools=[]),
    "bad tool name": lambda body: body["tools"][0]["function"].update(name="a b"),
    "two tools of a name": lambda body: body["tools"].append(body["tools"][0]),
    "no description": lambda body: body["tools"][0]["function"].update(description=""),
    "no object schema": lambda body: body["tools"][0]["function"].update(parameters={"type": "string"}),
    "unknown required": lambda body: body["tools"][0]["function"]["parameters"].update(required=["y"]),
}


def test_a_good_request_has_no_problems():
    assert find_problems(GOOD) == []


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_found(name):
    assert find_problems(spoilt(FAULTS[name])) != []


def test_a_bad_request_is_refused_in_words_and_the_script_waits():
    with Provider(text("one"), text("two")) as provider:
        status, said = ask(provider, spoilt(FAULTS["unanswered call"]))
        assert status == 400
        assert "not answered" in said
        assert "one" in ask(provider, GOOD)[1]
        assert [bool(exchange.problems) for exchange in provider.exchanges] == [True, False]


def test_the_last_reply_is_given_again():
    with Provider(text("one"), text("two")) as provider:
        said = [ask(provider, GOOD)[1] for _ in range(3)]
    assert ["one" in item for item in said] == [True, False, False]
    assert "two" in said[2]


def test_a_reply_may_depend_on_the_request():
    with Provider(lambda body: text(body["model"].upper())) as provider:
        assert '"M"' in ask(provider, GOOD)[1]


def test_a_stream_has_a_finish_reason_usage_in_a_chunk_without_choices_and_an_end():
    *_, finish, usage, end = stream(chunk({"content": "x"}))
    assert finish["choices"][0]["finish_reason"] == "stop"
    assert usage["choices"] == []
    assert usage["usage"]["total_tokens"] == 107
    assert end == DONE


def test_parallel_calls_take_turns():
    indexes = [
        item["choices"][0]["delta"]["tool_calls"][0]["index"]
        for item in calls(("f", {"x": 1}), ("g", {}))
        if isinstance(item, dict) and item["choices"] and item["choices"][0]["delta"].get("tool_calls")
    ]
    assert indexes == [0, 1, 0, 1, 0, 1]


def test_a_failure_has_its_status_words_and_headers():
    with Provider(failure(429, "Slow down.", code="slow", headers={"retry-after": "2"})) as provider:
        status, said = ask(provider, GOOD)
    assert status == 429
    assert json.loads(said)["error"]["message"] == "Slow down."


def test_a_connection_can_be_cut():
    with (
        Provider([chunk({"content": "x"}), Fin()]) as provider,
        pytest.raises(Exception, match="IncompleteRead"),
    ):
        ask(provider, GOOD)


def test_requests_can_be_waited_for():
    with Provider() as provider:
        ask(provider, GOOD)
        assert provider.wait_for(1).body == GOOD
        with pytest.raises(AssertionError, match="1 requests came, not 2"):
            provider.wait_for(2, timeout=0.01)
