"""Which old results are shortened, when, and which never."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.messages import ImageContent, TextContent
from pi_notebook.context.pruning import PruningRules, prunings
from tests.context.conversations import asks, ids, items_of, replies, turn

LONG = "word " * 2_000


def rules(**changes):
    usual = {
        "at_tokens": 6_000,
        "to_tokens": 4_000,
        "least_tokens": 500,
        "keep_turns": 3,
        "over_chars": 4_000,
        "head_chars": 1_500,
        "tail_chars": 1_500,
    }
    return PruningRules(**(usual | changes))


def pruned(items, **changes):
    tokens = changes.pop("tokens", sum(item.tokens for item in items))
    return prunings(items, tokens=tokens, rules=rules(**changes))


def talk(*turns, recent=3):
    """A prompt, `turns`, and as many short turns as stay whole."""
    return items_of(asks("go"), *turns, *(turn(f"recent{n}", LONG) for n in range(recent)))


def test_nothing_is_shortened_before_the_context_is_well_filled():
    items = talk(turn("a", LONG), turn("b", LONG))
    assert pruned(items, tokens=6_000) == []
    assert pruned(items, tokens=6_001) != []


def test_the_oldest_go_first_and_only_as_many_as_make_room():
    items = talk(*(turn(f"c{n}", LONG) for n in range(6)))
    batch = pruned(items, tokens=6_100)
    assert ids(batch) == ["e2", "e4"]
    assert sum(pruning.freed_tokens for pruning in batch) >= 2_100
    assert sum(pruning.freed_tokens for pruning in batch[:-1]) < 2_100


def test_results_of_the_last_replies_stay_whole():
    assert pruned(talk(), tokens=99_999) == []
    assert ids(pruned(talk(turn("a", LONG)), tokens=99_999)) == ["e2"]
    assert ids(pruned(talk(turn("a", LONG)), tokens=99_999, keep_turns=1)) == ["e2", "e4", "e6"]


def test_a_reply_without_a_call_counts_as_one_of_the_last():
    items = items_of(
        asks("go"), turn("a", LONG), replies("one"), asks("on"), replies("two"), replies("three")
    )
    assert ids(pruned(items, tokens=99_999)) == ["e2"]


def test_a_batch_that_frees_little_is_not_worth_it():
    items = talk(turn("a", LONG))
    assert pruned(items, tokens=7_000, least_tokens=5_000) == []
    assert pruned(items, tokens=7_000, least_tokens=1_000) != []


@pytest.mark.parametrize(
    "spared",
    [
        turn("x", LONG, is_error=True),
        turn("x", LONG, tool="read", arguments={"path": "/home/ann/.pi/skills/plotting/SKILL.md"}),
        turn("x", LONG, tool="read", arguments={"path": "AGENTS.md"}),
        turn("x", LONG, tool="read", arguments={"path": "sub/claude.md"}),
        turn("x", LONG, details={"pinned": True}),
        turn("x", "word " * 700),
    ],
    ids=["the last error", "a skill", "instructions", "CLAUDE.md", "a pinned one", "a short one"],
)
def test_some_are_never_shortened(spared):
    items = talk(turn("a", LONG), spared, turn("b", LONG))
    assert ids(pruned(items, tokens=99_999)) == ["e2", "e6"]


def test_an_error_that_is_not_the_last_is_shortened():
    items = talk(turn("a", LONG, is_error=True), turn("b", "failed", is_error=True))
    assert ids(pruned(items, tokens=99_999)) == ["e2"]


def test_what_a_recent_stub_says_still_holds_stays_whole():
    read = turn("a", LONG, tool="read", arguments={"path": "a.txt"})
    again = turn("b", "[Unchanged]", tool="read", arguments={"path": "a.txt"}, details={"sameAs": "e2"})
    assert pruned(items_of(asks("go"), read, again), tokens=99_999, keep_turns=1) == []
    later = items_of(asks("go"), read, again, turn("c", "ok"))
    assert ids(pruned(later, tokens=99_999, keep_turns=1)) == ["e2"]


def test_a_picture_is_long():
    plot = [TextContent(text="plotted"), ImageContent(data="", mime_type="image/png")]
    items = talk(turn("a", "", content=plot))
    (pruning,) = pruned(items, tokens=99_999)
    assert pruning.message.text == "plotted\n[a picture left out to save room]"


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 9_000), st.booleans()), max_size=12),
    st.integers(0, 20_000),
    st.integers(0, 4),
)
def test_a_second_batch_needs_new_results(sizes, tokens, keep_turns):
    """What was shortened is not shortened again, so that the prefix stays until there is more to gain."""
    items = items_of(
        asks("go"), *(turn(f"c{n}", "word " * (s // 5), is_error=e) for n, (s, e) in enumerate(sizes))
    )
    batch = {one.entry_id: one for one in pruned(items, tokens=tokens, keep_turns=keep_turns)}
    after = items_of(*(batch[i.entry_id].message if i.entry_id in batch else i.message for i in items))
    again = pruned(after, tokens=tokens, keep_turns=keep_turns)
    assert not set(ids(again)) & set(batch)
    assert all(one.freed_tokens > 0 for one in batch.values())
    assert [m.message.tool_call_id for m in items if m.entry_id in batch] == [
        one.message.tool_call_id for one in batch.values()
    ]
