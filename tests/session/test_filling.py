"""When it is told that the context fills, and what number stands there."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.messages import ToolCall
from pi_notebook.agent.tools import ToolResult
from pi_notebook.session.filling import Filling, PendingResults
from tests.context.conversations import replies

AT, TRIGGER = 75_000, 100_000


def look(filling, tokens):
    return filling.look(tokens, at_tokens=AT, trigger=TRIGGER, tells_model=True)


def left(text):
    return int(re.search(r"about ([0-9,]+) tokens", text)[1].replace(",", ""))


@settings(derandomize=True, deadline=None)
@given(st.lists(st.integers(61_000, 99_000), min_size=1, max_size=30))
def test_estimates_that_go_up_and_down_are_told_once(sizes):
    filling = Filling()
    told = [text for size in sizes if (text := look(filling, size))]
    assert len(told) == any(size > AT for size in sizes)


def test_when_room_was_made_it_is_told_again():
    filling = Filling()
    assert left(look(filling, 80_000)) == 20_000
    filling.forget()
    assert left(look(filling, 76_000)) == 24_000
    assert not look(filling, 59_000)
    assert left(look(filling, 90_000)) == 10_000


def test_where_shortening_makes_little_room_it_is_told_once_and_the_model_still_hears_of_it():
    filling = Filling()
    assert look(filling, 80_000)
    filling.drop_note()
    assert not look(filling, 70_000)
    assert filling.take_note() == ""
    assert not look(filling, 78_000)
    assert left(filling.take_note()) == 22_000
    filling.drop_note()
    assert not look(filling, 79_000)
    assert filling.take_note() == ""


def test_the_model_reads_what_is_left_when_it_reads_it():
    filling = Filling()
    look(filling, 76_000)
    look(filling, 91_000)
    assert left(filling.take_note()) == 9_000
    assert filling.take_note() == ""


def test_what_is_summarised_at_once_is_not_told_to_the_model():
    filling = Filling()
    look(filling, 80_000)
    look(filling, 100_001)
    assert filling.take_note() == ""


def test_results_are_counted_together_until_the_next_reply():
    calls = [ToolCall(id=name, name="read", arguments={}) for name in "abc"]
    result, pending = ToolResult.of_text("word " * 1_000), PendingResults()
    messages = [replies("", *calls)]
    assert [pending.add(call, result, messages) for call in calls] == [False, False, True]
    assert pending.tokens > 3_000
    other = ToolCall(id="d", name="read", arguments={})
    assert pending.add(other, result, [replies("", other)])
    assert pending.tokens < 1_100


def test_the_last_to_end_is_the_last_when_they_end_in_another_order():
    calls = [ToolCall(id=name, name="read", arguments={}) for name in "abc"]
    result, pending = ToolResult.of_text("x"), PendingResults()
    messages = [replies("", *calls)]
    assert [pending.add(call, result, messages) for call in (calls[1], calls[0], calls[2])][2]
    pending = PendingResults()
    assert pending.add(calls[2], result, messages)
    assert not pending.add(calls[1], result, messages)
    assert pending.add(calls[0], result, messages)
