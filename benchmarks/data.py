"""Shell output, previews of large frames and token counting."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.row import Row

MB = 1_000_000


def in_process(*arguments: str, module: str = "benchmarks.in_process") -> dict[str, float]:
    """What a module prints when it is run with `arguments`, in a process of its own."""
    command = [sys.executable, "-m", module, *arguments]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return found


def bash() -> Iterator[Row]:
    """`bash` printing 200 MB, all of it kept on disk."""
    found = in_process("bash")
    yield Row(name="bash.flood.speed", value=200 / found["seconds"], unit="MB/s", target=">= 250")
    yield Row(name="bash.flood.memory", value=found["growth"] / MB, unit="MB", target="<= 32")
    yield Row(name="bash.flood.kept", value=found["kept"] / MB, unit="MB", target=">= 200")


def preview() -> Iterator[Row]:
    """A frame of 10 million rows and 10 columns, looked at; writing it to parquet is measured beside it."""
    for library in ("pandas", "polars"):
        found = in_process("preview", library)
        name = f"preview[{library} 10M x 10]"
        spill = round(1000 * found["spill_seconds"], 1)
        yield Row(
            name=f"{name}.time", value=1000 * found["seconds"], unit="ms", baseline=spill, target="<= 150"
        )
        yield Row(name=f"{name}.memory", value=found["growth"] / MB, unit="MB", target="<= 64")


def tokens() -> Iterator[Row]:
    """Counting 50 KB of CSV, once the vocabulary is loaded."""
    found = in_process("tokens")
    yield Row(name="tokens[50 KB of CSV]", value=1000 * found["seconds"], unit="ms", target="<= 10")
