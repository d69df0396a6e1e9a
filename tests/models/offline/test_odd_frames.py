"""Whatever is in a frame, its overview and the usual questions end in an answer, not in an error."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.models.offline.driver import Run

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return RANDOM.normal(size=shape)


PANDAS = {
    "no_columns": pd.DataFrame(index=range(5)),
    "no_rows": pd.DataFrame({"a": pd.Series(dtype=float), "g": pd.Series(dtype=str)}),
    "nothing": pd.DataFrame(),
    "all_null": pd.DataFrame({"a": [None] * 6, "b": [np.nan] * 6, "c": [1.0, 2, 3, 4, 5, 6]}),
    "same_names": pd.DataFrame(normal(30, 3), columns=["a", "a", "b"]).assign(g=list("xyz") * 10),
    "number_names": pd.DataFrame(normal(20, 3)).assign(g=list("ab") * 10),
    "tuple_names": pd.DataFrame(normal(20, 2), columns=pd.MultiIndex.from_tuples([("x", 1), ("x", 2)])),
    "bools": pd.DataFrame({"t": [True, False] * 10, "n": normal(20), "o": [True, None] * 10}),
    "categories": pd.DataFrame(
        {"c": pd.Categorical(["u", "v"] * 10, categories=["u", "v", "w"]), "n": range(20)}
    ),
    "mixed": pd.DataFrame({"m": [1, "a", None, 2.5] * 5, "n": range(20)}),
    "zoned": pd.DataFrame(
        {"w": pd.date_range("2020", periods=400, tz="Europe/Paris"), "n": np.arange(400.0)}
    ),
    "spans": pd.DataFrame(
        {"d": pd.to_timedelta(range(40), "D"), "p": pd.period_range("2020", periods=40), "n": range(40)}
    ),
    "dates": pd.DataFrame({"d": [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)] * 10, "n": range(20)}),
    "lists": pd.DataFrame({"l": [[1], [2]] * 10, "d": [{"a": 1}] * 20, "n": range(20)}),
    "wide": pd.DataFrame(normal(50, 1000), columns=[f"c{i}" for i in range(1000)]),
    "nullable": pd.DataFrame(
        {
            "i": pd.array([1, 2, None] * 7, dtype="Int64"),
            "f": pd.array([1.5, None, 2] * 7, dtype="Float64"),
            "s": pd.array(["p", "q", None] * 7, dtype="string"),
            "b": pd.array([True, None, False] * 7, dtype="boolean"),
        }
    ),
    "arrow": pd.DataFrame(
        {"i": pd.array([1, 2, None] * 7, dtype="int64[pyarrow]"), "s": ["p", "q", None] * 7}
    ),
    "infinite": pd.DataFrame({"x": [np.inf, 1, 2, -np.inf, 3] * 4, "y": range(20)}),
    "constant": pd.DataFrame({"x": [1.0] * 20, "y": [2] * 20, "g": ["only"] * 20}),
    "odd_names": pd.DataFrame(
        {
            'a "q" `b`|c\n': normal(20),
            "it's $x$": normal(20),
            "count": list("ab") * 10,
            "group": range(20),
            "mean": range(20),
        }
    ),
    "decimals": pd.DataFrame({"d": [decimal.Decimal("1.5"), decimal.Decimal("2.5")] * 5, "n": range(10)}),
    "one_row": pd.DataFrame({"x": [1.5], "y": [2]}),
    "intervals": pd.DataFrame({"i": pd.cut(range(20), 4), "n": range(20)}),
    "same_index": pd.DataFrame({"x": normal(20), "g": list("ab") * 10}, index=[0] * 20),
    "complex": pd.DataFrame({"z": [1 + 2j] * 10, "n": range(10)}),
    "bytes": pd.DataFrame({"b": [b"x", b"y"] * 5, "n": range(10)}),
}

POLARS = {
    "no_columns": pl.DataFrame(),
    "no_rows": pl.DataFrame(schema={"a": pl.Float64, "g": pl.String}),
    "all_null": pl.DataFrame({"a": [None] * 6, "c": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}),
    "categories": pl.DataFrame({"c": pl.Series(["u", "v"] * 10, dtype=pl.Categorical), "n": range(20)}),
    "dates": pl.DataFrame({"w": [datetime.date(2020, 1, 1), datetime.date(2021, 5, 1)] * 10, "n": range(20)}),
    "lists": pl.DataFrame({"l": [[1], [2]] * 10, "d": [{"a": 1}] * 20, "n": range(20)}),
    "not_numbers": pl.DataFrame({"x": [float("nan"), 1.0, 2.0, None] * 5, "y": range(20)}),
    "wide": pl.DataFrame({f"c{i}": normal(50) for i in range(1000)}),
    "odd_names": pl.DataFrame(
        {
            'a "q" `b`|c\n': normal(20),
            "count": list("ab") * 10,
            "group": range(20),
            "value": range(20),
            "mean": range(20),
        }
    ),
    "decimals": pl.DataFrame({"d": pl.Series([1.5, 2.5] * 5).cast(pl.Decimal(10, 2)), "n": range(10)}),
    "objects": pl.DataFrame({"o": pl.Series([object()] * 10, dtype=pl.Object), "n": range(10)}),
    "spans": pl.DataFrame(
        {"t": [datetime.time(1, 2)] * 10, "s": [datetime.timedelta(days=1)] * 10, "n": range(10)}
    ),
}

FRAMES = {f"pandas {name}": frame for name, frame in PANDAS.items()} | {
    f"polars {name}": frame for name, frame in POLARS.items()
}
QUESTIONS = ["missing values", "duplicates", "outliers", "strongest correlation", "how many rows and columns"]
ABOUT_A_COLUMN = [
    "describe `{0}`",
    "mean of `{0}`",
    "count by `{0}`",
    "top 3 rows by `{0}`",
    "plot `{0}`",
    "number of distinct `{0}`",
    "mean of `{0}` by `{1}`",
    "compare `{1}` by `{0}`",
    "which `{0}` has the highest `{1}`",
    "plot `{0}` against `{1}`",
    "trend of `{0}` over time",
]


def is_failure(answer):
    return any(words in answer for words in ("stopped with an error", "could not be drawn"))


@pytest.mark.parametrize("name", FRAMES)
def test_an_overview_of_any_frame(name):
    frame = FRAMES[name]
    answer = Run({"odd": frame}).ask("explore odd")
    assert f"**{frame.shape[0]} rows and {frame.shape[1]:,} columns**" in answer
    assert not is_failure(answer) or "not finite" in answer
    assert len(answer) < 12_000


@pytest.mark.parametrize("name", FRAMES)
def test_the_usual_questions_about_any_frame(name):
    frame = FRAMES[name]
    names = [label for label in list(frame.columns)[:2] if isinstance(label, str) and label.isidentifier()]
    pairs = list(zip(names, reversed(names), strict=True)) if len(names) == 2 else []
    prompts = QUESTIONS + [text.format(*pair) for text in ABOUT_A_COLUMN for pair in pairs]
    failed = [prompt for prompt in prompts if is_failure(Run({"odd": frame}).ask(f"{prompt} in odd"))]
    assert failed == []


def test_a_wide_frame_says_how_much_of_it_was_looked_at():
    answer = Run({"odd": PANDAS["wide"]}).ask("explore odd")
    assert "Only the first 100 of 1,000 columns were looked at." in answer


def test_a_long_frame_is_counted_whole_and_correlated_by_sample():
    rows = 250_000
    x = normal(rows)
    frame = pd.DataFrame({"x": x, "y": x + normal(rows) / 10, "g": np.where(x > 0, "up", "down")})
    for held in (frame, pl.from_pandas(frame)):
        answer = Run({"long": held}).ask("explore long")
        assert "**250,000 rows and 3 columns**" in answer
        assert f"| up | {(x > 0).sum():,} |" in answer
        assert "Correlations come from a sample of 200,000 rows." in answer
