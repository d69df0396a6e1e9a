"""Whether a session kept its promises, told from its file and from what was noted outside of it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.files import Files
from tests.session.crash.life import Diary, open_life, problems_of
from tests.session.crash.reader import ReadSession, read_session


class QuickFiles(Files):
    """Files without waiting for the disk."""

    def sync(self, fd: int) -> None:
        pass

    def sync_folder(self, path: Path) -> None:
        pass


def check_file(root: Path, diary: Diary, *, label: str) -> ReadSession | None:
    """The session in `root`, which holds all that was acknowledged and a record of all that was done."""
    acknowledged = diary.read("ack")
    paths = list(root.rglob("*.jsonl"))
    if not paths:
        assert not acknowledged, label
        assert not diary.read("act") or diary.read("memory"), label
        return None
    (path,) = paths
    session = read_session(path)
    assert session.header is not None, label
    branch = session.branch
    assert [entry_id for entry_id in branch if entry_id in set(acknowledged)] == acknowledged, label
    assert branch == list(session.entries), label
    acts = [line.split()[0] for line in diary.read("act")]
    assert len(set(acts)) == len(acts), f"{label}: a call ran twice"
    if not diary.read("memory"):
        assert set(acts) <= set(session.call_ids), f"{label}: a call ran without a record"
    assert diary.read("problem") == [], label
    return session


def check_resume(folder: Path, root: Path, diary: Diary, *, label: str) -> None:
    """The session goes on at the first try, with a history that a strict provider takes."""
    before = check_file(root, diary, label=label)
    acts = diary.read("act")
    session = open_life(folder, root, diary, QuickFiles())
    model = ScriptedModel(["I see."])
    asyncio.run(session.prompt("what now?", model=model))
    session.close()
    assert problems_of(model.requests[0], model) == [], label
    assert diary.read("act") == acts, f"{label}: a call ran again"
    after = check_file(root, diary, label=label)
    assert after is not None, label
    if before is not None:
        _check_unanswered(before, str(model.requests[0].messages), label)


def _check_unanswered(before: ReadSession, request: str, label: str) -> None:
    """Each call without a result is shown once as one that may have run."""
    open_calls = set(before.call_ids) - set(before.result_ids)
    for call_id in open_calls:
        found = re.findall(rf"tool_call_id='{call_id}'.{{0,120}}?No result was recorded", request)
        assert len(found) == 1, f"{label}: {call_id}"
