import errno
import itertools
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.agent.entries import CustomEntry, LabelEntry, MessageEntry, SessionHeader, SessionInfoEntry
from pi_notebook.agent.messages import NO_USAGE, AssistantMessage, TextContent, ToolCall, user_message
from pi_notebook.errors import SessionBusyError, SessionError, SessionFormatError, SessionWriteError
from pi_notebook.session.files import CREATE, Files
from pi_notebook.session.home import Home
from pi_notebook.session.lines import OPAQUE_TYPE, encode_line
from pi_notebook.session.recent import KEEP_BYTES
from pi_notebook.session.store import LEAF_TYPE, SessionStore
from pi_notebook.session.summary import describe_session
from tests.session.faults import FaultyFiles

FOLDER = Path("/data/sales")


@pytest.fixture
def home(tmp_path):
    return Home(root=tmp_path / "home")


@pytest.fixture
def store(home):
    store = SessionStore.create(FOLDER, home=home)
    yield store
    store.close()


def say(store, text="hello"):
    return store.add(MessageEntry, message=user_message(text))


def texts(store):
    return [entry.message.content for entry in store.branch()]


def ids(entries):
    return [entry.id for entry in entries]


def reopened(store, **options):
    store.close()
    return SessionStore.open(store.path, **options)


def on_disk(store):
    return [json.loads(line) for line in store.path.read_bytes().splitlines()]


def write_lines(tmp_path, *lines, name="2026-01-02T03-04-05-678Z_ab-1.jsonl", end="\n"):
    path = tmp_path / name
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + end)
    return path


HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-02T03:04:05.678Z", "cwd": "/data"}


def sealed_header():
    header = SessionHeader(version=3, id="s", timestamp="2026-01-02T03:04:05.678Z", cwd="/data")
    return encode_line(header).decode().strip()


def line_of(entry_id, parent_id, text="x", **more):
    return {
        "type": "message",
        "id": entry_id,
        "parentId": parent_id,
        "timestamp": "2026-01-02T03:04:05.678Z",
        "message": {"role": "user", "content": text, "timestamp": 1},
        **more,
    }


# Making, writing, reading


def test_nothing_is_on_disk_before_the_first_entry(store, home):
    assert not home.root.exists()
    assert list(store.branch()) == []
    assert store.leaf_id is None


def test_the_file_is_a_header_and_one_line_an_entry_with_pi_s_names(store):
    first, second = say(store, "one"), say(store, "two")
    header, *entries = on_disk(store)
    assert {key: header[key] for key in ("type", "version", "id", "cwd")} == {
        "type": "session",
        "version": 3,
        "id": store.id,
        "cwd": "/data/sales",
    }
    assert [(e["id"], e["parentId"]) for e in entries] == [(first.id, None), (second.id, first.id)]
    assert entries[0]["message"] == {
        "role": "user",
        "content": "one",
        "timestamp": first.message.timestamp,
    }


def test_every_line_carries_the_checksum_of_itself_without_it(store):
    say(store)
    for line in store.path.read_bytes().splitlines():
        body, crc = line[:-18] + b"}", line[-10:-2]
        assert crc == b"%08x" % zlib.crc32(body)
        assert json.loads(body) == {k: v for k, v in json.loads(line).items() if k != "crc"}


def test_an_entry_is_synced_before_append_returns(tmp_path):
    files = FaultyFiles()
    store = SessionStore.create(FOLDER, home=Home(root=tmp_path / "home", files=files))
    say(store)
    assert files.made[:6] == ["make_folder", "sync_folder"] * 3
    assert files.made[-4:] == ["write", "sync", "rename", "sync_folder"]
    say(store)
    assert files.made[-2:] == ["write", "sync"]
    store.close()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o377], ids=oct)
def test_all_files_and_folders_are_private(store, home, umask):
    before = os.umask(umask)
    try:
        say(store)
    finally:
        os.umask(before)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [home.root, *home.root.rglob("*")]}
    assert {oct(m) for path, m in modes.items() if path.is_dir()} == {"0o700"}
    assert {oct(m) for path, m in modes.items() if path.is_file()} == {"0o600"}


def test_a_file_is_private_from_the_moment_it_is_there(tmp_path):
    before = os.umask(0)
    try:
        fd = Files().open(tmp_path / "new", CREATE)
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.fstat(fd).st_mode) == 0o600
    assert not os.get_inheritable(fd)
    os.close(fd)


