"""What a front end downloads: the inspector's module, and the panel beyond what JupyterLab ships."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

from benchmarks.row import Row

PACKAGE = Path(__file__).parents[1] / "pi_notebook"
KB = 1000


def ui() -> Iterator[Row]:
    """Sizes of what is built, compressed as a server sends it."""
    static = PACKAGE / "ui" / "static"
    yield _row("widget.module", [static / "inspector.js"], "<= 200")
    yield _row("widget.style", [static / "inspector.css"], "<= 20")
    scripts = sorted((PACKAGE / "labextension" / "static").glob("*.js"))
    yield _row("panel.scripts", scripts, "<= 150")


def _row(name: str, files: list[Path], target: str) -> Row:
    if not files or not all(file.is_file() for file in files):
        raise SystemExit("The panel is not built: pip install -e . builds it.")
    size = sum(len(gzip.compress(file.read_bytes(), mtime=0)) for file in files)
    return Row(name=f"{name}.gzipped", value=size / KB, unit="kB", target=target)
