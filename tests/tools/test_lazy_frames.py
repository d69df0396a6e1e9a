"""Lazy frames: told by their schema, computed only where rows are asked for, written by their own library."""

import threading
from pathlib import Path

import dask
import dask.array
import dask.dataframe
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

from pi_notebook.agent.tools import ToolError
from pi_notebook.context.previews.beside import run_beside
from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.spill import SpillFolder
from tests.tools.lazy_calling import Desk, written

ROWS = pd.DataFrame({"n": range(1_000), "city": ["Oslo", "Bergen"] * 500})


COMPUTED = []
"""The partitions that were, since dask copies what it is given."""


def partition(number):
    COMPUTED.append(number)
    return ROWS.iloc[number * 250 : (number + 1) * 250]


def dask_frame():
    COMPUTED.clear()
    return dask.dataframe.from_map(partition, range(4), meta=ROWS.iloc[:0])


def lazy_frames(folder):
    ROWS.to_parquet(folder / "rows.parquet")
    return {
        "dask": dask_frame(),
        "polars": pl.LazyFrame(ROWS),
        "duckdb": duckdb.connect().from_arrow(pa.table({"n": ROWS.n, "city": ROWS.city.tolist()})),
        "pyarrow": pyarrow.dataset.dataset(folder / "rows.parquet"),
        "parquet file": pa.parquet.ParquetFile(folder / "rows.parquet"),
    }


RELEASED = threading.Event()


def _wait(part):
    RELEASED.wait(30)
    return part


