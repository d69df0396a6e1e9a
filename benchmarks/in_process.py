"""What is measured in a process of its own: `python -m benchmarks.in_process FUNCTION [ARGUMENT ...]`."""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.messages import ToolCall
from pi_notebook.agent.tools import ToolContext
from pi_notebook.context.previews import preview as look
from pi_notebook.context.previews.parquet import spill_frame
from pi_notebook.context.spill import SpillFolder
from pi_notebook.context.tokens import count_tokens
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.tools.bash import bash as bash_tool
from pi_notebook.tools.needs import Shell, WorkingFolder, find_shell

ROWS = 10_000_000


class Peak:
    """The growth of this process's memory while it is entered, looked at every millisecond."""

    def __enter__(self) -> Peak:
        self._process = psutil.Process()
        self._before = self._most = self._process.memory_info().rss
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    @property
    def growth(self) -> int:
        return self._most - self._before

    def _watch(self) -> None:
        while not self._is_over.wait(0.001):
            self._most = max(self._most, self._process.memory_info().rss)


def bash() -> dict[str, float]:
    return asyncio.run(_bash())


async def _bash() -> dict[str, float]:
    folder = Path(tempfile.mkdtemp(prefix="pi-notebook-bench-"))
    line = "x" * 73
    arguments = {"command": f"yes {line} | head -c 200000000", "timeout": 120}
    shell = find_shell()
    context = ToolContext(
        call=ToolCall(id="c", name="bash", arguments=arguments),
        abort=AbortSignal(),
        update=lambda text: None,
        resources={
            Shell: shell,
            WorkingFolder: WorkingFolder(path=folder),
            OutputLimits: OutputLimits(),
            SpillFolder: SpillFolder(path=folder / "spill"),
        },
    )
    await bash_tool.execute(context, {"command": "true", "timeout": 5})
    with Peak() as peak:
        began = time.perf_counter()
        result = await bash_tool.execute(context, arguments)
        seconds = time.perf_counter() - began
    kept = Path(result.details["spill"]["path"]).stat().st_size
    return {"seconds": seconds, "growth": peak.growth, "kept": kept}


def preview(library: str) -> dict[str, float]:
    frame = _pandas_frame() if library == "pandas" else _polars_frame()
    small = frame.head(1000)
    look(small, max_tokens=1_500)  # what is imported once is not the frame's
    with Peak() as peak:
        seconds = _median(lambda: look(frame, max_tokens=1_500))
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        spill_frame(frame, Path(folder), "frame", max_bytes=10**11)
        spill_seconds = time.perf_counter() - began
    return {"seconds": seconds, "growth": peak.growth, "spill_seconds": spill_seconds}


def tokens() -> dict[str, float]:
    row = "2024-03-{:02d},station {},{:.3f},{:.1f},ok\n"
    text = "".join(row.format(n % 28 + 1, n % 97, n * 0.731, n % 1013 / 7) for n in range(1_500))[:50_000]
    count_tokens("load")
    turns = itertools.count()  # a text that was counted before costs nothing
    return {"seconds": _median(lambda: count_tokens(f"{next(turns)}\n{text}"), times=20)}


def _pandas_frame() -> object:
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(0)
    numbers = {f"n{i}": random.normal(size=ROWS) for i in range(6)}
    words = {
        f"w{i}": np.array(["alpha", "beta", "gamma", None])[random.integers(0, 4, ROWS)] for i in range(2)
    }
    times = {"t": pd.date_range("2020", periods=ROWS, freq="s"), "i": random.integers(0, 10**6, ROWS)}
    return pd.DataFrame(numbers | words | times)


def _polars_frame() -> object:
    import numpy as np
    import polars as pl

    random = np.random.default_rng(0)
    numbers = {f"n{i}": random.normal(size=ROWS) for i in range(7)}
    words = pl.Series(["alpha", "beta", "gamma", None]).gather(random.integers(0, 4, ROWS))
    return pl.DataFrame(numbers | {"w0": words, "w1": words.reverse(), "i": random.integers(0, 10**6, ROWS)})


def _median(work: Callable[[], object], *, times: int = 5) -> float:
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


FUNCTIONS: dict[str, Callable[..., dict[str, float]]] = {"bash": bash, "preview": preview, "tokens": tokens}

if __name__ == "__main__":
    print(json.dumps(FUNCTIONS[sys.argv[1]](*sys.argv[2:])))
