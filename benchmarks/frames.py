"""A look at each of the 20 frames: `python -m benchmarks frames`; one of them alone is measured by name."""

from __future__ import annotations

import datetime
import decimal
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import MB, in_process
from benchmarks.row import Row, median

ROWS = 10_000_000
FRAMES: dict[str, Callable[[], Any]] = {}
LOOKS = 5


def frame(make: Callable[[], Any]) -> Callable[[], Any]:
    FRAMES[make.__name__.replace("_", " ")] = make
    return make


def frames() -> Iterator[Row]:
    """The median of five looks at each frame, and what memory grew by in all of them."""
    for name in FRAMES:
        found = in_process(name, module="benchmarks.frames")
        yield Row(name=f"frames[{name}].time", value=1000 * found["seconds"], unit="ms", target="<= 200")
        yield Row(name=f"frames[{name}].memory", value=found["growth"] / MB, unit="MB", target="<= 64")


def measured(name: str) -> dict[str, float]:
    """Seconds and growth in bytes; what is loaded once, by a look at something small, is not the frame's."""
    import pandas as pd
    import polars as pl

    from benchmarks.in_process import Peak
    from pi_notebook.context.previews import preview

    value = FRAMES[name]()
    small = np.arange(1000)
    for warm in (
        pd.DataFrame({"a": small}),
        pl.DataFrame({"a": small}),
        pl.DataFrame({"a": small}).to_arrow(),
    ):
        preview(warm, max_tokens=1_500)
    seconds = []
    with Peak() as peak:
        for _ in range(LOOKS):
            began = time.perf_counter()
            preview(value, max_tokens=1_500)
            seconds.append(time.perf_counter() - began)
    return {"seconds": median(seconds), "growth": peak.growth}


def _columns(rows: int) -> dict[str, Any]:
    random = np.random.default_rng(0)
    numbers: dict[str, Any] = {f"n{i}": random.normal(size=rows) for i in range(6)}
    whole = {f"i{i}": random.integers(0, 10**6, rows) for i in range(2)}
    return numbers | whole


def _words(rows: int) -> Any:
    return np.array(["alpha", "beta", "gamma", None], dtype=object)[np.arange(rows) % 4]


@frame
def pandas_10M_x_10() -> Any:
    import pandas as pd

    times = pd.date_range("2020", periods=ROWS, freq="s")
    return pd.DataFrame(_columns(ROWS) | {"w": _words(ROWS), "t": times})


@frame
def polars_10M_x_10() -> Any:
    import polars as pl

    words = pl.Series(["alpha", "beta", "gamma", None]).gather(np.arange(ROWS) % 4)
    return pl.DataFrame(_columns(ROWS) | {"w": words, "v": words.reverse()})


@frame
def pyarrow_10M_x_10() -> Any:
    return polars_10M_x_10().to_arrow()


@frame
def pandas_10000_columns() -> Any:
    import pandas as pd

    return pd.DataFrame(np.random.default_rng(0).normal(size=(1000, 10_000))).rename(columns="c{}".format)


@frame
def polars_10000_columns() -> Any:
    import polars as pl

    return pl.DataFrame({f"c{i}": np.arange(1000) for i in range(10_000)})


@frame
def huge_texts() -> Any:
    import pandas as pd

    texts = [f"{i}" + "lorem ipsum " * 400_000 for i in range(50)]
    return pd.DataFrame({"id": range(50), "text": pd.Series(texts, dtype=object)})


@frame
def objects_of_many_types() -> Any:
    import pandas as pd

    cells = [1, "1", None, 2.5, [1, 2], {"k": "v"}, b"x", {3}]
    return pd.DataFrame({f"o{i}": pd.Series(cells * 50_000, dtype=object) for i in range(5)})


@frame
def multiindexes() -> Any:
    import pandas as pd

    index = pd.MultiIndex.from_product([range(1000), ["a", "b"], range(500)], names=["x", "y", "z"])
    columns = pd.MultiIndex.from_product([["price", "sold"], ["mean", "max"]])
    return pd.DataFrame(np.arange(4_000_000.0).reshape(-1, 4), index=index, columns=columns)


@frame
def categoricals() -> Any:
    import pandas as pd

    codes = np.random.default_rng(0).integers(0, 100_000, 3_000_000)
    names = pd.Index([f"category {i}" for i in range(100_000)])
    column = pd.Categorical.from_codes(codes, categories=names)
    return pd.DataFrame({f"c{i}": column for i in range(4)})


@frame
def sparse() -> Any:
    import pandas as pd

    values = np.zeros(3_000_000)
    values[::1000] = 1.5
    return pd.DataFrame({f"s{i}": pd.arrays.SparseArray(values) for i in range(8)})


@frame
def lists_and_structs() -> Any:
    import polars as pl

    count = 500_000
    numbers = pl.DataFrame({"a": np.arange(count), "b": np.arange(count) / 7})
    lists = pl.Series("l", np.arange(count * 8).reshape(count, 8)).arr.to_list()
    return numbers.select(pl.struct("a", "b").alias("s"), lists, "a")


@frame
def repeated_names() -> Any:
    import pandas as pd

    wide = pd.DataFrame(np.arange(20_000_000.0).reshape(-1, 20))
    wide.columns = pd.Index(["a", "b"] * 10)
    return wide


@frame
def times_with_zones() -> Any:
    import pandas as pd

    times = pd.date_range("2000", periods=3_000_000, freq="min", tz="Europe/Oslo")
    zones = ("UTC", "Asia/Tokyo", "America/New_York")
    return pd.DataFrame({zone: times.tz_convert(zone) for zone in zones}, index=times)


@frame
def all_null() -> Any:
    import pandas as pd

    objects = np.full(2_000_000, None, dtype=object)
    return pd.DataFrame({"f": np.full(len(objects), np.nan), "o": objects, "t": pd.NaT})


@frame
def without_rows() -> Any:
    import pandas as pd

    return pd.DataFrame({f"c{i}": pd.Series(dtype="float64") for i in range(500)})


@frame
def nullable_types() -> Any:
    import pandas as pd

    numbers = pd.Series(np.arange(3_000_000))
    missing = numbers % 7 == 0
    types = {"i": "Int64", "f": "Float64", "b": "boolean", "s": "string", "a": "int64[pyarrow]"}
    sources = {"b": numbers % 2 == 0, "s": numbers.astype(str)}
    return pd.DataFrame({k: sources.get(k, numbers).astype(t).mask(missing) for k, t in types.items()})


@frame
def decimals() -> Any:
    import pyarrow as pa

    cells = [decimal.Decimal(i) / 100 for i in range(1000)] * 1000
    return pa.table({f"d{i}": pa.array(cells, type=pa.decimal128(12, 2)) for i in range(4)})


@frame
def dates_as_objects() -> Any:
    import pandas as pd

    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(1000)] * 1000
    return pd.DataFrame({f"d{i}": pd.Series(days, dtype=object) for i in range(4)})


@frame
def polars_lazy() -> Any:
    import polars as pl

    many = {f"c{i}": pl.col("a") * i for i in range(500)}
    return pl.LazyFrame({"a": np.arange(1_000_000)}).with_columns(**many)


@frame
def pyarrow_dataset() -> Any:
    import pyarrow as pa
    import pyarrow.dataset as ds
    import pyarrow.parquet as pq

    folder = Path(tempfile.mkdtemp(prefix="pi-notebook-bench-"))
    table = pa.table({f"c{i}": range(10) for i in range(50)})
    for part in range(200):
        pq.write_table(table, folder / f"{part}.parquet")
    return ds.dataset(folder)


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))
