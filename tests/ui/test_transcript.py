"""From events to what a person sees, and how it is drawn."""

import asyncio
from html.parser import HTMLParser

import pytest

from pi_notebook.agent import Agent, ToolContext, tool
from pi_notebook.agent.events import ToolExecutionStart, ToolExecutionUpdate
from pi_notebook.agent.messages import TextContent, ToolCall, ToolResultMessage
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.result_notes import with_note
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.ui.displays import MAX_TEXT_CHARS, PlainDisplay, RichDisplay
from pi_notebook.ui.excerpt import excerpt
from pi_notebook.ui.given import given
from pi_notebook.ui.render import render
from pi_notebook.ui.transcript import CallSegment, NoticeSegment, TextSegment, Transcript


@tool(risk="execute")
async def run_code(context: ToolContext, code: str) -> str:
    """Run."""
    context.update("half way")
    await asyncio.sleep(0.15)
    return "42"


async def run(replies, listener):
    agent = Agent(ScriptedModel(replies), tools=(run_code,))
    agent.subscribe(listener)
    await agent.prompt("go")


def call(code: str) -> list[ToolCall]:
    return [ToolCall(id="", name="run_code", arguments={"code": code})]


def ended(code: str, output: str, *, is_error: bool = False, details=None) -> CallSegment:
    result = ToolResultMessage(
        tool_call_id="c",
        tool_name="run_code",
        content=[TextContent(text=output)],
        is_error=is_error,
        timestamp=0,
        duration_ms=1200,
        details=details,
    )
    return CallSegment(ToolCall(id="c", name="run_code", arguments={"code": code}), result=result)


async def test_a_run_becomes_segments_in_order_and_its_answer_is_what_follows_the_last_call():
    transcript = Transcript()
    await run([["I look.", *call("1")], "It is **42**."], transcript.add)
    kinds = [type(segment) for segment in transcript.segments]
    assert kinds == [TextSegment, CallSegment, TextSegment]
    assert transcript.answer == "It is **42**."
    assert all(segment.is_whole for segment in transcript.segments if isinstance(segment, TextSegment))


def test_a_call_that_was_changed_is_shown_as_it_runs():
    transcript = Transcript()
    transcript.add(ToolExecutionStart(call("1")[0]))
    segment = transcript.add(ToolExecutionUpdate(call("2")[0], ""))
    assert isinstance(segment, CallSegment)
    assert (segment.call.arguments, segment.result) == ({"code": "2"}, None)


class Publisher:
    """A display publisher that keeps what it is given."""

    def __init__(self):
        self.published = []

    def publish(self, data, metadata, *, transient, update):
        self.published.append((transient["display_id"], update, data))


class Shell:
    def __init__(self):
        self.display_pub = Publisher()


async def test_the_answer_streams_into_one_display_that_grows():
    shell = Shell()
    display = RichDisplay(shell, stream=True)
    await run([" ".join(["word"] * 200)], display.on_event)
    shown = shell.display_pub.published
    assert len({display_id for display_id, _, _ in shown}) == 1
    assert [update for _, update, _ in shown][0] is False
    assert all(update for _, update, _ in shown[1:])
    assert shown[-1][2]["text/markdown"].count("word") == 200


async def test_without_a_stream_each_part_is_drawn_once_when_it_is_whole():
    shell = Shell()
    await run([" ".join(["word"] * 200)], RichDisplay(shell, stream=False).on_event)
    assert len(shell.display_pub.published) == 1


async def test_a_tool_call_shows_its_code_at_once_then_its_output():
    shell = Shell()
    await run([call("x = 6 * 7"), "done"], RichDisplay(shell, stream=True).on_event)
    calls = [data for _, _, data in shell.display_pub.published if "text/html" in data]
    assert "x = 6 * 7" in calls[0]["text/plain"]
    assert "running" in calls[0]["text/plain"]
    assert any("half way" in data["text/plain"] for data in calls)
    assert calls[-1]["text/plain"].endswith("42")


