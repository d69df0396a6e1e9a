"""What it costs to watch files and variables while the agent's code runs, and that nothing stays after."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.kernel import fresh, said
from benchmarks.row import Row, percentile
from tests.kernel.client import Kernel

FILES = """
import os
for round in range(3):
    for number in range(1000):
        with open(f"file{number}.txt", "w") as file:
            file.write("a line of text\\n" * 20)
    for number in range(1000):
        with open(f"file{number}.txt") as file:
            file.read()
for number in range(1000):
    os.remove(f"file{number}.txt")
"""
LOOP = """
total = 0
for number in range(12_000_000):
    total += number % 7
"""
_UNWATCHED = """
import contextlib
import pi_notebook.kernel.runner as runner
from pi_notebook.kernel.effects import CellEffects

class Unwatched(contextlib.nullcontext):
    effects = CellEffects()
    def __init__(self, *_): super().__init__()

watched = runner.CallWatch
"""
_LEFT = """
import builtins, io, os
names = ("open", "chdir", "remove", "unlink", "rename", "replace", "link", "symlink", "truncate")
left = [name for name in names if hasattr(getattr(os, name), "__wrapped__")]
print(len(left) + (io.open is not builtins.open) + hasattr(io.open, "__wrapped__"))
"""
PAIRS = 10


def ledger() -> Iterator[Row]:
    """Cells with and without the watch, in turn, in one kernel."""
    with fresh() as kernel:
        said(kernel.run("%load_ext pi_notebook\nimport benchmarks.in_kernel as b"))
        said(kernel.run(_UNWATCHED))
        for name, code, target in (("file_heavy", FILES, "<= 5"), ("pure_python", LOOP, "<= 1")):
            watched, unwatched = (percentile(seconds, 0.1) for seconds in _both(kernel, code))
            yield Row(
                name=f"ledger.{name}_slowdown",
                value=100 * (watched / unwatched - 1),
                unit="%",
                target=target,
            )
        left = float(said(kernel.run(_LEFT)))
    yield Row(name="ledger.wrapped_after_run", value=left, unit="functions", target="<= 0")


def _both(kernel: Kernel, code: str) -> tuple[list[float], list[float]]:
    """Seconds of the code with the watch and without it, either of them first in turn; the first warms up.

    Seconds of computing, of which the least disturbed are compared: by the clock, the other processes of
    a machine differ more from one cell to the next than the two ways do.
    """
    found: dict[str, list[float]] = {"watched": [], "Unwatched": []}
    for number in range(PAIRS + 1):
        for watch in ("watched", "Unwatched") if number % 2 else ("Unwatched", "watched"):
            found[watch].append(_seconds(kernel, code, watch))
    return found["watched"][1:], found["Unwatched"][1:]


def _seconds(kernel: Kernel, code: str, watch: str) -> float:
    kernel.run(f"runner.CallWatch = {watch}")
    outcome = json.loads(said(kernel.run(f"print(await b.run_codes([{code!r}]))", timeout=120)))
    return float(outcome["cpu_seconds"][0])
