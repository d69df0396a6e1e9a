"""Frames on disk: whole, private, never half, never pickled, and truthful about what was changed."""

import datetime
import decimal
import os
import stat
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from pi_notebook.context.previews import preview
from pi_notebook.context.previews.frame_sizes import estimated_bytes
from pi_notebook.context.previews.parquet import (
    FrameSpill,
    NotSpilled,
    is_worth_spilling,
    spill_frame,
    unique_names,
)
from tests.context.previews.examples import EXAMPLES
from tests.context.previews.test_preview_promises import object_frames

ROOT = Path(__file__).parents[3]
FRAMES = [name for name in EXAMPLES if name.startswith(("pandas_frame", "polars_frame"))] + ["pyarrow_table"]


def spilled(value, folder, **options):
    record = spill_frame(value, folder, "df", **options)
    assert isinstance(record, FrameSpill), record
    return record, pq.read_table(record.path)


def contents(frame):
    columns = [repr(frame.iloc[:, position].tolist()) for position in range(frame.shape[1])]
    return [repr(list(frame.columns)), repr(frame.index), *columns]


def objects(*values):
    return pd.DataFrame({"a": pd.Series(list(values), dtype=object)})


@pytest.mark.parametrize("name", FRAMES)
def test_every_frame_is_written_whole_and_leaves_nothing_else(name, tmp_path):
    value = EXAMPLES[name]()
    record, table = spilled(value, tmp_path)
    assert table.num_columns == len(set(record.columns))
    assert table.num_rows == (len(value) if table.num_columns else 0)
    assert os.listdir(tmp_path) == [record.path.name]
    assert record.byte_count == record.path.stat().st_size


@settings(
    max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
@given(object_frames())
def test_frames_of_anything_are_written_or_refused_with_a_reason_and_unchanged(tmp_path_factory, frame):
    before = contents(frame)
    record = spill_frame(frame, tmp_path_factory.mktemp("spill"), "df")
    assert contents(frame) == before
    assert isinstance(record, FrameSpill), record
    assert pq.read_table(record.path).num_columns == frame.shape[1]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_the_file_is_private_and_its_name_is_safe(tmp_path):
    record = spill_frame(pd.DataFrame({"a": [1]}), tmp_path / "new", 'x["../../etc"]')
    assert record.path.parent == tmp_path / "new"
    assert stat.S_IMODE(record.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(record.path.parent.stat().st_mode) == 0o700


def test_what_a_killed_process_left_half_written_is_removed(tmp_path):
    for name in (".df-1.unfinished", ".df-2.unfinished", "df-3.parquet"):
        (tmp_path / name).write_text("half")
    os.utime(tmp_path / ".df-1.unfinished", (0, 0))
    os.utime(tmp_path / "df-3.parquet", (0, 0))
    record, _ = spilled(pd.DataFrame({"a": [1]}), tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted([".df-2.unfinished", "df-3.parquet", record.path.name])


def test_a_second_file_never_replaces_the_first(tmp_path):
    frame = pd.DataFrame({"a": [1]})
    assert spill_frame(frame, tmp_path, "df").path != spill_frame(frame, tmp_path, "df").path


@pytest.mark.parametrize(
    "frame",
    [
        objects("x", 1, 2.5),
        objects(*range(100_000), "a"),
        objects(b"x", "y"),
        objects(2**70),
        objects(True, 1),
        objects({"k": 1}, {"z": 2}),
        objects([(1, 2)], [(3, "x")]),
        objects(datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 2)),
        objects(object()),
        pd.DataFrame({"a": [1j]}),
        pd.DataFrame({"a": pd.period_range("2024", periods=2, freq="M")}),
        pd.DataFrame({"a": pd.cut([1, 5], 2)}),
        pl.DataFrame({"a": pl.Series([{1}, object], dtype=pl.Object)}),
        pa.table({"a": pa.array([pa.MonthDayNano([1, 2, 3])])}),
    ],
)
def test_what_parquet_cannot_hold_becomes_text_and_is_told(frame, tmp_path):
    record, table = spilled(frame, tmp_path)
    assert [name for name, reason in record.as_text if reason] == ["a"]
    assert "As text: a." in record.way_back
    assert pa.types.is_large_string(table.schema.field("a").type) or pa.types.is_string(
        table.schema.field("a").type
    )


@pytest.mark.parametrize(
    ("frame", "values"),
    [
        (objects("x", None, float("nan")), ["x", None, None]),
        (objects(decimal.Decimal("1.1"), None), [decimal.Decimal("1.1"), None]),
        (objects(b"\x00", b"y"), [b"\x00", b"y"]),
        (pd.DataFrame({"a": pd.Categorical(["u", None])}), ["u", None]),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), [1, None]),
        (pd.DataFrame({"a": [1.5, float("nan")]}), [1.5, None]),
        (pl.DataFrame({"a": [[1], None]}), [[1], None]),
        (objects({"k": "é"}, None), ['{"k": "é"}', None]),
    ],
)
def test_what_parquet_can_hold_keeps_its_values(frame, values, tmp_path):
    assert spilled(frame, tmp_path)[1].column("a").to_pylist() == values


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([None] * 3, pa.null()),
        ([None, pd.NaT, pd.NA, None], pa.null()),
        ([None, float("nan"), None], pa.float64()),
        ([None, True, None], pa.bool_()),
        ([None, "a", None], pa.large_string()),
    ],
)
def test_a_column_of_nothing_has_no_type_and_any_value_in_it_gives_one(values, dtype, tmp_path):
    record, table = spilled(objects(*values), tmp_path)
    assert table.schema.field("a").type == dtype
    assert table.num_rows == len(values)
    assert record.as_text == ()


