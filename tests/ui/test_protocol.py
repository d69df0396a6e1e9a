"""The wire between panel and kernel: one example of each message, and what is refused."""

import importlib.util
import json
import typing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.ui.protocol.events import PanelEvent
from pi_notebook.ui.protocol.messages import KernelMessage, encode_message
from pi_notebook.ui.protocol.requests import MAX_REQUEST_BYTES, PanelRequest, PromptRequest, decode_request
from pi_notebook.ui.protocol.segments import Segment

ROOT = Path(__file__).parents[2]
FIXTURES = sorted((ROOT / "tests/fixtures/protocol").glob("*.json"))
UNIONS = {"panel": PanelRequest, "kernel": KernelMessage}


def tags(union) -> set[str]:
    return {kind.__struct_config__.tag for kind in typing.get_args(union)}


def side(fixture: Path) -> str:
    return fixture.name.partition("_")[0]


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_an_example_is_read_and_written_the_same(fixture):
    data = json.loads(fixture.read_text())
    message = msgspec.json.decode(fixture.read_bytes(), type=UNIONS[side(fixture)])
    assert encode_message(message) == data
    if side(fixture) == "panel":
        assert decode_request(data) == message


@pytest.mark.parametrize(
    "fixture", [path for path in FIXTURES if side(path) == "kernel"], ids=lambda path: path.stem
)
def test_half_a_character_in_any_text_of_the_kernel_is_replaced(fixture):
    message = msgspec.json.decode(fixture.read_bytes(), type=KernelMessage)
    for name in message.__struct_fields__:
        if isinstance(getattr(message, name), str):
            message = msgspec.structs.replace(message, **{name: "half \ud83d"})
    assert "\ud83d" not in str(encode_message(message))


def test_every_message_has_an_example():
    for name, union in UNIONS.items():
        examples = {json.loads(path.read_text())["type"] for path in FIXTURES if side(path) == name}
        assert examples == tags(union)
    events = json.loads((ROOT / "tests/fixtures/protocol/kernel_events.json").read_text())["events"]
    assert {event["type"] for event in events} == tags(PanelEvent)
    snapshot = json.loads((ROOT / "tests/fixtures/protocol/kernel_snapshot.json").read_text())
    assert {segment["type"] for segment in snapshot["segments"]} == tags(Segment)


def test_the_types_of_the_panel_are_those_of_the_kernel():
    script = ROOT / "labextension/generate_protocol.py"
    spec = importlib.util.spec_from_file_location("generate_protocol", script)
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    committed = (ROOT / "labextension/src/protocol.ts").read_text()
    assert committed == generator.generate(), "run python labextension/generate_protocol.py"


@pytest.mark.parametrize(
    "data",
    [
        None,
        "stop",
        [],
        {},
        {"type": "destroy"},
        {"type": "stop"},
        {"type": "stop", "nonce": None},
        {"type": "prompt", "nonce": "n", "text": 1},
        {"type": "prompt", "nonce": "n", "text": "\ud800"},
        {"type": "approve", "nonce": "n", "request_id": "r", "fingerprint": "f", "allowed": "yes"},
        {
            "type": "approve",
            "nonce": "n",
            "request_id": "r",
            "fingerprint": "f",
            "allowed": True,
            "scope": "ever",
        },
        {"type": "prompt", "nonce": "n", "text": "x" * MAX_REQUEST_BYTES},
        {"type": "prompt", "nonce": "n", "text": object()},
    ],
    ids=lambda data: str(data)[:60],
)
def test_what_is_no_request_gives_a_text(data):
    problem = decode_request(data)
    assert isinstance(problem, str)
    assert 0 < len(problem) <= 300


def test_a_deep_message_gives_a_text():
    data: object = "x"
    for _ in range(100_000):
        data = [data]
    assert isinstance(decode_request(data), str)


def test_a_field_of_a_newer_panel_is_passed_over():
    data = {"type": "prompt", "nonce": "n", "text": "hi", "mood": "good"}
    assert decode_request(data) == PromptRequest(nonce="n", text="hi")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
FIELDS = ["nonce", "text", "request_id", "fingerprint", "allowed", "scope", "code", "status", "cell_id"]


@settings(derandomize=True, max_examples=500, deadline=None)
@given(
    JSON
    | st.fixed_dictionaries(
        {"type": st.sampled_from(sorted(tags(PanelRequest))) | JSON},
        optional=dict.fromkeys(FIELDS, JSON),
    )
)
def test_no_message_raises(data):
    request = decode_request(data)
    assert isinstance(request, (str, *typing.get_args(PanelRequest)))
