"""What the extension costs a kernel beyond its runs: plain cells, and what many runs leave behind."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from benchmarks.kernel import fresh, said
from benchmarks.row import Row, percentile
from tests.kernel.client import Kernel

RUNS = 2_000
WARM_RUNS = 200
SESSION_RUNS = 200
"""After which another session is begun: a request tells all that went before, and is longer each time."""
CELLS = 300


def cells() -> Iterator[Row]:
    """A plain cell in a kernel with the extension loaded, against one in a kernel without."""
    with fresh() as bare, fresh() as loaded:
        said(loaded.run("%load_ext pi_notebook"))
        times: dict[int, list[float]] = {id(bare): [], id(loaded): []}
        for number in range(CELLS + 20):
            for kernel in (bare, loaded):
                began = time.perf_counter()
                said(kernel.run("1"))
                if number >= 20:
                    times[id(kernel)].append(time.perf_counter() - began)
    before, after = (percentile(times[id(kernel)], 0.1) for kernel in (bare, loaded))  # the least disturbed
    yield Row(
        name="plain_cell.slowdown",
        value=1000 * (after - before),
        unit="ms",
        baseline=round(1000 * before, 3),
        target="<= 1",
    )


def runs(count: int = RUNS, *, warm_runs: int = WARM_RUNS) -> Iterator[Row]:
    """What `count` runs leave in one kernel, once the first of them have warmed it."""
    with fresh() as kernel:
        said(kernel.run("%load_ext pi_notebook\nimport benchmarks.in_kernel as b"))
        _run(kernel, warm_runs)
        _held(kernel)  # a thread of ipykernel's opens a socket with the first text it sends, and keeps it
        before = _held(kernel)
        _run(kernel, count)
        after = _held(kernel)
    slope = (after["memory"] - before["memory"]) / count / 1000
    yield Row(name="runs.memory_slope", value=slope, unit="kB a run", target="<= 5")
    for name in ("descriptors", "threads"):
        yield Row(name=f"runs.{name}", value=after[name] - before[name], unit=name, target="<= 0")


def _run(kernel: Kernel, count: int) -> None:
    for number in range(count):
        if number % SESSION_RUNS == 0:
            said(kernel.run("%agent new", store_history=False))
        said(kernel.run("r = await b.run_codes(['1'])", store_history=False))


def _held(kernel: Kernel) -> dict[str, int]:
    code = "import time; time.sleep(1); print(b.held())"
    found: dict[str, int] = json.loads(said(kernel.run(code, store_history=False)))
    return found
