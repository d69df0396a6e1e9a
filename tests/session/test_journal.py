"""The one writer of a session file: when entries are safe, whose it is, and what happens when it is gone."""

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.errors import SessionBusyError, SessionWriteError
from pi_notebook.session.files import APPEND, Files
from pi_notebook.session.home import Home
from pi_notebook.session.owner import Owner, OwnerRecord
from pi_notebook.session.store import SessionStore
from pi_notebook.session.syncing import SyncPace
from tests.patience import SOON
from tests.session.crash.oracle import QuickFiles
from tests.session.crash.reader import read_session
from tests.session.faults import FaultyFiles

FOLDER = Path("/data/sales")


def new_store(tmp_path, files):
    return SessionStore.create(FOLDER, home=Home(root=tmp_path / "home", files=files))


def say(store, text="hello"):
    return store.add(MessageEntry, message=user_message(text))


def texts(path):
    return [entry["message"]["content"] for entry in read_session(path).entries.values()]


# When an entry is safe


def syncs(files):
    return files.made.count("sync")


@pytest.mark.parametrize(("policy", "per_entry", "per_turn"), [("full", 1, 0), ("turn", 0, 1), ("off", 0, 0)])
def test_the_policy_says_when_entries_are_synced(tmp_path, policy, per_entry, per_turn):
    files = FaultyFiles()
    store = new_store(tmp_path, files)
    store.sync_policy = policy
    say(store)  # the file is always made safe as it begins
    before = syncs(files)
    for _ in range(5):
        say(store)
    assert syncs(files) - before == 5 * per_entry
    store.sync()
    store.sync()
    assert syncs(files) - before == 5 * per_entry + per_turn
    store.close()


def test_what_a_turn_left_is_synced_when_the_session_is_closed(tmp_path):
    files = FaultyFiles()
    store = new_store(tmp_path, files)
    store.sync_policy = "turn"
    say(store)
    say(store)
    before = syncs(files)
    store.close()
    assert syncs(files) == before + 1


class SlowDisk(Files):
    syncs = 0

    def sync(self, fd):
        self.syncs += 1
        time.sleep(0.052)


def test_a_slow_disk_is_waited_for_once_a_turn_and_the_person_is_told_once(tmp_path):
    disk = SlowDisk()
    store = new_store(tmp_path, disk)
    for _ in range(20):
        say(store)
    assert (store.sync_policy, store.take_notices()) == ("full", [])
    say(store)
    assert store.sync_policy == "turn"
    (notice,) = store.take_notices()
    assert re.match(r"The disk takes \d+ ms to make an entry safe\.", notice)
    assert "once a turn" in notice
    syncs = disk.syncs
    for _ in range(20):
        say(store)
    assert disk.syncs == syncs
    store.sync()
    assert disk.syncs == syncs + 1
    assert store.take_notices() == []
    store.close()


@pytest.mark.parametrize(
    ("seconds", "is_slow"), [([0.06] * 19, False), ([0.06] * 20, True), ([1] + [0.01] * 19, False)]
)
def test_one_slow_sync_in_twenty_says_nothing(seconds, is_slow):
    pace = SyncPace()
    for second in seconds:
        pace.add(second)
    assert pace.is_slow is is_slow


def test_what_a_failed_sync_at_the_end_of_a_turn_may_have_lost_is_written_again(tmp_path):
    files = FaultyFiles()
    store = new_store(tmp_path, files)
    store.sync_policy = "turn"
    for text in ("one", "two", "three"):
        say(store, text)
    files.calls = {"sync"}
    for _ in range(2):
        with pytest.raises(SessionWriteError, match="could not be written"):
            store.sync()
    size = store.path.stat().st_size
    files.calls.clear()
    say(store, "four")
    store.sync()
    assert store.path.stat().st_size < 2 * size
    store.close()
    data = store.path.read_bytes()
    lost = data.index(b'"two"'), data.index(b'"three"') + 20
    store.path.write_bytes(data[: lost[0]] + b"\0" * (lost[1] - lost[0]) + data[lost[1] :])
    again = SessionStore.open(store.path, read_only=True)
    assert [entry.message.content for entry in again.branch()] == ["one", "two", "three", "four"]


def test_after_a_failed_sync_the_next_one_is_on_a_new_descriptor(tmp_path):
    class Opened(FaultyFiles):
        appenders = 0

        def open(self, path, flags):
            self.appenders += flags == APPEND
            return super().open(path, flags)

    files = Opened()
    store = new_store(tmp_path, files)
    for text in ("one", "two", "three"):
        say(store, text)
    assert files.appenders == 1
    files.calls = {"sync"}
    with pytest.raises(SessionWriteError):
        say(store, "four")
    files.calls.clear()
    say(store, "four")
    assert files.appenders == 2
    store.close()


# Network file systems


