"""Values of every kind a person may hold, one function each; the function's name is the kind."""

import datetime
import decimal
import json
import types
from collections import Counter, OrderedDict, defaultdict, namedtuple
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.context.previews import library_examples

EXAMPLES = dict(library_examples.EXAMPLES)


def example(function):
    EXAMPLES[function.__name__] = function
    return function


def object_series(*values):
    """A series of the values as they are; numpy looks into what it is given as a list."""
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return pd.Series(array, dtype=object)


class Raising:
    """Every method it has fails."""

    def __repr__(self):
        raise RuntimeError("no repr")

    def __len__(self):
        raise RuntimeError("no length")

    def __getattr__(self, name):
        raise RuntimeError("no attribute")

    def __eq__(self, other):
        raise RuntimeError("no equality")

    __hash__ = None


@dataclass
class Experiment:
    name: str
    learning_rate: float
    scores: list[float]
    secret: str = field(default="hidden", repr=False)


class Plain:
    """An object without a repr of its own."""

    def __init__(self):
        self.rows = 3
        self.frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
        self._cache = {}

    def fit(self, data):
        """Learn."""

    @property
    def costly(self):
        raise AssertionError("a property was run")


@example
def pandas_frame():
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "day": pd.date_range("2024-01-01", periods=300, freq="D"),
            "city": np.array(["Oslo", "Bergen", "Tromsø"])[rng.integers(0, 3, 300)],
            "price": np.where(rng.random(300) < 0.05, np.nan, rng.normal(1200, 300, 300)),
            "sold": rng.integers(0, 50, 300),
            "is_open": rng.random(300) < 0.8,
        }
    )


@example
def pandas_frame_of_few_rows():
    return pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, ""]})


