"""Pi as a process that is asked; without it these tests are skipped."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.session.interop.install import PACKAGE, VERSION, is_installed, node


class Pi:
    """Pi's session code in a Node of its own."""

    def __init__(self, home):
        modules = [PACKAGE / "dist" / "core" / name for name in ("session-manager.js", "session-export.js")]
        self._process = subprocess.Popen(
            [node(), Path(__file__).with_name("pi.mjs"), *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "HOME": str(home), "PI_CODING_AGENT_DIR": str(home)},
        )

    def __getattr__(self, action):
        return lambda **options: self._ask(action, options)

    def _ask(self, action, options):
        request = json.dumps({"action": action, **options}, default=str)
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]

    def close(self):
        self._process.communicate(timeout=20)


@pytest.fixture(scope="session")
def pi(tmp_path_factory):
    if not is_installed():
        pytest.skip(f"Pi {VERSION} is not installed: `make test` fetches it where npm can be reached.")
    pi = Pi(tmp_path_factory.mktemp("pi"))
    yield pi
    pi.close()
