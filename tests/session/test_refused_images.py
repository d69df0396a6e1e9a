"""A provider that refuses pictures ends neither the run nor the session."""

from __future__ import annotations

import base64

import pytest

from pi_notebook.agent.events import Notice
from pi_notebook.agent.messages import (
    CustomMessage,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_notebook.agent.tools import ToolContext, ToolResult, tool
from pi_notebook.errors import ContextOverflowError, ModelImageError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services


def picture(name):
    head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01"
    return ImageContent(data=base64.b64encode(head + name.encode()).decode(), mime_type="image/png")


@tool(risk="read")
async def draw(context: ToolContext, name: str) -> ToolResult:
    """Draw something."""
    return ToolResult(content=[TextContent(text=f"drawn: {name}"), picture(name)])


@pytest.fixture
def session(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    runtime.session.agent.tools["draw"] = draw
    yield runtime.session
    runtime.close()


def drawing(*names):
    return [ToolCall(id=f"d-{name}", name="draw", arguments={"name": name}) for name in names]


def pictures(request):
    held = [
        m.content for m in request.messages if isinstance(m, (ToolResultMessage, UserMessage, CustomMessage))
    ]
    blocks = [block for content in held if isinstance(content, list) for block in content]
    return [base64.b64decode(b.data)[24:].decode() for b in blocks if isinstance(b, ImageContent)]


def refusing(*names, said="Could not process image", error=ModelImageError, **more):
    """A reply to requests without these pictures, and a failure for others."""

    def reply(request):
        return error(said, model="m", **more) if set(names) & set(pictures(request)) else "Seen."

    return reply


def model(*replies):
    return ScriptedModel(replies, sees_images=True)


async def test_a_refused_picture_is_replaced_by_a_note_and_the_request_sent_again(session):
    told = []
    session.subscribe(lambda event: told.append(event.text) if isinstance(event, Notice) else None)
    asked = model(drawing("a"), "Seen.", drawing("b", "c"), *[refusing("c")] * 3)
    await session.prompt("first", model=asked)
    end = await session.prompt("second", model=asked)
    assert (end.reason, end.messages[-1].text) == ("done", "Seen.")
    assert [pictures(request) for request in asked.requests[-2:]] == [["a", "b", "c"], ["a"]]
    results = [m for m in asked.requests[-1].messages if isinstance(m, ToolResultMessage)]
    note = "[a picture left out: the model's provider refused it]"
    assert [m.text for m in results] == ["drawn: a", f"drawn: b{note}", f"drawn: c{note}"]
    assert "2 pictures left out of the conversation" in told[-1]
    await session.prompt("third", model=asked)
    assert pictures(asked.requests[-1]) == ["a"]


async def test_where_the_older_pictures_are_the_reason_they_go_too(session):
    asked = model(drawing("a"), "Seen.", drawing("b"), *[refusing("a")] * 3)
    await session.prompt("first", model=asked)
    assert (await session.prompt("second", model=asked)).reason == "done"
    assert [pictures(request) for request in asked.requests[-3:]] == [["a", "b"], ["a"], []]


async def test_a_request_that_is_too_large_loses_its_older_pictures_first(session):
    large = refusing("a", said="Too large.", error=ContextOverflowError, has_too_many_bytes=True)
    asked = model(drawing("a"), "Seen.", drawing("b"), *[large] * 2)
    await session.prompt("first", model=asked)
    assert (await session.prompt("second", model=asked)).reason == "done"
    assert [pictures(request) for request in asked.requests[-2:]] == [["a", "b"], ["b"]]
    assert not session.store.branch().of_kind("compaction")


async def test_a_picture_of_a_prompt_is_left_out_and_its_words_stay(session):
    asked = model(*[refusing("mine")] * 2)
    assert (
        await session.prompt([TextContent(text="what is it?"), picture("mine")], model=asked)
    ).reason == "done"
    said = [m for m in asked.requests[-1].messages if isinstance(m, UserMessage)][-1]
    assert "what is it?" in str(said.content)
    assert "refused it" in str(said.content)


async def test_without_pictures_the_failure_is_told_and_asked_once(session):
    asked = model(ModelImageError("Could not process image", model="m"))
    with pytest.raises(ModelImageError):
        await session.prompt("first", model=asked)
    assert len(asked.requests) == 1


async def test_what_was_left_out_stays_so_after_a_resume_and_the_picture_in_the_file(session, tmp_path):
    asked = model(drawing("a"), *[refusing("a")] * 2)
    await session.prompt("first", model=asked)
    store = session.store
    assert picture("a").data in store.path.read_text()
    store.close()
    runtime = AgentSessionRuntime(tmp_path, build_services)
    try:
        resumed = await runtime.resume(str(store.path))
        asked = model(refusing("a"))
        assert (await resumed.prompt("second", model=asked)).reason == "done"
        assert pictures(asked.requests[-1]) == []
    finally:
        runtime.close()