def test_a_reopened_session_goes_on_where_it_was(store):
    first, second = say(store, "one"), say(store, "two")
    again = reopened(store)
    assert (again.id, again.folder, again.leaf_id) == (store.id, FOLDER, second.id)
    third = say(again, "three")
    assert third.parent_id == second.id
    assert again.get(first.id) == first
    assert again.problems == ()
    assert texts(reopened(again, read_only=True)) == ["one", "two", "three"]


def test_a_branch_is_as_it_was_when_asked_for(store):
    say(store, "one")
    before = store.branch()
    say(store, "two")
    assert len(before) == 1
    assert [entry.message.content for entry in store.branch()[-2:]] == ["one", "two"]
    with pytest.raises(IndexError):
        before[1]


def test_moving_the_leaf_makes_a_branch_and_survives_a_resume(store):
    first, second = say(store, "one"), say(store, "two")
    store.move_leaf(first.id)
    again = reopened(store)
    third = say(again, "three")
    branch = again.branch()
    assert [getattr(entry, "custom_type", None) for entry in branch] == [None, LEAF_TYPE, None]
    assert (branch[0], branch[2]) == (first, third)
    assert second in list(again.entries)
    again.close()


def test_the_leaf_may_move_before_the_first_entry(store):
    say(store, "one")
    store.move_leaf(None)
    say(store, "two")
    assert [entry.parent_id for entry in store.branch()] == [None, store.branch()[0].id]
    assert len(store.branch()) == 2
    assert len(store.entries) == 3


def test_moving_the_leaf_to_where_it_is_writes_nothing(store):
    say(store)
    size = store.path.stat().st_size
    store.move_leaf(store.leaf_id)
    assert store.path.stat().st_size == size
    with pytest.raises(KeyError):
        store.move_leaf("missing1")


def test_an_entry_whose_parent_is_missing_or_whose_id_is_taken_is_refused(store):
    entry = say(store)
    with pytest.raises(ValueError, match="not in the session"):
        store.append(LabelEntry(id="aaaaaaaa", parent_id="bbbbbbbb", timestamp="", target_id="x"))
    with pytest.raises(ValueError, match="already"):
        store.append(LabelEntry(id=entry.id, parent_id=None, timestamp="", target_id="x"))
    assert len(on_disk(store)) == 2


def test_ids_are_eight_hexadecimal_digits_that_are_free(store):
    say(store)
    entry_id = store.new_id()
    assert len(entry_id) == 8
    assert int(entry_id, 16) >= 0
    assert entry_id not in store


def test_large_entries_are_read_from_the_file_each_time(store):
    entry = say(store, "x" * (KEEP_BYTES + 1))
    assert store.get(entry.id) == entry
    assert store.get(entry.id) is not store.get(entry.id)
    small = say(store)
    assert store.get(small.id) is store.get(small.id)


def test_what_is_no_json_is_written_as_what_can_be_read(store):
    import numpy

    data = {
        "half": "a\ud800b",
        "pair": "\ud83d\ude00",
        ("a", 1): [numpy.int64(3), numpy.float64(0.5), object(), {1: 2}],
        "nan": float("nan"),
        "big": 10**30,
        "\udc00": b"raw",
    }
    entry = store.add(CustomEntry, custom_type="t", data=data)
    expected = {
        "half": "a\ufffdb",
        "pair": "😀",
        "('a', 1)": [3, 0.5, "<object>", {"1": 2}],
        "nan": None,
        "big": 10**30,
        "\ufffd": "cmF3",
    }
    assert store.get(entry.id).data == expected
    assert reopened(store).get(entry.id).data == expected


def test_what_no_line_can_be_made_of_is_refused_and_changes_nothing(store):
    say(store)
    nested = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(SessionWriteError, match="cannot be written as JSON"):
        store.add(CustomEntry, custom_type="t", data=nested)
    assert len(store.entries) == len(reopened(store).entries) == 1


def test_a_session_in_memory_is_the_same_without_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = SessionStore.in_memory(FOLDER, reason="as asked")
    first = say(store, "one")
    store.move_leaf(None)
    say(store, "two")
    assert (store.path, store.memory_reason) == (None, "as asked")
    assert store.get(first.id) == first
    assert len(store.entries) == 3
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_a_closed_session_takes_no_entry_but_can_be_read(store):
    say(store, "one")
    assert texts(store) == ["one"]
    store.close()
    store.close()
    assert texts(store) == ["one"]
    with pytest.raises(SessionWriteError, match="is closed"):
        say(store)


