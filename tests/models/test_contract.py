"""What every model promises the loop; see `Model` in `pi_notebook.agent.protocols`."""

from __future__ import annotations

import asyncio
import dataclasses
import json

import msgspec
import pytest

from pi_notebook.agent.events import ModelDone, TextDelta, ToolCallDelta
from pi_notebook.agent.messages import AssistantMessage, Message, ToolCall, ToolResultMessage
from tests.models.subjects import SUBJECTS, request
from tests.patience import SOON


def call(**arguments):
    return ToolCall(id="", name="run_code", arguments=arguments)


TEXT = ["There are 344 rows in it."]
CALLS = ["Let me look.", call(code="len(df)"), call(code="df", note="é 😀 \n")]


@pytest.fixture(params=list(SUBJECTS))
def any_subject(request):
    return SUBJECTS[request.param]


@pytest.fixture(params=[name for name, subject in SUBJECTS.items() if subject.is_scripted])
def subject(request):
    return SUBJECTS[request.param]


async def events_of(model, asked=None):
    return [event async for event in model.stream(asked or request())]


async def test_the_last_event_and_only_the_last_is_the_whole_reply(any_subject, provider):
    events = await events_of(any_subject.make(provider, [TEXT]))
    assert [isinstance(event, ModelDone) for event in events] == [False] * (len(events) - 1) + [True]
    assert isinstance(events[-1].message, AssistantMessage)


async def test_the_pieces_make_up_the_reply(any_subject, provider):
    events = await events_of(any_subject.make(provider, [CALLS]))
    message = events[-1].message
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == message.text
    for index, made in enumerate(message.tool_calls):
        pieces = [event for event in events if isinstance(event, ToolCallDelta) and event.index == index]
        assert {(piece.id, piece.name) for piece in pieces} == {(made.id, made.name)}
        assert json.loads("".join(piece.arguments for piece in pieces)) == made.arguments


async def test_the_reply_says_who_made_it_and_why_it_ended(any_subject, provider):
    model = any_subject.make(provider, [TEXT])
    message = (await events_of(model))[-1].message
    assert (message.provider, message.model, message.api) == (
        model.info.provider,
        model.info.id,
        model.info.api,
    )
    assert message.stop_reason == ("toolUse" if message.tool_calls else "stop")


async def test_the_reply_can_be_written_to_a_file_and_read_back(any_subject, provider):
    message = (await events_of(any_subject.make(provider, [CALLS])))[-1].message
    assert msgspec.json.decode(msgspec.json.encode(message), type=Message) == message


async def test_calls_have_ids_of_their_own(any_subject, provider):
    message = (await events_of(any_subject.make(provider, [CALLS])))[-1].message
    ids = [made.id for made in message.tool_calls]
    assert all(ids)
    assert len(set(ids)) == len(ids)


async def test_what_is_known_of_a_model_does_not_change_when_it_is_asked(any_subject, provider):
    model = any_subject.make(provider, [TEXT])
    before = model.info
    await events_of(model)
    assert model.info == before
    assert before.context_window > 0
    assert 0 < before.max_output_tokens <= before.context_window
    assert before.name


async def test_a_request_is_not_changed_by_being_sent(any_subject, provider):
    asked = request()
    before = msgspec.json.encode(asked.messages)
    await events_of(any_subject.make(provider, [TEXT]), asked)
    assert msgspec.json.encode(asked.messages) == before


async def test_a_stream_that_is_cancelled_ends_at_once_and_the_model_can_be_asked_again(
    any_subject, provider
):
    model = any_subject.make(provider, [TEXT, TEXT])
    begun = asyncio.Event()

    async def read():
        async for _ in model.stream(request()):
            begun.set()
            await asyncio.sleep(0)

    reading = asyncio.ensure_future(read())
    await begun.wait()
    reading.cancel()
    done, _ = await asyncio.wait({reading}, timeout=SOON)
    assert done == {reading}
    assert isinstance((await events_of(model))[-1], ModelDone)


async def test_a_stream_may_be_read_by_one_task_after_another(any_subject, provider):
    stream = any_subject.make(provider, [TEXT]).stream(request())
    events = []
    while (event := await asyncio.ensure_future(anext(stream, None))) is not None:
        events.append(event)
    assert isinstance(events[-1], ModelDone)


async def test_text_arrives_in_pieces_and_in_order(subject, provider):
    events = await events_of(subject.make(provider, [TEXT]))
    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(pieces) > 3
    assert "".join(pieces) == TEXT[0]
    assert events[-1].message.text == TEXT[0]


async def test_parallel_calls_stay_apart(subject, provider):
    message = (await events_of(subject.make(provider, [CALLS])))[-1].message
    assert message.text == "Let me look."
    assert [made.arguments for made in message.tool_calls] == [
        {"code": "len(df)"},
        {"code": "df", "note": "é 😀 \n"},
    ]
    assert message.stop_reason == "toolUse"


async def test_a_model_answers_as_often_as_it_is_asked(subject, provider):
    model = subject.make(provider, [["one"], ["two"], ["three"]])
    said = [(await events_of(model))[-1].message.text for _ in range(3)]
    assert said == ["one", "two", "three"]


async def test_a_model_goes_on_after_results_of_its_calls(subject, provider):
    model = subject.make(provider, [CALLS, TEXT])
    first = request()
    reply = (await events_of(model, first))[-1].message
    results = [
        ToolResultMessage(tool_call_id=made.id, tool_name=made.name, content=[], is_error=False, timestamp=1)
        for made in reply.tool_calls
    ]
    asked = dataclasses.replace(first, messages=(*first.messages, reply, *results))
    assert (await events_of(model, asked))[-1].message.text == TEXT[0]


async def test_two_requests_at_once_do_not_mix(subject, provider):
    model = subject.make(provider, [["a" * 40], ["b" * 40]])
    first, second = await asyncio.gather(events_of(model), events_of(model))
    assert {first[-1].message.text, second[-1].message.text} == {"a" * 40, "b" * 40}
