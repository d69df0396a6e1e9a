"""What a person downloads and keeps: the wheel, and an environment with the base install."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.row import Row

ROOT = Path(__file__).parents[1]
MB = 1_000_000


def sizes() -> Iterator[Row]:
    """The wheel as built, and all packages of `pip install pi-notebook` in a fresh environment."""
    with tempfile.TemporaryDirectory() as folder:
        _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, str(ROOT))
        (wheel,) = Path(folder).glob("*.whl")
        yield Row(name="wheel.size", value=wheel.stat().st_size / 1000, unit="kB", target="<= 1000")
        environment = Path(folder) / "environment"
        _run(sys.executable, "-m", "venv", "--without-pip", str(environment))
        python = environment / "bin" / "python"
        _run(sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", str(wheel))
        size = sum(path.stat().st_size for path in environment.rglob("*") if path.is_file())
        yield Row(name="base_install.size", value=size / MB, unit="MB", target="<= 600")


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
