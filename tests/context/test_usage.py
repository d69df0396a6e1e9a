"""How full the context is: what a provider counted while it holds, and an estimate that learns from it."""

import base64
import dataclasses
import struct

import pytest

from pi_notebook.agent.entries import CompactionEntry, ContextEditEntry, MessageEntry
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    Cost,
    ImageContent,
    TextContent,
    ThinkingContent,
    Usage,
    user_message,
)
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.context.projection import Projection
from pi_notebook.context.tokens import image_tokens
from pi_notebook.context.usage import ContextMeter

HEAD = 2_000
WORDS = "many words of a prompt " * 1_000
INFO = ModelInfo(provider="p", id="m", api="", context_window=100_000, max_output_tokens=1_000)
OTHER = ModelInfo(provider="p", id="other", api="", context_window=100_000, max_output_tokens=1_000)


def usage(input=0, output=0, *, cached=0, total=None, reasoning=None):
    whole = input + output + cached if total is None else total
    return Usage(
        input=input, output=output, cache_read=cached, cache_write=0, total_tokens=whole,
        cost=Cost(), reasoning=reasoning,
    )  # fmt: skip


def reply(counted, *, content=None):
    return AssistantMessage(
        content=content or [TextContent(text="It is so.")],
        api="", provider="p", model="m", usage=counted, stop_reason="stop", timestamp=0,
    )  # fmt: skip


def entry(entry_id, message):
    return MessageEntry(id=entry_id, parent_id=None, timestamp="", message=message)


def conversation(counted, *after):
    messages = [user_message(WORDS), reply(counted), *map(user_message, after)]
    return Projection(entry(f"e{number}", message) for number, message in enumerate(messages))


def measured(projection, info=INFO, meter=None):
    return (meter or ContextMeter()).usage(info, head_tokens=HEAD, projection=projection)


@pytest.mark.parametrize(
    "counted", [usage(7_000, 5), usage(2_000, 5, cached=5_000), usage(0, 0, total=7_005)]
)
def test_what_the_provider_counted_is_taken_and_what_came_after_is_estimated(counted):
    alone = measured(conversation(counted))
    assert (alone.tokens, alone.is_estimate) == (7_005, False)
    assert 7_005 < measured(conversation(counted, "and now?")).tokens < 7_030


@pytest.mark.parametrize(
    "counted",
    [
        NO_USAGE,
        usage(0, 300),  # of the request itself nothing was told
        usage(-5, 300),
        usage(total=-1),
        usage(400_000, 5),  # of several requests together
    ],
)
def test_without_a_count_that_can_be_everything_is_estimated(counted):
    found = measured(conversation(counted))
    assert found.is_estimate
    assert found.tokens == HEAD + conversation(NO_USAGE).tokens


@pytest.mark.parametrize(
    "change",
    [
        CompactionEntry(
            id="c", parent_id=None, timestamp="", summary="short", first_kept_entry_id="e1", tokens_before=9
        ),
        ContextEditEntry(id="c", parent_id=None, timestamp="", target_id="e0", replacement=None),
        ContextEditEntry(
            id="c", parent_id=None, timestamp="", target_id="e0", replacement={"content": "short"}
        ),
    ],
    ids=["compacted", "hidden", "shortened"],
)
def test_a_count_from_before_a_compaction_or_an_edit_does_not_count(change):
    projection = conversation(usage(90_000, 5))
    projection.add(change)
    found = measured(projection)
    assert found.is_estimate
    assert found.tokens < HEAD + 100
    projection.add(entry("e9", reply(usage(2_500, 5))))
    assert measured(projection).tokens == 2_505


def test_thinking_that_is_not_sent_again_is_no_part_of_the_next_request():
    counted = usage(7_000, 900, reasoning=800)
    thought = ThinkingContent(thinking="hm")
    signed = ThinkingContent(thinking="hm", thinking_signature="s")
    for block, expected in ((thought, 7_100), (signed, 7_900)):
        projection = Projection(
            [
                entry("a", user_message(WORDS)),
                entry("b", reply(counted, content=[block, TextContent(text="x")])),
            ]
        )
        assert measured(projection).tokens == expected


def test_estimates_learn_how_a_model_counts_within_bounds():
    meter, plain = ContextMeter(), conversation(NO_USAGE, WORDS)
    estimate = measured(plain).tokens
    sent = HEAD + Projection([entry("a", user_message(WORDS))]).tokens
    measured(conversation(usage(round(1.3 * sent), 5)), meter=meter)
    assert meter.factor("p/m") == pytest.approx(1.3, abs=0.01)
    assert measured(plain, meter=meter).tokens == pytest.approx(1.3 * estimate, rel=0.01)
    assert meter.factor("p/other") == 1
    for _ in range(20):
        measured(conversation(usage(3 * sent, 5)), meter=meter)
    assert 1.9 < meter.factor("p/m") <= 2


def test_one_reply_teaches_once():
    meter, projection = ContextMeter(), conversation(usage(9_000, 5), "more")
    measured(projection, meter=meter)
    first = meter.factor("p/m")
    for _ in range(5):
        measured(projection, meter=meter)
    assert meter.factor("p/m") == first


def test_another_model_has_its_own_estimate():
    projection = conversation(usage(9_000, 5), "more")
    found = measured(projection, OTHER)
    assert found.is_estimate
    assert found.tokens == HEAD + projection.tokens


def picture(width=1_200):
    head = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + struct.pack(">II", width, width)
    return ImageContent(data=base64.b64encode(head).decode(), mime_type="image/png")


def test_pictures_count_for_models_that_are_sent_them_alone():
    shown = user_message([TextContent(text="look"), picture(), picture()])
    sees = dataclasses.replace(INFO, sees_images=True)
    assert 2 * image_tokens(picture()) > 3_000
    fresh = Projection([entry("a", shown)])
    assert measured(fresh, sees).tokens - measured(fresh).tokens == 2 * image_tokens(picture())
    counted = Projection(
        [entry("a", user_message(WORDS)), entry("b", reply(usage(7_000, 5))), entry("c", shown)]
    )
    assert measured(counted).tokens < 7_030
    assert measured(counted, sees).tokens > 10_000
    meter = ContextMeter()
    asked = measured(Projection([entry("a", user_message(WORDS))])).tokens
    measured(
        Projection([entry("a", user_message(WORDS)), entry("p", shown), entry("b", reply(usage(asked, 5)))]),
        meter=meter,
    )
    assert meter.factor("p/m") == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("window", [8_000, 32_000])
def test_in_a_small_window_a_count_of_a_part_of_the_request_is_not_taken_for_all_of_it(window):
    info = dataclasses.replace(INFO, context_window=window)
    found = measured(conversation(usage(90, 5)), info)  # all but the end was cached, and is not told
    assert found.is_estimate
    assert found.tokens == HEAD + conversation(NO_USAGE).tokens


def test_nothing_is_learnt_of_a_model_from_a_count_that_is_far_off():
    meter = ContextMeter()
    assert measured(conversation(usage(90, 5)), meter=meter).tokens == 95
    assert meter.factor("p/m") == 1.0
    measured(conversation(usage(9_000, 5)), meter=meter)
    assert meter.factor("p/m") > 1.0