contents = st.text(st.characters(), max_size=40)
moves = st.lists(st.one_of(contents.map(lambda text: ("say", text)), st.integers(0, 20)), max_size=12)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(steps=moves, stops=st.sets(st.integers(0, 12)))
def test_a_branch_is_the_same_after_every_close_and_reopening(tmp_path_factory, steps, stops):
    home = Home(root=tmp_path_factory.mktemp("home"), files=_Quick())
    store = SessionStore.create(FOLDER, home=home)
    say(store, "first")
    for number, step in enumerate(steps):
        if isinstance(step, tuple):
            say(store, step[1])
        else:
            store.move_leaf(store.entries[step % len(store.entries)].id)
        if number in stops:
            before = list(store.branch()), list(store.entries)
            store = reopened(store, files=_Quick())
            assert (list(store.branch()), list(store.entries)) == before
            assert store.problems == ()
    store.close()


class _Quick(Files):
    """Files without waiting for the disk."""

    def sync(self, fd):
        pass

    def sync_folder(self, path):
        pass


def test_the_cost_of_an_append_does_not_grow_with_the_session(tmp_path):
    files = FaultyFiles()
    files.sync = lambda fd: None
    store = SessionStore.create(FOLDER, home=Home(root=tmp_path / "home", files=files))
    calls, reads = [], []
    for number in range(3000):
        say(store)
        store.branch()
        if number in (10, 2999):
            calls.append(len(files.made))
            say(store)
            branch = store.branch()
            calls[-1] = len(files.made) - calls[-1]
            reads.append(branch.places)
    assert calls[0] == calls[1]
    assert reads[0] is reads[1]
    store.close()


def test_appends_from_a_thread_are_seen_whole_by_a_reader(tmp_path):
    store = SessionStore.create(FOLDER, home=Home(root=tmp_path / "home", files=_Quick()))
    say(store, "0")
    thread = threading.Thread(target=lambda: [say(store, str(n)) for n in range(1, 400)])
    thread.start()
    while thread.is_alive():
        seen = texts(store)
        assert seen == [str(n) for n in range(len(seen))]
    thread.join()
    assert len(store.branch()) == 400
    store.close()


