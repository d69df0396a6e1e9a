"""What is known of a session's entries without decoding them."""

import json
import os
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import (
    CompactionEntry,
    CustomEntry,
    CustomMessageEntry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
)
from pi_notebook.agent.messages import user_message
from pi_notebook.session import intake
from pi_notebook.session.context_entries import context_entries
from pi_notebook.session.home import Home
from pi_notebook.session.lines import encode_line, read_run, read_stub
from pi_notebook.session.recent import KEEP_BYTES, RecentEntries
from pi_notebook.session.store import SessionStore
from tests.session.faults import FaultyFiles

FOLDER = Path("/data")


@pytest.fixture
def home(tmp_path):
    return Home(root=tmp_path / "home")


def say(store, text="hello"):
    return store.add(MessageEntry, message=user_message(text))


def write(path, lines):
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/data"}
    path.write_bytes(b"\n".join([json.dumps(header).encode(), *lines]) + b"\n")
    return path


def entry(entry_id, parent_id, kind=MessageEntry, **fields):
    fields = fields or {"message": user_message("x")}
    return kind(id=entry_id, parent_id=parent_id, timestamp="2026-01-02T03:04:05.678Z", **fields)


def test_entries_are_found_by_kind_and_no_other_is_read(home):
    files = FaultyFiles()
    store = SessionStore.create(FOLDER, home=Home(root=home.root, files=files))
    for number in range(50):
        say(store)
        store.add(CustomEntry, custom_type="a", data=number)
        store.add(CustomEntry, custom_type="b")
    store.add(ModelChangeEntry, provider="p", model_id="m")
    store.close()
    files = FaultyFiles()
    store = SessionStore.open(store.path, read_only=True, files=files)
    before = files.made.count("read_at")
    branch = store.branch()
    assert [len(branch.of_kind(k)) for k in ("message", "message:user", "message:assistant")] == [50, 50, 0]
    assert [len(branch.of_kind(k)) for k in ("custom", "custom:a", "custom:")] == [100, 50, 0]
    assert len(branch.of_kind("custom:b", "model_change", "model_change")) == 51
    assert files.made.count("read_at") == before
    assert next(reversed(branch.of_kind("custom:a"))).data == 49
    assert files.made.count("read_at") == before + 1
    store.close()


def test_resuming_after_a_compaction_reads_only_what_it_kept(home):
    store = SessionStore.create(FOLDER, home=home)
    for number in range(300):
        kept = say(store, str(number) * 100)
        store.add(CustomEntry, custom_type="a", data="x" * 100)
    store.add(CompactionEntry, summary="s", first_kept_entry_id=kept.id, tokens_before=1)
    store.close()
    files = FaultyFiles()
    store = SessionStore.open(store.path, read_only=True, files=files)
    before = files.made.count("read_at")
    assert len(list(context_entries(store.branch()))) == 2
    assert files.made.count("read_at") <= before + 2
    store.close()


@pytest.mark.parametrize("entry_id", ["ab", "a b", 'a"b', "a\\b", "ü", "\u2028", "a]b[c", "a" * 500])
def test_any_id_and_type_is_read_as_json_has_it(tmp_path, entry_id):
    lines = [
        encode_line(entry(entry_id, None))[:-1],
        encode_line(entry("next", entry_id, CustomEntry, custom_type=f"t/{entry_id}"))[:-1],
        json.dumps({"id": "last", "customType": entry_id, "type": "custom", "parentId": "next"}).encode(),
    ]
    store = SessionStore.open(write(tmp_path / "s.jsonl", lines), read_only=True)
    assert [e.id for e in store.branch()] == [entry_id, "next", "last"]
    assert (store.problems, store.leaf_id) == ((), "last")
    assert len(store.entries.of_kind(f"custom:t/{entry_id}")) == 1
    assert len(store.entries.of_kind(f"custom:{entry_id}")) == 1
    store.close()


def test_a_line_with_a_message_of_no_known_shape_keeps_its_place(tmp_path):
    lines = [
        json.dumps({"type": "message", "id": "a", "parentId": None, "message": ["?"], "timestamp": "t"}),
        json.dumps({"type": "message", "id": "b", "parentId": "a", "message": {"role": 3}}),
        json.dumps({"type": "custom", "id": "c", "parentId": "b", "customType": {"x": 1}}),
        json.dumps({"type": "message", "id": "d", "parentId": "c", "message": {"role": "bash"}}),
    ]
    store = SessionStore.open(write(tmp_path / "s.jsonl", [x.encode() for x in lines]), read_only=True)
    assert [e.id for e in store.branch()] == ["a", "b", "c", "d"]
    assert len(store.entries.of_kind("message")) == 3
    assert len(store.entries.of_kind("message:bash")) == 1
    store.close()


