"""`python -m benchmarks [NAME ...]`: the measurements whose name begins with one of these, or all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from benchmarks import (
    compaction,
    context,
    data,
    frames,
    kernel,
    ledger,
    prompts,
    resting,
    sessions,
    sizes,
    spill,
    ui,
)
from benchmarks.row import Row

MEASUREMENTS: dict[str, Callable[[], Iterator[Row]]] = {
    "load": kernel.load,
    "request": kernel.request,
    "dispatch": kernel.dispatch,
    "flood": kernel.flood,
    "cells": resting.cells,
    "runs": resting.runs,
    "ledger": ledger.ledger,
    "prompt": prompts.prompt,
    "skills": prompts.skills,
    "compaction": compaction.compaction,
    "context": context.context,
    "bash": data.bash,
    "preview": data.preview,
    "frames": frames.frames,
    "spill": spill.spill,
    "tokens": data.tokens,
    "sessions": sessions.sessions,
    "sizes": sizes.sizes,
    "ui": ui.ui,
}


def main(names: list[str]) -> None:
    """Print a JSON line for each measurement as it is made."""
    for name, measure in MEASUREMENTS.items():
        if not names or any(name.startswith(wanted) for wanted in names):
            for row in measure():
                print(row.line(), flush=True)


main(sys.argv[1:])
