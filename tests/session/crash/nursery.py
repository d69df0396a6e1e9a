"""A process that starts lives quickly: it has loaded everything, and forks one when it is told to.

Run as a program it reads a line of JSON for each life; `Nursery` is the side of the test.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

from pi_notebook.session.forking import fork_file
from pi_notebook.session.home import Home
from tests.session.crash.life import Diary, live, open_life
from tests.session.faults import DyingFiles


class Nursery:
    """Starts lives and ends them."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.session.crash.nursery"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(30)

    def life(
        self,
        folder: Path,
        root: Path,
        diary: Path,
        *,
        prompts: int = 1,
        die_at: int | None = None,
        short: int | None = None,
        kill_after: float | None = None,
    ) -> int:
        """One life; its exit status, negative when a signal ended it.

        It dies at its own call number `die_at`, of a write after `short` bytes, or is killed
        `kill_after` seconds after it was born.
        """
        return self._born(
            {
                "folder": str(folder),
                "root": str(root),
                "diary": str(diary),
                "prompts": prompts,
                "die_at": die_at,
                "short": short,
            },
            kill_after,
        )

    def copy(self, path: Path, root: Path, *, die_at: int, short: int) -> int:
        """A life that copies the session at `path` into the home `root`; its exit status."""
        return self._born({"copy": str(path), "root": str(root), "die_at": die_at, "short": short})

    def _born(self, order: dict, kill_after: float | None = None) -> int:
        self._process.stdin.write(json.dumps(order) + "\n")
        pid = int(self._process.stdout.readline())
        if kill_after is not None:
            is_over, _, _ = select.select([self._process.stdout], [], [], kill_after)
            if not is_over:
                os.kill(pid, signal.SIGKILL)
        return int(self._process.stdout.readline())


def main() -> None:
    while line := sys.stdin.readline():
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _be_born(order)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _be_born(order: dict) -> None:
    code = 1
    try:
        files = DyingFiles(at=order["die_at"], short=order["short"])
        if "copy" in order:
            fork_file(Path(order["copy"]), home=Home(root=Path(order["root"]), files=files)).close()
        else:
            _live(order, files)
        code = 0
    finally:
        os._exit(code)


def _live(order: dict, files: DyingFiles) -> None:
    diary = Diary(Path(order["diary"]))
    session = open_life(Path(order["folder"]), Path(order["root"]), diary, files)
    asyncio.run(live(session, diary, prompts=order["prompts"]))
    session.close()


if __name__ == "__main__":
    main()
