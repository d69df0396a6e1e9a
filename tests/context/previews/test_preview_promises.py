"""What a preview promises for any value: within the budget, never raising, nothing changed or computed."""

import csv
import datetime
import itertools
import re
import sys
import time
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from hypothesis.extra import pandas as hpd

from pi_notebook.context.previews import extremes, preview
from pi_notebook.context.previews.extremes import Allowance, find_extremes
from pi_notebook.context.previews.preview import ASKED_ROWS, CELL_ROWS, RowBounds
from pi_notebook.context.previews.rows import RowRange, preview_rows
from pi_notebook.context.previews.wording import is_kept_whole, shorten
from pi_notebook.context.tokens import count_tokens
from pi_notebook.errors import CodeTimeoutError
from tests.context.previews.examples import EXAMPLES, object_series
from tests.patience import SOON

always = settings(
    max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
budgets = st.sampled_from([1, 7, 30, 150, 600, 2000])

cells = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(),
    st.datetimes(), st.dates(), st.timedeltas(), st.decimals(), st.complex_numbers(),
    st.lists(st.integers(), max_size=30), st.dictionaries(st.text(max_size=5), st.text(), max_size=3),
)  # fmt: skip
containers = st.recursive(
    cells | st.text(st.characters(), max_size=300),
    lambda inner: st.one_of(
        st.lists(inner, max_size=20),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(st.text(), st.integers(), st.none(), st.tuples(st.integers())), inner),
        st.frozensets(st.integers()),
    ),
    max_leaves=60,
)
names = st.one_of(
    st.text(max_size=8), st.integers(), st.none(), st.tuples(st.text(max_size=3), st.integers())
)


@st.composite
def object_frames(draw):
    """Frames of anything under any names, which may repeat."""
    width, height = draw(st.integers(0, 6)), draw(st.integers(0, 12))
    columns = [
        pd.Series(draw(st.lists(cells, min_size=height, max_size=height)), dtype=object) for _ in range(width)
    ]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=range(height))
    frame.columns = pd.Index([draw(names) for _ in range(width)], dtype=object, tupleize_cols=False)
    return frame


typed_frames = hpd.data_frames(
    [
        hpd.column("f", dtype="float64"),
        hpd.column("i", dtype="int64"),
        hpd.column("b", dtype=bool),
        hpd.column("t", dtype="datetime64[ns]"),
    ]
)


def within(value, max_tokens):
    found = preview(value, max_tokens=max_tokens)
    assert count_tokens(found.text) <= max_tokens
    found.text.encode("utf-8")
    return found


@always
@given(containers, budgets)
def test_containers_of_anything_stay_within_the_budget(value, max_tokens):
    within(value, max_tokens)


@always
@given(st.one_of(object_frames(), typed_frames), budgets)
def test_pandas_frames_of_anything_stay_within_the_budget_and_unchanged(frame, max_tokens):
    before = frame.copy(deep=True)
    within(frame, max_tokens)
    assert list(map(repr, frame.columns)) == list(map(repr, before.columns))
    assert list(frame.dtypes) == list(before.dtypes)
    for position in range(frame.shape[1]):
        assert repr(frame.iloc[:, position].tolist()) == repr(before.iloc[:, position].tolist())


@always
@given(hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)), budgets)
def test_arrays_of_any_type_and_shape_stay_within_the_budget(array, max_tokens):
    before = array.copy()
    within(array, max_tokens)
    np.testing.assert_array_equal(array, before)


@always
@given(st.text(st.characters(), max_size=3000), budgets)
def test_texts_of_any_character_stay_within_the_budget(text, max_tokens):
    within(text, max_tokens)


@always
@given(
    st.lists(st.tuples(st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]))), st.floats())),
    budgets,
)
def test_polars_and_pyarrow_frames_stay_within_the_budget(rows, max_tokens):
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.Float64}, orient="row")
    within(frame, max_tokens)
    within(frame.to_arrow(), max_tokens)


