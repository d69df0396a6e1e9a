"""The power goes at any moment: what was acknowledged is there, nothing is invented, the session goes on."""

import asyncio
import contextlib
import errno
import json
import shutil
import tempfile
from pathlib import Path

import pytest

from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.context.projection import Projection, repair_pairs
from pi_notebook.errors import SessionError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.store import SessionStore
from tests.session.crash.life import live, open_life, problems_of
from tests.session.crash.oracle import QuickFiles
from tests.session.crash.power import LoggedDiary, RecordedFiles, states
from tests.session.crash.reader import read_session

SEED = 20_260_104
PLANS = {
    "a sound disk": {},
    "a disk that is full for a moment": {"name": "write", "nth": 9, "error": errno.ENOSPC, "short": 30},
    "a sync that fails": {"name": "sync", "nth": 6, "error": errno.EIO},
}


@pytest.mark.parametrize("plan", PLANS)
def test_whatever_is_left_when_the_power_goes_is_a_session_that_goes_on(plan):
    assert check_states(plan=plan, each=6, seed=SEED) > 400


def check_states(*, plan, each, seed):
    """Two lives on one disk, and `each` states of every moment of theirs; how many there were."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        return _check_states(Path(folder), plan, each, seed)


def _check_states(tmp_path, plan, each, seed):
    log = record(tmp_path / "lived", PLANS[plan])
    (tmp_path / "all").write_bytes(b"\n".join(change[3] for change in log if change[0] == "write"))
    originals = read_session(tmp_path / "all").entries
    count = 0
    for moment, number, disk, chance in states(log, each=each, seed=seed):
        target = tmp_path / "found"
        target.mkdir()
        disk.lay_out(tmp_path / "lived", target, chance)
        label = f"{plan}: seed {seed} moment {moment} ({log[moment - 1][0]}) state {number}"
        check_state(target / "home", disk.acknowledged, originals, label)
        shutil.rmtree(target)
        count += 1
    return count


def record(folder, plan):
    folder.mkdir()
    log = []
    diary = LoggedDiary(folder / "diary", log)
    files = RecordedFiles(log, **plan)
    for _ in range(2):
        session = open_life(folder, folder / "home", diary, files)
        with contextlib.suppress(SessionError):
            asyncio.run(live(session, diary, prompts=1))
        session.close()
    diary.close()
    assert diary.read("memory") == []
    return log


def check_state(home, acknowledged, originals, label):
    paths = list(home.rglob("*.jsonl"))
    if not paths:
        assert not acknowledged, label
        return
    (path,) = paths
    store = SessionStore.open(path, files=QuickFiles())
    found = read_session(path).entries
    assert set(acknowledged) <= set(found), label
    ids = [entry.id for entry in store.entries]
    assert set(found) <= set(ids), label
    read = {entry_id: json.loads(store.raw_line(entry_id)) for entry_id in ids}
    assert read == {entry_id: originals.get(entry_id) for entry_id in ids}, label
    _check_request(store, label)
    added = store.add(MessageEntry, message=user_message("next"))
    store.close()
    again = SessionStore.open(path, files=QuickFiles(), read_only=True)
    assert [entry.id for entry in again.entries] == [*ids, added.id], label
    again.close()


def _check_request(store, label):
    """Every call has one result in the next request, whatever was lost."""
    messages = repair_pairs(Projection(store.branch()).messages)
    request = ModelRequest(system_prompt="s", messages=tuple(messages), tools=(), session_id="s")
    body = [problem for problem in problems_of(request, ScriptedModel()) if problem != "tools is empty"]
    assert body in ([], ["messages is empty"]), label