def test_two_threads_never_make_two_branches(tmp_path):
    store = SessionStore.create(FOLDER, home=Home(root=tmp_path / "home", files=_Quick()))
    say(store)
    threads = [threading.Thread(target=lambda: [say(store) for _ in range(200)]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.branch()) == len(store.entries) == 601
    store.close()


# Damaged files


def test_a_file_cut_at_any_byte_loses_only_what_was_cut(store, tmp_path):
    entries = [say(store, "one"), say(store, "zwei ü"), say(store, "three")]
    data = store.path.read_bytes()
    ends = list(itertools.accumulate(len(line) for line in data.splitlines(keepends=True)))
    path = tmp_path / "cut.jsonl"
    for size in range(len(data)):
        path.write_bytes(data[:size])
        if size < ends[0] - 1:
            with pytest.raises(SessionFormatError):
                SessionStore.open(path)
            assert path.read_bytes() == data[:size]
            continue
        whole = sum(end - 1 <= size for end in ends) - 1
        cut = SessionStore.open(path, files=_Quick())
        assert ids(cut.branch()) == ids(entries[:whole])
        assert path.read_bytes() == data[:size]
        is_torn = size not in ends and size + 1 not in ends
        assert cut.problems == ((f"line {whole + 2}: was cut off and is skipped",) if is_torn else ())
        added = say(cut, "after")
        again = reopened(cut, read_only=True)
        assert ids(again.branch()) == [*ids(entries[:whole]), added.id]
        seal = b"" if size in ends else b"\n"
        line = again.raw_line(added.id)
        assert path.read_bytes() == data[:size] + seal + line + b"\n"
        again.close()


def test_one_flipped_bit_changes_no_entry_and_loses_at_most_one_which_is_reported(store, tmp_path):
    entries = [say(store, text) for text in ("one", "two", "three")]
    data = bytearray(store.path.read_bytes())
    start = data.index(b"\n") + 1
    path = tmp_path / "flipped.jsonl"
    for position in range(start, len(data) - 1):
        flipped = bytes([*data[:position], data[position] ^ 1, *data[position + 1 :]])
        path.write_bytes(flipped)
        opened = SessionStore.open(path, read_only=True)
        number = data[:position].count(b"\n") - 1  # of the entry, the header being no entry
        left = [entry.id for n, entry in enumerate(entries) if n != number]
        if opened.problems:
            assert ids(opened.branch()) in (left, ids(entries))
        else:
            assert list(opened.branch()) == entries
            assert b"crc" in data[position - 3 : position + 4]
        opened.close()


def test_a_damaged_line_in_the_middle_is_reported_and_what_follows_stays_attached(tmp_path):
    path = write_lines(
        tmp_path,
        HEADER,
        line_of("a", None),
        '{"type":"mess{"type":"message"}',
        "",
        "\0" * 40,
        line_of("c", "b"),
        "[1]",
        '"text"',
        line_of("d", "c"),
    )
    store = SessionStore.open(path, read_only=True)
    assert ids(store.branch()) == ["a", "c", "d"]
    assert store.problems == (
        "line 3: is damaged and was skipped",
        "line 5: is damaged and was skipped",
        "line 6: entry c follows b, which is not above it; it is taken to follow entry a",
        "line 7: is damaged and was skipped",
        "line 8: is damaged and was skipped",
    )


@pytest.mark.parametrize(
    ("links", "branch", "faults"),
    [
        ([("a", "a")], ["a"], 1),
        ([("a", None), ("b", "c"), ("c", "b")], ["a", "b", "c"], 1),
        ([("a", "b"), ("b", "a")], ["a", "b"], 1),
        ([("a", None), ("b", "gone"), ("c", "b")], ["a", "b", "c"], 1),
        ([("a", None), ("a", "a"), ("b", "a")], ["a", "a", "b"], 1),
        ([("a", None), ("b", "a"), ("c", "a")], ["a", "c"], 0),
        ([("a", None), ("b", None)], ["b"], 0),
    ],
)
def test_cycles_orphans_and_repeated_ids_are_reported_and_all_stays_reachable(
    tmp_path, links, branch, faults
):
    lines = [line_of(entry_id, parent, text=str(n)) for n, (entry_id, parent) in enumerate(links)]
    store = SessionStore.open(write_lines(tmp_path, HEADER, *lines), read_only=True)
    assert ids(store.branch()) == branch
    assert len(store.entries) == len(links)
    assert len(store.problems) == faults


def test_a_line_that_stands_twice_counts_once(tmp_path):
    path = write_lines(tmp_path, HEADER, line_of("a", None), line_of("b", "a"), line_of("b", "a"))
    store = SessionStore.open(path, read_only=True)
    assert (ids(store.entries), store.problems) == (["a", "b"], ())


def test_unknown_entries_keys_and_roles_keep_their_place_and_their_text(tmp_path):
    lines = [
        line_of("a", None, futureKey={"deep": [1]}),
        {"type": "hologram", "id": "b", "parentId": "a", "timestamp": "t", "beam": 7},
        line_of("c", "b") | {"message": {"role": "bashExecution", "command": "ls"}},
        line_of("d", "c"),
    ]
    path = write_lines(tmp_path, HEADER, *lines)
    before = path.read_bytes()
    store = SessionStore.open(path, files=_Quick())
    assert ids(store.branch()) == ["a", "b", "c", "d"]
    opaque = store.branch()[1]
    assert isinstance(opaque, CustomEntry)
    assert (opaque.custom_type, opaque.parent_id, opaque.timestamp) == (OPAQUE_TYPE, "a", "t")
    assert opaque.data["beam"] == 7
    assert [json.loads(store.raw_line(entry_id)) for entry_id in "abcd"] == lines
    assert store.problems == ()
    say(store)
    assert path.read_bytes().startswith(before)
    store.close()


def test_lone_surrogates_and_nan_of_other_programs_are_read(tmp_path):
    path = write_lines(
        tmp_path,
        HEADER,
        json.dumps(line_of("a", None, text="x\ud800y")),
        json.dumps(
            {
                "type": "custom",
                "id": "b",
                "parentId": "a",
                "timestamp": "",
                "customType": "t",
                "data": float("nan"),
            }
        ),
    )
    store = SessionStore.open(path, read_only=True)
    assert store.branch()[0].message.content == "x\ufffdy"
    assert store.branch()[1].custom_type == "t"
    assert store.problems == ()


def test_bytes_that_are_no_text_are_kept_in_the_file_and_reported_or_read_as_such(tmp_path):
    path = write_lines(tmp_path, sealed_header(), line_of("a", None))
    broken = encode_line(MessageEntry(id="b", parent_id="a", timestamp="", message=user_message("Zürich")))
    plain = json.dumps(line_of("c", "a", text="Zürich"), ensure_ascii=False).encode()
    with path.open("ab") as file:
        file.write(broken.replace(b"\xbc", b"") + plain.replace(b"\xbc", b"") + b"\n")
    store = SessionStore.open(path, read_only=True)
    assert store.problems == ("line 3: is damaged and was skipped",)
    assert [entry.message.content for entry in store.branch()][1:] == ["Z\ufffdrich"]


@pytest.mark.parametrize("header", [HEADER, sealed_header()], ids=["plain", "sealed"])
def test_a_byte_order_mark_before_the_header_is_no_damage(tmp_path, header):
    path = write_lines(tmp_path, header, line_of("a", None))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    store = SessionStore.open(path, read_only=True)
    assert (store.problems, ids(store.branch())) == ((), ["a"])
    assert store.header.cwd == HEADER["cwd"]
    assert describe_session(path).id == store.id


def test_a_checksum_that_another_program_copied_into_its_own_file_is_not_taken_for_damage(store, tmp_path):
    first, second = say(store, "one"), say(store, "two")
    changed = [json.loads(store.raw_line(entry.id)) | {"parentId": None} for entry in (first, second)]
    theirs = SessionStore.open(write_lines(tmp_path, HEADER, *changed), read_only=True)
    assert (ids(theirs.branch()), theirs.problems) == ([second.id], ())
    assert theirs.get(second.id).message == second.message
    copied = [theirs.raw_line(entry.id).decode() for entry in (first, second)]
    ours = SessionStore.open(write_lines(tmp_path, sealed_header(), *copied, name="ours.jsonl"))
    assert (ids(ours.entries), ours.problems) == ([first.id, second.id], ())
    ours.close()


def test_a_damaged_header_before_good_entries_is_told_from_the_name(tmp_path):
    path = write_lines(tmp_path, '{"type":"sess', line_of("a", None))
    store = SessionStore.open(path, read_only=True)
    assert (store.id, store.header.timestamp, store.header.cwd) == ("ab-1", "2026-01-02T03:04:05.678Z", "")
    assert store.problems == ("line 1: is damaged and was skipped",)
    assert ids(store.branch()) == ["a"]


@pytest.mark.parametrize(
    "torn", [b'{"type":"message","id":"ab', b"\0" * 50, b'{"type":"toolCall","id":"x"},' * 20]
)
def test_a_whole_entry_behind_a_torn_one_is_kept(store, torn):
    first = say(store, "one")
    lost = encode_line(
        MessageEntry(id="bbbbbbbb", parent_id=first.id, timestamp="", message=user_message("2"))
    )
    more = encode_line(
        MessageEntry(id="cccccccc", parent_id="bbbbbbbb", timestamp="", message=user_message("3"))
    )
    with store.path.open("ab") as file:
        file.write(torn + lost[:-1] + more)
    again = reopened(store, read_only=True)
    assert ids(again.branch()) == [first.id, "bbbbbbbb", "cccccccc"]
    assert again.problems == ("line 3: is damaged; entries kept of it: 2",)
    assert again.raw_line("bbbbbbbb") == lost[:-1]


def test_many_damaged_lines_are_counted_not_listed(tmp_path):
    store = SessionStore.open(write_lines(tmp_path, HEADER, *["?"] * 250), read_only=True)
    assert len(store.problems) == 101
    assert store.problems[-1] == "150 more lines are damaged"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "is not a session file: it is empty. %agent sessions lists"),
        (["some notes", "more"], "is not a session file: its first line is no header. %agent import"),
        (['{"id":"a","type":"row"}'], "is not a session file"),
        ([HEADER | {"version": 4}], "format 4; this release reads 3 and earlier ones. Update pi-notebook"),
        ([HEADER | {"version": "1"}], "is not a session file"),
    ],
)
def test_what_is_no_session_is_refused_and_left_as_it_was(tmp_path, lines, said):
    path = write_lines(tmp_path, *lines, end="" if not lines else "\n")
    before = path.read_bytes()
    with pytest.raises(SessionFormatError, match=said) as caught:
        SessionStore.open(path)
    assert caught.value.path == path
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_folder_a_link_a_pipe_and_nothing_are_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(write_lines(tmp_path, HEADER))
    os.mkfifo(tmp_path / "pipe")
    for name, said in [
        ("folder", "it is a folder"),
        ("link", "it is a link"),
        ("pipe", "not a plain file"),
        ("nothing", "No such file"),
    ]:
        with pytest.raises(SessionFormatError, match=said):
            SessionStore.open(tmp_path / name)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path):
    path = write_lines(tmp_path, HEADER)
    os.chown(path, 12345, 12345)
    with pytest.raises(SessionFormatError, match="belongs to another user. Copy it"):
        SessionStore.open(path)