def test_dates_and_decimals_count_with_what_they_take(tmp_path):
    days = objects(*[datetime.date(2024, 1, day % 28 + 1) for day in range(1000)])
    assert 30 * 1000 < estimated_bytes(days) < 60 * 1000
    assert isinstance(spill_frame(days, tmp_path, "days", max_bytes=100_000), FrameSpill)


def test_index_attributes_and_odd_names_are_told(tmp_path):
    frame = EXAMPLES["pandas_frame_with_multiindexes"]()
    frame.attrs["made"] = datetime.datetime.now()
    record, table = spilled(frame, tmp_path)
    assert table.column_names == ["region", "index1", "price_mean", "price_max"]
    assert record.index_columns == ("region", "index1")
    assert ("('price', 'mean')", "price_mean") in record.renamed
    assert "The index is in region, index1. Renamed: ('price', 'mean') is price_mean" in record.way_back
    assert "made" in frame.attrs


def test_names_become_unique_text():
    assert unique_names([0, "0", "a", "a", "a_2", ("x", 1), None, ""]) == [
        "0", "0_2", "a", "a_2", "a_2_2", "x_1", "None", "unnamed",
    ]  # fmt: skip


def holding_itself(kind):
    held = [[] for _ in range(3)] if kind is list else {}
    if kind is list:
        held[1].append(held)
    elif kind is dict:
        held["parts"] = [held]
    else:
        held = np.empty(2, dtype=object)
        held[0] = held
    return held


def nested(depth):
    found = []
    for _ in range(depth - 1):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (holding_itself(list), "[[], [[...]], []]"),
        (holding_itself(dict), "{'parts': [{...}]}"),
        (holding_itself(np.ndarray), None),
        (nested(200_000), "<list>"),
    ],
    ids=["list", "dict", "array", "deep"],
)
def test_values_without_a_bottom_become_text_and_do_not_end_the_process(value, text, tmp_path):
    column = pd.Series([None] * 70_000 + [value], dtype=object)
    record, table = spilled(pd.DataFrame({"a": column, "n": range(len(column))}), tmp_path)
    assert record.as_text == (("a", "values within values, too deep"),)
    assert text is None or table["a"][-1].as_py() == text


def test_lists_within_lists_keep_their_type_until_they_are_too_deep(tmp_path):
    shared = nested(20)
    for _ in range(11):
        shared = [shared, shared]
    record, table = spilled(objects(shared), tmp_path)
    assert record.as_text == ()
    assert table["a"][0].as_py() == shared


