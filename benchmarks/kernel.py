"""The kernel side: loading, the way of a request, running code, floods of output."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.row import Row, median, percentile
from tests.kernel.client import Execution, Kernel
from tests.provider import Provider, text

HEAVY = ("litellm", "pandas", "pyarrow", "duckdb", "tiktoken")
MB = 1_000_000


def fresh(**env: str) -> Kernel:
    """A kernel with a home of its own."""
    home = tempfile.mkdtemp(prefix="pi-notebook-bench-")
    return Kernel(env={"PI_NOTEBOOK_HOME": home, **env}, cwd=Path(home))


def said(execution: Execution) -> str:
    if execution.errors:
        raise RuntimeError(f"the measured cell failed: {execution.errors}")
    return execution.text()


def load() -> Iterator[Row]:
    """CPU time of `%load_ext` in a fresh kernel, what came with it, and what it holds when nobody asks."""
    seconds, heavy, held = [], 0, []
    for _ in range(5):
        with fresh() as kernel:
            before = said(kernel.run("import psutil; print(psutil.Process().memory_info().rss)"))
            code = (
                "import sys, time\nbefore = time.process_time()\n%load_ext pi_notebook\n"
                f"print(time.process_time() - before, len(set({HEAVY}) & set(sys.modules)))"
            )
            cpu, modules = said(kernel.run(code)).split()
            seconds.append(float(cpu))
            heavy += int(modules)
            rss = "import time, psutil; time.sleep(3); print(psutil.Process().memory_info().rss)"
            held.append(float(said(kernel.run(rss))) - float(before))
    yield Row(name="load_ext.cpu", value=1000 * median(seconds), unit="ms", target="<= 100")
    yield Row(name="load_ext.heavy_modules", value=heavy, unit="modules", target="<= 0")
    yield Row(name="load_ext.memory_when_idle", value=median(held) / MB, unit="MB", target="<= 20")


_BARE = """
import litellm
_ = await litellm.acompletion(model="openai/test", stream=True, messages=MESSAGES, tools=TOOLS)
async for _ in _: pass
"""


def request() -> Iterator[Row]:
    """From the start of the cell to the arrival of the request, against a bare call of the same size."""
    with Provider(text("ok")) as provider:
        env = {
            "OPENAI_API_KEY": "k",
            "OPENAI_API_BASE": provider.base_url,
            "PI_NOTEBOOK_MODEL": "openai/test",
        }
        with fresh(LITELLM_LOCAL_MODEL_COST_MAP="True", **env) as kernel:
            said(kernel.run("%load_ext pi_notebook\nimport benchmarks.in_kernel as b\nb.watch_cells()"))
            kernel.run("%%agent\nwarm")
            body = provider.exchanges[-1].body
            kernel.run(f"MESSAGES, TOOLS = {body['messages']!r}, {body['tools']!r}")
            ours, bare = [], []
            for number in range(20):
                kernel.run("%agent new")
                for cell, times in ((f"%%agent\n{number}", ours), (_BARE, bare)):
                    kernel.run(cell)
                    arrived = provider.exchanges[-1].received_at
                    times.append(arrived - float(said(kernel.run("print(b.previous)"))))
    extra = 1000 * (median(ours) - median(bare))
    yield Row(
        name="cell_to_request.above_bare_litellm",
        value=extra,
        unit="ms",
        baseline=round(1000 * median(bare), 3),
        target="<= 30",
    )


def dispatch() -> Iterator[Row]:
    """What running `1` costs the agent."""
    with fresh() as kernel:
        said(kernel.run("%load_ext pi_notebook\nimport benchmarks.in_kernel as b"))
        for limit in ("tool_calls", "same_calls"):
            kernel.run(f"%agent settings budget.{limit} 200")
        found = json.loads(said(kernel.run("print(await b.run_codes(['1'] * 200))")))
    yield Row(
        name="run_code.dispatch_p95",
        value=1000 * percentile(found["seconds"], 0.95),
        unit="ms",
        target="<= 60",
    )


def flood() -> Iterator[Row]:
    """200 MB through `print`."""
    for size, label in ((74, "74 B"), (100_000, "100 kB"), (MB, "1 MB")):
        count = 200 * MB // size
        with fresh() as kernel:
            said(kernel.run("%load_ext pi_notebook\nimport benchmarks.in_kernel as b"))
            said(kernel.run("print(await b.run_codes(['1']))"))
            code = f"line = 'x' * {size - 1}\nfor _ in range({count}): print(line)"
            execution = kernel.run(f"print(await b.run_codes([{code!r}]))", timeout=300)
            found = json.loads(said(execution))
        seconds = found["seconds"][0]
        sent = sum(len(json.dumps(message["content"], default=str)) for message in execution.messages)
        name = f"run_code.flood[{label}]"
        yield Row(name=f"{name}.speed", value=200 / seconds, unit="MB/s", target=">= 40")
        yield Row(name=f"{name}.memory", value=found["growth"] / MB, unit="MB", target="<= 64")
        yield Row(name=f"{name}.traffic", value=sent / 1000 / seconds, unit="kB/s", target="<= 256")