@example
def pandas_frame_sampled():
    rng = np.random.default_rng(3)
    count = 500_000
    return pd.DataFrame(
        {"id": np.arange(count), "x": rng.normal(size=count), "group": ["a", "b"] * (count // 2)}
    )


@example
def pandas_frame_of_10000_columns():
    return pd.DataFrame(np.arange(30_000).reshape(3, 10_000), columns=[f"c{i}" for i in range(10_000)])


@example
def pandas_frame_of_80_columns():
    return pd.DataFrame({f"feature_{i}": np.arange(50.0) * i for i in range(80)})


@example
def pandas_frame_with_repeated_names():
    return pd.DataFrame([[1, "x", 2.5], [2, "y", 3.5]], columns=["a", "a", "b"])


@example
def pandas_frame_with_odd_names():
    names = [0, "0", (1, 2), None, pd.Timestamp("2024-01-01"), "a,b", "line\nbreak", "<b>x</b>", ""]
    return pd.DataFrame([range(9)], columns=pd.Index(names, dtype=object))


@example
def pandas_frame_with_multiindexes():
    index = pd.MultiIndex.from_product([["north", "south"], [2023, 2024]], names=["region", None])
    columns = pd.MultiIndex.from_tuples([("price", "mean"), ("price", "max")])
    return pd.DataFrame(np.arange(8.0).reshape(4, 2), index=index, columns=columns)


@example
def pandas_frame_by_date_with_zone():
    index = pd.date_range("2024-03-30 22:00", periods=6, freq="h", tz="Europe/Oslo", name="time")
    return pd.DataFrame({"load": [1.5, 2, 3, 4, 5, 6], "at": index.tz_convert("UTC")}, index=index)


@example
def pandas_frame_of_extension_types():
    return pd.DataFrame(
        {
            "category": pd.Categorical(["lo", "hi", None], categories=["lo", "mid", "hi"], ordered=True),
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "flag": pd.array([True, None, False], dtype="boolean"),
            "month": pd.period_range("2024-01", periods=3, freq="M"),
            "bin": pd.cut([1, 5, 9], [0, 3, 6, 10]),
            "sparse": pd.arrays.SparseArray([0, 0, 1]),
            "wait": pd.to_timedelta([1, 90, 86400], unit="s"),
            "arrow": pd.array([[1, 2], None, []], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
            "z": [1 + 2j, 0j, 1j],
        }
    )


@example
def pandas_frame_of_mixed_objects():
    cells = [1, "1", None, 2.5, [1, {"k": "v"}], {"a": list(range(100))}, b"\x00\xff", Raising(), 2**100, {3}]
    return pd.DataFrame({"mixed": object_series(*cells), "n": range(10)})


@example
def pandas_frame_of_long_texts():
    return pd.DataFrame(
        {"id": range(40), "text": [f"start {i} " + "lorem ipsum " * 500 + f" end {i}" for i in range(40)]}
    )


@example
def pandas_frame_all_null():
    return pd.DataFrame({"a": [np.nan] * 5, "b": [None] * 5, "c": pd.Series([pd.NaT] * 5)})


@example
def pandas_frame_without_rows():
    return pd.DataFrame({"a": pd.Series(dtype="int64"), "b": pd.Series(dtype="object")})


@example
def pandas_frame_without_columns():
    return pd.DataFrame(index=["x", "y", "z"])


@example
def pandas_frame_empty():
    return pd.DataFrame()


@example
def pandas_series():
    return pd.Series([3.5, None, 1.25] * 20, name="weight")


@example
def pandas_series_of_counts():
    return pd.Series(["a", "b", "a", "c", "a"]).value_counts()


@example
def pandas_index():
    return pd.Index(["x", "y", "z"], name="key")


@example
def pandas_range_index():
    return pd.RangeIndex(0, 1_000_000_000, 5)


@example
def pandas_multiindex():
    return pd.MultiIndex.from_product([["a", "b"], range(500)], names=["k", "n"])


@example
def polars_frame():
    return pl.DataFrame(
        {
            "day": [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(200)],
            "x": [float("nan") if i % 50 == 0 else i / 7 for i in range(200)],
            "group": ["a", "b", None, "d"] * 50,
            "at": pl.Series([datetime.datetime(2024, 1, 1, i % 24) for i in range(200)]).dt.replace_time_zone(
                "UTC"
            ),
            "amount": [decimal.Decimal(i) / 100 for i in range(200)],
        }
    )


@example
def polars_frame_nested():
    return pl.DataFrame(
        {
            "tags": [["x" * 50, "y"], [], None],
            "point": [{"lat": 59.9, "name": "n" * 60}, {"lat": None, "name": ""}, None],
            "long": [list(range(1000)), [1], []],
            "kind": pl.Series(["a", "b", "a"], dtype=pl.Enum(["a", "b"])),
            "any": pl.Series([{1}, object, None], dtype=pl.Object),
        }
    )


@example
def polars_series():
    return pl.Series("n", range(1000))


@example
def polars_lazy_frame():
    frame = pl.LazyFrame({"a": [1, 2], "b": ["x", "y"]})
    return frame.with_columns(c=pl.col("a").map_elements(_explode, return_dtype=pl.Int64))


def _explode(value):
    raise AssertionError("a lazy frame was computed")


@example
def duckdb_relation():
    return duckdb.connect().sql("select range as n, 'x' || range as name from range(10)")


@example
def pyarrow_table():
    names = ["id", "name", "name"]
    return pa.table(
        [pa.array([1, 2, None]), pa.array(["a", "b", "c"]), pa.array([[1], None, [2, 3]])], names=names
    )


@example
def pyarrow_array():
    return pa.array(["a", None, "b"]).dictionary_encode()


@example
def numpy_matrix():
    return np.random.default_rng(1).normal(size=(1000, 20))


@example
def numpy_small():
    return np.array([1, 2, 3])


@example
def numpy_cube():
    return np.arange(1000.0).reshape(10, 10, 10)


@example
def numpy_with_nan():
    array = np.arange(500_000.0)
    array[::4] = np.nan
    return array


@example
def numpy_texts():
    return np.array(["a" * 200, "b,\n"])


@example
def numpy_records():
    return np.array([(1, 2.5, "x"), (2, 3.5, "y")], dtype=[("id", "i4"), ("v", "f8"), ("s", "U5")])


@example
def numpy_without_dimensions():
    return np.array(5)


@example
def numpy_dates():
    return np.array(["2024-01-01", "NaT", "2024-03-01"], dtype="datetime64[D]")


@example
def text_short():
    return "hello 'world'"


@example
def text_long():
    return "\n".join(f"line {i}: the quick brown fox" for i in range(2000))


@example
def text_with_odd_characters():
    return "a\ud800b\x1b[31mred\x1b[0m\u202e\tc\r\nd"


@example
def bytes_long():
    return bytes(range(256)) * 40


@example
def list_of_records():
    return [{"id": i, "name": f"user {i}", "tags": ["a", "b"], "bio": "words " * 80} for i in range(500)]


@example
def dict_nested():
    return {
        "model": {"type": "gbm", "params": {"depth": 6, "rate": 0.1, "rounds": 500}},
        "metrics": {"auc": 0.9123456789, "f1": 0.5},
        "frame": pd.DataFrame({"a": [1, 2]}),
        "weights": np.zeros((3, 4)),
        ("a", 1): None,
        2: {1, 2, 3},
    }


@example
def dict_of_many_keys():
    return {f"key_{i}": i for i in range(100_000)}


@example
def list_long():
    return list(range(1_000_000))


@example
def list_deep():
    value = []
    for _ in range(100_000):
        value = [value]
    return value


@example
def list_in_itself():
    value = [1, 2]
    value.append(value)
    return value


@example
def json_text():
    return json.dumps({"items": [{"id": i, "text": "t" * 100} for i in range(300)]})


@example
def containers_small():
    return [(), (1,), set(), frozenset({1}), {}, Counter("aab"), OrderedDict(a=1), defaultdict(list, a=[1])]


@example
def named_tuple():
    return namedtuple("Point", "x y")(1, 2.5)  # noqa: PYI024


@example
def data_class():
    return Experiment(name="baseline", learning_rate=0.01, scores=[0.5, 0.75, 0.875])


@example
def namespace():
    return types.SimpleNamespace(alpha=0.5, layers=[64, 32])


@example
def exception():
    try:
        try:
            {}["missing"]
        except KeyError as error:
            raise ValueError("could not load the table") from error
    except ValueError as error:
        return error.with_traceback(None)


@example
def function():
    def scale(values: list, factor: float = 2.0, *, clip: bool = False) -> list:
        """Multiply all values.

        More.
        """

    return scale.__wrapped__ if hasattr(scale, "__wrapped__") else scale


@example
def built_in_function():
    return len


@example
def module():
    return json


@example
def class_of_ones_own():
    return Experiment


@example
def object_without_repr():
    return Plain()


@example
def object_that_raises():
    return Raising()


@example
def generator():
    return (i for i in range(3))


@example
def matplotlib_figure():
    import matplotlib

    matplotlib.use("agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), dpi=100)
    axes = figure.subplots(1, 2)
    axes[0].plot([1, 2], [3, 4])
    axes[0].set(title="Sales", xlabel="day", ylabel="NOK")
    axes[1].hist([1, 2, 2, 3])
    return figure


@example
def scalars():
    numbers = [1, 2.5, True, None, 1 + 2j, 10**5000, np.float32(1.5), np.int64(3), decimal.Decimal("1.10")]
    return [*numbers, datetime.date(2024, 1, 1), pd.Timestamp("2024-01-01", tz="UTC"), pd.NaT, range(5), ...]
