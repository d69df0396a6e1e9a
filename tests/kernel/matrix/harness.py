"""The kernel that the matrix shares: an agent in it that does what it is told, and the probe after each case.

What the model reads is taken from the session file, by a reader of our own.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kernel.client import Execution, Kernel
from tests.kernel.matrix.case import Case, How, Reads, reads
from tests.kernel.matrix.golden import Golden, comparable

PROBE = reads("import os\nprint('probe'); r = os.system('echo child')\n6 * 7", "probe\nchild\n42")


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the model read of one call."""

    text: str
    is_error: bool


class MatrixKernel:
    """A kernel with the extension loaded, in a folder and with a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.folder = folder / "work"
        self.folder.mkdir(parents=True)
        self.kernel = Kernel(
            env={"PI_NOTEBOOK_HOME": str(self.home), "IPYTHONDIR": str(folder / "ipython")}, cwd=self.folder
        )
        self.load()

    def load(self) -> None:
        """Make the kernel one with an agent; again after it was restarted."""
        self._session_file = None
        loaded = self.kernel.run(
            "%load_ext pi_notebook\nimport tests.kernel.matrix.script as script\nscript.say()"
        )
        assert loaded.status == "ok", loaded.errors
        self.kernel.run("%%bash\ntrue")  # IPython begins a thread for it, once
        self.kernel.run("import asyncio, matplotlib.pyplot; await asyncio.to_thread(len, 'x')")
        for how in ("awaited", "blocking"):
            self.agent(PROBE, how=how)
        self.settle()
        self.remember()

    def settle(self) -> None:
        """Wait for what warms up behind the first cells."""
        self.kernel.run(
            "import threading\n"
            "for t in threading.enumerate():\n"
            "    if t.name.startswith('pi_notebook-'): t.join(60)"
        )

    def close(self) -> None:
        self.kernel.close()

    def remember(self) -> None:
        self._quiet("script.remember()")

    def agent(
        self,
        *calls: Reads,
        how: How = "awaited",
        timeout: float = 60,
        golden: Golden | None = None,
        label: str = "",
    ) -> Execution:
        """Let the agent make `calls` in one run, in a cell of the person's, and check what it reads."""
        execution, said = self.run_calls(*(call.code for call in calls), how=how, timeout=timeout)
        for number, (call, found) in enumerate(zip(calls, said, strict=True), start=1):
            call.check(found.text, found.is_error)
            if golden is not None and call.is_golden:
                golden.check(f"{label}, call {number}", comparable(found.text, self.home.parent))
        assert execution.errors == [], execution.errors
        assert execution.values("text/markdown")[-1] == "done", execution.values()
        return execution

    def run_calls(self, *codes: str, how: How, timeout: float = 60) -> tuple[Execution, list[Said]]:
        """What the person's cell showed, and what the model read of each call."""
        self._quiet(f"script.say(*{codes!r})")
        before = len(self.lines())
        cell = "%%agent --auto\ngo"
        if how == "blocking":
            cell = "get_ipython().run_cell_magic('agent', '--auto', 'go')"
        execution = self.kernel.run(cell, timeout=timeout, answers=[])
        return execution, [said for line in self.lines()[before:] if (said := _said(line)) is not None]

    def new_session(self) -> None:
        """Go on in a session of its own."""
        self.kernel.run("%agent new")
        self._session_file = None
        self.agent(PROBE)
        self.remember()

    def session_is(self, path: Path) -> None:
        """The session that goes on is the one at `path`."""
        self._session_file = None
        assert self.session_file == path

    _session_file: Path | None = None

    @property
    def session_file(self) -> Path | None:
        if self._session_file is None:
            path = self._quiet("script.session_path()").strip()
            self._session_file = Path(path) if path != "None" else None
        return self._session_file

    def lines(self) -> list[dict[str, Any]]:
        """The session as it lies on disk: every line whole, every entry behind one that is there."""
        if self.session_file is None or not self.session_file.exists():  # it comes with the first prompt
            return []
        data = self.session_file.read_bytes()
        assert data.endswith(b"\n")
        lines = [json.loads(line) for line in data.splitlines()]
        known = {None} | {line["id"] for line in lines[1:]}
        assert not [line for line in lines[1:] if line.get("parentId") not in known]
        return lines

    def check_case(self, case: Case, how: How, golden: Golden) -> None:
        """Run `case` and probe the kernel it leaves."""
        if case.before:
            done = self.kernel.run(case.before, timeout=60)
            assert done.errors == [], done.errors
        began = time.monotonic()
        execution = self.agent(*case.calls, how=how, timeout=3 * case.seconds, golden=golden, label=case.id)
        seconds = time.monotonic() - began
        shown = "\n".join(str(message["content"]) for message in execution.messages)
        assert not [part for part in case.shows if part not in shown], shown
        assert execution.text() == case.leaks, execution.text()
        assert execution.text("stderr") == "", execution.text("stderr")
        assert seconds < case.seconds
        if case.after:
            done = self.kernel.run(case.after, timeout=60)
            assert done.errors == [], done.errors
        self.check_health(how)

    def check_health(self, how: How = "awaited") -> None:
        """Fail unless cells, the agent and the session go on as before, and nothing was left behind."""
        self.kernel.check_health()
        self.agent(PROBE, how=how)
        state = self._quiet("script.changed()")
        assert state == "STATE[]\n", state

    def _quiet(self, code: str) -> str:
        """Run a cell without a place in the history; what it printed."""
        done = self.kernel.run(code, store_history=False)
        assert done.errors == [], done.errors
        return done.text()


def _said(line: dict[str, Any]) -> Said | None:
    message = line.get("message") or {}
    if message.get("role") != "toolResult":
        return None
    text = "\n".join(part["text"] for part in message["content"] if part["type"] == "text")
    return Said(text=text, is_error=message["isError"])


def spill_files(kernel: MatrixKernel) -> list[Path]:
    return [Path(root, name) for root, _, names in os.walk(kernel.home / "spill") for name in names]