@always
@given(containers)
def test_what_is_called_complete_leaves_nothing_out(value):
    found = preview(value, max_tokens=2000)
    if found.is_complete:
        assert "…" not in found.text or "…" in repr(value)


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_example_warns_prints_or_is_changed(name, capfd):
    value = EXAMPLES[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = preview(value, max_tokens=800)
        second = preview(value, max_tokens=800)
    assert first == second
    assert capfd.readouterr() == ("", "")


class Hostile:
    """Lies about its class and its length, and ends whoever looks closer."""

    def __init__(self, failure):
        self._failure = failure

    @property
    def __class__(self):
        raise self._failure

    def __getattribute__(self, name):
        raise object.__getattribute__(self, "__dict__")["_failure"]

    def _fail(self, *arguments):
        raise object.__getattribute__(self, "__dict__")["_failure"]

    __repr__ = __str__ = __len__ = __iter__ = __getitem__ = __bool__ = __hash__ = __eq__ = __format__ = _fail


class PanicException(BaseException):
    """As Rust extensions raise it."""


@pytest.mark.parametrize(
    "failure", [RuntimeError("x"), SystemExit(1), GeneratorExit(), RecursionError(), PanicException("rust")]
)
def test_a_hostile_object_is_named_and_raises_nothing(failure):
    hostile = Hostile(failure)
    assert "Hostile" in preview(hostile, max_tokens=200).text
    assert "Hostile" in preview([hostile], max_tokens=200).text
    assert "Hostile" in preview(pd.DataFrame({"a": object_series(hostile, 1)}), max_tokens=200).text


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), CodeTimeoutError("late", timeout_seconds=1)])
def test_an_interrupt_and_a_deadline_pass(stop):
    with pytest.raises(type(stop)):
        preview(Hostile(stop), max_tokens=200)


class LyingList(list):
    def __len__(self):
        return 10**12

    def __iter__(self):
        raise RuntimeError

    def __getitem__(self, key):
        raise RuntimeError


def test_a_list_that_lies_about_its_length_is_shown_as_it_is():
    assert preview(LyingList([1, 2]), max_tokens=100).text == "LyingList([1, 2])"


def test_a_repr_of_many_megabytes_is_cut():
    class Loud:
        def __repr__(self):
            return "x" * 50_000_000

    start = time.perf_counter()
    within(Loud(), 500)
    assert time.perf_counter() - start < SOON


def test_cells_of_many_megabytes_are_cut_in_every_library():
    texts = ["a" * 10_000_000, "b" * 10_000_000]
    for frame in (pd.DataFrame({"t": texts}), pl.DataFrame({"t": texts}), pa.table({"t": texts})):
        found = within(frame, 300)
        assert "9999920" in found.text
        assert not found.is_complete


def test_a_library_is_found_without_importing_it():
    loaded = sys.modules.copy()
    preview({"a": [1, object()]}, max_tokens=100)
    assert sys.modules.keys() == loaded.keys()


def test_figures_are_exact_where_everything_is_read():
    frame = pd.DataFrame({"v": [3.0, None, 1.0, 2.0] * 10, "c": ["x", "y", "x", "x"] * 10})
    text = preview(frame, max_tokens=500).text
    assert "v,float64,10 (25%),3,1.0,2.0,3.0" in text
    assert 'c,str,0,2,,,,"x 30, y 10"' in text or 'c,object,0,2,,,,"x 30, y 10"' in text


def figures_of(value, name):
    """The line of a column in the preview, without the commonest values."""
    lines = preview(value, max_tokens=1000, rows=ASKED_ROWS).text.split("\n")
    return next(line for line in lines if line.startswith(f"{name},"))