parents = ["none", "first", "self", "later", "missing", "repeated", "again", "again"]
states = ["flipped", "plain", "blank", "cut"]
chains = st.lists(
    st.tuples(st.sampled_from(["next"] * 20 + parents), st.sampled_from(["good"] * 20 + states)), max_size=40
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(chain=chains)
def test_many_lines_at_once_are_taken_as_each_by_itself(tmp_path_factory, chain):
    """A file is read in one go, and again as it grows by one line at a time: the index is the same."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(intake, "_LINES_AT_ONCE", 4)
        _check_chain(tmp_path_factory, chain)


def _check_chain(tmp_path_factory, chain):
    folder = tmp_path_factory.mktemp("s")
    whole = write(folder / "whole.jsonl", list(_lines(chain)))
    data = whole.read_bytes()
    grown = folder / "grown.jsonl"
    ends = list(accumulate(len(line) for line in data.splitlines(keepends=True)))
    grown.write_bytes(data[: ends[0]])
    if not any(read_stub(line) for line in data.splitlines()[1:]):
        return
    by_line = SessionStore.open(grown, read_only=True)
    for start, end in zip(ends, ends[1:], strict=False):
        with grown.open("ab") as file:
            file.write(data[start:end])
        by_line._intake.read_on()
    at_once = SessionStore.open(whole, read_only=True)
    assert [e.id for e in at_once.entries] == [e.id for e in by_line.entries]
    assert [e.id for e in at_once.branch()] == [e.id for e in by_line.branch()]
    assert at_once.problems == by_line.problems
    assert list(at_once.entries.of_kind("message").places) == list(by_line.entries.of_kind("message").places)
    by_line.close()
    at_once.close()


def _lines(chain):
    ids = []
    for number, (parent, state) in enumerate(chain):
        last = ids[-1] if ids else None
        entry_id = last if parent in ("repeated", "again") and last else f"id{number}"
        parent_id = {"next": last, "again": last, "first": ids[0] if ids else None, "self": entry_id}.get(
            parent
        )
        parent_id = {"later": f"id{number + 1}", "missing": "gone"}.get(parent, parent_id)
        line = encode_line(entry(entry_id, parent_id))[:-1]
        if state == "good":
            ids.append(entry_id)
        yield {
            "flipped": line[:40] + bytes([line[40] ^ 1]) + line[41:],
            "plain": line[:-18] + b"}",
            "blank": b"",
            "cut": line[:-5],
        }.get(state, line)


def test_a_run_is_what_each_of_its_lines_says():
    made = [
        entry("a", "0"),
        entry("b", "a", CustomEntry, custom_type="t", data=1),
        entry("c", "b", CustomMessageEntry, custom_type="m", content="x", display=True),
        entry("d", "c", LabelEntry, target_id="a", label=None),
    ]
    lines = [encode_line(one)[:-1] for one in made]
    stubs = [read_stub(line) for line in lines]
    run = read_run(lines)
    assert (run.ids, run.parent_id, run.kinds) == ([s.id for s in stubs], "0", [s.kind for s in stubs])
    assert run.kinds == ["message:user", "custom:t", "custom_message:m", "label"]
    assert read_run(lines[::-1]) is None
    for place in range(len(lines[1])):
        broken = lines[1][:place] + bytes([lines[1][place] ^ 4]) + lines[1][place + 1 :]
        assert read_run([lines[0], broken, lines[2]]) is None


def test_what_was_looked_at_last_is_kept_within_a_bound():
    recent = RecentEntries(max_bytes=100)
    entries = [entry(str(n), None) for n in range(4)]
    for place in range(3):
        recent.put(place, entries[place], size=40)
    assert [recent.get(place) for place in range(3)] == [None, entries[1], entries[2]]
    recent.get(1)
    recent.put(3, entries[3], size=40)
    assert [recent.get(place) for place in range(4)] == [None, entries[1], None, entries[3]]
    recent.offer(0, entries[0], size=40)
    recent.put(2, entries[2], size=KEEP_BYTES + 1)
    assert [recent.get(place) for place in range(4)] == [None, entries[1], None, entries[3]]


def test_a_walk_over_a_large_session_keeps_no_images_and_no_more_than_the_bound(home):
    store = SessionStore.create(FOLDER, home=home)
    say(store, "first")
    for _ in range(4):
        say(store, "x" * (KEEP_BYTES + 1))
    small = say(store, "last")
    assert [len(e.message.content) for e in store.entries] == [5, *[KEEP_BYTES + 1] * 4, 4]
    assert store.get(small.id) is next(e for e in store.entries if e.id == small.id)
    assert list(store.entries)[1] is not list(store.entries)[1]
    os.truncate(store.path, 0)
    assert store.get(small.id).message.content == "last"
    store.close()
