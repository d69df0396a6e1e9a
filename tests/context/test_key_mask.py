"""A provider's key that code prints is in no file of its output, however the output comes."""

import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.secrets import MASK
from pi_notebook.context.accumulator import OutputAccumulator
from pi_notebook.context.key_mask import KeyMask
from pi_notebook.context.spill import SpillFolder

KEY = "sk-abcabcabcd-0123456789-abcabcabcx"
OTHER = "abcabcabcd-tail/with+slash=="
NAMES = {"OPENAI_API_KEY": KEY, "MISTRAL_API_KEY": OTHER}
PARTS = st.lists(
    st.sampled_from([KEY, OTHER, "sk-abcabc", "abc", "word\n", "\xe9\u4e2d", "\x00\x7f", "x" * 50, "key="]),
    max_size=30,
)


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    for name, key in NAMES.items():
        monkeypatch.setenv(name, key)


def plain(text):
    return text.replace(KEY, MASK).replace(OTHER, MASK)


@settings(derandomize=True, max_examples=200, deadline=None)
@given(PARTS, st.lists(st.integers(1, 40), min_size=1, max_size=20))
def test_keys_are_left_out_wherever_the_stream_is_cut_and_nothing_else_is(parts, sizes):
    assert {name: os.environ[name] for name in NAMES} == NAMES
    data = "".join(parts).encode()
    mask, given_out, at, turn = KeyMask(), b"", 0, 0
    while at < len(data):
        size = sizes[turn % len(sizes)]
        given_out += mask.take(data[at : at + size])
        assert len(mask._held) < len(KEY)
        at, turn = at + size, turn + 1
    given_out += mask.rest()
    assert given_out == plain("".join(parts)).encode()


@pytest.mark.parametrize("piece", [1_000, 65_537, 10**9])
@pytest.mark.parametrize("as_bytes", [True, False])
def test_a_spilled_output_holds_no_key_and_is_else_whole(tmp_path, piece, as_bytes):
    text = "".join(f"{'x' * (number % 97)}{KEY} line {number}\n" for number in range(9_000))
    output = OutputAccumulator(spill_folder=SpillFolder(path=tmp_path / "spill"))
    for start in range(0, len(text), piece):
        part = text[start : start + piece]
        output.feed(part.encode()) if as_bytes else output.write("stdout", part)
    spill = output.result().spill
    output.close()
    assert spill.path.read_text() == plain(text)
    assert spill.byte_count == len(plain(text))
    assert spill.is_whole


def test_what_is_printed_after_a_result_was_taken_is_masked_too(tmp_path):
    output = OutputAccumulator(spill_folder=SpillFolder(path=tmp_path / "spill"))
    output.write("stdout", "line\n" * 20_000 + KEY[:20])
    path = output.result().spill.path
    assert path.read_text().endswith("line\n[key]")
    output.write("stdout", KEY[20:] + " and more\n")
    output.result()
    output.close()
    assert path.read_text() == "line\n" * 20_000 + f"{MASK}{KEY[20:]} and more\n"


def test_bytes_that_are_no_text_and_no_key_are_kept_as_they_came(tmp_path, monkeypatch):
    monkeypatch.delenv("MISTRAL_API_KEY")
    data = random.Random(0).randbytes(400_000).replace(b"sk-", b"...")
    output = OutputAccumulator(spill_folder=SpillFolder(path=tmp_path / "spill"))
    output.feed(data)
    path = output.result().spill.path
    output.close()
    assert path.read_bytes() == data
