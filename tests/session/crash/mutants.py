"""Guards of the session, each taken away in a copy of the package, and the test that must notice.

A change must fit its file exactly once: when the code moves on, the mutant moves with it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
STORE = "tests/session/test_store.py"
JOURNAL = "tests/session/test_journal.py"
HOME = "tests/session/test_home.py"
POWER = "tests/session/crash/test_power_loss.py"


@dataclass(frozen=True)
class Mutant:
    """One guard less."""

    name: str
    file: str
    before: str
    after: str
    test: str
    """What must fail then."""


MUTANTS = [
    Mutant(
        "an entry is not synced",
        "journal.py",
        "            self._files.sync(fd)\n",
        "            pass\n",
        f"{JOURNAL}::test_the_policy_says_when_entries_are_synced",
    ),
    Mutant(
        "a new file is not synced",
        "held_file.py",
        "            files.sync(held.fd)\n",
        "",
        f"{STORE}::test_an_entry_is_synced_before_append_returns",
    ),
    Mutant(
        "the folder of a new file is not synced",
        "held_file.py",
        "            files.sync_folder(path.parent)\n",
        "",
        f"{STORE}::test_an_entry_is_synced_before_append_returns",
    ),
    Mutant(
        "a new folder's parent is not synced",
        "home.py",
        "    files.sync_folder(folder.parent)\n",
        "",
        f"{STORE}::test_an_entry_is_synced_before_append_returns",
    ),
    Mutant(
        "a short write passes for a whole one",
        "files.py",
        "        rest = rest[written:]\n",
        "        return\n",
        f"{STORE}::test_a_short_write_is_taken_back_and_the_same_entry_fits_later",
    ),
    Mutant(
        "a torn tail is not sealed",
        "journal.py",
        'seal = b"" if self._ends_whole(start) else b"\\n"',
        'seal = b""',
        f"{STORE}::test_a_file_cut_at_any_byte_loses_only_what_was_cut",
    ),
    Mutant(
        "what a failed append left is not taken back",
        "journal.py",
        "            self._take_back(start, seal + data)\n",
        "",
        f"{STORE}::test_a_short_write_is_taken_back_and_the_same_entry_fits_later",
    ),
    Mutant(
        "what another wrote is taken back too",
        "journal.py",
        "if left and data.startswith(left):",
        "if left:",
        f"{STORE}::test_what_another_program_wrote_meanwhile_is_not_cut_off",
    ),
    Mutant(
        "a descriptor is used again after a failed sync",
        "journal.py",
        "            self._give_up_appender()\n            raise\n",
        "            raise\n",
        f"{JOURNAL}::test_after_a_failed_sync_the_next_one_is_on_a_new_descriptor",
    ),
    Mutant(
        "what a failed sync may have lost is not written again",
        "journal.py",
        "self._is_doubtful = self._loose_start is not None",
        "self._is_doubtful = False",
        f"{JOURNAL}::test_what_a_failed_sync_at_the_end_of_a_turn_may_have_lost_is_written_again",
    ),
    Mutant(
        "a file that went away is written to",
        "journal.py",
        "        self._stay_in_place()\n",
        "",
        f"{JOURNAL}::test_a_session_whose_file_went_away_is_written_again_whole",
    ),
    Mutant(
        "a stale handle is not opened again",
        "held_file.py",
        "            if error.errno not in (errno.ESTALE, errno.EBADF):\n                raise\n",
        "            raise\n",
        f"{JOURNAL}::test_a_stale_handle_is_opened_again_once",
    ),
    Mutant(
        "a number that is another file's passes for ours",
        "held_file.py",
        "        if not os.path.samestat(found, self._identity):\n",
        "        if False:\n",
        f"{JOURNAL}::test_a_session_whose_descriptors_code_has_closed_goes_on",
    ),
    Mutant(
        "what has the number of ours is written to",
        "journal.py",
        " or not self._held.has(self._append_fd):",
        ":",
        f"{JOURNAL}::test_a_session_whose_descriptors_code_has_closed_goes_on",
    ),
    Mutant(
        "a file has its name before it is whole",
        "held_file.py",
        "unfinished = path.with_name(path.name + UNFINISHED)",
        "unfinished = path",
        "tests/session/test_forking.py::test_a_kill_in_the_middle_of_a_copy_leaves_no_half_session",
    ),
    Mutant(
        "no lock is taken",
        "files.py",
        "        fcntl.flock(fd, _LOCK)\n",
        "",
        f"{STORE}::test_a_second_process_is_told_who_holds_the_session",
    ),
    Mutant(
        "a record that is there is no hindrance",
        "files.py",
        "CREATE = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL",
        "CREATE = os.O_RDWR | os.O_APPEND | os.O_CREAT",
        f"{JOURNAL}::test_without_locks_the_record_lets_one_writer_in",
    ),
    Mutant(
        "a record that was lost is not noticed",
        "journal.py",
        "        self._held.check_owner()\n",
        "",
        f"{JOURNAL}::test_without_locks_whoever_lost_the_session_writes_no_more",
    ),
    Mutant(
        "a number of a process says it lives",
        "owner.py",
        "not _is_alive(self.pid) or bool(self.started) and self.started != _start_of(self.pid)",
        "not _is_alive(self.pid)",
        f"{JOURNAL}::test_without_locks_the_record_of_a_process_that_has_ended_counts_for_nothing",
    ),
    Mutant(
        "a forked child may append",
        "store.py",
        "        if os.getpid() != self._pid:",
        "        if False:",
        f"{STORE}::test_a_forked_child_neither_writes_nor_holds_the_lock",
    ),
    Mutant(
        "a forked child keeps the lock",
        "journal.py",
        "    os.register_at_fork(after_in_child=_leave_to_parent)\n",
        "    pass\n",
        f"{STORE}::test_a_forked_child_neither_writes_nor_holds_the_lock",
    ),
    Mutant(
        "checksums are not looked at",
        "lines.py",
        "        elif by_us:\n            return None\n",
        "",
        f"{STORE}::test_one_flipped_bit_changes_no_entry_and_loses_at_most_one_which_is_reported",
    ),
    Mutant(
        "an entry is not synced, and the power goes",
        "journal.py",
        "            self._files.sync(fd)\n",
        "            pass\n",
        POWER,
    ),
    Mutant(
        "a new file is not synced, and the power goes",
        "held_file.py",
        "            files.sync(held.fd)\n",
        "",
        POWER,
    ),
    Mutant(
        "the folder of a new file is not synced, and the power goes",
        "held_file.py",
        "            files.sync_folder(path.parent)\n",
        "",
        POWER,
    ),
    Mutant(
        "links are followed",
        "files.py",
        '    | getattr(os, "O_NOFOLLOW", 0)\n',
        "",
        f"{STORE}::test_a_folder_a_link_a_pipe_and_nothing_are_refused",
    ),
    Mutant(
        "files can be read by others",
        "files.py",
        "flags | _ALWAYS, 0o600)",
        "flags | _ALWAYS, 0o644)",
        f"{STORE}::test_a_file_is_private_from_the_moment_it_is_there",
    ),
    Mutant(
        "folders can be read by others",
        "files.py",
        "        os.mkdir(path, 0o700)\n        os.chmod(path, 0o700)\n",
        "        os.mkdir(path)\n",
        f"{HOME}::test_folders_are_private_whatever_the_umask",
    ),
    Mutant(
        "a folder of another user is used",
        "home.py",
        "    if not is_ours(status):\n        raise _foreign(folder)\n",
        "",
        f"{HOME}::test_a_folder_of_another_user_is_refused",
    ),
]


class Laboratory:
    """A copy of the package and its tests in which mutants live one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("pi_notebook", "tests"):
            ignored = shutil.ignore_patterns("__pycache__", "labextension", "browser", "fixtures")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        shutil.copy(ROOT / "pyproject.toml", folder)

    def check_that_all_is_well(self, mutants: list[Mutant]) -> None:
        """The tests pass while nothing is changed, in the copy and not elsewhere."""
        status, output = self._run(*{mutant.test for mutant in mutants})
        assert status == 0, output

    def check_that_it_is_noticed(self, mutant: Mutant) -> None:
        """The test of `mutant` fails with it."""
        path = self._folder / "pi_notebook" / "session" / mutant.file
        text = path.read_text()
        assert text.count(mutant.before) == 1, f"{mutant.name}: fits {text.count(mutant.before)} times"
        path.write_text(text.replace(mutant.before, mutant.after))
        try:
            status, output = self._run(mutant.test)
        finally:
            path.write_text(text)
        assert status == 1, f"{mutant.name}: not noticed\n{output}"
        assert " failed" in output, output

    def _run(self, *tests: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *tests],
            cwd=self._folder,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        return done.returncode, done.stdout + done.stderr