async def test_what_a_run_leaves_in_the_notebook_is_bounded():
    shell = Shell()
    display = RichDisplay(shell, stream=True)
    for number in range(200):
        segment = ended(f"print({number})", "x" * 3_900)
        display.transcript.segments.append(segment)
        display._changed[id(segment)] = segment
        display.finish()
    total = sum(len(text) for _, _, data in shell.display_pub.published for text in data.values())
    assert total < MAX_TEXT_CHARS + 30_000
    assert "run_code" in shell.display_pub.published[-1][2]["text/plain"]


class BrokenPublisher(Publisher):
    """One whose next `failures` calls fail."""

    def __init__(self, failures):
        super().__init__()
        self.failures = failures

    def publish(self, data, metadata, *, transient, update):
        self.failures -= 1
        if self.failures >= 0:
            raise TypeError("'NoneType' object is not callable")
        super().publish(data, metadata, transient=transient, update=update)


async def test_what_could_not_be_drawn_is_drawn_with_what_comes_next_and_nothing_is_told(caplog, capsys):
    shell = Shell()
    shell.display_pub = BrokenPublisher(failures=2)
    display = RichDisplay(shell, stream=True)
    await run([["I look.", *call("1")], "The end."], display.on_event)
    display.finish()
    shown = shell.display_pub.published
    first = {}
    for display_id, update, _ in shown:
        first.setdefault(display_id, update)
    assert list(first.values()) == [False, False, False]
    last = list({display_id: data for display_id, _, data in shown}.values())
    assert [data["text/plain"][:7] for data in last] == ["I look.", "run_cod", "The end"]
    assert [record.message for record in caplog.records] == ["a run could not be drawn"]
    assert capsys.readouterr() == ("", "")


async def test_a_run_goes_on_when_nothing_can_be_drawn_which_is_told_once(caplog, capsys):
    shell = Shell()
    shell.display_pub = BrokenPublisher(failures=10_000)
    display = RichDisplay(shell, stream=True)
    await run([["I look.", *call("1")], "The end."], display.on_event)
    for _ in range(3):
        display.finish()
    assert display.transcript.answer == "The end."
    assert len(caplog.records) == 1
    out, told = capsys.readouterr()
    assert (out, told) == (
        "",
        "Part of this run could not be shown here (TypeError). It went on, and the session has all of it.\n",
    )


async def test_a_terminal_whose_stream_is_closed_ends_no_run(tmp_path, caplog, capsys):
    out = (tmp_path / "out").open("w")
    out.close()
    display = PlainDisplay(out, stream=True)
    await run([["I look.", *call("1")], "The end."], display.on_event)
    for _ in range(3):
        display.finish()
    assert display.transcript.answer == "The end."
    assert len(caplog.records) == 1
    assert "(ValueError)" in capsys.readouterr().err


async def test_a_terminal_gets_each_piece_once_and_nothing_that_drives_it(tmp_path):
    with (tmp_path / "out").open("w+") as out:
        await run(
            [["Look \x1b[2J \x9b2J \x07 now", *call("1")], "The end."],
            PlainDisplay(out, stream=True).on_event,
        )
        out.seek(0)
        text = out.read()
    assert text.count("Look") == 1
    assert text.count("The end.") == 1
    assert "Look \u241b[2J \ufffd2J \u2407 now" in text
    assert "[run_code]" in text
    assert "42" in text


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = set()
        self.attributes = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize(
    "text", ["<img src=x onerror=alert(1)>", "</pre><script>alert(1)</script>", '" onload="x']
)
def test_nothing_that_code_output_or_names_hold_becomes_markup(text):
    segments = [
        ended(text, text),
        ended("1", text, is_error=True, details={"spill": {"path": text}}),
        CallSegment(ToolCall(id="c", name=text, arguments={text: text, "command": text}), glance=text),
        NoticeSegment(text, is_warning=True),
    ]
    for segment in segments:
        parser = Tags()
        parser.feed(render(segment)["text/html"])
        assert parser.tags <= {"div", "details", "summary", "pre", "span"}
        assert parser.attributes <= {"class", "style", "open"}
        assert text.split()[0] in render(segment)["text/plain"]


@pytest.mark.parametrize(
    ("text", "shown", "hidden"),
    [
        ("", "", 0),
        ("a\nb\n", "a\nb", 0),
        ("\n".join(map(str, range(30))), "\n".join(map(str, range(10, 30))), 10),
    ],
)
def test_a_person_sees_the_last_twenty_lines(text, shown, hidden):
    assert excerpt(text) == (shown, hidden)


