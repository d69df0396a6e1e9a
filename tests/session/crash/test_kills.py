"""Kills at any moment: nothing acknowledged is lost, nothing runs twice, the session goes on."""

import random
import signal

import pytest

from tests.session.crash.life import Diary
from tests.session.crash.nursery import Nursery
from tests.session.crash.oracle import check_file, check_resume

pytestmark = pytest.mark.timeout(600)

KILLED = -signal.SIGKILL
SEED = 20_260_102


@pytest.fixture(scope="module")
def nursery():
    with Nursery() as nursery:
        yield nursery


def test_a_kill_at_some_call_of_the_system_loses_nothing_that_was_acknowledged(nursery, tmp_path):
    kill_at_calls(nursery, tmp_path, step=4)


def kill_at_calls(nursery, tmp_path, *, step=1):
    """At every `step`th call until a life ends by itself; of a write a part has reached the file."""
    for at in range(1, 400, step):
        root, diary = tmp_path / f"home{at}", Diary(tmp_path / f"diary{at}")
        status = nursery.life(tmp_path, root, diary.path, die_at=at, short=40)
        check_resume(tmp_path, root, diary, label=f"call {at}")
        diary.close()
        if status == 0:
            assert at > 40
            return
        assert status == KILLED
    raise AssertionError("no life ended by itself")


def test_kills_at_random_moments_one_after_the_other(nursery, tmp_path):
    kills(nursery, tmp_path, count=20, seed=SEED)


def kills(nursery, tmp_path, *, count, seed):
    """Sessions of eight lives, each killed at a random moment; `count` kills that met a running one."""
    moments = random.Random(seed)
    killed = sessions = 0
    while killed < count:
        sessions += 1
        folder = tmp_path / f"session{sessions}"
        folder.mkdir()
        root, diary = folder / "home", Diary(folder / "diary")
        for life in range(8):
            label = f"seed {seed} session {sessions} life {life}"
            after = moments.uniform(0.005, 0.15)
            status = nursery.life(folder, root, diary.path, prompts=4, kill_after=after)
            assert status in (0, KILLED), label
            killed += status == KILLED
            check_file(root, diary, label=label)
        check_resume(folder, root, diary, label=f"seed {seed} session {sessions}")
        diary.close()