def test_a_line_longer_than_a_read_is_whole(store):
    entry = say(store, "ü" * 1_700_000)
    say(store, "after")
    again = reopened(store, read_only=True)
    assert again.get(entry.id) == entry
    assert len(again.branch()) == 2


# Failing disks


def test_a_short_write_is_taken_back_and_the_same_entry_fits_later(tmp_path):
    store = SessionStore.create(FOLDER, home=Home(root=tmp_path / "home"))
    say(store, "one")
    files = FaultyFiles(error=errno.ENOSPC)
    again = reopened(store, files=files)
    files.calls, files.short = {"write"}, 20
    before = again.path.read_bytes()
    entry = MessageEntry(id="aaaaaaaa", parent_id=again.leaf_id, timestamp="", message=user_message("two"))
    with pytest.raises(SessionWriteError, match=r"No space left on device\. Free some space and ask again\."):
        again.append(entry)
    assert files.made[-2:] == ["read_at", "truncate"]
    assert again.path.read_bytes() == before
    assert texts(again) == ["one"]
    files.calls.clear()
    again.append(entry)
    assert texts(reopened(again)) == ["one", "two"]


def test_a_tail_that_cannot_be_taken_back_is_sealed_before_the_next_entry(tmp_path):
    store = SessionStore.create(FOLDER, home=Home(root=tmp_path / "home"))
    say(store, "one")
    files = FaultyFiles(error=errno.ENOSPC)
    again = reopened(store, files=files)
    files.calls, files.short = {"write", "truncate"}, 20
    with pytest.raises(SessionWriteError):
        say(again, "lost")
    files.calls.clear()
    say(again, "two")
    assert texts(again) == ["one", "two"]
    assert again.problems == ("line 3: was cut off and is skipped",)
    assert texts(reopened(again)) == ["one", "two"]


