"""What a panel is told of a conversation: while it goes on, in a snapshot, and when it is opened again."""

import asyncio
import base64
import io
import json
import threading

import msgspec
from PIL import Image

from pi_notebook.agent.events import ModelDone
from pi_notebook.agent.messages import (
    AssistantMessage,
    Cost,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    Usage,
    UserMessage,
)
from pi_notebook.errors import ModelUnavailableError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.background import background
from tests.ui.panel import Panel


def picture(width: int, height: int, *, noise: bool = False) -> str:
    """A PNG in base64; one of noise does not become small."""
    image = Image.effect_noise((width, height), 100) if noise else Image.new("RGB", (width, height), "red")
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


def reply(*content, stop_reason="stop") -> AssistantMessage:
    """A reply that is made of these blocks."""
    made = ScriptedModel()._message("")
    return msgspec.structs.replace(made, content=list(content), stop_reason=stop_reason)


def kinds(panel) -> list[tuple]:
    """What a person sees of each segment."""
    return [
        (one["type"], one.get("text", one.get("summary", one.get("output"))), one.get("interrupted", ""))
        for one in panel.segments
    ]


def ask(panel, runtime, text="Go.", **more):
    panel.send("prompt", text=text, **more)
    panel.wait_idle(runs=sum(event["type"] == "run_ended" for event in panel.events) + 1)


def test_thinking_grows_as_an_answer_does_and_is_whole_before_it(panel, panels, runtime, script):
    script(reply(ThinkingContent(thinking="Let me see. "), TextContent(text="It is so.")), piece_chars=1)
    ask(panel, runtime)
    assert kinds(panel) == [
        ("prompt", "Go.", ""),
        ("thinking", "Let me see. ", ""),
        ("text", "It is so.", ""),
    ]
    assert all(segment["is_whole"] for segment in panel.segments[1:])
    grown = [event["segment_id"] for event in panel.events if event["type"] == "text_delta"]
    thinking, text = panel.segments[1:]
    assert set(grown) <= {thinking["id"], text["id"]}
    panel.close()
    assert kinds(Panel(panels)) == kinds(panel)


def test_text_and_thinking_that_take_turns_stay_apart_and_blank_ones_are_left_out(
    panel, panels, runtime, script
):
    script(
        reply(
            TextContent(text="\n\n"),
            ThinkingContent(thinking="a"),
            TextContent(text="b"),
            ThinkingContent(thinking="c"),
            TextContent(text="d"),
            TextContent(text="e"),
        ),
        piece_chars=1,
    )
    ask(panel, runtime)
    shown = [("prompt", "Go."), ("thinking", "a"), ("text", "b"), ("thinking", "c"), ("text", "de")]
    assert [one[:2] for one in kinds(panel)] == shown
    panel.close()
    assert kinds(Panel(panels)) == kinds(panel)


class Fragile(ScriptedModel):
    """Says half an answer and fails, so many times; then answers."""

    def __init__(self, times: int) -> None:
        super().__init__(["The whole answer."])
        self.times = times

    async def stream(self, request):
        if self.times:
            self.times -= 1
            for event in self._pieces(self._message("Half an")):
                yield event
            raise ModelUnavailableError("The provider is overloaded.", model="m", retry_after_seconds=0)
        async for event in super().stream(request):
            yield event


def test_an_attempt_that_failed_and_was_tried_again_is_shown_as_that(panel, panels, runtime, monkeypatch):
    runtime.session.set_value("retry.base_delay_seconds", "0.01")
    runtime.session.agent.model = Fragile(1)
    ask(panel, runtime)
    shown = [one for one in kinds(panel) if one[0] == "text"]
    assert shown == [("text", "Half an", "retried"), ("text", "The whole answer.", "")]
    panel.close()
    assert [one for one in kinds(Panel(panels)) if one[0] == "text"] == shown


