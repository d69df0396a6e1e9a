from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.events import TextDelta, ThinkingDelta
from pi_notebook.agent.messages import TextContent, ThinkingContent, ToolCall
from pi_notebook.models.assembly import Assembly

always = settings(max_examples=100, derandomize=True, deadline=None)


def piece(index=0, call_id=None, name=None, arguments=None, **extra):
    return {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}, **extra}


def assemble(*deltas):
    assembly = Assembly()
    events = [event for delta in deltas for event in assembly.add(delta)]
    return assembly.content(), events


def calls_of(*pieces):
    content, _ = assemble(*({"tool_calls": [item]} for item in pieces))
    return [(call.name, call.arguments) for call in content]


def test_pieces_without_an_id_go_on_with_the_call_of_their_index():
    assert calls_of(
        piece(0, "a", "f", ""),
        piece(1, "b", "g", ""),
        piece(0, arguments='{"x":'),
        piece(1, arguments='{"y":'),
        piece(0, arguments="1}"),
        piece(1, arguments="2}"),
    ) == [("f", {"x": 1}), ("g", {"y": 2})]


def test_a_missing_index_goes_on_with_the_open_call_and_a_new_id_begins_another():
    assert calls_of(
        piece(None, "a", "f", '{"x":'),
        piece(None, arguments="1}"),
        piece(None, "b", "g", '{"y":'),
        piece(None, arguments="2}"),
    ) == [("f", {"x": 1}), ("g", {"y": 2})]


def test_an_index_that_is_missing_at_first_does_not_part_a_call():
    assert calls_of(piece(None, "a", "f", '{"x":'), piece(0, arguments="1}")) == [("f", {"x": 1})]


def test_different_ids_on_one_index_are_different_calls():
    assert calls_of(
        piece(0, "a", "f", '{"x":1}'), piece(0, "b", "f", '{"x":2}'), piece(0, "c", "f", '{"x":3}')
    ) == [("f", {"x": 1}), ("f", {"x": 2}), ("f", {"x": 3})]


def test_an_id_that_comes_with_every_piece_begins_one_call_only():
    assert calls_of(
        piece(0, "a", "f", '{"x":'),
        piece(0, "b", "g", '{"y":'),
        piece(0, "a", arguments="1}"),
        piece(0, "b", arguments="2}"),
    ) == [("f", {"x": 1}), ("g", {"y": 2})]


def test_a_fresh_id_with_every_piece_does_not_part_a_call():
    assert calls_of(
        piece(0, "a", "f", '{"x"'), piece(0, "b", arguments=":"), piece(0, "c", arguments="1}")
    ) == [("f", {"x": 1})]


def test_a_name_that_comes_with_every_piece_begins_one_call_only():
    assert calls_of(piece(0, "", "f", '{"x":'), piece(0, "", "f", "1}"), piece(0, "", "f", "")) == [
        ("f", {"x": 1})
    ]


@pytest.mark.parametrize("pieces", [("run_", "code"), ("run_", "run_code"), ("run_code", "run_code")])
def test_a_name_may_come_in_pieces(pieces):
    first, second = pieces
    assert calls_of(piece(0, "a", first, ""), piece(0, None, second, '{"x":1}')) == [("run_code", {"x": 1})]


def test_ids_and_names_that_are_numbers_are_read_as_text():
    content, _ = assemble({"tool_calls": [piece(0, 12, 5, "{}")]})
    assert content == [ToolCall(id="12", name="5", arguments={})]


def test_whole_calls_without_ids_on_one_index_stay_apart():
    assert calls_of(piece(0, "", "f", "{}"), piece(0, "", "f", '{"x":1}'), piece(0, "", "g", "{}")) == [
        ("f", {}),
        ("f", {"x": 1}),
        ("g", {}),
    ]


def test_one_id_for_two_calls_of_different_index_gives_two_calls_with_ids_of_their_own():
    content, _ = assemble(
        {"tool_calls": [piece(0, "a", "f", "{}"), piece(1, "a", "g", "")]},
        {"tool_calls": [piece(1, "a", arguments='{"y":2}')]},
    )
    assert [(call.name, call.arguments) for call in content] == [("f", {}), ("g", {"y": 2})]
    assert content[0].id == "a"
    assert content[1].id not in ("", "a")


