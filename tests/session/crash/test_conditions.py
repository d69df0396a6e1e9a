"""Homes that are full, slow, read-only or missing, and clocks that jump: the agent works on, and says so."""

import asyncio
import dataclasses
import errno
import threading
import time
from pathlib import Path

import pytest

from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.events import Notice
from pi_notebook.agent.messages import UserMessage, user_message
from pi_notebook.errors import SessionWriteError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.background import BackgroundLoop
from pi_notebook.session.home import Home
from pi_notebook.session.listing import list_sessions
from pi_notebook.session.services import build_services
from pi_notebook.session.session import AgentSession
from pi_notebook.session.store import SessionStore
from tests.patience import SOON
from tests.session.crash.life import Diary, live, open_life
from tests.session.crash.oracle import QuickFiles, check_file, check_resume
from tests.session.crash.reader import read_session
from tests.session.crash.test_faults import QuickFaultyFiles


@pytest.fixture
def diary(tmp_path):
    diary = Diary(tmp_path / "diary")
    yield diary
    diary.close()


def test_on_a_full_disk_the_run_stops_before_the_next_act_and_goes_on_when_there_is_room(tmp_path, diary):
    root, files = tmp_path / "home", QuickFaultyFiles(error=errno.ENOSPC)
    session = open_life(tmp_path, root, diary, files)
    asyncio.run(live(session, diary, prompts=1))
    acts, acknowledged = diary.read("act"), diary.read("ack")
    files.calls, files.short = {"write"}, 20
    began = time.perf_counter()
    with pytest.raises(SessionWriteError, match=r"No space left on device\. Free some space and ask again\."):
        asyncio.run(live(session, diary, prompts=1))
    assert time.perf_counter() - began < SOON
    assert (diary.read("act"), diary.read("ack")) == (acts, acknowledged)
    assert check_file(root, diary, label="full").bad_lines == []
    files.calls.clear()
    asyncio.run(live(session, diary, prompts=1))
    session.close()
    found = check_file(root, diary, label="freed")
    assert found.bad_lines == []
    assert len(diary.read("act")) == 2 * len(acts)
    assert [e["message"]["content"] for e in found.entries.values() if _is_prompt(e)] == ["go on", "go on"]
    check_resume(tmp_path, root, diary, label="freed")


def _is_prompt(entry):
    return entry["type"] == "message" and entry["message"]["role"] == "user"


class ReadOnly(QuickFiles):
    def make_folder(self, path):
        raise OSError(errno.EROFS, "Read-only file system")


@pytest.mark.parametrize(
    ("root", "files", "said"),
    [
        ("home", ReadOnly(), "Read-only file system. Set PI_NOTEBOOK_HOME to another folder."),
        ("file/home", QuickFiles(), "Not a directory. Set PI_NOTEBOOK_HOME to another folder."),
        (None, QuickFiles(), "No home folder is known for this user. Set PI_NOTEBOOK_HOME to a folder."),
    ],
    ids=["read-only", "a file in the way", "no home"],
)
def test_without_a_home_a_whole_run_works_and_the_person_is_told_once(tmp_path, diary, root, files, said):
    (tmp_path / "file").write_text("")
    path = Path("~/nowhere") if root is None else tmp_path / root
    services = build_services(tmp_path, environ={"PI_NOTEBOOK_HOME": str(tmp_path)})
    home = Home(root=path, files=files)
    session = AgentSession(SessionStore.create(tmp_path, home=home), dataclasses.replace(services, home=home))
    notices = []
    session.subscribe(lambda event: notices.append(event.text) if isinstance(event, Notice) else None)
    model = ScriptedModel(["one", "two"])
    for _ in range(2):
        asyncio.run(session.prompt("hello", model=model))
    (notice,) = notices
    assert said in notice
    assert notice.endswith("This session is kept in memory only.")
    assert [m.content for m in model.requests[1].messages if isinstance(m, UserMessage)] == ["hello", "hello"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["diary", "file"]
    session.close()


class Waiting(QuickFiles):
    """A disk that takes as long as it is let."""

    def __init__(self):
        self.is_slow = False
        self.entered, self.go_on = threading.Event(), threading.Event()

    def sync(self, fd):
        if self.is_slow:
            self.entered.set()
            assert self.go_on.wait(30)


def test_a_slow_home_never_holds_up_the_main_thread(tmp_path, diary):
    files = Waiting()
    session = open_life(tmp_path, tmp_path / "home", diary, files)
    asyncio.run(live(session, diary, prompts=1))
    files.is_slow = True
    run = BackgroundLoop().submit(session.prompt("more", model=ScriptedModel(["done"])))
    assert files.entered.wait(30)
    looks = {
        "is_running": lambda: session.is_running,
        "messages": lambda: session.messages,
        "branch": session.store.branch,
        "entries": lambda: list(session.store.entries),
        "leaf": lambda: session.store.leaf_id,
        "problems": lambda: session.store.problems,
        "listing": lambda: list_sessions(tmp_path, home=session.services.home),
        "abort": session.abort,
    }
    for name, look in looks.items():
        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        thread.join(SOON)
        assert not thread.is_alive(), f"{name} waits for the disk"
    files.is_slow = False
    files.go_on.set()
    run.result(30)
    session.close()


@pytest.mark.parametrize(
    "times",
    [
        ["2026-03-29T00:59:59.999Z", "2026-03-28T01:00:00.000Z", "2036-03-28T01:00:00.000Z"],
        ["2016-12-31T23:59:60.000Z", "2017-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"],
    ],
    ids=["a day back, ten years on", "a leap second, no clock"],
)
def test_a_clock_that_jumps_changes_no_order(tmp_path, monkeypatch, times):
    home = Home(root=tmp_path / "home", files=QuickFiles())
    store = SessionStore.create(tmp_path, home=home)
    for text, moment in zip("abc", times, strict=True):
        monkeypatch.setattr("pi_notebook.session.store.now_iso", lambda moment=moment: moment)
        store.add(MessageEntry, message=user_message(text))
    store.close()
    again = SessionStore.open(store.path, files=QuickFiles())
    assert [entry.message.content for entry in again.branch()] == ["a", "b", "c"]
    assert [entry["timestamp"] for entry in read_session(store.path).entries.values()] == times
    assert [info.id for info in list_sessions(home=home)] == [store.id]
    again.close()
