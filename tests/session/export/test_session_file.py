"""A branch as a session file: the same bytes, and it opens as what it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_notebook.agent.entries import LabelEntry, MessageEntry, SessionInfoEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.context.projection import Projection
from pi_notebook.session.export.jsonl import branch_lines
from pi_notebook.session.home import Home
from pi_notebook.session.store import SessionStore

FOLDER = Path("/data/sales")


@pytest.fixture
def store(tmp_path):
    store = SessionStore.create(FOLDER, home=Home(root=tmp_path / "home"))
    yield store
    store.close()


def say(store, text):
    return store.add(MessageEntry, message=user_message(text))


def exported(store, tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"".join(branch_lines(store)))
    return path


def test_of_a_session_without_branches_it_is_the_file_itself(store, tmp_path):
    for text in ("one", "two"):
        say(store, text)
    store.add(SessionInfoEntry, name="Sales")
    assert exported(store, tmp_path).read_bytes() == store.path.read_bytes()


def test_only_the_current_branch_is_there_and_opens_with_the_same_messages_and_leaf(store, tmp_path):
    first = say(store, "one")
    say(store, "left")
    store.move_leaf(first.id)
    last = say(store, "two")
    opened = SessionStore.open(exported(store, tmp_path), read_only=True)
    assert [e.message.content for e in opened.branch() if isinstance(e, MessageEntry)] == ["one", "two"]
    assert Projection(opened.branch()).messages == Projection(store.branch()).messages
    assert opened.problems == ()
    assert opened.leaf_id == last.id
    assert opened.header == store.header


def test_keys_and_entries_of_other_programs_are_kept_byte_for_byte(store, tmp_path):
    first = say(store, "one")
    header, *lines = store.path.read_bytes().splitlines()
    store.close()
    header = json.dumps({**json.loads(header), "theirs": 1}).encode()
    opaque = {"type": "of_theirs", "id": "aaaaaaaa", "parentId": first.id, "timestamp": "t", "x": "\u00e9"}
    spaced = '{ "type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"t","message":'
    spaced += '{"role":"user","content":"\\ud800","timestamp":1,"more":[1]}}'
    odd = [json.dumps(opaque), spaced]
    header = header.replace(b', "crc": ', b', "old": ')
    path = tmp_path / "theirs.jsonl"
    path.write_bytes(b"\n".join([header, *lines, *(line.encode() for line in odd)]) + b"\n")
    opened = SessionStore.open(path, read_only=True)
    assert b"".join(branch_lines(opened)) == path.read_bytes()


def test_labels_and_the_name_that_were_given_elsewhere_in_the_tree_are_said_again(store, tmp_path):
    first = say(store, "one")
    say(store, "left")
    store.add(LabelEntry, target_id=first.id, label="start")
    store.add(SessionInfoEntry, name="Sales")
    store.move_leaf(first.id)
    say(store, "two")
    opened = SessionStore.open(exported(store, tmp_path), read_only=True)
    labels = [(e.target_id, e.label) for e in opened.branch() if isinstance(e, LabelEntry)]
    names = [e.name for e in opened.branch() if isinstance(e, SessionInfoEntry)]
    assert labels == [(first.id, "start")]
    assert names == ["Sales"]
    assert Projection(opened.branch()).messages == Projection(store.branch()).messages


def test_a_session_in_memory_is_written_as_it_would_have_been(tmp_path):
    store = SessionStore.in_memory(FOLDER, reason="no disk")
    say(store, "one")
    opened = SessionStore.open(exported(store, tmp_path), read_only=True)
    assert opened.id == store.id
    assert Projection(opened.branch()).messages == Projection(store.branch()).messages