class Forgetful(FaultyFiles):
    """Files whose handles go stale: the next `times` calls of `name` say so."""

    def __init__(self):
        super().__init__(error=errno.ESTALE)
        self.name, self.times = "", 0

    def _may_fail(self, name):
        self.calls = {self.name} if self.times else set()
        self.times -= name == self.name and self.times > 0
        super()._may_fail(name)


@pytest.mark.parametrize("call", ["status", "read_at", "look_up", "sync"])
def test_a_stale_handle_is_opened_again_once(tmp_path, call):
    files = Forgetful()
    store = new_store(tmp_path, files)
    say(store, "one")
    files.name, files.times = call, 1
    say(store, "two")
    assert files.times == 0
    files.times = 50
    with pytest.raises(SessionWriteError, match="Stale file handle"):
        say(store, "three")
    files.times = 0
    say(store, "four")
    assert (store.problems, store.take_notices()) == ((), [])
    store.close()
    assert texts(store.path) == ["one", "two", "four"]


# Descriptors that code in the kernel has closed


def descriptors_of(path):
    return sorted(
        int(link.name)
        for link in Path("/proc/self/fd").iterdir()
        if os.path.exists(link) and os.path.samefile(link, path)
    )


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="descriptors are listed in /proc")


@on_linux
@pytest.mark.parametrize("is_taken", [False, True], ids=["free", "another file's"])
@pytest.mark.parametrize("which", [slice(None), slice(1), slice(1, 2)], ids=["both", "first", "second"])
@pytest.mark.parametrize("appender_is_first", [False, True], ids=["held first", "appender first"])
def test_a_session_whose_descriptors_code_has_closed_goes_on(tmp_path, which, is_taken, appender_is_first):
    lower = os.open(os.devnull, os.O_RDONLY)
    store = new_store(tmp_path, QuickFiles())
    first = say(store, "one")
    if appender_is_first:
        os.close(lower)  # its number is the next to be given
    say(store, "two")
    other = tmp_path / "other.txt"
    other.write_bytes(b"theirs")
    closed = descriptors_of(store.path)[which]
    assert len(closed) == (2 if which == slice(None) else 1)
    for fd in closed:
        os.close(fd)
    theirs = [os.open(other, os.O_RDWR) for _ in closed if is_taken]
    assert theirs == closed[: len(theirs)]
    say(store, "three")
    assert store.get(first.id) == first
    say(store, "four")
    with pytest.raises(SessionBusyError):
        SessionStore.open(store.path)
    store.close()
    assert [os.fstat(fd).st_size for fd in theirs] == [6] * len(theirs)
    for fd in (*theirs, *([] if appender_is_first else [lower])):
        os.close(fd)
    assert (store.problems, store.take_notices()) == ((), [])
    assert texts(store.path) == ["one", "two", "three", "four"]


