"""Asking for rows, and finding the value that is asked for."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.context.previews.references import ReferenceProblem, resolve
from pi_notebook.context.previews.rows import RowRange, preview_rows
from pi_notebook.context.tokens import count_tokens


class Shelf:
    """Variables in a dict."""

    def __init__(self, **values):
        self.values = values

    def get(self, name):
        return self.values[name]

    def names(self):
        return list(self.values)


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("head 3", (0, 3)),
        ("first 3", (0, 3)),
        ("tail 2", (8, 10)),
        ("tail 0", (0, 0)),
        ("2:5", (2, 5)),
        ("[2:5]", (2, 5)),
        ("7:", (7, 10)),
        (":4", (0, 4)),
        ("-3:", (7, 10)),
        ("5", (0, 5)),
        (5, (0, 5)),
        (-2, (8, 10)),
        ("50:99", (10, 10)),
        ("8:3", (8, 8)),
        ("head 99", (0, 10)),
    ],
)
def test_a_range_is_read_as_a_person_means_it(text, positions):
    assert RowRange.parse(text).within(10) == positions


@pytest.mark.parametrize("text", ["", "all", "1:2:3", "head", "a:b", "1.5", "head -3", "x > 3"])
def test_what_is_no_range_is_not_guessed_at(text):
    assert RowRange.parse(text) is None


@settings(max_examples=80, derandomize=True, deadline=None, database=None)
@given(st.integers(0, 300), st.integers(0, 300), st.integers(20, 600))
def test_rows_are_those_asked_for_and_the_rest_is_told(start, stop, max_tokens):
    frame = pl.DataFrame({"n": range(200), "t": [f"text {i}" for i in range(200)]})
    found = preview_rows(frame, RowRange(start=start, stop=stop), max_tokens=max_tokens)
    assert count_tokens(found.text) <= max_tokens
    shown = range(found.details["start"], found.details["stop"])
    if max_tokens > 60:
        for position in shown:
            assert f"\n{position},text {position}" in found.text
    assert found.is_complete == (found.details["stop"] == found.details["asked_stop"])


def test_rows_of_a_frame_keep_their_labels():
    frame = pd.DataFrame({"v": range(5)}, index=[10, 20, 30, 40, 50])
    text = preview_rows(frame, RowRange(start=1, stop=3), max_tokens=200, name="df").text
    assert text == (
        "df = DataFrame (pandas): 5 rows x 1 column, index (int64); rows 1:3:\nindex,v\n20,1\n30,2"
    )


def test_asked_for_rows_show_more_of_a_long_cell():
    frame = pd.DataFrame({"t": ["x" * 300] * 100})
    assert "x" * 300 in preview_rows(frame, RowRange(start=0, stop=1), max_tokens=800).text


def test_a_row_of_10000_columns_shows_the_outer_ones():
    frame = pd.DataFrame(np.zeros((3, 10_000)), columns=[f"c{i}" for i in range(10_000)])
    found = preview_rows(frame, RowRange(start=0, stop=1), max_tokens=300)
    assert count_tokens(found.text) <= 300
    assert "c0," in found.text
    assert "c9999" in found.text


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (np.arange(20).reshape(10, 2), "[4, 5]"),
        ([{"a": i} for i in range(10)], "{'a': 2}"),
        (tuple("abcdef"), "'c'"),
        ("\n".join("abcdef"), "c"),
        (pd.Series(range(10)), "2"),
    ],
)
def test_arrays_lists_texts_and_series_have_rows(value, line):
    assert preview_rows(value, RowRange(start=2, stop=3), max_tokens=200).text.split("\n")[-1] == line


@pytest.mark.parametrize("value", [3, {"a": 1}, object(), np.array(1), pl.LazyFrame({"a": [1]})])
def test_other_values_have_none(value):
    assert preview_rows(value, RowRange(start=0, stop=1), max_tokens=200) is None


class Result:
    params = {"a": [10, 20]}

    @property
    def broken(self):
        raise ValueError("not fitted")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("n", 1),
        (" n ", 1),
        ("@n", 1),
        ("result.params", {"a": [10, 20]}),
        ('result.params["a"][1]', 20),
        ("frames[-1]", "last"),
        ("nested[(1, 2)]", "by tuple"),
        ("nested[None]", "by none"),
    ],
)
def test_simple_paths_are_followed(expression, value):
    shelf = Shelf(
        n=1, result=Result(), frames=["first", "last"], nested={(1, 2): "by tuple", None: "by none"}
    )
    assert resolve(expression, shelf) == value


def test_columns_are_reached_by_label_and_by_attribute():
    frame = pd.DataFrame({"a b": [1, 2]})
    assert resolve('df["a b"]', Shelf(df=frame)).tolist() == [1, 2]
    assert resolve("df.iloc[1]", Shelf(df=frame)).tolist() == [2]


@pytest.mark.parametrize(
    "expression",
    [
        "f()", "n + 1", "n[x]", "n[0:2]", "[n]", "n if n else n", "n := 3", "import os", "", "n.",
        "lambda: n", "n[f()]", "'text'", "n\x00", "(" * 500, "df['a'].apply(print)", "await n", "*n", "n; n",
    ],
)  # fmt: skip
def test_nothing_but_a_path_is_run(expression):
    with pytest.raises(ReferenceProblem, match=r"run_code|at most"):
        resolve(expression, Shelf(n=1, f=lambda: 1 / 0, df=pd.DataFrame({"a": [1]})))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("sale", "There is no variable 'sale'. Did you mean sales?"),
        ("Sales", "Did you mean sales?"),
        ("zzz", "There is: sales, result."),
        ('sales["pric"]', "Did you mean price?"),
        ("result.parms", "Did you mean params?"),
        ("result.broken", "ValueError: not fitted"),
        ("sales.__class__", "is not looked into"),
    ],
)
def test_a_problem_names_what_is_there(expression, text):
    shelf = Shelf(sales=pd.DataFrame({"price": [1], "city": ["x"]}), result=Result())
    with pytest.raises(ReferenceProblem) as caught:
        resolve(expression, shelf)
    assert text in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_without_variables_the_problem_says_so():
    with pytest.raises(ReferenceProblem, match="no variables yet"):
        resolve("df", Shelf())
