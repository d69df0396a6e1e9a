"""What it costs to watch files and variables while the agent's code runs, and that nothing stays after."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.kernel import fresh, said
from benchmarks.row import Row
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
PAIRS = 6


def ledger() -> Iterator[Row]:
    """Cells with and without the watch, in turn, in one kernel."""
    with fresh() as kernel:
        said(kernel.run("%load_ext pi_notebook\nimport benchmarks.in_kernel as b"))
        said(kernel.run(_UNWATCHED))
        for name, code, target in (("file_heavy", FILES, "<= 5"), ("pure_python", LOOP, "<= 1")):
            with_watch, without = _seconds(kernel, code)
            percent = 100 * (min(with_watch) / min(without) - 1)  # the least disturbed of each
            yield Row(
                name=f"ledger.{name}_slowdown",
                value=percent,
                unit="%",
                target=target,
            )
        left = float(said(kernel.run(_LEFT)))
    yield Row(name="ledger.wrapped_after_run", value=left, unit="functions", target="<= 0")


def _seconds(kernel: Kernel, code: str) -> tuple[list[float], list[float]]:
    """Of the code with the watch and without it; the first pair warms up."""
    times: dict[str, list[float]] = {"watched": [], "Unwatched": []}
    for _ in range(PAIRS + 1):
        for watch, found in times.items():
            kernel.run(f"runner.CallWatch = {watch}")
            outcome = json.loads(said(kernel.run(f"print(await b.run_codes([{code!r}]))", timeout=120)))
            found.append(outcome["seconds"][0])
    return times["watched"][1:], times["Unwatched"][1:]