def test_an_attempt_that_nothing_followed_failed(panel, panels, runtime):
    runtime.session.set_value("retry.enabled", "false")
    runtime.session.agent.model = Fragile(1)
    ask(panel, runtime)
    assert kinds(panel)[1:] == [
        ("text", "Half an", "failed"),
        ("notice", "The provider is overloaded.", ""),
    ]
    assert panel.status["can_continue"]
    panel.close()
    assert kinds(Panel(panels)) == kinds(panel)


def test_an_answer_that_was_stopped_is_shown_as_that_and_can_be_continued(panel, panels, runtime, script):
    class Slow(ScriptedModel):
        async def stream(self, request):
            for event in self._pieces(self._message("It begins")):
                yield event
            await asyncio.Event().wait()

    runtime.session.agent.model = Slow()
    panel.send("prompt", text="Go.")
    panel.wait_until(lambda: [one[1] for one in kinds(panel)][1:] == ["It begins"])
    panel.send("stop")
    panel.wait_idle()
    assert kinds(panel)[1] == ("text", "It begins", "stopped")
    panel.wait_until(lambda: panel.status["can_continue"])
    script("And goes on.")
    panel.send("continue")
    panel.wait_idle(runs=2)
    assert kinds(panel)[2:] == [("text", "And goes on.", "")]
    assert not panel.status["can_continue"]
    panel.send("continue")
    assert "nothing to continue" in panel.wait("error")["text"]


def test_a_prompt_names_its_entry_and_a_template_is_shown_as_it_was_typed(
    panel, panels, runtime, script, home
):
    (home / "prompts").mkdir()
    (home / "prompts" / "profile.md").write_text("Profile the table $1 carefully.")
    background.run(runtime.renew())
    model = script("Done.")
    ask(panel, runtime, "/profile df")
    (prompt,) = [segment for segment in panel.segments if segment["type"] == "prompt"]
    assert prompt["text"] == "/profile df"
    assert runtime.session.store.get(prompt["entry_id"]).message.content == "Profile the table df carefully."
    assert said(model)[-1] == "Profile the table df carefully."
    assert panel.ask("fork_session", entry_id=prompt["entry_id"])["text"] == "/profile df"


def said(model) -> list:
    return [message.content for message in model.requests[-1].messages if isinstance(message, UserMessage)]


def test_cells_go_before_the_prompt_and_the_prompt_stays_as_it_was_typed(panel, runtime, script):
    model = script("I see.")
    cells = [
        {"cell_id": "a", "index": 0, "source": "df.head()", "output": "   x\n0  1"},
        {"cell_id": "b", "index": 4, "source": "# note", "output": ""},
    ]
    ask(panel, runtime, "What is wrong here?", cells=cells)
    *_, given, prompt = model.requests[0].messages
    assert prompt.content == "What is wrong here?"
    told = "Cell 1:\ndf.head()\nIts output:\n   x\n0  1\n\nCell 5:\n# note"
    assert given.content == f'<attachment cells="1, 5">\n{told}\n</attachment>'
    assert [one[:2] for one in kinds(panel)] == [("prompt", "What is wrong here?"), ("text", "I see.")]


def test_pictures_go_with_the_prompt_as_small_as_they_have_to_be(panel, runtime, script):
    model = script("A red square.", sees_images=True)
    images = [
        {"mime_type": "image/png", "data": picture(8, 8)},
        {"mime_type": "image/png", "data": picture(3_000, 300)},
        {"mime_type": "image/png", "data": base64.b64encode(b"<svg onload=alert(1)>").decode()},
        {"mime_type": "image/png", "data": "%%%"},
    ]
    ask(panel, runtime, "What is this?", images=images)
    text, small, large, svg, broken = said(model)[-1]
    assert text.text == "What is this?"
    assert small.data == images[0]["data"]
    assert Image.open(io.BytesIO(base64.b64decode(large.data))).size == (2_000, 200)
    assert (svg.text, broken.text) == (
        "[image 3 left out: it is no PNG, JPEG, GIF or WebP.]",
        "[image 4 left out: it is no PNG, JPEG, GIF or WebP.]",
    )
    panel.wait_until(lambda: panel.segments[0]["images"])
    assert panel.segments[0]["images"][0] == {"mime_type": "image/png", "data": images[0]["data"]}


