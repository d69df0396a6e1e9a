from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    UserMessage,
)
from pi_notebook.agent.protocols import ModelInfo, ModelRequest, ToolDefinition
from pi_notebook.models.conversion import NO_OUTPUT, NO_RESULT, NO_TEXT, chat_messages, chat_tools
from tests.models.conversations import disordered, paired, result
from tests.request_rules import find_problems

PICTURE = ImageContent(data="aGk=", mime_type="image/png")
always = settings(max_examples=200, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


def info(provider="openai", *, sees_images=True):
    return ModelInfo(
        provider=provider,
        id="m",
        api="litellm",
        context_window=1000,
        max_output_tokens=100,
        sees_images=sees_images,
    )


def request(*messages, system_prompt="Be exact."):
    return ModelRequest(system_prompt=system_prompt, tools=(), messages=tuple(messages))


def sent(*messages, provider="openai", sees_images=True):
    """What is sent after the system prompt."""
    return chat_messages(request(*messages), info(provider, sees_images=sees_images))[1:]


def user(content="hi"):
    return UserMessage(content=content, timestamp=1)


def reply(*content, stop_reason="stop", provider="openai", model="m"):
    return AssistantMessage(
        content=[TextContent(text=item) if isinstance(item, str) else item for item in content],
        api="litellm",
        provider=provider,
        model=model,
        usage=NO_USAGE,
        stop_reason=stop_reason,
        timestamp=1,
    )


def call(call_id="a", name="run_code", **arguments):
    return ToolCall(id=call_id, name=name, arguments=arguments)


def answer(call_id="a", *content):
    return result(call_id, [TextContent(text=item) if isinstance(item, str) else item for item in content])


def problems(messages):
    return find_problems({"model": "m", "messages": messages})


@always
@given(paired)
def test_a_strict_provider_takes_every_paired_conversation(conversation):
    first, turns = conversation
    messages = [first, *(message for turn in turns for message in turn)]
    assert problems(chat_messages(request(*messages), info())) == []


@always
@given(disordered)
def test_a_strict_provider_takes_what_is_made_of_any_disorder(messages):
    assert problems(chat_messages(request(*messages), info())) == []
    assert problems(chat_messages(request(*messages), info(sees_images=False))) == []


@always
@given(paired)
def test_what_was_sent_before_a_turn_is_sent_again_unchanged_after_it(conversation):
    first, turns = conversation
    messages = [first]
    before = chat_messages(request(*messages), info())
    for turn in turns:
        messages.extend(turn)
        after = chat_messages(request(*messages), info())
        assert json.dumps(after[: len(before)]) == json.dumps(before)
        before = after


def test_the_system_prompt_comes_first_and_a_blank_one_not_at_all():
    assert chat_messages(request(user()), info())[0] == {"role": "system", "content": "Be exact."}
    assert chat_messages(request(user(), system_prompt=" \n"), info())[0]["role"] == "user"


def test_a_call_and_its_result_are_paired_by_id():
    messages = sent(user(), reply("Let me look.", call(code="1")), answer("a", "1"))
    assert messages[1:] == [
        {
            "role": "assistant",
            "content": "Let me look.",
            "tool_calls": [
                {
                    "id": "a",
                    "type": "function",
                    "function": {"name": "run_code", "arguments": '{"code": "1"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "1"},
    ]


def test_a_call_without_a_result_is_answered_with_an_error():
    messages = sent(user(), reply(call("a"), call("b")), answer("b", "two"), user("go on"))
    assert [(item["tool_call_id"], item["content"]) for item in messages[2:4]] == [
        ("a", NO_RESULT),
        ("b", "two"),
    ]


def test_a_result_without_its_call_is_left_out():
    assert sent(user(), answer("gone", "1"), reply("yes"), answer("gone", "2")) == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "yes"},
    ]


def test_a_result_that_came_after_another_message_stands_directly_behind_its_call():
    messages = sent(user(), reply(call("a")), user("and then?"), answer("a", "1"))
    assert [item["role"] for item in messages] == ["user", "assistant", "tool", "user"]


def test_an_id_used_in_two_turns_is_told_apart_and_stays_with_its_result():
    messages = sent(user(), reply(call("a")), answer("a", "1"), reply(call("a")), answer("a", "2"))
    ids = [item["tool_call_id"] for item in messages if item["role"] == "tool"]
    assert len(set(ids)) == 2
    assert [item["tool_calls"][0]["id"] for item in messages if item["role"] == "assistant"] == ids


@pytest.mark.parametrize("stop_reason", ["error", "aborted"])
def test_a_reply_that_failed_or_was_stopped_is_never_sent(stop_reason):
    messages = sent(
        user(), reply("half", call("a"), stop_reason=stop_reason), answer("a", "1"), user("again")
    )
    assert [item["content"] for item in messages] == ["hi", "again"]


def test_an_empty_reply_is_never_sent():
    assert [item["role"] for item in sent(user(), reply(" \n", ThinkingContent(thinking="hm")))] == ["user"]


def test_an_empty_result_says_that_there_was_no_output():
    assert sent(user(), reply(call()), answer("a", "", " "))[-1]["content"] == NO_OUTPUT
    assert sent(user(), reply(call()), answer("a"), provider="anthropic")[-1]["content"] == NO_OUTPUT


def test_an_empty_message_of_the_person_says_so():
    assert sent(user(""))[0]["content"] == NO_TEXT


def test_summaries_are_marked_and_introduced():
    messages = sent(
        CompactionSummaryMessage(summary="We loaded it.", tokens_before=5, timestamp=1),
        BranchSummaryMessage(summary="We tried it.", from_id="0", timestamp=1),
    )
    assert [item["role"] for item in messages] == ["user", "user"]
    assert "compacted" in messages[0]["content"]
    assert messages[0]["content"].endswith("<summary>\nWe loaded it.\n</summary>")
    assert messages[1]["content"].endswith("<summary>\nWe tried it.\n</summary>")


def test_what_the_program_says_is_a_user_message():
    note = CustomMessage(custom_type="x", content="It is Monday.", display=False, timestamp=1)
    assert sent(note) == [{"role": "user", "content": "It is Monday."}]


def test_images_of_results_follow_all_the_results_of_the_reply():
    messages = sent(user(), reply(call("a"), call("b")), answer("a", "plot", PICTURE), answer("b", "2"))
    assert [item["role"] for item in messages] == ["user", "assistant", "tool", "tool", "user"]
    assert messages[4]["content"][1] == {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64,aGk="},
    }
    assert "next message" in messages[2]["content"]


def test_a_provider_that_takes_images_in_results_gets_them_there():
    messages = sent(user(), reply(call("a")), answer("a", "plot", PICTURE), provider="anthropic")
    assert [part["type"] for part in messages[-1]["content"]] == ["text", "image_url"]


@pytest.mark.parametrize(
    ("data", "named", "url"),
    [
        ("iVBO\nRw0K\r\nGgo=\n", "image/png", "data:image/png;base64,iVBORw0KGgo="),
        ("iVBORw0KGgo=", "image/jpeg", "data:image/png;base64,iVBORw0KGgo="),
        ("iVBORw0KGgo=", "", "data:image/png;base64,iVBORw0KGgo="),
        ("/9j/AAAA", "image/jpg", "data:image/jpeg;base64,/9j/AAAA"),
        ("", "image/png", None),
        ("not base64!", "image/png", None),
        ("iVBORw0KGg", "image/png", None),
        ("\ud800", "image/png", None),
        ("PHN2Zz4=", "image/svg+xml", None),
        ("aGk=", "text/html", None),
    ],
)
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_picture_is_sent_as_what_it_is_and_one_that_is_none_is_told(data, named, url, provider):
    picture = ImageContent(data=data, mime_type=named)
    messages = sent(user([picture]), reply(call()), answer("a", picture), provider=provider)
    said = json.dumps(messages)
    assert said.count("image_url") == (4 if url else 0)
    assert said.count("is broken") == (0 if url else 2)
    if url:
        assert messages[0]["content"] == [{"type": "image_url", "image_url": {"url": url}}]
    assert provider == "anthropic" or problems([{"role": "system", "content": "s"}, *messages]) == []


def test_a_model_that_sees_no_images_is_told_that_there_was_one():
    messages = sent(
        user([TextContent(text="Look:"), PICTURE]), reply(call()), answer("a", PICTURE), sees_images=False
    )
    assert [item["role"] for item in messages] == ["user", "assistant", "tool"]
    assert "cannot see" in messages[0]["content"]
    assert "cannot see" in messages[2]["content"]


@pytest.mark.parametrize(
    ("sees_images", "told"), [(True, "see the next message"), (False, "this model sees no images")]
)
def test_an_image_that_the_text_of_its_result_names_is_told_there_and_once(sees_images, told):
    text = "before\n[image/png, 40 x 30, 1.2 KB]\nbetween\n[image/png, 9 x 9, 2 B]\nafter"
    messages = sent(user(), reply(call()), answer("a", text, PICTURE), sees_images=sees_images)
    assert messages[2]["content"] == text.replace("2 B]", f"2 B: {told}]")


@pytest.mark.parametrize(
    ("provider", "made_by", "is_sent"),
    [
        ("anthropic", "anthropic", True),
        ("anthropic", "bedrock", False),
        ("openai", "openai", False),
    ],
)
def test_thinking_goes_back_only_to_the_model_that_made_and_wants_it(provider, made_by, is_sent):
    thought = ThinkingContent(thinking="hm", thinking_signature="sig")
    message = sent(user(), reply(thought, "Yes.", provider=made_by), provider=provider)[1]
    expected = [{"type": "thinking", "thinking": "hm", "signature": "sig"}]
    assert message.get("thinking_blocks") == (expected if is_sent else None)


def test_thinking_of_another_model_of_the_same_provider_is_dropped():
    thought = ThinkingContent(thinking="hm", thinking_signature="sig")
    message = sent(user(), reply(thought, "Yes.", provider="anthropic", model="old"), provider="anthropic")[1]
    assert "thinking_blocks" not in message


def test_hidden_thinking_goes_back_as_it_came():
    thought = ThinkingContent(thinking="", thinking_signature="opaque", redacted=True)
    message = sent(user(), reply(thought, "Yes.", provider="anthropic"), provider="anthropic")[1]
    assert message["thinking_blocks"] == [{"type": "redacted_thinking", "data": "opaque"}]


def test_the_signature_of_a_call_goes_back_to_its_own_model_only():
    signed = ToolCall(id="a", name="f", arguments={}, thought_signature="sig")
    own = sent(user(), reply(signed, provider="gemini"), provider="gemini")[1]["tool_calls"][0]
    other = sent(user(), reply(signed, provider="gemini"), provider="openai")[1]["tool_calls"][0]
    assert own["provider_specific_fields"] == {"thought_signature": "sig"}
    assert "provider_specific_fields" not in other


def test_tools_become_function_definitions():
    schema = {"type": "object", "properties": {"code": {"type": "string"}}}
    tool = ToolDefinition(name="run_code", description="Run it.", parameters=schema)
    assert chat_tools([tool]) == [
        {"type": "function", "function": {"name": "run_code", "description": "Run it.", "parameters": schema}}
    ]
