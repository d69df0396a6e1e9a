from __future__ import annotations

import pytest

from pi_notebook.agent.events import ModelDone, TextDelta
from pi_notebook.agent.messages import NO_USAGE, AssistantMessage, ThinkingContent
from pi_notebook.errors import ModelUnavailableError
from pi_notebook.models.scripted import ScriptedModel, call
from tests.models.subjects import request


async def message_of(model):
    return [event async for event in model.stream(request())][-1].message


async def test_a_reply_may_be_text_a_call_or_both():
    model = ScriptedModel(["Hi.", call("run_code", code="1"), ["Look:", call("run_code", code="2")]])
    assert (await message_of(model)).text == "Hi."
    assert (await message_of(model)).tool_calls[0].arguments == {"code": "1"}
    both = await message_of(model)
    assert (both.text, both.tool_calls[0].id) == ("Look:", "call_2")


async def test_a_reply_may_be_a_whole_message():
    message = AssistantMessage(
        content=[ThinkingContent(thinking="Hm.")],
        api="a",
        provider="p",
        model="m",
        usage=NO_USAGE,
        stop_reason="length",
        timestamp=1,
    )
    assert await message_of(ScriptedModel([message])) is message


async def test_a_reply_may_depend_on_the_request():
    model = ScriptedModel([lambda asked: asked.system_prompt.upper()])
    assert (await message_of(model)).text == "BE EXACT."


async def test_a_reply_may_be_an_error_to_raise():
    model = ScriptedModel([ModelUnavailableError("down", model="m"), "Hi."])
    with pytest.raises(ModelUnavailableError, match="down"):
        await message_of(model)
    assert (await message_of(model)).text == "Hi."


async def test_the_requests_are_kept():
    model = ScriptedModel(["Hi."])
    await message_of(model)
    assert model.requests == [request()]


async def test_a_script_that_has_run_out_says_so():
    with pytest.raises(AssertionError, match="no reply to request 1"):
        await message_of(ScriptedModel())


async def test_replies_can_be_added():
    model = ScriptedModel()
    model.add("Hi.")
    assert (await message_of(model)).text == "Hi."


async def test_the_length_of_the_pieces_can_be_chosen():
    events = [event async for event in ScriptedModel(["abcd"], piece_chars=1).stream(request())]
    assert [event.text for event in events if isinstance(event, TextDelta)] == list("abcd")
    assert isinstance(events[-1], ModelDone)