def test_a_picture_alone_is_a_prompt_and_nothing_is_none(panel, runtime, script):
    model = script("Red.")
    ask(panel, runtime, " ", images=[{"mime_type": "image/png", "data": picture(8, 8)}])
    assert [type(block) for block in said(model)[-1]] == [ImageContent]
    panel.send("prompt", text=" ", cells=[{"cell_id": "a", "index": 0, "source": "x", "output": ""}])
    assert "There is no prompt" in panel.wait("error")["text"]


def test_a_snapshot_has_the_newest_pictures_and_stays_small(panels, runtime):
    noise = picture(600, 600, noise=True)
    assert len(noise) > 200_000
    for number in range(14):
        content = [
            TextContent(text=f"{number} " + "é\n" * 9_000),
            ImageContent(data=noise, mime_type="image/png"),
        ]
        model = ScriptedModel(["Seen. " + "x" * 80_000], context_window=10_000_000)
        background.run(runtime.session.prompt(content, model=model))
    panel = Panel(panels)
    panel.wait_until(lambda: panel.segments[-2]["images"])
    image = panel.segments[-2]["images"][0]
    assert image["mime_type"] == "image/jpeg"
    assert len(image["data"]) <= 200_000
    panel.send("snapshot")
    snapshot = panel.wait("snapshot")
    assert 500_000 < len(json.dumps(snapshot, ensure_ascii=False).encode()) < 2_000_000
    assert snapshot["is_shortened"]
    with_pictures = [bool(one["images"]) for one in snapshot["segments"] if one["type"] == "prompt"]
    assert with_pictures == sorted(with_pictures)
    earlier = panel.ask("earlier", segment_id=snapshot["segments"][0]["id"])
    assert len(json.dumps(earlier, ensure_ascii=False).encode()) < 2_000_000
    assert any(one.get("images") for one in earlier["segments"])


class Gated(ScriptedModel):
    """Answers each request once `gate` is open."""

    def __init__(self, *replies):
        super().__init__(replies)
        self.gate = threading.Event()

    async def stream(self, request):
        await asyncio.to_thread(self.gate.wait, 20)
        async for event in super().stream(request):
            yield event


def test_what_is_said_to_a_run_is_queued_taken_back_or_delivered(panel, runtime):
    runtime.session.agent.model = model = Gated("One.", "Two.", "Three.")
    panel.send("prompt", text="Go.")
    panel.wait_until(lambda: panel.status["is_running"] and kinds(panel))
    panel.send("prompt", text="By rows.", delivery="steer")
    panel.send("prompt", text="Then plot.", delivery="follow_up")
    panel.wait_until(lambda: len(panel.status["queued"]) == 2)
    queued = panel.status["queued"]
    assert queued == [
        {"delivery": "steer", "text": "By rows."},
        {"delivery": "follow_up", "text": "Then plot."},
    ]
    assert panel.ask("take_queued")["text"] == "By rows.\n\nThen plot."
    panel.wait_until(lambda: panel.status["queued"] == [])
    panel.send("prompt", text="By columns.", delivery="steer", cells=[CELL])
    panel.wait_until(lambda: panel.status["queued"])
    model.gate.set()
    panel.wait_idle()
    assert [one[1] for one in kinds(panel) if one[0] == "prompt"] == ["Go.", "By columns."]
    assert said(model) == ["Go.", "By columns."]
    assert '<attachment cells="3">' in str(model.requests[-1].messages[-2].content)
    assert panel.status["queued"] == []


CELL = {"cell_id": "c", "index": 2, "source": "df", "output": "table"}


def test_what_is_said_to_a_run_that_is_over_begins_another(panel, runtime, script):
    script("Fine.")
    ask(panel, runtime, "Go on.", delivery="steer")
    assert [one[1] for one in kinds(panel)] == ["Go on.", "Fine."]


