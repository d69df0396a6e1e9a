"""A repeated look at something unchanged says so instead of giving it again."""

import pytest

from pi_notebook.agent.messages import ImageContent, TextContent, ToolCall
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.repeats import find_repeated, repeated_text
from pi_notebook.context.result_notes import with_note, without_notes
from pi_notebook.context.shortening import shortened_result
from tests.context.conversations import asks, items_of, result, turn

TEXT = "line of the file\n" * 300
PATH = {"path": "a.txt"}


def read(text=TEXT, call_id="c1", **fields):
    return turn(call_id, text, tool="read", **({"arguments": PATH} | fields))


def again(items, text=TEXT, arguments=PATH, tool="read", **fields):
    found = find_repeated(
        ToolCall(id="new", name=tool, arguments=arguments), ToolResult.of_text(text, **fields), items
    )
    return found.entry_id if found else None


def test_the_same_read_is_found_where_it_stands_whole():
    assert again(items_of(asks("go"), read())) == "e2"
    assert (
        again(items_of(asks("go"), turn("c", TEXT, tool="preview_data", arguments=PATH)), tool="preview_data")
        == "e2"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"text": TEXT + "one more"},
        {"arguments": {"path": "b.txt"}},
        {"arguments": {"path": "a.txt", "offset": 2}},
        {"is_error": True},
        {"tool": "preview_data"},
    ],
    ids=["changed", "another file", "another part", "an error", "another tool"],
)
def test_anything_else_is_given_whole(changes):
    assert again(items_of(asks("go"), read()), **changes) is None


def test_code_is_run_again_whatever_it_gave():
    items = items_of(asks("go"), turn("c", TEXT, tool="run_code", arguments={"code": "x"}))
    assert again(items, arguments={"code": "x"}, tool="run_code") is None


def test_a_short_result_is_given_again():
    assert again(items_of(asks("go"), read("short")), text="short") is None


def test_a_result_that_was_shortened_or_summarised_is_read_again():
    ask, reply, whole = asks("go"), *read()
    short = shortened_result(whole, entry_id="e2", head_chars=100, tail_chars=100)
    assert again(items_of(ask, reply, short)) is None
    assert again(items_of(ask)) is None


def test_only_the_newest_look_counts():
    items = items_of(asks("go"), read(), read("other " * 900, "c2"))
    assert again(items) is None


def test_a_stub_points_on_to_the_whole():
    stub = read("[Unchanged]", "c2", details={"sameAs": "e2"})
    assert again(items_of(asks("go"), read(), stub)) == "e2"


def test_what_the_program_added_to_a_result_makes_no_difference():
    noted = with_note(with_note(ToolResult.of_text(TEXT), "[result r12345]"), "[The context is filling]")
    message = result("c1", "", tool="read", content=list(noted.content), details=noted.details)
    assert message.text.endswith("[result r12345]\n[The context is filling]")
    assert without_notes(message).text == TEXT
    assert again(items_of(asks("go"), read()[0], message)) == "e2"


def test_a_note_after_a_picture_is_taken_off_too():
    picture = [ImageContent(data="", mime_type="image/png")]
    noted = with_note(ToolResult(content=picture), "[note]")
    assert noted.content == [*picture, TextContent(text="[note]")]
    message = result("c1", "", content=list(noted.content), details=noted.details)
    assert without_notes(message).content == picture


def test_the_stub_names_the_tool_and_what_it_looked_at():
    assert repeated_text(ToolCall(id="c", name="read", arguments=PATH)) == (
        "[Unchanged: the same read of a.txt above gave this, word for word.]"
    )