def test_sampled_figures_are_marked():
    count = 2_000_000
    frame = pd.DataFrame(
        {"v": np.arange(count, dtype="float64"), "o": np.array(["x", 1] * (count // 2), dtype=object)}
    )
    assert "from an even sample of at most 100,000 rows" in preview(frame, max_tokens=1000).text
    assert figures_of(frame, "v").startswith("v,float64,0,>=")
    assert ",0.0,~" in figures_of(frame, "v")
    assert figures_of(frame, "v").endswith(",1999999.0,")
    assert figures_of(frame, "o").startswith('o,"object~[str')


def hidden_extremes(count=400_001):
    """Values whose least, greatest and missing ones no sample meets."""
    numbers = np.full(count, 5.0)
    numbers[[1, 2, 3]] = [-1e9, 1e9, np.nan]
    return numbers


def test_range_and_missing_values_of_long_columns_are_those_of_all_rows():
    numbers = hidden_extremes()
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.where(np.isnan(numbers), 0, numbers), unit="s")
    frame = pd.DataFrame(
        {
            "f": numbers,
            "i": np.where(np.isnan(numbers), 0, numbers).astype("int64"),
            "t": days.where(~np.isnan(numbers)),
            "z": days.where(~np.isnan(numbers)).tz_localize("UTC"),
            "n": pd.array(np.where(np.isnan(numbers), 0, numbers).astype("int64"), dtype="Int64"),
        }
    )
    assert figures_of(frame, "f") == "f,float64,1 (<0.1%),>=1,-1000000000.0,~5.0,1000000000.0"
    assert figures_of(frame, "i") == "i,int64,0,>=1,-1000000000,~5,1000000000"
    assert figures_of(frame, "n") == "n,Int64,0,>=1,-1000000000,~5,1000000000"
    for name in ("t", "z"):
        assert ",1 (<0.1%),>=1,1992-04-23 22:13:20" in figures_of(frame, name)
        assert ",,2055-09-09 01:46:40" in figures_of(frame, name)
    assert (
        "min -1000000000.0, mean ~5.0, max 1000000000.0, NaN <0.1%" in preview(numbers, max_tokens=500).text
    )


@pytest.mark.parametrize("library", [pd, pl])
def test_the_median_of_long_numbers_shows_no_digits_that_it_has_not(library):
    ids = [2**63 - 1, 2**53 + 1, 2**53 + 1] * 20
    assert figures_of(library.DataFrame({"id": ids}), "id").split(",")[-3:] == [
        str(2**53 + 1), "9.0072e+15", str(2**63 - 1)
    ]  # fmt: skip


def test_dates_that_python_cannot_hold_are_shown_as_they_are():
    seconds = pa.array([2**40, -(2**40), None], type=pa.timestamp("s"))
    zoned = pa.array([2**40, 0, None], type=pa.timestamp("s", tz="Asia/Tokyo"))
    days = pa.array([105_189_576, -735_160, 0], type=pa.date32())
    spans = pa.array([(1, 2, 7_200_000_000_000), (0, -1, 1), (0, 0, 0)], type=pa.month_day_nano_interval())
    text = preview(pa.table({"t": seconds, "z": zoned, "d": days, "i": spans})).text
    assert text.split("\n")[2:] == [
        "36812-02-20 00:36:16,36812-02-20 00:36:16+00:00,289969-04-12,1 month 2 days 7200 s",
        "-32873-11-12 23:23:44,1970-01-01 09:00:00+09:00,-043-03-15,-1 days 0.000000001 s",
        "null,null,1970-01-01,0 s",
    ]


def test_a_table_whose_rows_cannot_be_read_is_not_told_to_be_complete(capfd):
    days = pl.Series("day", [10**9], dtype=pl.Int32).cast(pl.Date)  # polars panics, and prints it
    found = preview(pl.DataFrame(days))
    capfd.readouterr()
    assert found.text.endswith("\n<row cannot be read>")
    assert not found.is_complete
    assert "shortened_cell" not in found.details


def test_what_a_mask_hides_is_not_shown_and_counts_in_no_figure():
    depths = np.ma.masked_equal(np.array([[1, 2, -9999], [4, -9999, 5]]), -9999)
    assert preview(depths).text == (
        "MaskedArray (numpy): shape (2, 3), int64, 6 values, 48 B, 2 masked\n"
        "min 1, mean 3.0, max 5, no NaN\n[[1, 2, --],\n[4, --, 5]]"
    )
    long = np.ma.masked_less(np.tile(np.arange(-1.0, 1.0), 200_000), 0)
    assert "masked\nmin ~0.0, mean ~0.0, max ~0.0, no NaN in a sample\n" in preview(long).text
    assert preview(np.ma.masked_all(3)).text.endswith(" 3 masked\n[--, --, --]")
    fields = np.ma.array([(1, 2.0)], mask=[(0, 1)], dtype=[("a", int), ("b", float)])
    assert preview(fields).text.endswith("some fields masked\n[(1, None)]")
    assert depths.data[0, 2] == -9999


def test_polars_and_arrow_columns_have_exact_ranges_too():
    numbers = hidden_extremes()
    frame = pl.DataFrame({"f": numbers, "d": pl.Series(np.nan_to_num(numbers)).cast(pl.Int64)})
    frame = frame.with_columns(t=pl.from_epoch("d"))
    assert figures_of(frame, "f") == "f,Float64,0 +1 NaN,>=1,-1000000000.0,~5.0,1000000000.0"
    assert figures_of(frame, "d") == "d,Int64,0,>=1,-1000000000,~5,1000000000"
    assert "1938-04-24 22:13:20,,2001-09-09 01:46:40" in figures_of(frame, "t")
    assert figures_of(frame.to_arrow(), "f") == "f,double,0 +1 NaN,>=1,-1000000000.0,~5.0,1000000000.0"
    assert figures_of(frame.to_arrow(), "d") == "d,int64,0,>=1,-1000000000,~5,1000000000"


@always
@given(st.lists(st.one_of(st.none(), st.floats(), st.integers(-(2**53), 2**53)), min_size=1), st.data())
def test_extremes_of_parts_are_those_of_the_whole(values, data):
    cut = data.draw(st.integers(0, len(values)))
    series = pd.Series(values, dtype="float64")
    whole, first, second = (find_extremes(part, Allowance()) for part in (series, series[:cut], series[cut:]))
    both = first.with_part(second)
    assert (both.low, both.high, both.null_count) == (whole.low, whole.high, whole.null_count)
    expected = (None, None) if series.isna().all() else (series.min(), series.max())
    assert (whole.low, whole.high, whole.null_count) == (*expected, int(series.isna().sum()))


def test_columns_that_are_too_many_or_come_too_slowly_keep_their_marks(monkeypatch):
    class Late(Allowance):
        is_over = True

    assert find_extremes(pd.Series([1.0]), Late()) is None
    assert find_extremes(pl.Series([1.0]), Late()) is None
    monkeypatch.setattr(extremes, "_MAX_VALUES", 1_000_000)
    frame = pd.DataFrame(np.zeros((300_000, 5)), columns=list("abcde"))
    assert [figures_of(frame, name).split(",")[4] for name in "abcde"] == ["0.0"] * 3 + ["~0.0"] * 2


def test_however_busy_the_machine_is_a_table_is_told_of_alike(monkeypatch):
    frame = EXAMPLES["pandas_frame_sampled"]()
    quiet = preview(frame, max_tokens=1000).text
    seconds = itertools.count(step=0.01)
    monkeypatch.setattr(extremes.time, "monotonic", lambda: next(seconds))
    monkeypatch.setattr(extremes.time, "thread_time", lambda: 10 * next(seconds))
    assert preview(frame, max_tokens=1000).text == quiet
    assert ",0,>=100000,0,~" in quiet


def test_a_huge_frame_costs_little_time_and_memory():
    frame = pd.DataFrame({f"c{i}": np.arange(3_000_000.0) for i in range(8)})
    preview(frame, max_tokens=1500)
    tracemalloc.start()
    began = time.thread_time()
    text = preview(frame, max_tokens=1500).text
    assert time.thread_time() - began < 1
    assert tracemalloc.get_traced_memory()[1] < 64_000_000
    tracemalloc.stop()
    assert "c0,float64,0,>=" in text


def test_columns_are_told_apart_by_position_when_names_repeat():
    frame = pd.DataFrame([[1, "x"]] * 30, columns=["a", "a"])
    text = preview(frame, max_tokens=500).text
    assert "a,int64" in text
    assert "a,str" in text or "a,object" in text


def test_a_name_is_put_before_the_text():
    assert preview(3, max_tokens=50, name="n").text == "n = int 3"


def row_lines(text):
    return text.partition("\nrows (")[2].split("\n")[2:]


@pytest.mark.parametrize("frame", [pd.DataFrame({"a": range(1000)}), pl.DataFrame({"a": range(1000)})])
def test_a_long_frame_shows_a_few_rows_of_either_end_and_more_when_asked_for(frame):
    assert row_lines(preview(frame).text) == [
        *map(str, range(5)), "… 992 rows not shown …", *map(str, range(997, 1000))
    ]  # fmt: skip
    asked = preview(frame, max_tokens=10_000, rows=ASKED_ROWS)
    assert row_lines(asked.text)[7:10] == ["7", "… 988 rows not shown …", "996"]
    assert asked.details["rows_shown"] == 12


@pytest.mark.parametrize(("bounds", "most"), [(CELL_ROWS, 20), (ASKED_ROWS, 40)])
def test_a_short_frame_shows_all_rows(bounds, most):
    frame = pd.DataFrame({"a": range(most + 1), **dict.fromkeys("bcdefghijk", "x")})
    whole = preview(frame[:-1], max_tokens=2000, rows=bounds)
    assert whole.is_complete
    assert whole.details["rows_shown"] == most
    assert preview(frame, max_tokens=2000, rows=bounds).details["rows_shown"] == bounds.head + bounds.tail


@pytest.mark.parametrize(("bounds", "most"), [(CELL_ROWS, 50), (ASKED_ROWS, 100)])
def test_a_narrow_frame_is_short_by_its_cells(bounds, most):
    frame = pd.DataFrame({"a": range(most + 1), "b": 1, "c": 2, "d": 3})
    assert preview(frame[:-1], max_tokens=2000, rows=bounds).details["rows_shown"] == most
    assert preview(frame, max_tokens=2000, rows=bounds).details["rows_shown"] == bounds.head + bounds.tail


def test_bounds_of_a_policy_may_let_rows_fill_the_budget():
    bounds = RowBounds(whole=10**6, head=10**6, tail=10**6, columns=10**6)
    found = preview(pd.DataFrame({"a": range(100_000)}), max_tokens=1500, rows=bounds)
    assert 1300 < count_tokens(found.text) <= 1500


def test_a_wide_frame_shows_its_outer_columns_in_rows():
    frame = pd.DataFrame({f"sensor_{i}": range(1000) for i in range(300)})
    text = preview(frame, max_tokens=9000).text
    assert "\nint64: sensor_0 … sensor_299\n" in text
    assert row_lines(text)[0].startswith("0,0,")
    assert "(… 270 more …)" in text
    assert count_tokens(text) < 1500


def test_names_left_out_of_a_list_are_marked():
    frame = pd.DataFrame(0, index=range(30), columns=[f"{i * 7919 % 1000}_{i % 7}" for i in range(400)])
    text = preview(frame, max_tokens=600).text
    listed = text.partition("400 columns (")[2].partition("\nrows (")[0]
    first, _, rest = listed.partition("\n… ")
    left_out = int(rest.partition(" ")[0])
    shown = re.findall(r"\d+_\d", first + rest)
    assert len(shown) + left_out == 400


def test_figures_about_rows_that_stand_there_are_left_out():
    frame = pd.DataFrame({"price": [1.5, 2.5], "city": ["Oslo", "Voss"]})
    assert preview(frame).text.split("\n")[1:] == ["price,city", "1.5,Oslo", "2.5,Voss"]
    assert preview(frame).text.startswith("DataFrame (pandas): 2 rows x 2 columns; float64, ")
    table = pl.DataFrame({"a": [1.5, 2.5], "b": [0.5, 1.5]})
    assert preview(table.describe()[0:2, 1:]).text == (
        "DataFrame (polars): 2 rows x 2 columns; all Float64\na,b\n2.0,2.0\n0.0,0.0"
    )


def test_a_frame_without_rows_has_its_columns_and_types():
    frame = pl.DataFrame(schema={"order_id": pl.Int64, "city": pl.String})
    assert preview(frame).text == "DataFrame (polars): 0 rows x 2 columns; order_id (Int64), city (String)"


def test_integer_labels_are_numbers():
    frame = pd.DataFrame(np.zeros((2, 3)), columns=np.array([2007, 2008, 2009], dtype="int32"))
    assert "2007,2008,2009" in preview(frame).text
    frame.columns = pd.Index([(np.int32(1), "a"), np.float64(2.5), "c"], tupleize_cols=False)
    assert "\n\"(1, 'a')\",2.5,'c'\n" in preview(frame).text
    assert "np." not in preview({(np.int32(1), np.int64(2)): np.int64(3)}, max_tokens=100).text


@always
@given(st.text(max_size=200), st.integers(1, 100))
def test_a_gap_saves_more_than_it_hides(text, max_chars):
    shown = shorten(text, max_chars)
    assert is_kept_whole(len(text), max_chars) == (shown == text)
    if shown != text:
        assert len(text) - len(shown) >= min(15, max_chars // 2)
    assert len(shown) <= max_chars + 24


def test_a_name_a_little_too_long_is_shown_whole():
    names = ["DALLAS/FORT WORTH INTL ARPT"] * 30
    assert "DALLAS/FORT WORTH INTL ARPT 30" in preview(pd.DataFrame({"n": names})).text


def test_a_column_of_zoned_times_keeps_its_zone():
    frame = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=2, tz="Asia/Tokyo")})
    assert "2024-01-01 00:00:00+09:00" in preview(frame, max_tokens=500).text


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.DataFrame, pa.table])
def test_dates_that_are_kept_as_text_have_a_range(convert):
    days = [f"20{10 + number % 7}-{1 + number % 12:02d}-17" for number in range(60)]
    frame = convert(
        {
            "day": days,
            "time": [f"{day}T10:30:00.250Z" for day in days],
            "gap": [None, *days[1:]],
            "code": ["unknown", *days[1:]],
            "zoned": [f"{day}T10:30:00+02:00" for day in days],
            "zones": [f"{day}T10:30:00+0{number % 9}:00" for number, day in enumerate(days)],
            "part": [day[:7] for day in days],
            "slashes": [day.replace("-", "/") for day in days],
            "either": [day.replace("-", "/") if day < "2013" else day for day in days],
            "x": range(60),
        }
    )
    text = preview(frame).text.partition("\nrows (")[0]
    lines = {line.partition(",")[0]: line for line in text.splitlines()}
    assert f",{min(days)},,{max(days)}" in lines["day"]
    assert f",{min(days)}T10:30:00.250Z,,{max(days)}T10:30:00.250Z" in lines["time"]
    assert f",{min(days[1:])},,{max(days)}" in lines["gap"]
    assert f",{min(days)}T10:30:00+02:00,,{max(days)}T10:30:00+02:00" in lines["zoned"]
    assert f",{min(days)[:7]},,{max(days)[:7]}" in lines["part"]
    assert f",{min(days)},,{max(days)}".replace("-", "/") in lines["slashes"]
    for name in ("code", "zones", "either"):
        assert max(days)[:7] not in lines[name].partition('"')[0]


