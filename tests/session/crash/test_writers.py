"""Many processes at one session: one writes at a time, and nothing is lost or mixed."""

import subprocess
import sys

import pytest

from pi_notebook.agent.entries import SessionInfoEntry
from pi_notebook.session.home import Home
from pi_notebook.session.store import SessionStore
from tests.session.crash.reader import read_session


@pytest.mark.parametrize("lockless", [False, True], ids=["by lock", "by record"])
def test_eight_processes_add_to_one_session(tmp_path, lockless):
    add_together(tmp_path, processes=8, count=60, lockless=lockless)


def add_together(tmp_path, *, processes, count, lockless):
    store = SessionStore.create(tmp_path, home=Home(root=tmp_path / "home"))
    store.add(SessionInfoEntry, name="ours")
    store.close()
    how = ["lockless"] if lockless else []
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.session.crash.writers", str(store.path), f"w{n}", str(count), *how],
            stderr=subprocess.PIPE,
        )
        for n in range(processes)
    ]
    for writer in writers:
        _, said = writer.communicate()
        assert (writer.returncode, said) == (0, b"")
    session = read_session(store.path)
    assert session.bad_lines == []
    assert session.branch == list(session.entries)
    said = [entry["message"]["content"] for entry in session.entries.values() if entry["type"] == "message"]
    for number in range(processes):
        own = [text for text in said if text.startswith(f"w{number} ")]
        assert own == [f"w{number} {n}" for n in range(count)]
    assert len(said) == processes * count