def test_a_failed_sync_is_never_repeated_on_the_same_descriptor(tmp_path):
    class Lost(Files):
        def __init__(self):
            self.failed, self.synced, self.closed = [], [], []

        def sync(self, fd):
            if not self.failed:
                self.failed.append(fd)
                raise OSError(errno.EIO, "lost")
            assert self.closed[-1] == self.failed[0]
            self.synced.append(fd)

        def close(self, fd):
            self.closed.append(fd)
            super().close(fd)

    store = SessionStore.create(FOLDER, home=Home(root=tmp_path / "home"))
    say(store, "one")
    files = Lost()
    again = reopened(store, files=files)
    size = again.path.stat().st_size
    with pytest.raises(SessionWriteError, match="lost"):
        say(again, "two")
    assert again.path.stat().st_size == size
    say(again, "three")
    assert len(files.synced) == 1
    assert texts(reopened(again)) == ["one", "three"]


def test_what_another_program_wrote_meanwhile_is_not_cut_off(store):
    class Interleaved(Files):
        def sync(self, fd):
            os.write(fd, foreign)
            raise OSError(errno.EIO, "lost")

    first = say(store, "one")
    foreign = json.dumps(line_of("ffffffff", first.id)).encode() + b"\n"
    again = reopened(store, files=Interleaved())
    with pytest.raises(SessionWriteError):
        say(again, "two")
    assert again.path.read_bytes().endswith(foreign)


