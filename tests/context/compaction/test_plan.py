"""Where a compaction cuts: what is kept can stand alone, and nothing falls between summary and kept part."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.messages import (
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    UserMessage,
)
from pi_notebook.context.compaction.kept import kept_tokens, shortened_results
from pi_notebook.context.compaction.plan import plan_compaction
from pi_notebook.context.projection import missing_results, repair_pairs
from tests.context.conversations import asks, ids, items_of, replies, result, turn

PICTURE = ImageContent(data="iVBORw0KGgo=", mime_type="image/png")


def words(count):
    return "word " * count


def note(text):
    return CustomMessage(custom_type="note", content=text, display=True, timestamp=0)


def plan(*messages, keep, **options):
    return plan_compaction(items_of(*messages), keep_recent_tokens=keep, tokens_before=0, **options)


def said(number, kind, size):
    """Messages of one kind, each with a text of its own."""
    text = f"m{number} {words(size)}"
    made = {
        "prompt": lambda: [asks(text)],
        "answer": lambda: [replies(text)],
        "call": lambda: turn(f"c{number}", text),
        "calls": lambda: [
            replies(*(ToolCall(id=f"c{number}{end}", name="t", arguments={}) for end in "ab")),
            result(f"c{number}a", text),
            result(f"c{number}b", text),
        ],
        "note between": lambda: [
            replies(ToolCall(id=f"c{number}", name="t", arguments={})),
            note(text),
            result(f"c{number}", text),
        ],
        "unanswered": lambda: [replies(ToolCall(id=f"c{number}", name="t", arguments={}))],
        "orphan": lambda: [result(f"gone{number}", text)],
        "note": lambda: [note(text)],
        "empty": lambda: [replies("")],
        "picture": lambda: [UserMessage(content=[TextContent(text=text), PICTURE], timestamp=0)],
        "branch": lambda: [BranchSummaryMessage(summary=text, from_id="x", timestamp=0)],
    }
    return made[kind]()


KINDS = [
    "prompt",
    "answer",
    "call",
    "calls",
    "note between",
    "unanswered",
    "orphan",
    "note",
    "empty",
    "picture",
    "branch",
]
PARTS = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from([0, 5, 60, 900])), max_size=14)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    parts=PARTS,
    keep=st.sampled_from([0, 1, 20, 100, 1_000, 5_000]),
    has_summary=st.booleans(),
    spares_turns=st.booleans(),
)
def test_every_message_is_summarised_or_kept_and_what_is_kept_stands_alone(
    parts, keep, has_summary, spares_turns
):
    before = [CompactionSummaryMessage(summary="before", tokens_before=9, timestamp=0)] if has_summary else []
    messages = [m for number, (kind, size) in enumerate(parts) for m in said(number, kind, size)]
    items = items_of(before, messages)
    made = plan_compaction(items, keep_recent_tokens=keep, tokens_before=0, spares_turns=spares_turns)
    if made is None:
        return
    kept = [item.message for item in made.kept]
    assert [*made.to_summarise, *made.turn_prefix, *kept] == messages
    assert made.previous_summary == ("before" if has_summary else None)
    whole, alone = repair_pairs(messages), repair_pairs(kept)
    assert alone == whole[len(whole) - len(alone) :]
    assert len(missing_results(kept)) <= len(missing_results(messages))
    if keep == 0:
        assert kept == []
    if made.is_split_turn:
        assert not isinstance(kept[0], UserMessage)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(parts=PARTS, keep=st.sampled_from([20, 100, 1_000]))
def test_results_that_are_kept_are_made_to_fit_as_far_as_they_can_be(parts, keep):
    messages = [m for number, (kind, size) in enumerate(parts) for m in said(number, kind, size)]
    made = plan_compaction(items_of(messages), keep_recent_tokens=keep, tokens_before=0)
    if made is None:
        return
    short = shortened_results(made)
    assert kept_tokens(made, short) <= sum(item.tokens for item in made.kept)
    assert all(len(message.text) < 2_000 for message in short.values()) or keep > 100


def test_the_cut_never_stands_between_a_call_and_its_result():
    calling = replies(ToolCall(id="a", name="t", arguments={}))
    between = [asks("old"), calling, note(words(60)), result("a", words(60))]
    assert ids(plan(*between, keep=100).kept)[0] == "e1"
    assert ids(plan(*between, replies("b"), keep=100).kept)[0] == "e4"


def test_results_at_the_end_that_are_larger_than_the_budget_are_kept_with_their_call():
    made = plan(asks("old"), replies("ok"), turn("a", words(500)), keep=50)
    assert ids(made.kept) == ["e2", "e3"]
    assert kept_tokens(made, shortened_results(made)) < 450


def test_results_of_lost_calls_do_not_keep_the_rest_from_being_summarised():
    made = plan(asks("old"), replies("ok"), result("lost", words(500)), replies("b"), keep=50)
    assert ids(made.kept) == ["e3"]


def test_a_message_far_larger_than_the_budget_is_not_kept_for_standing_where_it_ends():
    made = plan(asks(words(5_000)), replies("ok"), asks("next"), replies("fine"), keep=50)
    assert ids(made.kept) == ["e1", "e2", "e3"]
    assert [len(m.content) for m in made.turn_prefix] == [25_000]


def test_one_huge_message_alone_is_kept_until_nothing_is_kept():
    huge = asks(words(5_000))
    assert plan(huge, keep=50) is None
    made = plan(huge, keep=0)
    assert (made.to_summarise, made.kept, made.first_kept_entry_id) == ((huge,), (), None)


def test_what_the_last_compaction_kept_is_summarised_by_the_next():
    summary = CompactionSummaryMessage(summary="first", tokens_before=9, timestamp=0)
    made = plan(summary, asks("kept then"), replies("kept too"), asks(words(200)), replies("b"), keep=60)
    texts = [m.content if isinstance(m.content, str) else m.text for m in made.to_summarise]
    assert texts[:2] == ["kept then", "kept too"]
    assert made.previous_summary == "first"


def test_a_branch_that_begins_with_a_branch_summary_is_compacted():
    left = BranchSummaryMessage(summary="tried", from_id="x", timestamp=0)
    made = plan(left, asks("one"), replies(words(100)), asks("two"), replies("b"), keep=60)
    assert made.to_summarise[0] is left
    assert made.previous_summary is None


def test_a_split_turn_begins_with_what_stands_before_its_prompt():
    made = plan(asks("old"), replies("ok"), note("cells"), asks("go"), turn("a", "x"), turn("b", "y"), keep=8)
    assert [type(m) for m in made.turn_prefix][:2] == [CustomMessage, UserMessage]
    assert made.is_split_turn


def test_thinking_alone_is_kept_or_summarised_like_any_reply():
    thought = replies("")
    thought.content.append(ThinkingContent(thinking=words(300)))
    made = plan(asks("a"), thought, asks("b"), replies("c"), keep=8)
    assert thought in [*made.to_summarise, *made.turn_prefix]


def test_nothing_to_summarise_is_no_plan():
    assert plan(keep=10) is None
    assert plan(asks("a"), replies("b"), keep=1_000) is None
    assert plan(CompactionSummaryMessage(summary="s", tokens_before=1, timestamp=0), keep=10) is None


def test_a_finished_turn_is_spared_the_cut_where_its_end_is_near():
    finished = [asks("one"), turn("a", words(900)), turn("b", words(900)), replies(words(50))]
    going_on = [note("cells"), asks("two"), turn("c", words(400))]
    cut = plan(*finished, *going_on, keep=500)
    assert cut.is_split_turn
    spared = plan(*finished, *going_on, keep=500, spares_turns=True)
    assert not spared.is_split_turn
    assert spared.kept[0].message is going_on[0]
    assert [*cut.to_summarise, *cut.turn_prefix, *(i.message for i in cut.kept)] == [
        *spared.to_summarise,
        *(i.message for i in spared.kept),
    ]


def test_a_finished_turn_that_nothing_follows_is_spared_the_cut_where_its_end_is_near():
    finished = [asks("zero"), replies("ok"), asks("one"), turn("a", words(900)), replies(words(20))]
    assert plan(*finished, keep=500).is_split_turn
    spared = plan(*finished, keep=500, spares_turns=True)
    assert (spared.is_split_turn, spared.kept, len(spared.to_summarise)) == (False, (), 6)
    for last in (replies(words(60)), replies(ToolCall(id="b", name="t", arguments={}))):
        assert plan(*finished[:-1], last, keep=500, spares_turns=True).kept
    cut_short = msgspec.structs.replace(replies(words(20)), stop_reason="aborted")
    assert plan(*finished[:-1], cut_short, keep=500, spares_turns=True).is_split_turn


def test_a_turn_that_goes_on_or_whose_end_is_far_is_cut():
    finished = [asks("one"), turn("a", words(900)), replies(words(300))]
    assert plan(*finished, asks("two"), replies("b"), keep=320, spares_turns=True).is_split_turn
    assert plan(*finished, keep=200, spares_turns=True).is_split_turn
