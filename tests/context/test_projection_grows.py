"""A projection that follows its branch says what one made anew says, and what the reference says."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import CompactionEntry, ContextEditEntry, CustomMessageEntry, MessageEntry
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    Cost,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    user_message,
)
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.context.composition import composition_of
from pi_notebook.context.projection import Projection, repair_pairs
from pi_notebook.context.tokens import message_tokens
from tests.context.composed import compose

CALL_IDS = st.sampled_from("abc")
TEXTS = st.sampled_from(["", " ", "some words", "x" * 50])


def usage(total):
    return Usage(input=total, output=0, cache_read=0, cache_write=0, total_tokens=total, cost=Cost())


def reply(content, stop_reason="toolUse", total=0):
    return AssistantMessage(
        content=content,
        api="",
        provider="p",
        model="m",
        usage=usage(total) if total else NO_USAGE,
        stop_reason=stop_reason,
        timestamp=0,
    )


def result(call_id, text):
    content = [TextContent(text=text), ImageContent(data="aGk=", mime_type="image/png")]
    return ToolResultMessage(
        tool_call_id=call_id, tool_name="read", content=content, is_error=False, timestamp=0
    )


calls = st.builds(ToolCall, id=CALL_IDS, name=st.just("read"), arguments=st.just({}))
replies = st.builds(
    reply,
    st.lists(st.one_of(st.builds(TextContent, text=TEXTS), calls), max_size=3),
    st.sampled_from(["stop", "toolUse", "error", "aborted"]),
    st.sampled_from([0, 500]),
)
messages = st.one_of(st.builds(user_message, TEXTS), replies, st.builds(result, CALL_IDS, TEXTS))
steps = st.one_of(
    st.tuples(st.just("message"), messages),
    st.tuples(st.just("custom"), TEXTS),
    st.tuples(st.just("edit"), st.tuples(st.integers(0, 30), st.none() | TEXTS)),
    st.tuples(st.just("compact"), st.integers(0, 30)),
    st.tuples(st.just("look"), st.none()),
)


def entry_of(number, kind, what):
    fields = {"id": f"e{number}", "parent_id": None, "timestamp": ""}
    target = f"e{number and what % number}" if kind == "compact" else None
    if kind == "message":
        return MessageEntry(message=what, **fields)
    if kind == "custom":
        return CustomMessageEntry(custom_type="pi_notebook/x", content=what, display=False, **fields)
    if kind == "edit":
        place, text = what
        replacement = None if text is None else {"content": text}
        return ContextEditEntry(target_id=f"e{place % max(1, number)}", replacement=replacement, **fields)
    return CompactionEntry(summary="s", first_kept_entry_id=target, tokens_before=1, **fields)


@settings(max_examples=600, derandomize=True, deadline=None, database=None)
@given(st.lists(steps, max_size=30))
def test_following_a_branch_gives_what_reading_it_anew_gives(found):
    growing, entries = Projection(), []
    for number, (kind, what) in enumerate(found):
        if kind == "look":  # what was made so far must not show in what comes later
            assert growing.paired == tuple(repair_pairs(growing.messages))
            assert growing.tokens == sum(map(message_tokens, growing.paired))
            continue
        entries.append(entry_of(number, kind, what))
        growing.add(entries[-1])
    anew = Projection(entries)
    assert growing.messages == anew.messages == [item.message for item in growing.items]
    assert growing.paired == anew.paired == tuple(repair_pairs(anew.messages))
    assert [item.message for item in growing.paired_items] == list(growing.paired)
    assert growing.last_counted() is None or growing.last_counted()[0] == anew.last_counted()[0]
    request = ModelRequest(system_prompt="", tools=(), messages=growing.paired)
    assert composition_of(growing.shares).by_category() == compose(request).by_category()
    assert growing.tokens == sum(map(message_tokens, growing.paired))
    assert [item.tokens for item in growing.paired_items] == list(map(message_tokens, growing.paired))


def told(*messages):
    return [
        MessageEntry(id=f"e{number}", parent_id=None, timestamp="", message=message)
        for number, message in enumerate(messages)
    ]


def edit(target_id, text):
    replacement = None if text is None else {"content": text}
    return ContextEditEntry(
        id="z", parent_id=None, timestamp="", target_id=target_id, replacement=replacement
    )


ANSWERED = [
    user_message("go"),
    reply([ToolCall(id="a", name="read", arguments={})], total=900),
    result("a", "long"),
]


def test_a_count_holds_until_what_it_is_of_changes():
    projection = Projection(told(*ANSWERED))
    counted, items = projection.last_counted()
    assert counted.usage.input == 900
    assert [type(item.message).__name__ for item in items] == ["AssistantMessage", "ToolResultMessage"]
    projection.add(edit("e2", "short"))
    assert projection.last_counted() is not None  # the result came after what was counted
    projection.add(edit("e0", "changed"))
    assert projection.last_counted() is None


def test_a_failed_attempt_that_is_hidden_leaves_the_count_as_it_is():
    failed = reply([], stop_reason="error")
    projection = Projection(told(*ANSWERED, failed))
    projection.add(edit("e3", None))
    assert projection.last_counted() is not None
    assert projection.messages == ANSWERED


def test_a_compaction_and_an_edit_of_an_earlier_count_leave_an_older_one_where_it_holds():
    projection = Projection(told(*ANSWERED, reply([TextContent(text="done")], "stop", total=1000)))
    assert projection.last_counted()[0].usage.input == 1000
    projection.add(edit("e2", "short"))
    assert projection.last_counted()[0].usage.input == 900
    projection.add(
        CompactionEntry(
            id="c", parent_id=None, timestamp="", summary="s", first_kept_entry_id="e1", tokens_before=1
        )
    )
    assert projection.last_counted() is None


def test_what_an_edit_replaced_is_not_held_any_more():
    projection = Projection(told(user_message("x" * 100_000)))
    projection.add(edit("e0", "short"))
    held = [said for said in projection._all if "xxx" in repr(said)]
    assert not held


def test_the_messages_that_are_sent_are_the_same_object_until_there_are_others():
    projection = Projection(told(*ANSWERED))
    before = projection.paired
    assert projection.paired is before
    projection.add(told(user_message("more"))[0])
    assert projection.paired is not before