def test_an_entry_left_by_a_failed_sync_counts_once_when_it_is_appended_again(tmp_path):
    store = SessionStore.create(FOLDER, home=Home(root=tmp_path / "home"))
    say(store, "one")
    files = FaultyFiles(calls={"sync", "truncate"})
    again = reopened(store, files=files)
    entry = MessageEntry(id="aaaaaaaa", parent_id=again.leaf_id, timestamp="", message=user_message("two"))
    with pytest.raises(SessionWriteError):
        again.append(entry)
    files.calls.clear()
    again.append(entry)
    say(again, "three")
    assert texts(again) == ["one", "two", "three"]
    assert texts(reopened(again)) == ["one", "two", "three"]
    assert again.problems == ()


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize(
    "error",
    [
        errno.EIO,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EROFS,
        errno.ESTALE,
        errno.EMFILE,
        errno.EINTR,
        errno.ENOLCK,
    ],
    ids=errno.errorcode.get,
)
def test_whichever_call_fails_what_was_acknowledged_is_there(tmp_path, error, lasting):
    """The n-th call fails, for every n until none does: old or new, nothing else, and no bare OSError."""
    for at in itertools.count(1):
        files = FaultyFiles(at=at, lasting=lasting, error=error, short=7)
        home = Home(root=tmp_path / f"{at}", files=files)
        acknowledged, in_memory = _run_through(home, files)
        sessions = list(home.root.rglob("*.jsonl")) if home.root.exists() else []
        if not in_memory and acknowledged:
            (path,) = sessions
            store = SessionStore.open(path, files=_Quick())
            assert set(acknowledged) <= set(texts(store))
            assert texts(store) == [t for t in ("one", "two", "three", "four") if t in texts(store)]
            say(store, "next")
            assert texts(reopened(store, read_only=True))[-1] == "next"
        if files.count < at:
            return


def _run_through(home, files):
    """A session made, closed and resumed; what was acknowledged, and whether it was in memory."""
    store = SessionStore.create(FOLDER, home=home)
    acknowledged = _say_all(store, "one", "two")
    reason = store.memory_reason
    store.close()
    if reason or not acknowledged:
        return acknowledged, True
    try:
        again = SessionStore.open(store.path, files=files)
    except SessionError:
        return acknowledged, False
    if not again.memory_reason:
        acknowledged += _say_all(again, "three", "four")
    again.close()
    return acknowledged, False


def _say_all(store, *words):
    said = []
    for word in words:
        try:
            say(store, word)
        except SessionError:
            continue
        said.append(word)
    return said


def test_a_home_that_cannot_be_written_keeps_the_session_in_memory_and_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    store = SessionStore.create(FOLDER, home=Home(root=tmp_path / "file" / "home"))
    say(store, "one")
    say(store, "two")
    assert texts(store) == ["one", "two"]
    assert store.path is None
    assert store.memory_reason == (
        f"The folder {tmp_path}/file/home/sessions/--data-sales-- cannot be made: Not a directory."
        " Set PI_NOTEBOOK_HOME to another folder. This session is kept in memory only."
    )


@pytest.mark.parametrize("call", ["write", "sync", "sync_folder", "make_private"])
def test_a_file_that_cannot_be_begun_leaves_none_behind(tmp_path, call):
    home = Home(root=tmp_path / "home")
    home.make_folder(home.folder_sessions(FOLDER))
    home = Home(root=home.root, files=FaultyFiles(calls={call}, error=errno.ENOSPC, short=30))
    store = SessionStore.create(FOLDER, home=home)
    say(store, "one")
    assert "No space left on device" in store.memory_reason
    assert [path for path in home.root.rglob("*") if path.is_file()] == []
    assert texts(store) == ["one"]


def test_a_session_that_may_only_be_read_goes_on_in_memory(store):
    class ReadOnly(Files):
        def open(self, path, flags):
            if flags & (os.O_WRONLY | os.O_RDWR):
                raise OSError(errno.EROFS, "Read-only file system")
            return super().open(path, flags)

    say(store, "one")
    before = store.path.read_bytes()
    again = reopened(store, files=ReadOnly())
    say(again, "two")
    assert texts(again) == ["one", "two"]
    assert "cannot be written" in again.memory_reason
    assert again.path.read_bytes() == before


def test_opened_for_reading_only_a_session_takes_no_entry(store):
    say(store, "one")
    again = reopened(store, read_only=True)
    with pytest.raises(SessionWriteError, match="for reading only"):
        say(again)


def test_a_file_that_was_shortened_is_not_written_to(store):
    say(store, "one")
    say(store, "two")
    os.truncate(store.path, store.path.stat().st_size - 10)
    with pytest.raises(SessionWriteError, match="shortened"):
        say(store, "three")
    assert len(store.branch()) == 2


