"""Whichever call of the system fails, through whole runs: old or new, told in words, and nothing else."""

import asyncio
import errno
import itertools

import pytest

from pi_notebook.errors import SessionError
from tests.session.crash.life import Diary, live, open_life
from tests.session.crash.oracle import check_file, check_resume
from tests.session.faults import FaultyFiles

ERRORS = [
    errno.EIO,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.ESTALE,
    errno.EMFILE,
    errno.ENOLCK,
    errno.EINTR,
]
names = errno.errorcode.get


class QuickFaultyFiles(FaultyFiles):
    """A failing disk that is not waited for."""

    def sync(self, fd):
        self._may_fail("sync")

    def sync_folder(self, path):
        self._may_fail("sync_folder")


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("error", ERRORS, ids=names)
def test_a_run_survives_the_failure_of_some_calls(tmp_path, error, lasting):
    """Every eleventh call, each error beginning at another one."""
    fail_each(tmp_path, error=error, lasting=lasting, first=1 + ERRORS.index(error), step=11)


def fail_each(tmp_path, *, error, lasting, first=1, step=1):
    """Lives in which one call fails, or all from it on: call `first`, and every `step`th after it."""
    for at in itertools.count(first, step):
        label = f"{errno.errorcode[error]} at call {at} {'lasting' if lasting else 'once'}"
        folder = tmp_path / str(at)
        folder.mkdir()
        diary = Diary(folder / "diary")
        files = QuickFaultyFiles(at=at, lasting=lasting, error=error, short=7)
        for _ in range(2):
            _live_with(files, folder, diary, label)
        check_file(folder / "home", diary, label=label)
        check_resume(folder, folder / "home", diary, label=label)
        diary.close()
        if files.count < at:
            return


def _live_with(files, folder, diary, label):
    """A life that may be refused or stopped, in words alone."""
    try:
        session = open_life(folder, folder / "home", diary, files)
    except SessionError as refused:
        _check_words(refused, label)
        return
    try:
        asyncio.run(live(session, diary, prompts=1))
    except SessionError as stopped:
        _check_words(stopped, label)
    finally:
        session.close()


def _check_words(error, label):
    text = str(error)
    assert text.endswith((".", "--copy")), label
    assert "Errno" not in text, label