KINDS = ["dask", "polars", "duckdb", "pyarrow", "parquet file"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_lazy_frame_is_told_without_a_row_and_how_rows_are_had(kind, tmp_path):
    desk = Desk(tmp_path, df=lazy_frames(tmp_path)[kind])
    text = await desk.text("df")
    assert "2 columns" in text
    assert "\nn,int64" in text.lower() or "\nn,bigint" in text.lower()
    assert "Oslo" not in text
    assert 'rows="head 5"' in text
    assert not desk.folder.exists()


@pytest.mark.parametrize("kind", KINDS)
async def test_rows_are_computed_when_they_are_asked_for_and_said_to_be(kind, tmp_path):
    text = await Desk(tmp_path, df=lazy_frames(tmp_path)[kind]).text("df", rows="3:5")
    assert "only these rows computed, in " in text
    assert "; rows 3:5:\n" in text
    assert [line.split(",")[-2:] for line in text.splitlines()[2:4]] == [["3", "Bergen"], ["4", "Oslo"]]
    assert len(text.splitlines()) == 4


@pytest.mark.parametrize("kind", ["dask", "polars"])
async def test_the_last_rows_are_computed_where_that_does_not_take_all(kind, tmp_path):
    text = await Desk(tmp_path, df=lazy_frames(tmp_path)[kind]).text("df", rows="tail 2")
    assert "; last 2 rows:\n" in text
    assert text.splitlines()[-1].endswith("999,Bergen")


@pytest.mark.parametrize("kind", ["duckdb", "pyarrow", "parquet file"])
async def test_last_rows_that_would_take_all_of_it_are_refused(kind, tmp_path):
    with pytest.raises(ToolError, match="its last rows would take all of it"):
        await Desk(tmp_path, df=lazy_frames(tmp_path)[kind]).text("df", rows="tail 2")


@pytest.mark.parametrize("rows", ["-5:-2", "200000:200005"])
async def test_rows_that_cannot_be_had_cheaply_are_refused_with_the_way_on(rows, tmp_path):
    with pytest.raises(ToolError, match="is not computed"):
        await Desk(tmp_path, df=dask_frame()).text("df", rows=rows)


@pytest.mark.parametrize("kind", ["dask", "polars", "duckdb"])
async def test_a_lazy_frame_is_written_by_its_own_library_when_asked_and_queried(kind, tmp_path):
    desk = Desk(tmp_path, df=lazy_frames(tmp_path)[kind])
    text = await desk.text("df", keep=True)
    answer = await desk.query(f"SELECT count(*) AS c, sum(n) AS s, max(city) FROM '{written(text)}'")
    assert "\n1000,499500,Oslo" in answer
    assert desk.folder.stat().st_mode & 0o077 == 0
    (path,) = desk.folder.iterdir()
    assert path.stat().st_mode & 0o077 == 0


async def test_partitions_are_computed_one_by_one_and_no_more_than_the_rows_take(tmp_path):
    desk = Desk(tmp_path, df=dask_frame())
    await desk.text("df")
    assert COMPUTED == []
    await desk.text("df", rows="5")
    assert COMPUTED == [0]
    COMPUTED.clear()
    text = await desk.text("df", rows="248:252")
    assert COMPUTED == [0, 1]
    assert [line.split(",")[1] for line in text.splitlines()[2:]] == ["248", "249", "250", "251"]


async def test_a_frame_of_dask_is_written_a_partition_at_a_time_once(tmp_path):
    desk = Desk(tmp_path, df=dask_frame())
    first = await desk.text("df", keep=True)
    assert sorted(COMPUTED) == [0, 1, 2, 3]
    assert "(parquet, 4 files, " in first
    assert written(await desk.text("df", keep=True)) == written(first)
    assert sorted(COMPUTED) == [0, 1, 2, 3]


async def test_rows_of_an_array_are_computed(tmp_path):
    array = dask.array.from_array(np.arange(1_000).reshape(100, 10), chunks=(10, 10))
    desk = Desk(tmp_path, array=array)
    assert "keep=true" not in await desk.text("array")
    assert (await desk.text("array", rows="2:3")).endswith("[20, 21, 22, 23, 24, 25, 26, 27, 28, 29]")


async def test_what_fails_while_it_is_computed_is_an_error_that_says_so(tmp_path):
    def fail(part):
        raise ZeroDivisionError("no rows today")

    frame = dask_frame().map_partitions(fail, meta=ROWS.iloc[:0])
    desk = Desk(tmp_path, df=frame)
    with pytest.raises(ToolError, match=r"Computing rows of df failed: ZeroDivisionError: no rows today"):
        await desk.text("df", rows="5")
    assert "Not kept on disk: ZeroDivisionError: no rows today." in await desk.text("df", keep=True)
    assert list(desk.folder.iterdir()) == []


@pytest.mark.parametrize("kind", ["polars", "duckdb", "dask"])
async def test_what_takes_too_long_is_stopped_and_leaves_nothing(kind, tmp_path):
    RELEASED.clear()
    endless = {
        "polars": lambda: pl.LazyFrame(ROWS).map_batches(_wait),
        "duckdb": lambda: duckdb.connect().sql(
            "select range % 100003 as k, sum(sin(range)) from range(60000000) group by 1"
        ),
        "dask": lambda: dask_frame().map_partitions(_wait, meta=ROWS.iloc[:0]),
    }[kind]()
    desk = Desk(tmp_path, df=endless)
    with pytest.raises(ToolError, match="was stopped"):
        await desk.preview("df", rows="5", at_most_seconds=0.3)
    told = await desk.text("df", keep=True, at_most_seconds=0.3)
    assert "it took longer than" in told
    assert not [path for path in desk.folder.iterdir() if path.suffix == ".parquet"]
    RELEASED.set()


async def test_a_frame_in_memory_is_written_when_asked_whatever_its_size(tmp_path):
    frame = pd.DataFrame({"n": range(10), "mixed": pd.Series([1, "x"] * 5, dtype=object)})
    desk = Desk(tmp_path, df=frame)
    text = await desk.text("df", keep=True)
    assert "All 10 rows: " in text
    assert "As text: mixed." in text
    path = text.partition("All 10 rows: ")[2].partition(" (parquet")[0]
    assert "\n10" in await desk.query(f"SELECT count(*) FROM '{path}'")


async def test_a_frame_that_made_room_or_was_removed_is_told_with_the_way_on(tmp_path):
    first = pd.DataFrame({"n": np.random.default_rng(0).normal(size=2_000)})
    desk = Desk(tmp_path, first=first, second=first * 2)
    desk.spills = FrameSpills(SpillFolder(path=desk.folder, max_frame_bytes=25_000))
    paths = [path_in(await desk.text(name, keep=True)) for name in ("first", "second")]
    with pytest.raises(ToolError, match=r"was dropped to make room .* keep=true\) writes it again"):
        await desk.query(f"FROM '{paths[0]}'")
    assert "\n2000" in await desk.query(f"SELECT count(*) FROM '{paths[1]}'")
    Path(paths[1]).unlink()
    with pytest.raises(ToolError, match="is gone: somebody removed it"):
        await desk.query(f"FROM '{paths[1]}'")
    again = path_in(await desk.text("second", keep=True))
    assert "\n2000" in await desk.query(f"SELECT count(*) FROM '{again}'")


def path_in(text):
    return text.partition("rows: ")[2].partition(" (parquet")[0]


@pytest.mark.parametrize("kind", ["pandas", "dask"])
async def test_a_kept_frame_that_somebody_changed_is_an_error_and_is_written_again(kind, tmp_path):
    desk = Desk(tmp_path, df=ROWS if kind == "pandas" else dask_frame())

    async def keep():
        text = await desk.text("df", keep=True)
        return written(text) or text.partition(" rows: ")[2].partition(" (parquet")[0]

    path = await keep()
    assert "count_star" in await desk.query(f"SELECT count(*) FROM '{path}'")
    assert await keep() == path
    assert "count_star" in await desk.query(f"SELECT count(*) FROM '{path}'")
    file = sorted(desk.folder.glob("*.parquet/*" if kind == "dask" else "*.parquet"))[0]
    data = file.read_bytes()
    file.chmod(0o600)
    file.write_bytes(data[:50] + bytes([data[50] ^ 1]) + data[51:])
    with pytest.raises(ToolError, match="was changed by somebody since.*keep=true"):
        await desk.query(f"SELECT count(*) FROM '{path}'")
    again = await keep()
    assert again != path
    assert "count_star" in await desk.query(f"SELECT count(*) FROM '{again}'")


def test_what_is_interrupted_while_its_thread_starts_is_ended():
    class Interrupted(threading.Thread):
        def start(self):
            super().start()
            raise KeyboardInterrupt

    is_ended = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        run_beside(lambda: is_ended.wait(30), end=is_ended.set, thread_class=Interrupted)
    assert is_ended.is_set()
