"""What a preview promises for any value: within the budget, never raising, nothing changed or computed."""

import datetime
import sys
import time
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

from pi_notebook.context.previews import preview
from pi_notebook.context.tokens import count_tokens
from pi_notebook.errors import CodeTimeoutError
from tests.context.previews.examples import EXAMPLES, object_series

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
    assert time.perf_counter() - start < 2


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


def test_null_counts_and_range_are_exact_where_everything_is_read():
    frame = pd.DataFrame({"v": [3.0, None, 1.0, 2.0]})
    assert "v,float64,1 (25%),3,1.0,2.0,3.0" in preview(frame, max_tokens=500).text


def test_sampled_figures_are_marked():
    count = 2_000_000
    frame = pd.DataFrame(
        {"v": np.arange(count, dtype="float64"), "o": np.array(["x", 1] * (count // 2), dtype=object)}
    )
    text = preview(frame, max_tokens=1000).text
    assert "from an even sample of at most 100,000 rows" in text
    assert "v,float64,~0%,>=" in text
    assert "object~[str 50%, int 50%]" in text or "object~[str" in text


def test_columns_are_told_apart_by_position_when_names_repeat():
    frame = pd.DataFrame([[1, "x"]], columns=["a", "a"])
    text = preview(frame, max_tokens=500).text
    assert "a,int64" in text
    assert "a,str" in text or "a,object" in text


def test_a_name_is_put_before_the_text():
    assert preview(3, max_tokens=50, name="n").text == "n = int 3"


def test_without_a_budget_a_frame_takes_what_a_cell_value_may():
    found = preview(pd.DataFrame({"a": range(100_000)}))
    assert 1000 < count_tokens(found.text) <= 1500


def test_a_column_of_zoned_times_keeps_its_zone():
    frame = pd.DataFrame({"t": pd.date_range("2024-01-01", periods=2, tz="Asia/Tokyo")})
    assert "2024-01-01 00:00:00+09:00" in preview(frame, max_tokens=500).text


def test_dates_of_python_are_worded_as_dates():
    frame = pd.DataFrame({"d": pd.Series([datetime.date(2024, 5, 17)], dtype=object)})
    assert "2024-05-17" in preview(frame, max_tokens=300).text