def test_a_stop_keeps_what_was_said_for_the_person_to_take_back(panel, runtime):
    runtime.session.agent.model = model = Gated("never")
    panel.send("prompt", text="Go.")
    panel.wait_until(lambda: panel.status["is_running"] and kinds(panel))
    panel.send("prompt", text="Later.", delivery="follow_up")
    panel.wait_until(lambda: panel.status["queued"])
    panel.send("stop")
    panel.wait_idle()
    panel.wait_until(lambda: panel.status["queued"] and panel.status["can_continue"])
    assert panel.ask("take_queued")["text"] == "Later."
    model.gate.set()


def test_a_stop_ends_the_wait_before_another_attempt(panel, runtime):
    class Busy(ScriptedModel):
        async def stream(self, request):
            raise ModelUnavailableError("The provider is overloaded.", model="m", retry_after_seconds=30)
            yield

    runtime.session.agent.model = Busy()
    panel.send("prompt", text="Go.")
    panel.wait_until(lambda: any("Asking again in" in (one[1] or "") for one in kinds(panel)))
    panel.send("stop")
    panel.wait_idle()
    assert [event["reason"] for event in panel.events if event["type"] == "run_ended"] == ["aborted"]


def test_the_pictures_of_a_call_are_shown(panel, panels, runtime, script, tmp_path):
    (tmp_path / "plot.png").write_bytes(base64.b64decode(picture(20, 10)))
    script(ToolCall(id="r1", name="read", arguments={"path": "plot.png"}), "A plot.", sees_images=True)
    ask(panel, runtime)
    panel.wait_until(lambda: panel.segments[1]["images"])
    call = panel.segments[1]
    assert (call["call_id"], call["state"], call["images"][0]["mime_type"]) == ("r1", "done", "image/png")
    panel.close()
    again = Panel(panels)
    again.wait_until(lambda: again.segments[1]["images"] == call["images"])


def test_a_session_that_goes_on_from_elsewhere_is_shown_anew(panel, runtime, script):
    script("One.")
    ask(panel, runtime, "First.")
    script("Two.")
    ask(panel, runtime, "Second.")
    second = [segment for segment in panel.segments if segment["type"] == "prompt"][-1]
    runtime.session.move(runtime.session.store.get(second["entry_id"]).parent_id)
    script("Three.")
    ask(panel, runtime, "Third.")
    assert [one[1] for one in kinds(panel)] == ["First.", "One.", "Third.", "Three."]


def test_a_panel_that_is_opened_in_the_middle_of_an_answer_has_all_of_it_at_its_end(panels, runtime):
    half, begun = threading.Event(), threading.Event()

    class Halting(ScriptedModel):
        async def stream(self, request):
            pieces = [*self._pieces(self._message("The first half, and the second."))]
            for number, event in enumerate(pieces):
                if number == len(pieces) // 2:
                    begun.set()
                    await asyncio.to_thread(half.wait, 20)
                yield event
            async for event in ScriptedModel(["The first half, and the second."]).stream(request):
                if isinstance(event, ModelDone):
                    yield event

    run = background.submit(runtime.session.prompt("Go.", model=Halting()))
    assert begun.wait(10)
    late = Panel(panels)
    half.set()
    run.result(20)
    late.wait_until(lambda: kinds(late)[1:] == [("text", "The first half, and the second.", "")])


def test_the_cost_is_told_as_far_as_prices_are_known(panel, panels, runtime, script):
    price = Usage(
        input=10, output=2, cache_read=0, cache_write=0, total_tokens=12, cost=Cost(input=0.01, total=0.25)
    )
    for text in ("One.", "Two."):
        script("Fine.", usage=price)
        ask(panel, runtime, text)
    panel.wait_until(lambda: panel.status["cost_usd"] == 0.5)
    panel.close()
    again = Panel(panels)
    again.wait_until(lambda: again.status["cost_usd"] == 0.5)
    script("Fine.", usage=msgspec.structs.replace(price, cost=Cost()))
    ask(again, runtime, "Three.")
    again.wait_until(lambda: again.status["cost_usd"] is None)