def test_lines_that_a_program_without_our_lock_adds_are_taken_in(store):
    first = say(store, "one")
    with store.path.open("a") as file:
        file.write(json.dumps(line_of("ffffffff", first.id, text="from elsewhere")) + "\n")
    entry = MessageEntry(id="aaaaaaaa", parent_id=first.id, timestamp="", message=user_message("two"))
    store.append(entry)
    assert ids(store.entries) == [first.id, "ffffffff", entry.id]
    assert texts(store) == ["one", "two"]
    assert texts(reopened(store)) == ["one", "two"]


# Other processes


def python(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


HOLD = """
import sys
from pathlib import Path
from pi_notebook.session.store import SessionStore
store = SessionStore.open(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_who_holds_the_session(store):
    say(store)
    path = store.path
    store.close()
    with python(HOLD, path) as holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(SessionBusyError, match=rf"in use by process {holder.pid} on .+ since \d{{4}}-"):
            SessionStore.open(path)
        assert len(SessionStore.open(path, read_only=True).branch()) == 1
        holder.send_signal(signal.SIGKILL)
    SessionStore.open(path).close()
    assert not path.with_suffix(".owner").exists()


def test_the_same_kernel_is_told_that_it_holds_the_session_itself(store):
    say(store)
    with pytest.raises(SessionBusyError, match="in use by this kernel"):
        SessionStore.open(store.path)
    say(store)


def test_a_forked_child_neither_writes_nor_holds_the_lock(store):
    say(store, "one")
    ready, done = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(done[1])
        try:
            say(store, "from the child")
            answer = b"written"
        except SessionWriteError:
            answer = b"refused"
        except BaseException:  # the child must never go on as a second run of the tests
            answer = b"failed"
        os.write(ready[1], answer)
        os.read(done[0], 1)  # alive until the parent has seen that the lock is free
        os._exit(0)
    try:
        assert os.read(ready[0], 20) == b"refused"
        again = reopened(store)
        say(again, "two")
        assert texts(again) == ["one", "two"]
        again.close()
    finally:
        for fd in (*ready, *done):
            os.close(fd)
        os.waitpid(child, 0)


KILLED = """
import os, sys
from pathlib import Path
from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.session.home import Home
from pi_notebook.session.store import SessionStore
store = SessionStore.create(Path("/data"), home=Home(root=Path(sys.argv[1])))
for n in range(100_000):
    store.add(MessageEntry, message=user_message(str(n)))
    print(n, flush=True)
"""


def test_what_was_acknowledged_survives_a_kill(home):
    with python(KILLED, home.root) as writer:
        for _ in range(50):
            writer.stdout.readline()
        writer.kill()
        acknowledged = 50 + len(
            [line for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        )
    (path,) = home.root.rglob("*.jsonl")
    store = SessionStore.open(path)
    assert texts(store)[:acknowledged] == [str(n) for n in range(acknowledged)]
    assert len(store.branch()) <= acknowledged + 1
    store.close()


def test_a_whole_conversation_comes_back_as_it_was(store):
    say(store, "sum?")
    store.add(
        MessageEntry,
        message=AssistantMessage(
            content=[
                TextContent(text="let me see"),
                ToolCall(id="c1", name="run_code", arguments={"code": "1+1"}),
            ],
            api="x",
            provider="p",
            model="m",
            usage=NO_USAGE,
            stop_reason="toolUse",
            timestamp=1,
        ),
    )
    store.add(SessionInfoEntry, name="sums")
    before = list(store.branch())
    assert list(reopened(store).branch()) == before


def test_what_a_killed_process_left_unfinished_is_removed_by_the_next_session(tmp_path):
    home = Home(root=tmp_path / "home")
    first = SessionStore.create(tmp_path, home=home)
    first.add(MessageEntry, message=user_message("one"))
    old, new = (first.path.with_name(f"{name}.jsonl.part") for name in ("old", "new"))
    for path in (old, new):
        path.write_text("half")
    os.utime(old, (0, 0))
    os.utime(first.path, (0, 0))
    second = SessionStore.create(tmp_path, home=home)
    second.add(MessageEntry, message=user_message("two"))
    second.close()
    assert not old.exists()
    assert new.exists()
    assert first.path.exists()
    first.close()
