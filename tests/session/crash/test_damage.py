"""A long session cut at any byte, or with a bit turned in any byte: only what was touched is lost."""

from pathlib import Path

import pytest

from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.errors import SessionFormatError
from pi_notebook.session.home import Home
from pi_notebook.session.store import SessionStore
from tests.session.crash.oracle import QuickFiles

ENTRIES = 200
STEP = 101
"""Of the entries every so manieth byte is tried here, a prime; all of them are in `tests/soak`."""


@pytest.fixture
def data(tmp_path):
    return long_session(tmp_path)


def long_session(tmp_path):
    """The bytes of a session of 200 entries."""
    store = SessionStore.create(Path("/data"), home=Home(root=tmp_path / "home", files=QuickFiles()))
    for number in range(ENTRIES):
        store.add(MessageEntry, message=user_message(f"entry {number} ü ☃ *J"))
    store.close()
    return store.path.read_bytes()


def test_a_session_cut_at_any_byte_loses_only_what_was_cut(tmp_path, data):
    for size in range(0, len(data), STEP):
        check_cut(tmp_path / "2026-01-02T03-04-05-678Z_cut.jsonl", data, size)


def test_a_bit_that_turned_in_any_byte_costs_the_entry_it_is_in_at_most(tmp_path, data):
    for position in [*range(data.index(b"\n")), *range(data.index(b"\n"), len(data), STEP)]:
        check_flip(tmp_path / "2026-01-02T03-04-05-678Z_turned.jsonl", data, position)


def lines_of(store):
    return {entry_id: store.raw_line(entry_id) for entry_id in (entry.id for entry in store.entries)}


def check_cut(path, data, size):
    path.write_bytes(data[:size])
    lines = data.split(b"\n")
    whole = data[: size + 1].count(b"\n")
    if whole == 0:
        with pytest.raises(SessionFormatError):
            SessionStore.open(path, read_only=True)
        return
    store = SessionStore.open(path, read_only=True)
    assert list(lines_of(store).values()) == lines[1:whole], size
    is_torn = data[size - 1 : size] != b"\n" and data[size : size + 1] != b"\n"
    assert store.problems == ((f"line {whole + 1}: was cut off and is skipped",) if is_torn else ()), size
    store.close()


def check_flip(path, data, position):
    """The bit is another one at each byte."""
    turned = bytearray(data)
    turned[position] ^= 1 << position % 8
    path.write_bytes(turned)
    store = SessionStore.open(path, read_only=True)
    lines = data.split(b"\n")[1:-1]
    number = data[:position].count(b"\n")  # of the line it is in, or ends; the header is 0
    found = list(lines_of(store).values())
    others = [line for n, line in enumerate(lines, 1) if n != number]
    lost = [line for line in others if line not in found]
    assert lost == [] or (len(lost) == 1 and turned[position] != data[position] == 10), position
    if len(found) < ENTRIES:
        assert any(problem.startswith(f"line {number + 1}: ") for problem in store.problems), position
    store.close()
