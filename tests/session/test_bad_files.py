"""What is no session: said in one line with the file's name and what to do, and left as it was."""

from __future__ import annotations

import hashlib
import json
import os

import pytest

from pi_notebook import open_session
from pi_notebook.errors import SessionError, SessionFormatError, SessionNotFoundError
from pi_notebook.session.home import Home
from pi_notebook.session.importing import import_session, source
from pi_notebook.session.store import SessionStore

HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-02T03:04:05.678Z", "cwd": "/"}
ENTRY = {
    "type": "message",
    "id": "a",
    "parentId": None,
    "timestamp": "",
    "message": {"role": "user", "content": "hello", "timestamp": 1},
}


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def state(folder):
    """Everything in `folder`: names, sizes, contents."""
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def ways(tmp_path):
    home = Home(root=tmp_path / "home of the import")
    return {
        "open_session": lambda path: open_session(path),
        "store": lambda path: SessionStore.open(path),
        "import": lambda path: import_session(path, home=home, folder=tmp_path),
    }


# The content, what is said when it is opened, and what when it is imported.
FILES = {
    "empty": (
        b"",
        "is not a session file: it is empty. %agent sessions lists",
        "is empty: there is nothing to import",
    ),
    "notes": (
        b"some notes\nand more\n",
        "is not a session file: .* %agent import",
        "no session that can be imported",
    ),
    "rows": (
        lines({"id": 1, "type": "row"}, {"id": 2}),
        "is not a session file",
        "no session that can be imported",
    ),
    "binary": (bytes(range(256)) * 50, "is not a session file", "no session that can be imported"),
    "zeros": (b"\0" * 5000, "is not a session file", "no session that can be imported"),
    "torn header": (b'{"type":"session","vers', "is not a session file", "no session that can be imported"),
    "newer": (
        lines(HEADER | {"version": 4}, ENTRY),
        "format 4; .* Update pi-notebook",
        "format 4; .* Update pi-notebook",
    ),
    "json": (b'{"a": [1,\n2]}', "is not a session file", "no session that can be imported"),
    "notebook": (b'{"cells": [], "nbformat": 4}', "is not a session file", "no session that can be imported"),
    "header alone": (lines(HEADER), None, "holds no message: there is nothing to import"),
}


@pytest.mark.parametrize("way", ["open_session", "store", "import"])
@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_is_no_session_is_refused_and_left_as_it_was(tmp_path, kind, way):
    content, when_opened, when_imported = FILES[kind]
    folder = tmp_path / "theirs"
    folder.mkdir()
    path = folder / "2026-01-02T03-04-05-678Z_x.jsonl"
    path.write_bytes(content)
    before = state(folder)
    said = when_imported if way == "import" else when_opened
    if said is None:
        assert list(SessionStore.open(path, read_only=True).entries) == []
        assert state(folder) == before
        return
    with pytest.raises(SessionFormatError, match=said) as caught:
        ways(tmp_path)[way](path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.path == path
    assert state(folder) == before
    assert not list(tmp_path.rglob("*home of the import*/**/*.jsonl*"))


@pytest.mark.parametrize("way", ["open_session", "store", "import"])
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("folder", "folder"),
        ("pipe", "plain file"),
        ("nothing", "[Nn]o (such )?file"),
        ("of another user", "another user"),
    ],
)
def test_what_is_no_file_of_this_user_is_refused(tmp_path, kind, said, way):
    path = tmp_path / "it.jsonl"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "of another user":
        if os.geteuid() != 0:
            pytest.skip("only root can give a file away")
        path.write_bytes(lines(HEADER, ENTRY))
        os.chown(path, 12345, 12345)
    with pytest.raises(SessionError, match=said) as caught:
        ways(tmp_path)[way](path)
    assert str(path) in str(caught.value)
    assert list(tmp_path.iterdir()) == ([] if kind == "nothing" else [path])


def test_a_path_that_is_not_there_is_not_taken_for_an_id(tmp_path):
    with pytest.raises(SessionNotFoundError, match=f"There is no file {tmp_path}/gone. %agent sessions"):
        open_session(tmp_path / "gone")


def test_a_damaged_header_before_good_entries_opens_and_imports(tmp_path):
    path = tmp_path / "2026-01-02T03-04-05-678Z_x.jsonl"
    path.write_bytes(b'{"type":"sess\n' + lines(ENTRY))
    before = path.read_bytes()
    store = SessionStore.open(path, read_only=True)
    assert (store.id, len(store.entries), store.problems) == ("x", 1, ("line 1: is damaged and was skipped",))
    imported = import_session(path, home=Home(root=tmp_path / "home"), folder=tmp_path)
    assert imported.notes[1:] == (f"{path.name}, line 1: is damaged and was skipped.",)
    assert path.read_bytes() == before
    imported.store.close()
    store.close()


class Growing:
    """A writer that adds a line to `path` each time it is told of a read."""

    def __init__(self, path, line):
        self.path, self.line, self.count = path, line, 0

    def __call__(self):
        if self.count < 50:
            self.count += 1
            with self.path.open("ab") as file:
                file.write(self.line)


def test_a_transcript_that_grows_meanwhile_is_taken_as_it_was_and_that_is_said(tmp_path, monkeypatch):
    first = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "one"}}
    path = tmp_path / "t.jsonl"
    path.write_bytes(lines(first))
    grow = Growing(path, lines(first | {"uuid": "v"})[:-20])
    real = source.decoded
    monkeypatch.setattr(source, "decoded", lambda line: (grow(), real(line))[1])
    imported = import_session(path, home=Home(root=tmp_path / "home"), folder=tmp_path)
    assert imported.notes == (
        "Claude Code: 1 message, 0 tool calls.",
        "The file grew while it was read: what came later is not imported.",
    )
    assert path.read_bytes() == lines(first) + grow.count * grow.line
    imported.store.close()


def test_a_session_that_grows_while_it_is_read_is_read_to_the_end_that_it_has_then(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(HEADER, ENTRY))
    reader = SessionStore.open(path, read_only=True)
    with path.open("ab") as file:
        file.write(lines(ENTRY | {"id": "b", "parentId": "a"}) + b'{"type":"mess')
    grown = path.read_bytes()
    assert [entry.id for entry in reader.branch()] == ["a"]
    again = SessionStore.open(path, read_only=True)
    assert [entry.id for entry in again.branch()] == ["a", "b"]
    assert again.problems == ("line 4: was cut off and is skipped",)
    assert path.read_bytes() == grown
    reader.close()
    again.close()