@pytest.mark.parametrize("missing", ["", None])
def test_a_call_without_an_id_is_given_one(missing):
    content, events = assemble({"tool_calls": [piece(0, missing, "f", "{}"), piece(1, missing, "g", "{}")]})
    ids = [call.id for call in content]
    assert all(ids)
    assert len(set(ids)) == 2
    assert [event.id for event in events] == ids


def test_gaps_in_the_index_do_not_matter():
    content, events = assemble({"tool_calls": [piece(3, "a", "f", "{}"), piece(7, "b", "g", "{}")]})
    assert [call.id for call in content] == ["a", "b"]
    assert [event.index for event in events] == [0, 1]


def test_whole_calls_in_one_delta_are_all_kept():
    content, _ = assemble({"tool_calls": [piece(0, "a", "f", "{}"), piece(1, "b", "g", "{}")]})
    assert [call.id for call in content] == ["a", "b"]


@pytest.mark.parametrize(
    "again",
    [piece(0, "a", "f", '{"x":1}'), piece(0, "a", "f", '{ "x": 1 }'), piece(0, "a", "f", {"x": 1})],
)
def test_a_whole_call_that_is_sent_once_more_is_no_second_one(again):
    assert calls_of(
        piece(0, "a", "f", '{"x":'), piece(0, "a", arguments="1}"), piece(1, "b", "f", '{"x":1}'), again
    ) == [("f", {"x": 1}), ("f", {"x": 1})]


def test_equal_calls_with_ids_or_places_of_their_own_are_all_kept():
    assert len(calls_of(*(piece(0, name, "f", "{}") for name in "abc"))) == 3
    assert len(calls_of(*(piece(index, "a", "f", "{}") for index in range(3)))) == 3
    assert len(calls_of(*(piece(0, "", "f", "{}") for _ in range(3)))) == 3


@pytest.mark.parametrize(
    "delta",
    [
        "words",
        [1],
        {"content": 5},
        {"content": [None, 7, {"type": "text", "text": None}, {"type": "thinking"}, [[]]]},
        {"reasoning_content": {"a": 1}, "thinking_blocks": "words"},
        {"thinking_blocks": [None, "words"]},
        {"tool_calls": "words"},
        {"tool_calls": [None, 3, "words", []]},
    ],
)
def test_what_does_not_belong_in_a_field_counts_as_nothing(delta):
    assert assemble(delta, {"content": "Yes."}) == ([TextContent(text="Yes.")], [TextDelta("Yes.")])


def test_parts_that_are_text_themselves_or_records_of_it_are_read():
    content, _ = assemble(
        {"content": [{"type": "thinking", "thinking": "Hm."}, "Yes", {"text": ", "}]},
        {"content": {"text": "no."}},
    )
    assert content == [ThinkingContent(thinking="Hm."), TextContent(text="Yes, no.")]


def test_calls_that_are_numbered_by_key_are_read():
    content, _ = assemble({"tool_calls": {"0": piece(0, "a", "f", "{}"), "1": piece(1, "b", "g", "{}")}})
    assert [call.id for call in content] == ["a", "b"]


@pytest.mark.parametrize("arguments", [None, "", "  ", "null", "{}"])
def test_missing_arguments_are_no_arguments(arguments):
    content, _ = assemble({"tool_calls": [piece(0, "a", "f", arguments)]})
    assert content == [ToolCall(id="a", name="f", arguments={})]


@pytest.mark.parametrize(
    "text", ['{"x": 1', "[1]", "3", '{"x": NaN}', "{}{}", '{"x": 1}]', '"text"', "\ud800"]
)
def test_arguments_that_are_no_object_are_kept_as_text_and_never_mended(text):
    content, _ = assemble({"tool_calls": [piece(0, "a", "f", text)]})
    assert content[0].arguments == {}
    assert content[0].malformed_arguments == text.replace("\ud800", "�")


def test_arguments_that_were_encoded_twice_are_read():
    assert calls_of(piece(0, "a", "f", json.dumps('{"x": 1}'))) == [("f", {"x": 1})]


def test_arguments_that_come_as_an_object_are_read():
    assert calls_of(piece(0, "a", "f", {"x": 1})) == [("f", {"x": 1})]