@on_linux
def test_a_session_that_another_took_when_code_closed_it_is_written_no_more(tmp_path):
    store = new_store(tmp_path, QuickFiles())
    say(store, "one")
    for fd in descriptors_of(store.path):
        os.close(fd)
    rival = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(store.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        rival.stdout.readline()
        for _ in range(2):
            with pytest.raises(SessionBusyError):
                say(store, "two")
    finally:
        rival.communicate()
    say(store, "three")
    store.close()
    assert texts(store.path) == ["one", "three"]


_HOLD = """
import fcntl, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.flock(fd, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


class Lockless(QuickFiles):
    """A file system without locks."""

    def lock(self, fd):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def owner_of(path):
    return OwnerRecord(path, files=Files()).read()


def test_without_locks_the_record_lets_one_writer_in(tmp_path):
    store = new_store(tmp_path, Lockless())
    say(store, "one")
    with pytest.raises(SessionBusyError, match="in use by this kernel"):
        SessionStore.open(store.path, files=Lockless())
    assert len(SessionStore.open(store.path, files=Lockless(), read_only=True).branch()) == 1
    store.close()
    assert owner_of(store.path) is None
    again = SessionStore.open(store.path, files=Lockless())
    say(again, "two")
    again.close()
    assert texts(store.path) == ["one", "two"]


def left_record(path, **changes):
    """A record of a process that went away without taking it along."""
    store = SessionStore.open(path, files=Lockless())
    owner = owner_of(path)
    store.close()
    path.with_suffix(".owner").write_bytes(msgspec.json.encode(msgspec.structs.replace(owner, **changes)))


@pytest.mark.parametrize(
    "changes",
    [{"pid": 2**22 + 1}, {"started": "1"}, {"boot": "another"}],
    ids=["no such process", "another process of that number", "the machine was started again"],
)
@pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs the system to say when a process began"
)
def test_without_locks_the_record_of_a_process_that_has_ended_counts_for_nothing(tmp_path, changes):
    store = new_store(tmp_path, Lockless())
    say(store, "one")
    store.close()
    left_record(store.path, **changes)
    again = SessionStore.open(store.path, files=Lockless())
    say(again, "two")
    assert owner_of(store.path).pid == os.getpid()
    again.close()


def test_without_locks_a_process_on_another_machine_may_be_alive(tmp_path):
    store = new_store(tmp_path, Lockless())
    say(store, "one")
    store.close()
    left_record(store.path, host="elsewhere", pid=1)
    with pytest.raises(SessionBusyError, match="in use by process 1 on elsewhere since 20"):
        SessionStore.open(store.path, files=Lockless())
    assert owner_of(store.path).host == "elsewhere"


def test_without_locks_an_unreadable_record_counts_for_nothing(tmp_path):
    store = new_store(tmp_path, Lockless())
    say(store, "one")
    store.close()
    store.path.with_suffix(".owner").write_bytes(b"")
    SessionStore.open(store.path, files=Lockless()).close()


def test_without_locks_whoever_lost_the_session_writes_no_more(tmp_path):
    """Two that find the same dead record may both take it: the one whose record is gone notices."""
    store = new_store(tmp_path, Lockless())
    say(store, "one")
    left_record_of_another = msgspec.json.encode(Owner(host="elsewhere", pid=7, since="2026"))
    store.path.with_suffix(".owner").unlink()
    store.path.with_suffix(".owner").write_bytes(left_record_of_another)
    with pytest.raises(SessionBusyError, match="process 7 on elsewhere"):
        say(store, "two")
    store.close()
    assert owner_of(store.path).pid == 7
    assert texts(store.path) == ["one"]


# Taking over

FORKING = """
import os, sys, time
from pathlib import Path
from pi_notebook.session.store import SessionStore
store = SessionStore.open(Path(sys.argv[1]))
for _ in range(8):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
print("held", flush=True)
time.sleep(60)
"""


def test_a_session_is_taken_over_at_once_from_a_killed_process_with_living_workers(tmp_path):
    store = new_store(tmp_path, Files())
    say(store, "one")
    store.close()
    holder = subprocess.Popen(
        [sys.executable, "-c", FORKING, str(store.path)], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert holder.stdout.readline() == b"held\n"
        began = time.perf_counter()
        with pytest.raises(SessionBusyError, match=f"process {holder.pid}"):
            SessionStore.open(store.path)
        assert time.perf_counter() - began < SOON
        holder.kill()
        holder.wait()
        os.killpg(holder.pid, 0)  # its workers live
        began = time.perf_counter()
        again = SessionStore.open(store.path)
        say(again, "two")
        assert time.perf_counter() - began < SOON
        assert owner_of(store.path).pid == os.getpid()
        again.close()
    finally:
        os.killpg(holder.pid, 9)
        holder.stdout.close()
    assert texts(store.path) == ["one", "two"]


# A file that is gone


@pytest.mark.parametrize("how", ["deleted", "moved", "its folder", "everything"])
def test_a_session_whose_file_went_away_is_written_again_whole(tmp_path, how):
    store = new_store(tmp_path, Files())
    say(store, "one")
    first = store.path
    if how == "moved":
        first.rename(tmp_path / "elsewhere.jsonl")
    elif how == "deleted":
        first.unlink()
    else:
        shutil.rmtree(first.parent if how == "its folder" else tmp_path / "home")
    say(store, "two")
    say(store, "three")
    assert store.path == first
    assert texts(first) == ["one", "two", "three"]
    (notice,) = store.take_notices()
    assert notice.startswith(f"The session file {first} was deleted, moved or replaced.")
    assert [entry.message.content for entry in store.branch()] == ["one", "two", "three"]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "home").rglob("*")}
    assert modes == {0o600, 0o700}
    with pytest.raises(SessionBusyError, match="in use by this kernel since"):
        SessionStore.open(first)
    store.close()
    assert list(first.parent.iterdir()) == [first]


def test_a_file_in_the_place_of_the_session_is_left_alone(tmp_path):
    store = new_store(tmp_path, Files())
    say(store, "one")
    first = store.path
    first.unlink()
    first.write_text("mine")
    say(store, "two")
    assert first.read_text() == "mine"
    assert store.path != first
    assert store.path.name.endswith(f"_{store.id}.jsonl")
    assert texts(store.path) == ["one", "two"]
    assert str(store.path) in store.take_notices()[0]
    store.close()


def test_a_folder_that_became_a_link_is_not_followed(tmp_path):
    store = new_store(tmp_path, Files())
    say(store, "one")
    folder = store.path.parent
    shutil.rmtree(folder)
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SessionWriteError, match="is a link"):
        say(store, "two")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    folder.unlink()
    say(store, "two")
    assert texts(store.path) == ["one", "two"]
    store.close()


def test_what_cannot_be_written_again_is_told_and_tried_again_later(tmp_path):
    files = FaultyFiles(error=errno.ENOSPC)
    store = new_store(tmp_path, files)
    say(store, "one")
    store.path.unlink()
    files.calls = {"write"}
    with pytest.raises(SessionWriteError, match="Free some space"):
        say(store, "two")
    assert list(store.path.parent.iterdir()) == []
    files.calls.clear()
    say(store, "two")
    assert texts(store.path) == ["one", "two"]
    store.close()
