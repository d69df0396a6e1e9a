"""Sessions of formats 1 and 2: read as if they were of format 3, and never touched."""

from __future__ import annotations

import json
import os
import tempfile

import pytest

from pi_notebook.agent.entries import CompactionEntry, MessageEntry
from pi_notebook.agent.messages import CompactionSummaryMessage, CustomMessage, user_message
from pi_notebook.context.projection import Projection
from pi_notebook.errors import SessionError
from pi_notebook.session.continuing import open_to_continue
from pi_notebook.session.forking import fork_file
from pi_notebook.session.home import Home
from pi_notebook.session.store import SessionStore

HEADER = '{"type":"session","id":"old-1","timestamp":"2025-01-02T03:04:05.678Z","cwd":"/data","provider":"p"}'


def said(text, **more):
    message = {"role": "user", "content": text, "timestamp": 1}
    return json.dumps(
        {"type": "message", "timestamp": "2025-01-02T03:04:06.000Z", "message": message, **more}
    )


def compaction(**kept):
    return json.dumps(
        {
            "type": "compaction",
            "timestamp": "2025-01-02T03:04:07.000Z",
            "summary": "s",
            "tokensBefore": 9,
            **kept,
        }
    )


@pytest.fixture
def written(tmp_path):
    def write(*lines, end="\n"):
        path = tmp_path / "old.jsonl"
        path.write_text("\n".join(lines) + end)
        return path

    return write


def shown(store):
    return [
        "summary" if isinstance(message, CompactionSummaryMessage) else message.content
        for message in Projection(store.branch()).messages
    ]


def test_lines_of_format_1_follow_each_other_and_have_the_same_ids_each_time(written):
    path = written(HEADER, said("one"), said("two"), said("three"))
    before = path.read_bytes()
    for _ in range(2):
        store = SessionStore.open(path)
        assert [(e.id, e.parent_id) for e in store.branch()] == [
            ("00000001", None),
            ("00000002", "00000001"),
            ("00000003", "00000002"),
        ]
        assert shown(store) == ["one", "two", "three"]
        assert (store.id, store.header.version, store.header.cwd) == ("old-1", 3, "/data")
        store.close()
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_the_rest_of_a_line_of_format_1_stays_byte_for_byte(written):
    odd = '{"timestamp":"t", "type":"future" ,"n":1.0,"deep":{"id":"x"}}'
    store = SessionStore.open(written(HEADER, said("one"), odd), read_only=True)
    assert store.raw_line("00000002") == b'{"id":"00000002","parentId":"00000001",' + odd[1:].encode()
    store.close()


@pytest.mark.parametrize(
    ("index", "kept"), [(1, ["one", "two", "three"]), (2, ["two", "three"]), (3, ["three"]), (4, [])]
)
def test_a_compaction_of_format_1_names_its_first_kept_entry_by_its_line(written, index, kept):
    path = written(
        HEADER, said("one"), said("two"), said("three"), compaction(firstKeptEntryIndex=index), said("four")
    )
    store = SessionStore.open(path, read_only=True)
    (found,) = [entry for entry in store.branch() if isinstance(entry, CompactionEntry)]
    assert found.first_kept_entry_id == f"0000000{index}"
    assert shown(store) == ["summary", *kept, "four"]
    store.close()


@pytest.mark.parametrize("index", [0, 99, -1, "2", None])
def test_a_compaction_that_names_no_line_of_an_entry_keeps_nothing(written, index):
    path = written(HEADER, said("one"), compaction(firstKeptEntryIndex=index), said("two"))
    store = SessionStore.open(path, read_only=True)
    assert shown(store) == ["summary", "two"]
    store.close()