def test_arguments_nested_beyond_reason_are_kept_as_text():
    content, _ = assemble({"tool_calls": [piece(0, "a", "f", '{"x":' + "[" * 100_000)]})
    assert content[0].malformed_arguments is not None


def test_text_and_calls_stand_in_the_order_they_began():
    content, _ = assemble(
        {"content": "Let me "},
        {"content": "look."},
        {"tool_calls": [piece(0, "a", "f", "{}")]},
        {"content": "Done."},
    )
    assert [type(block) for block in content] == [TextContent, ToolCall, TextContent]
    assert content[0].text == "Let me look."


def test_thinking_is_kept_apart_from_text_under_either_of_its_names():
    content, events = assemble({"reasoning_content": "Hm"}, {"reasoning": "m."}, {"content": "Yes."})
    assert content == [ThinkingContent(thinking="Hmm."), TextContent(text="Yes.")]
    assert events == [ThinkingDelta("Hm"), ThinkingDelta("m."), TextDelta("Yes.")]


def test_signed_thinking_keeps_its_signature_which_comes_last():
    content, _ = assemble(
        {
            "reasoning_content": "Hm",
            "thinking_blocks": [{"type": "thinking", "thinking": "Hm", "signature": ""}],
        },
        {"reasoning_content": "m.", "thinking_blocks": [{"type": "thinking", "thinking": "m."}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "", "signature": "sig"}]},
        {"thinking_blocks": [{"type": "redacted_thinking", "data": "opaque"}]},
        {"content": "Yes."},
    )
    assert content == [
        ThinkingContent(thinking="Hmm.", thinking_signature="sig"),
        ThinkingContent(thinking="", thinking_signature="opaque", redacted=True),
        TextContent(text="Yes."),
    ]


def test_content_in_typed_parts_is_read():
    content, _ = assemble(
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]},
        {"content": [{"type": "text", "text": "Yes."}]},
    )
    assert content == [ThinkingContent(thinking="Hm."), TextContent(text="Yes.")]


def test_a_signature_hidden_in_the_id_is_taken_out_of_it():
    content, _ = assemble({"tool_calls": [piece(0, "call_1__thought__c2ln", "f", "{}")]})
    assert (content[0].id, content[0].thought_signature) == ("call_1", "c2ln")


def test_deltas_may_be_objects():
    function = SimpleNamespace(name="f", arguments="{}")
    call = SimpleNamespace(index=0, id="a", function=function)
    content, _ = assemble(SimpleNamespace(content=None, tool_calls=[call]))
    assert content == [ToolCall(id="a", name="f", arguments={})]


def test_nothing_comes_of_a_delta_that_is_missing():
    assert assemble(None, {}, {"content": None}, {"content": ""}, {"tool_calls": [piece(0)]}) == ([], [])


@always
@given(st.text(), st.data())
def test_text_cut_anywhere_even_within_a_surrogate_pair_is_whole_and_always_encodable(text, data):
    units = [
        half
        for character in text + "😀"
        for half in (
            character
            if ord(character) < 0x10000
            else chr(0xD800 + (ord(character) - 0x10000 >> 10))
            + chr(0xDC00 + (ord(character) - 0x10000 & 0x3FF))
        )
    ]
    pieces, rest = [], units
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        pieces.append("".join(rest[:size]))
        rest = rest[size:]
    content, events = assemble(*({"content": item} for item in pieces))
    assert content == [TextContent(text=text + "😀")]
    for event in events:
        event.text.encode()
    assert "".join(event.text for event in events) == text + "😀"


@always
@given(
    st.lists(
        st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3), max_size=4
    ),
    st.data(),
)
def test_parallel_calls_cut_and_mixed_anyhow_are_put_together_again(wanted, data):
    queues = []
    for index, arguments in enumerate(wanted):
        text, cuts = json.dumps(arguments), [piece(index, f"id{index}", f"f{index}", "")]
        while text:
            size = data.draw(st.integers(1, len(text)))
            cuts.append(piece(index, arguments=text[:size]))
            text = text[size:]
        queues.append(cuts)
    mixed = []
    while any(queues):
        chosen = data.draw(st.sampled_from([queue for queue in queues if queue]))
        mixed.append({"tool_calls": [chosen.pop(0)]})
    content, _ = assemble(*mixed)
    assert {call.name: call.arguments for call in content} == {f"f{i}": item for i, item in enumerate(wanted)}