def test_every_line_of_figures_has_as_many_fields_as_their_heading():
    frame = pd.DataFrame({"a": range(60), "b": ["x", "y, z"] * 30, "c": [None] * 60})
    text = preview(frame).text.partition("\nrows (")[0]
    heading, *lines = csv.reader(text.splitlines()[1:])
    assert heading == ["column", "dtype", "nulls", "unique", "min", "median", "max", "commonest"]
    assert [len(line) for line in lines] == [8, 8, 8]
    numbers = list(csv.reader(preview(frame[["a"]]).text.partition("\nrows (")[0].splitlines()[1:]))
    assert numbers == [heading[:7], ["a", "int64", "0", "60", "0", "29.5", "59"]]


def test_that_digits_were_dropped_is_said_where_any_were():
    rounded, exact = (
        pd.DataFrame({"x": [n / 7 for n in range(60)]}),
        pd.DataFrame({"x": [n / 2 for n in range(60)]}),
    )
    assert "; numbers to 6 digits):\n" in preview(rounded).text
    assert "; numbers to 6 digits\n" in preview(rounded.head(3)).text
    assert "; numbers to 6 digits:\n" in preview_rows(rounded, RowRange(start=3, stop=9), max_tokens=300).text
    for frame in (exact, exact.head(3), pd.DataFrame({"x": [float("nan"), 0.5]})):
        assert "digits" not in preview(frame).text


def test_dates_of_python_are_worded_as_dates():
    frame = pd.DataFrame({"d": pd.Series([datetime.date(2024, 5, 17)], dtype=object)})
    assert "2024-05-17" in preview(frame, max_tokens=300).text


def test_texts_of_many_megabytes_are_not_counted():
    texts = [f"{place}" + "lorem ipsum " * 200_000 for place in range(20)]
    objects = pd.DataFrame({"t": pd.Series(texts, dtype=object)})
    for frame in (objects, pl.DataFrame({"t": texts}), pa.table({"t": texts})):
        began = time.thread_time()
        text = preview(frame, max_tokens=1500, rows=RowBounds(whole=0, head=2, tail=1, columns=10)).text
        assert time.thread_time() - began < 0.2
        assert "\nt," in text
    few = pd.DataFrame({"t": pd.Series(["a", "b", "a"] * 20, dtype=object)})
    assert figures_of(few, "t").endswith(',0,2,"a 40, b 20"')
