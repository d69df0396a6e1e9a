"""A frame written to disk, beside pyarrow's own `write_table`: `python -m benchmarks spill`.

The baseline is what a person would write: the frame made an arrow table, and that written with the
same compression. Frames that it refuses (sparse, repeated names, mixed objects) have their memory alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.data import MB, in_process
from benchmarks.frames import FRAMES
from benchmarks.row import Row

_LAZY = ("polars lazy", "pyarrow dataset")
_TIMES = 2
"""Each is written; the quicker counts."""


def spill() -> Iterator[Row]:
    """For each frame how fast it is written as a share of the baseline, and what memory grew by."""
    for name in FRAMES:
        if name in _LAZY:
            continue
        found = in_process(name, module="benchmarks.spill")
        if found["bare_seconds"]:
            ratio = found["bare_seconds"] / found["seconds"]
            yield Row(name=f"spill[{name}].speed", value=ratio, unit="x write_table", target=">= 0.8")
        growth, bare = found["growth"] / MB, round(found["bare_growth"] / MB, 1)
        yield Row(
            name=f"spill[{name}].memory", value=growth, baseline=bare or None, unit="MB", target="<= 192"
        )


def measured(name: str) -> dict[str, float]:
    import pandas as pd

    from pi_notebook.context.previews.parquet import FrameSpill, spill_frame

    value = FRAMES[name]()
    with tempfile.TemporaryDirectory(prefix="pi-notebook-bench-") as made:
        folder = Path(made)
        spill_frame(pd.DataFrame({"a": ["x"]}), folder, "first")

        def write() -> None:
            written = spill_frame(value, folder, "frame", max_bytes=10**12)
            assert isinstance(written, FrameSpill), written
            written.path.unlink()

        def write_bare() -> None:
            _write_bare(value, folder / "bare.parquet")

        seconds, growth = _timed(write)
        try:
            bare_seconds, bare_growth = _timed(write_bare)
        except (ValueError, TypeError):  # pyarrow's errors among them
            bare_seconds, bare_growth = 0.0, 0
    return {
        "seconds": seconds,
        "growth": growth,
        "bare_seconds": bare_seconds,
        "bare_growth": bare_growth,
    }


def _timed(write: Callable[[], None]) -> tuple[float, int]:
    """Seconds of the quickest, and the growth of all."""
    from benchmarks.in_process import Peak

    seconds = []
    with Peak() as peak:
        for _ in range(_TIMES):
            began = time.perf_counter()
            write()
            seconds.append(time.perf_counter() - began)
    return min(seconds), peak.growth


def _write_bare(value: Any, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    if not isinstance(value, pa.Table):
        value = value.to_arrow() if hasattr(value, "to_arrow") else pa.Table.from_pandas(value)
    parquet.write_table(value, path, compression="zstd")


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))
