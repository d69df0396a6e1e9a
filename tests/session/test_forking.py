"""Copies of sessions: what is in them, what is not, and what is left when the copying fails."""

import errno
import itertools
import json
from pathlib import Path

import pytest

from pi_notebook.agent.entries import CompactionEntry, LabelEntry, MessageEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.errors import SessionError
from pi_notebook.session.forking import fork_file
from pi_notebook.session.home import Home
from pi_notebook.session.listing import list_sessions
from pi_notebook.session.store import SessionStore
from tests.session.crash.nursery import Nursery
from tests.session.crash.oracle import QuickFiles
from tests.session.crash.reader import read_session
from tests.session.faults import FaultyFiles

FOLDER = Path("/data/sales")


@pytest.fixture
def home(tmp_path):
    return Home(root=tmp_path / "home", files=QuickFiles())


@pytest.fixture
def store(home):
    """one - two - three, and from one: four (the leaf)."""
    store = SessionStore.create(FOLDER, home=home)
    for text in ("one", "two", "three"):
        say(store, text)
    store.move_leaf(store.entries[0].id)
    say(store, "four")
    yield store
    store.close()


def say(store, text):
    return store.add(MessageEntry, message=user_message(text))


def texts(store):
    return [entry.message.content for entry in store.branch() if isinstance(entry, MessageEntry)]


def id_of(store, text):
    return next(e.id for e in store.entries if isinstance(e, MessageEntry) and e.message.content == text)


def lines(store, ids):
    return [store.raw_line(entry_id) for entry_id in ids]


def session_files(home):
    return sorted(path for path in home.root.rglob("*") if path.is_file() and path.suffix != ".owner")


@pytest.mark.parametrize(
    ("at", "mode", "expected"),
    [
        (None, "at", ["one", "four"]),
        ("three", "at", ["one", "two", "three"]),
        ("three", "before", ["one", "two"]),
        ("one", "at", ["one"]),
        (None, "before", ["one"]),
    ],
)
def test_a_copy_ends_at_or_before_the_entry_with_the_lines_as_they_were(store, home, at, mode, expected):
    before = store.path.read_bytes()
    copy = fork_file(store, home=home, at=at and id_of(store, at), mode=mode)
    assert texts(copy) == expected
    ids = [entry.id for entry in copy.branch()]
    assert copy.path.read_bytes().splitlines()[1:] == lines(store, ids)
    assert copy.header.parent_session == str(store.path)
    assert (copy.folder, copy.problems) == (FOLDER, ())
    assert copy.id != store.id
    say(copy, "more")
    assert texts(copy) == [*expected, "more"]
    assert store.path.read_bytes() == before
    copy.close()


def test_a_whole_copy_has_every_branch_and_the_same_leaf(store, home, tmp_path):
    copy = fork_file(store, home=home, mode="all", folder=tmp_path)
    assert copy.path.read_bytes().splitlines()[1:] == store.path.read_bytes().splitlines()[1:]
    assert copy.leaf_id == store.leaf_id
    assert copy.folder == tmp_path
    copy.close()


def test_before_the_first_entry_there_is_an_empty_session_that_knows_where_it_comes_from(store, home):
    copy = fork_file(store, home=home, at=id_of(store, "one"), mode="before")
    assert (len(copy.entries), copy.header.parent_session) == (0, str(store.path))
    assert not copy.path.exists()
    say(copy, "anew")
    assert read_session(copy.path).header["parentSession"] == str(store.path)
    copy.close()


def test_a_session_that_another_writes_to_can_be_copied_from_its_path(store, home):
    copy = fork_file(store.path, home=home)
    say(store, "five")
    say(copy, "six")
    assert (texts(store)[-1], texts(copy)[-1]) == ("five", "six")
    copy.close()


def test_a_session_in_memory_is_copied_too(home):
    store = SessionStore.in_memory(FOLDER, reason="as asked")
    say(store, "one")
    copy = fork_file(store, home=home)
    assert (texts(copy), copy.header.parent_session) == (["one"], None)
    copy.close()


