import datetime
import types

import pytest

from pi_notebook.kernel.namespace import list_variables


def described(**variables):
    """Variables as a shell would hold them, by name."""
    hidden = {"_hidden": 1, "In": [], "helper": 5}
    namespace = {"In": [], "_": 1, "_i": "", "helper": hidden["helper"], "types": types, **variables}
    shell = types.SimpleNamespace(user_ns=namespace, user_ns_hidden=hidden)
    return {info.name: info for info in list_variables(shell)}


def test_only_the_persons_own_values_are_listed():
    assert set(described(x=1, _private=2, f=lambda: 1, C=int)) == {"x"}


def test_functions_and_classes_are_listed_when_asked_for():
    shell = types.SimpleNamespace(user_ns={"f": described, "C": int, "m": types}, user_ns_hidden={})
    found = {info.name: info.kind for info in list_variables(shell, with_callables=True)}
    assert found == {"f": "function", "C": "class"}


def test_a_hidden_name_the_person_has_assigned_anew_is_theirs():
    assert described(helper="mine")["helper"].text == "'mine'"


@pytest.mark.parametrize(
    ("value", "described_as"),
    [
        (3, "int, 3"),
        (2.5, "float, 2.5"),
        (None, "NoneType, None"),
        ("abc", "str, length 3, 'abc'"),
        ("x" * 1000, f"str, length 1000, '{'x' * 80}'..."),
        (b"ab", "bytes, length 2, b'ab'"),
        ([1, 2, 3], "list, length 3"),
        ({"a": 1}, "dict, length 1"),
        (range(5), "range, length 5"),
        (10**5000, "int, an integer of 16610 bits"),
    ],
    ids=lambda part: part if isinstance(part, str) and len(part) < 50 else "",
)
def test_builtins_are_described_by_length_and_a_short_form(value, described_as):
    assert described(x=value)["x"].describe() == described_as


def test_frames_and_arrays_are_described_by_shape_and_types():
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": [1, 2], ("t", 1): [0.5, 1.5]})
    found = described(a=numpy.zeros((2, 3)), df=frame, s=frame["n"])
    assert (found["a"].shape, found["a"].dtype, found["a"].byte_count) == ((2, 3), "float64", 48)
    assert found["df"].shape == (2, 2)
    assert found["df"].columns == (("n", "int64"), ("(t, 1)", "float64"))
    assert found["df"].describe().endswith("DataFrame, 2 x 2")
    assert (found["s"].shape, found["s"].dtype) == ((2,), "int64")


def test_an_index_is_described_unless_it_only_counts():
    pandas = pytest.importorskip("pandas")
    by_day = pandas.DataFrame({"n": [1]}, index=pandas.Index([20240101], name="day", dtype="int32"))
    levels = pandas.MultiIndex.from_tuples([("Oslo", 1)], names=["city", None])
    found = described(df=by_day, s=by_day["n"], many=by_day.set_index(levels), counted=by_day.reset_index())
    assert found["df"].describe().endswith("DataFrame, 1 x 1, index day (int32)")
    assert found["s"].describe().endswith("Series, 1, int64, index day (int32)")
    assert [name for name, _ in found["many"].index] == ["city", ""]
    assert found["counted"].index is None


def test_labels_that_are_numbers_of_numpy_are_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1, 2]], columns=pandas.Index([2007, 2008], dtype="int32"))
    assert described(df=frame)["df"].columns == (("2007", "int64"), ("2008", "int64"))


def test_labels_that_are_dates_are_dates():
    pandas = pytest.importorskip("pandas")
    for labels, shown in (
        (pandas.date_range("2024-01-31", periods=2), ["2024-01-31", "2024-02-01"]),
        (pandas.period_range("2024-01", periods=2, freq="M"), ["2024-01", "2024-02"]),
        (pandas.IntervalIndex.from_breaks([0, 1, 5]), ["(0, 1]", "(1, 5]"]),
        (
            [datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31, 8)],
            ["2024-01-31", "2024-01-31 08:00:00"],
        ),
    ):
        frame = pandas.DataFrame([[1, 2]], columns=labels)
        assert [name for name, _ in described(df=frame)["df"].columns] == shown


def test_polars_and_arrow_frames_are_described_and_a_lazy_one_is_not_evaluated():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"n": [1, 2]})
    found = described(df=frame, lazy=frame.lazy().map_batches(lambda f: 1 / 0), table=frame.to_arrow())
    assert found["df"].columns == (("n", "Int64"),)
    assert found["table"].columns == (("n", "int64"),)
    assert found["lazy"].type == "polars.lazyframe.frame.LazyFrame"
    assert found["lazy"].shape is None


def test_an_object_is_asked_nothing():
    class Meta(type):
        def __getattribute__(cls, name):
            raise AssertionError(name)

    class Touchy(metaclass=Meta):
        def __getattribute__(self, name):
            raise AssertionError(name)

        def __len__(self):
            raise AssertionError("len")

        def __eq__(self, other):
            raise AssertionError("eq")

        __hash__ = None

    assert described(x=Touchy())["x"].type.endswith("Touchy")


def test_a_frame_in_a_broken_state_is_named_without_details():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": [1]})
    object.__setattr__(frame, "_mgr", None)
    assert described(df=frame)["df"].shape is None


def test_a_thousand_variables_are_listed_within_the_time():
    import time

    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({f"c{i}": [i] for i in range(50)})
    variables = {f"v{i}": frame for i in range(1000)}
    began = time.process_time()
    found = described(**variables)
    assert time.process_time() - began < 0.2
    assert len(found) == 1000


def test_the_newest_are_listed_when_there_are_too_many():
    found = described(**{f"v{i}": i for i in range(2000)})
    assert len(found) == 1000
    assert "v1999" in found
    assert "v0" not in found