def test_an_empty_name_is_told_as_one(tmp_path):
    record, _ = spilled(pd.DataFrame([[1, 2]], columns=["", "a"]), tmp_path)
    assert "Renamed: '' is unnamed." in record.way_back


def test_a_frame_too_large_is_left_alone_with_a_reason(tmp_path):
    frame = pd.DataFrame({"a": np.zeros(1000)})
    assert spill_frame(frame, tmp_path, "df", max_bytes=4000) == NotSpilled(
        reason="about 8.1 kB, more than the limit of 4.0 kB"
    )
    assert os.listdir(tmp_path) == []


def test_a_sparse_frame_is_sized_as_if_dense(tmp_path):
    frame = pd.DataFrame({i: pd.arrays.SparseArray(np.zeros(1000)) for i in range(100)})
    assert isinstance(spill_frame(frame, tmp_path, "df", max_bytes=100_000), NotSpilled)
    assert isinstance(spill_frame(frame, tmp_path, "df", max_bytes=1_000_000), FrameSpill)


def test_a_folder_that_cannot_be_written_is_a_reason(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    refused = spill_frame(pd.DataFrame({"a": [1]}), blocked, "df")
    assert "could not be written" in refused.reason


@pytest.mark.parametrize("value", [3, [1], pd.Series([1]), pl.LazyFrame({"a": [1]})])
def test_only_frames_are_written(value, tmp_path):
    assert isinstance(spill_frame(value, tmp_path, "x"), NotSpilled)


class Interrupting:
    def __str__(self):
        raise KeyboardInterrupt


def test_an_interrupt_passes_and_leaves_no_file(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        spill_frame(objects(Interrupting(), "x"), tmp_path, "df")
    assert os.listdir(tmp_path) == []


def test_duckdb_reads_what_was_written(tmp_path):
    record, _ = spilled(EXAMPLES["pandas_frame"](), tmp_path)
    query = f"select count(*), count(price), min(day)::date from '{record.path}'"
    assert duckdb.sql(query).fetchall() == [(300, 287, datetime.date(2024, 1, 1))]


def test_only_a_small_frame_whose_rows_are_left_out_is_worth_a_file():
    long, short = pd.DataFrame({"a": range(5000)}), pd.DataFrame({"a": range(3)})
    huge = pa.table({"a": pa.chunked_array([pa.array(np.zeros(1_000_000))] * 200)})
    assert is_worth_spilling(long, preview(long, max_tokens=300))
    assert not is_worth_spilling(short, preview(short, max_tokens=300))
    assert not is_worth_spilling(huge, preview(huge, max_tokens=300))
    empty = pd.DataFrame(index=range(5000))
    assert not is_worth_spilling(empty, preview(empty, max_tokens=300))
    indexed = pd.DataFrame(index=["north", "south"] * 2500)
    assert is_worth_spilling(indexed, preview(indexed, max_tokens=300))
    assert not is_worth_spilling([1] * 1000, preview([1] * 1000, max_tokens=50))


LARGE_ROWS = 400_000


def wide_strings(rows):
    return np.array([f"value number {i} of many" for i in range(1000)], dtype=object)[np.arange(rows) % 1000]


@pytest.mark.parametrize(
    "last",
    [3, "\ud800", 2**70, object(), {"k": 1}, datetime.datetime(2024, 1, 1)],
    ids=["int", "surrogate", "int of 71 bits", "object", "dict", "datetime"],
)
@pytest.mark.parametrize("first", ["x", 7, datetime.date(2024, 1, 1)], ids=["text", "int", "date"])
def test_a_value_that_comes_late_makes_its_column_text_and_no_value_is_lost(first, last, tmp_path):
    rows = 150_000
    frame = pd.DataFrame({"a": pd.Series([first] * rows + [last], dtype=object), "b": range(rows + 1)})
    record, table = spilled(frame, tmp_path)
    if type(first) is not type(last) or last == 2**70:
        assert [name for name, _ in record.as_text] == ["a"]
    column = table.column("a")
    assert table.num_rows == rows + 1
    assert str(column[0].as_py()) == str(first)
    told = column[rows].as_py()
    assert str(told) in (str(last), "\\ud800", '{"k": 1}') or told.startswith("<object")
    assert table.column("b").to_pylist() == list(range(rows + 1))
    assert [path.suffix for path in tmp_path.iterdir()] == [".parquet"]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_large_frame_is_written_in_row_groups_and_reads_back_as_it_was(library, tmp_path):
    rows = LARGE_ROWS
    columns = {f"n{i}": np.random.default_rng(i).normal(size=rows) for i in range(30)}
    columns["w"] = wide_strings(rows)
    frame = {
        "pandas": lambda: pd.DataFrame(columns),
        "polars": lambda: pl.DataFrame(columns | {"w": columns["w"].tolist()}),
        "pyarrow": lambda: pa.table(columns),
    }[library]()
    record, table = spilled(frame, tmp_path)
    metadata = pq.ParquetFile(record.path).metadata
    assert metadata.num_row_groups >= 3
    assert {metadata.row_group(0).column(at).compression for at in range(31)} == {"ZSTD"}
    assert np.array_equal(table.column("n7").to_numpy(), columns["n7"])
    assert table.column("w").to_pylist() == columns["w"].tolist()


GROWTH = """
import sys
from pathlib import Path
import numpy as np, pandas as pd, polars as pl, psutil
from pathlib import Path
from benchmarks.in_process import Peak
from pi_notebook.context.previews.parquet import spill_frame
library, rows, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
words = np.array([f"value number {i} of many" for i in range(1000)], dtype=object)
texts = pd.Series(words[np.arange(rows) % 1000], dtype=object)
numbers = {"n": np.arange(rows) * 1.5, "i": pd.array(np.arange(rows), "Int64")}
frame = pd.DataFrame({"w": texts, "u": texts, **numbers})
if library != "pandas":
    frame = pl.from_pandas(frame.astype({"w": "str", "u": "str"}))
if library == "pyarrow":
    frame = frame.to_arrow()
spill_frame(frame[:10] if library != "pyarrow" else frame.slice(0, 10), folder, "warm")
with Peak() as peak:
    record = spill_frame(frame, folder, "df", max_bytes=10**12)
print(record.row_count, peak.growth)
"""


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_what_writing_takes_does_not_grow_with_the_frame(library, tmp_path):
    def growth(rows):
        arguments = [library, str(rows), str(tmp_path)]
        done = subprocess.run(
            [sys.executable, "-c", GROWTH, *arguments], check=True, capture_output=True, text=True, cwd=ROOT
        )
        written, found = map(int, done.stdout.split())
        assert written == rows
        return found

    assert growth(2_000_000) < max(2 * growth(500_000), 128_000_000)


def test_a_frame_that_cannot_be_written_at_all_names_the_columns_at_fault(tmp_path):
    beyond = pa.array([10**18], type=pa.int64()).cast(pa.timestamp("s"), safe=False)
    broken = pa.StructArray.from_arrays([beyond], ["t"])
    both = pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [broken])
    frame = pa.table({"good": [1], "at fault": both})
    refused = spill_frame(frame, tmp_path, "df")
    assert isinstance(refused, NotSpilled)
    assert "at fault" in refused.reason
    assert "good" not in refused.reason
    assert os.listdir(tmp_path) == []


def test_a_frame_of_polars_is_written_without_pyarrow(tmp_path):
    code = (
        "import sys; sys.modules['pyarrow'] = None; import polars as pl; from pathlib import Path;"
        "from pi_notebook.context.previews.parquet import spill_frame;"
        "frame = pl.DataFrame({'a': range(100), 'o': pl.Series([{1}] * 100, dtype=pl.Object)});"
        "print(spill_frame(frame, Path(sys.argv[1]), 'df'))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert "as_text=(('o', 'Python objects'),)" in done.stdout, done.stderr
    (path,) = tmp_path.iterdir()
    assert pq.read_table(path).column("o").to_pylist() == ["{1}"] * 100