@pytest.mark.parametrize("text", ["x" * 50_000, "short\n" + "y" * 5_000, "\n".join(["z" * 900] * 30)])
def test_a_person_sees_at_most_four_kilobytes(text):
    shown, _ = excerpt(text)
    assert len(shown.encode()) <= 4_096
    assert text.endswith(shown[-100:])


def test_what_is_not_shown_is_counted_and_named():
    segment = ended("1", "\n".join(map(str, range(100))), details={"spill": {"path": "/tmp/full.log"}})
    assert "80 lines above; all of it: /tmp/full.log" in render(segment)["text/plain"]


def test_a_person_is_not_shown_the_models_notice_nor_a_value_that_stands_below():
    details = {"notice": "[Showing the end.]", "shownValue": [0, 7]}
    segment = ended("1", "a table\nprinted\n[Showing the end.]", details=details)
    assert render(segment)["text/plain"].endswith("printed")


def test_an_edit_is_shown_as_a_difference():
    edits = [{"old_text": "a = 1\nb = 2", "new_text": "a = 3"}]
    segment = CallSegment(ToolCall(id="c", name="edit", arguments={"path": "x.py", "edits": edits}))
    shown = render(segment)["text/plain"]
    for line in ("path: x.py", "- a = 1", "- b = 2", "+ a = 3"):
        assert line in shown


def test_what_may_still_be_asked_about_is_shown_whole_and_shortened_when_it_is_over():
    call = ToolCall(id="c", name="write", arguments={"path": "x", "content": "line\n" * 5_000})
    assert render(CallSegment(call))["text/plain"].count("line") == 5_000
    over = CallSegment(call, result=ended("1", "Created x").result)
    assert len(render(over)["text/plain"]) < 3_000


def test_what_hides_or_turns_text_is_shown_as_escapes():
    segment = CallSegment(
        ToolCall(id="c", name="bash", arguments={"command": "rm \u202eexe.txt\x1b[8m\u200b"})
    )
    shown = render(segment)["text/html"]
    assert not {"\u202e", "\x1b", "\u200b"} & set(shown)


def test_edits_are_told_apart_and_a_text_stands_below_its_name():
    edits = [{"old_text": "a", "new_text": "b"}, {"old_text": "c\n", "new_text": ""}]
    call = ToolCall(id="c", name="edit", arguments={"path": "x.py", "edits": edits})
    assert given(call, whole=True).splitlines() == [
        "path: x.py", "@@ 1/2 @@", "- a", "+ b", "@@ 2/2 @@", "- c",
    ]  # fmt: skip
    for content, shown in (("1\n2\n", "content:\n1\n2"), ("1\n", "content: 1"), ("", "content:")):
        call = ToolCall(id="c", name="write", arguments={"path": "x", "content": content})
        assert given(call, whole=True) == f"path: x\n{shown}"


@pytest.mark.parametrize(
    "text",
    [
        "![chart](https://example.org/a.png?secret)",
        "![chart][far]\n\n[far]: https://example.org/a.png",
        '<img src="https://example.org/a.png">',
        "<svg><image href='https://example.org/a.png'/></svg>",
        "[run](javascript:alert(1))",
    ],
)
def test_an_answer_in_a_cell_fetches_nothing_and_runs_nothing(text):
    shown = render(TextSegment([text], is_whole=True))
    for live in ("![", "<img", "<svg", "](javascript:", "\n[far]:"):
        assert live not in shown["text/markdown"]
    assert shown["text/plain"] == text


def test_an_answer_keeps_its_tables_its_code_and_its_formulas():
    text = "| a | b |\n|---|---|\n| 1 < 2 | $x<y$ |\n\n```python\nif a < b:\n    print('<b>')\n```"
    assert render(TextSegment([text], is_whole=True))["text/markdown"] == text.replace("$x<y$", "$x< y$")


def test_what_is_noted_for_the_model_is_not_shown_to_the_person():
    noted = with_note(ToolResult.of_text("42"), "[result r12345]")
    segment = ended("6 * 7", noted.content[0].text, details=noted.details)
    assert "42" in render(segment)["text/plain"]
    assert "r12345" not in str(render(segment))