@pytest.mark.parametrize("version", [1, 2])
def test_messages_of_hooks_have_their_role_of_today(written, version):
    header = HEADER if version == 1 else HEADER[:-1] + ',"version":2}'
    place = {} if version == 1 else {"id": "a", "parentId": None}
    message = {"role": "hookMessage", "customType": "n", "content": "hookMessage", "display": True}
    hook = {"type": "message", **place, "timestamp": "t", "message": message | {"timestamp": 3}}
    store = SessionStore.open(written(header, json.dumps(hook)), read_only=True)
    (shown_message,) = Projection(store.branch()).messages
    assert isinstance(shown_message, CustomMessage)
    assert (shown_message.custom_type, shown_message.content) == ("n", "hookMessage")
    store.close()


def test_lines_of_format_2_that_need_nothing_stay_as_they_are(written):
    line = said("about hookMessage", id="a", parentId=None)
    store = SessionStore.open(written(HEADER[:-1] + ',"version":2}', line), read_only=True)
    assert store.raw_line("a") == line.encode()
    store.close()


def test_damaged_lines_are_named_by_their_number_and_the_others_stay_attached(written):
    path = written(HEADER, said("one"), '{"type":"mess', "", said("two"), '{"type":"message","t', end="")
    store = SessionStore.open(path, read_only=True)
    assert shown(store) == ["one", "two"]
    assert store.problems == (
        "line 3: is damaged and was skipped",
        "line 6: was cut off and is skipped",
    )
    store.close()


def test_lone_surrogates_are_read(written):
    store = SessionStore.open(written(HEADER, said("x\ud800y")), read_only=True)
    assert shown(store) == ["x\ufffdy"]
    store.close()


def test_what_is_added_stays_in_memory_and_that_is_said(written):
    path = written(HEADER, said("one"))
    before = path.read_bytes()
    store = SessionStore.open(path)
    assert store.memory_reason == (
        f"{path} is of session format 1, which is read and not written: what is added now is kept in memory "
        f"only. %agent import {path} continues it in a file of its own."
    )
    store.add(MessageEntry, message=user_message("two"))
    assert shown(store) == ["one", "two"]
    store.close()
    assert path.read_bytes() == before


def test_a_copy_is_of_the_format_of_today_and_names_the_old_file(written, tmp_path):
    path = written(HEADER, said("one"), said("two"))
    copy = fork_file(path, home=Home(root=tmp_path / "home"), mode="all")
    copy.add(MessageEntry, message=user_message("three"))
    assert (copy.header.version, copy.header.parent_session) == (3, str(path))
    copy.close()
    again = SessionStore.open(copy.path, read_only=True)
    assert (shown(again), again.memory_reason, again.problems) == (["one", "two", "three"], "", ())
    again.close()


def test_going_on_makes_a_copy_and_says_so(written, tmp_path):
    path = written(HEADER, said("one"))
    before = path.read_bytes()
    store, note = open_to_continue(path, home=Home(root=tmp_path / "home"))
    assert note == (
        "old.jsonl is of an older session format and stays as it is. "
        f"The session goes on in a copy, {store.id}."
    )
    store.add(MessageEntry, message=user_message("two"))
    store.close()
    again, note = open_to_continue(store.path, home=Home(root=tmp_path / "home"))
    assert (shown(again), again.path, note) == (["one", "two"], store.path, "")
    again.close()
    assert path.read_bytes() == before


def test_where_no_copy_can_be_made_the_session_goes_on_in_memory(written, tmp_path):
    (tmp_path / "file").write_text("")
    store, note = open_to_continue(written(HEADER, said("one")), home=Home(root=tmp_path / "file" / "home"))
    assert (note, shown(store)) == ("", ["one"])
    assert "kept in memory only" in store.memory_reason
    store.close()


def test_an_old_file_is_free_for_others_while_it_is_open_here(written):
    path = written(HEADER, said("one"))
    first, second = SessionStore.open(path), SessionStore.open(path)
    assert shown(first) == shown(second) == ["one"]
    first.close()
    second.close()


def test_where_the_lines_have_no_place_that_is_said(written, monkeypatch):
    path = written(HEADER, said("one"))

    def no_place(*args, **options):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(tempfile, "TemporaryFile", no_place)
    with pytest.raises(SessionError, match=r"old\.jsonl cannot be read: No space left on device\."):
        SessionStore.open(path)
