"""A result that is shortened in place: what stays, and how the rest is had again."""

import re

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.messages import ImageContent, TextContent
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.result_notes import label, result_name, with_note, without_notes
from pi_notebook.context.shortening import dropped_result, result_chars, shortened_result
from tests.context.conversations import result

TEXT = "".join(chr(ord("a") + number % 26) for number in range(10_000))


def shortened(message, head=1_500, tail=1_500, **fields):
    return shortened_result(message, entry_id="e1", head_chars=head, tail_chars=tail, **fields)


def missing(text):
    (count,) = re.findall(r"\[\.\.\. ([0-9,]+) characters left out", text)
    return int(count.replace(",", ""))


def test_both_ends_stay_with_the_way_to_the_rest_between_them():
    short = shortened(result("c", TEXT)).text
    assert short.startswith(TEXT[:1_500])
    assert short.endswith(TEXT[-1_500:])
    assert 'search_history("[e1]") shows them' in short
    assert missing(short) == 7_000


def test_of_a_table_the_columns_stay_rather_than_rows():
    columns = "column,dtype,nulls,unique,min,median,max\n" + "\n".join(
        f"c{n},int64,0,9,1,5,9" for n in range(110)
    )
    head = f"df = DataFrame (pandas): 900 rows x 110 columns\n{columns}"
    table = f"{head}\nrows (first 5, last 3):\n" + "1,2,3,4,5,6,7,8\n" * 400
    short = shortened(result("c", table))
    assert short.text.startswith(f"{head}\n[... ")
    assert result_chars(short) <= 3_200
    assert shortened(short) is short
    assert shortened(short, 300, 300).text.startswith(head[:500])


def test_one_that_is_short_enough_stays_as_it_is():
    message = result("c", TEXT[:3_010])
    assert shortened(message) is message


def test_a_picture_is_left_out_in_words():
    message = result(
        "c", "a plot", content=[TextContent(text="a plot"), ImageContent(data="", mime_type="image/png")]
    )
    assert shortened(message).text == "a plot\n[a picture left out to save room]"


def test_a_note_stands_at_the_end():
    assert shortened(result("c", TEXT), note="prices are in cents").text.endswith("\n[prices are in cents]")


@settings(derandomize=True, deadline=None)
@given(st.integers(0, 9_000), st.lists(st.tuples(st.integers(1, 2_000), st.integers(1, 2_000)), max_size=4))
def test_shortened_again_and_again_one_note_tells_all_that_is_missing(length, ends):
    message = result("c", TEXT[:length])
    for head, tail in ends:
        message = shortened(message, head, tail)
        shown = re.sub(r"\n\[\.\.\. .*? \.\.\.\]\n", "", message.text)
        assert len(shown) + (missing(message.text) if shown != message.text else 0) == length
        assert result_chars(message) <= max(length, head + tail + 200)


def test_a_dropped_result_still_answers_its_call():
    dropped = dropped_result(result("c", TEXT, is_error=True), entry_id="e1", note="no duplicates")
    assert dropped.text == '[left out to save room (no duplicates): search_history("[e1]") shows it]'
    assert (dropped.tool_call_id, dropped.is_error) == ("c", True)


def noted(message, *notes):
    given = ToolResult(content=list(message.content))
    for note in notes:
        given = with_note(given, note)
    return msgspec.structs.replace(message, content=list(given.content), details=given.details)


def test_of_what_the_program_added_the_name_stays_last_and_a_warning_goes():
    name = label(result_name("c"))
    message = noted(result("c", TEXT), name, "[The context is filling: about 3 tokens.]")
    short = shortened(message, note="in cents")
    assert short.text.endswith(f"{TEXT[-1_500:]}\n[in cents]\n{name}")
    assert missing(short.text) == 7_000
    assert without_notes(short).text.endswith("\n[in cents]")
    assert without_notes(shortened(short, 500, 500)).text.endswith(TEXT[-100:] + "\n[in cents]")


def test_a_dropped_result_has_no_note_left_to_take_off():
    dropped = dropped_result(noted(result("c", TEXT), label(result_name("c"))), entry_id="e1")
    assert without_notes(dropped).text == dropped.text