def test_marks_set_elsewhere_in_the_tree_are_set_again_at_the_end(store, home):
    one, two, four = (id_of(store, text) for text in ("one", "two", "four"))
    store.add(LabelEntry, target_id=two, label="elsewhere")
    store.add(LabelEntry, target_id=four, label="here")
    store.move_leaf(id_of(store, "three"))
    store.add(LabelEntry, target_id=one, label="start")
    store.add(LabelEntry, target_id=four, label="changed")
    copy = fork_file(store, home=home, at=four)
    labels = [(e.target_id, e.label) for e in copy.branch() if isinstance(e, LabelEntry)]
    assert sorted(labels) == sorted([(four, "changed"), (one, "start")])
    assert [entry.id for entry in copy.branch()][:3] == [one, store.get(four).parent_id, four]
    assert len({entry.id for entry in copy.entries}) == len(copy.entries)
    copy.close()


def test_a_compaction_still_keeps_what_it_kept(store, home):
    kept = id_of(store, "four")
    store.add(LabelEntry, target_id=kept, label="x")
    store.add(CompactionEntry, summary="s", first_kept_entry_id=store.leaf_id, tokens_before=9)
    copy = fork_file(store, home=home)
    compaction = copy.branch()[-1]
    assert compaction.first_kept_entry_id in copy
    assert copy.raw_line(compaction.id) == store.raw_line(compaction.id)
    copy.close()


def test_keys_and_entries_that_nobody_knows_are_copied_and_lost_parents_are_mended(home, tmp_path):
    records = [
        {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-02T03:04:05.678Z", "cwd": "/data"},
        {
            "type": "hologram",
            "id": "a",
            "parentId": None,
            "timestamp": "t",
            "beam": {"deep": [1.5, "ü\ud800"]},
        },
        {"type": "hologram", "id": "b", "parentId": "gone", "timestamp": "t", "beam": 2, "crc": "00000000"},
        {"type": "hologram", "id": "c", "parentId": "b", "timestamp": "t", "beam": 10**30},
    ]
    path = tmp_path / "2026-01-02T03-04-05-678Z_s.jsonl"
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    copy = fork_file(path, home=home)
    found = [json.loads(line) for line in copy.path.read_bytes().splitlines()[1:]]
    records[2] = {key: value for key, value in records[2].items() if key != "crc"} | {"parentId": "a"}
    assert found == records[1:]
    assert copy.problems == ()
    copy.close()


def test_an_entry_that_is_not_there_is_refused(store, home):
    before = session_files(home)
    with pytest.raises(KeyError):
        fork_file(store, home=home, at="missing1")
    assert session_files(home) == before


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EROFS], ids=errno.errorcode.get)
def test_whichever_call_fails_there_is_a_whole_copy_or_none(store, home, error):
    before = session_files(home)
    for at in itertools.count(1):
        files = FaultyFiles(at=at, error=error, short=100)
        try:
            copy = fork_file(store.path, home=Home(root=home.root, files=files))
        except SessionError:
            assert session_files(home) == before, at
            continue
        calls = files.count
        assert len(read_session(copy.path).entries) == 3, at
        copy.close()
        copy.path.unlink()
        if calls < at:
            return


def test_a_kill_in_the_middle_of_a_copy_leaves_no_half_session(store, home, tmp_path):
    before = list_sessions(home=home)
    with Nursery() as nursery:
        for at in itertools.count(1):
            status = nursery.copy(store.path, home.root, die_at=at, short=500)
            found = [info for info in list_sessions(home=home) if info.path not in {b.path for b in before}]
            for info in found:
                opened = SessionStore.open(info.path, files=QuickFiles())
                assert texts(opened) == ["one", "four"]
                opened.close()
                info.path.unlink()
            if status == 0:
                assert found
                return
