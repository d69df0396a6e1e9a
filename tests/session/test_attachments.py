"""What goes with a prompt by `@` in scripts, where there are files only; the prompt stays as typed."""

import base64
import struct
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.result_notes import with_note
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.attached_before import is_attached_before
from pi_notebook.session.attachments import CUSTOM_TYPE, MAX_TOKENS
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services


@pytest.fixture
def session(tmp_path):
    (tmp_path / "notes.md").write_text("the answer is 42\n")
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime.session
    runtime.close()


async def sent(session, prompt, **options):
    """The attachments of a prompt, and the prompt as it was sent."""
    model = ScriptedModel(["ok"])
    await session.prompt(prompt, model=model, **options)
    messages = model.requests[0].messages
    attached = [m for m in messages if isinstance(m, CustomMessage) and m.custom_type == CUSTOM_TYPE]
    return attached, messages[-1]


def text_of(message):
    return "".join(block.text for block in message.content if not isinstance(block, ImageContent))


async def test_a_mentioned_file_stands_before_the_prompt(session):
    (attached,), prompt = await sent(session, "what is in @notes.md?")
    assert "the answer is 42" in text_of(attached)
    assert prompt.content == "what is in @notes.md?"


async def test_what_is_mentioned_and_cannot_be_shown_stays_text(session, tmp_path):
    (tmp_path / "data.bin").write_bytes(b"\x00\x01" * 500)
    attached, _ = await sent(session, "@data.bin @gone.md @In[3] @Out[3] @error @df")
    assert attached == []


async def test_a_file_by_two_names_goes_once(session, tmp_path):
    attached, _ = await sent(session, f"@notes.md @./notes.md @{tmp_path}/notes.md", attach=["notes.md"])
    assert len(attached) == 1


async def test_a_long_file_is_cut_and_the_rest_is_said_to_be_left_out(session, tmp_path):
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text("one 2 three 4\n" * 3000)
    attached, _ = await sent(session, "@a.txt @b.txt @c.txt")
    sizes = [len(text_of(message)) // 2 for message in attached]
    assert sizes[0] <= MAX_TOKENS * 2
    assert "left out" in text_of(attached[0])
    assert "the attachments before it leave no room" in text_of(attached[2])


async def test_a_picture_is_an_image_block(session, tmp_path):
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(b"\0\0")), chunk(b"IEND", b""))
    png = b"\x89PNG\r\n\x1a\n" + b"".join(parts)
    (tmp_path / "dot.png").write_bytes(png)
    (attached,), _ = await sent(session, "@dot.png")
    (image,) = [block for block in attached.content if isinstance(block, ImageContent)]
    assert base64.b64decode(image.data) == png


LONG = "".join(f"line {number} of the file\n" for number in range(60))


async def test_what_stands_in_the_context_unchanged_is_only_named(session, tmp_path):
    (tmp_path / "long.txt").write_text(LONG)
    (first,), _ = await sent(session, "@long.txt")
    assert "line 59 of the file" in text_of(first)
    (first_again, second), _ = await sent(session, "and @long.txt again")
    assert first_again == first
    assert "line 59" not in text_of(second)
    assert "[Unchanged: long.txt was shown above like this, word for word.]" in text_of(second)
    *_, third = (await sent(session, "once more @long.txt"))[0]
    assert "Unchanged" in text_of(third)


async def test_what_was_changed_or_was_something_else_in_between_is_shown_whole(session, tmp_path):
    (tmp_path / "long.txt").write_text(LONG)
    await sent(session, "@long.txt")
    (tmp_path / "long.txt").write_text(LONG.upper())
    *_, changed = (await sent(session, "@long.txt"))[0]
    assert "LINE 59 OF THE FILE" in text_of(changed)
    (tmp_path / "long.txt").write_text(LONG)
    *_, changed_back = (await sent(session, "@long.txt"))[0]
    assert "line 59 of the file" in text_of(changed_back)


async def test_what_a_tool_has_shown_is_only_named(session, tmp_path):
    (tmp_path / "long.txt").write_text(LONG)
    reading = ToolCall(id="call_1", name="read", arguments={"path": "long.txt"})
    await session.prompt("read it", model=ScriptedModel([[reading], "done"]))
    (attached,), _ = await sent(session, "what is in @long.txt?")
    assert "Unchanged" in text_of(attached)
    assert "line 59" not in text_of(attached)


@pytest.mark.parametrize(
    ("arguments", "shown", "is_known"),
    [
        ({"name": "df"}, LONG, True),
        ({"name": "df", "rows": None}, LONG, True),
        ({"name": "df", "rows": "tail 5"}, LONG, False),
        ({"name": "other"}, LONG, False),
        ({"name": "df"}, LONG.upper(), False),
    ],
)
def test_a_frame_that_was_previewed_and_is_as_it_was_is_known(arguments, shown, is_known):
    call = ToolCall(id="call_1", name="preview_data", arguments=arguments)
    result = with_note(ToolResult.of_text(shown), "[result r12345]")
    reply = AssistantMessage(
        content=[call],
        api="scripted",
        provider="scripted",
        model="scripted",
        usage=NO_USAGE,
        stop_reason="toolUse",
        timestamp=0,
    )
    answer = ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=list(result.content),
        is_error=False,
        timestamp=0,
        details=result.details,
    )
    messages = [reply, answer]
    content = [TextContent(text="<attachment>"), TextContent(text=LONG), TextContent(text="</attachment>")]
    details = {"name": "df", "kind": "variable"}
    attachment = CustomMessage(
        custom_type=CUSTOM_TYPE, content=content, display=False, details=details, timestamp=0
    )
    assert is_attached_before(attachment, messages) is is_known
    assert not is_attached_before(attachment, messages[:1])


async def test_the_value_of_a_key_in_a_file_is_masked(session, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_SECRET", "a very secret thing")
    (tmp_path / "config.ini").write_text("secret = a very secret thing\n")
    (attached,), _ = await sent(session, "@config.ini")
    assert "a very secret thing" not in text_of(attached)


@settings(
    max_examples=80,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("@{}$\\%`\"'[]. \n")), min_size=1))
async def test_a_prompt_is_sent_as_it_was_typed(session, prompt):
    for text in (prompt, f"@notes.md{prompt}", f"{prompt} @notes.md"):
        _, message = await sent(session, text)
        assert isinstance(message, UserMessage)
        assert message.content == text
