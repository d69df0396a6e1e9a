"""The numbers in answers are those pandas gives, whichever library the frame is of."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot

from tests.models.offline.driver import Run
from tests.models.offline.frames import penguins
from tests.models.offline.markdown import figure, rounded, tables

FRAME = penguins()
NUMBERS = ["bill_length_mm", "flipper_length_mm", "body_mass_g"]


@pytest.fixture(params=["pandas", "polars"])
def ask(request):
    """Asks about the frame, named penguins and held by one of the libraries."""
    frame = FRAME.copy() if request.param == "pandas" else pl.from_pandas(FRAME)
    run = Run({"penguins": frame})
    return run.ask


def cells(answer, *names):
    (rows,) = tables(answer)
    return [tuple(row[name] for name in names) for row in rows]


def test_an_overview_gives_types_gaps_numbers_groups_and_the_strongest_pair(ask):
    answer = ask("Explore `penguins`")
    columns, numbers, means = tables(answer)
    assert {row["column"]: figure(row["missing"]) for row in columns} == FRAME.isna().sum().to_dict()
    assert {row["column"]: figure(row["distinct values"]) for row in columns} == FRAME.nunique().to_dict()
    for row in numbers:
        values = FRAME[row["column"]]
        wanted = [values.mean(), values.std(), values.min(), values.median(), values.max()]
        assert [row[key] for key in list(row)[1:]] == [rounded(value) for value in wanted]
    by_species = FRAME.groupby("species")[NUMBERS].mean()
    for row in means:
        assert {name: row[name] for name in NUMBERS} == by_species.loc[row["species"]].map(rounded).to_dict()
        assert figure(row["rows"]) == (FRAME["species"] == row["species"]).sum()
    pairs = {pair: FRAME[list(pair)].corr().iloc[0, 1] for pair in itertools.combinations(NUMBERS, 2)}
    (x, y), r = max(pairs.items(), key=lambda item: abs(item[1]))
    assert answer.startswith(f"**`{x}` and `{y}` rise together** (correlation {r:.3f}).")
    assert len(pyplot.get_fignums()) == 1


@pytest.mark.parametrize("measure", ["mean", "median", "sum", "min", "max", "std"])
def test_a_measure_of_a_column(ask, measure):
    word = {"std": "standard deviation", "min": "minimum", "max": "maximum"}.get(measure, measure)
    value = getattr(FRAME["body_mass_g"], measure)()
    answer = ask(f"{word} of body mass in penguins")
    assert f"The {word} of `body_mass_g` is **{rounded(value)}**." in answer
    assert f"{FRAME['body_mass_g'].count()} of {len(FRAME)} rows have a value." in answer


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("of female Gentoo penguins", (FRAME["sex"] == "female") & (FRAME["species"] == "Gentoo")),
        ("where island = Dream", FRAME["island"] == "Dream"),
        ("with flipper length over 200 mm", FRAME["flipper_length_mm"] > 200),
        ("with flipper length at most 190", FRAME["flipper_length_mm"] <= 190),
        ("with bill length between 40 and 45", FRAME["bill_length_mm"].between(40, 45)),
        ("where year = 2008", FRAME["year"] == 2008),
        ("where species is Adelie", FRAME["species"] == "Adelie"),
    ],
)
def test_a_filter(ask, words, rows):
    value = FRAME.loc[rows, "body_mass_g"].mean()
    assert f"**{rounded(value)}**" in ask(f"mean body mass {words}, in penguins")


def test_decimals_are_given_as_asked(ask):
    value = FRAME["body_mass_g"].mean()
    assert f"**{value:,.3f}**" in ask("mean body mass of penguins, 3 decimals")


def test_a_measure_by_group(ask):
    wanted = FRAME.groupby("species")["body_mass_g"].agg(["mean", "count"])
    answer = ask("average body mass by species")
    assert cells(answer, "species", "mean", "count") == [
        (name, rounded(row["mean"]), f"{row['count']:.0f}")
        for name, row in wanted.sort_values("mean", ascending=False).iterrows()
    ]
    assert f"**{wanted['mean'].idxmax()}** has the highest mean" in answer
    assert f"**{wanted['mean'].idxmin()}** has the lowest mean" in answer


def test_a_measure_by_two_groups(ask):
    wanted = FRAME.groupby(["species", "island"])["body_mass_g"].median()
    found = dict(cells(ask("median body mass per species and island"), "species, island", "median"))
    assert found == {", ".join(key): rounded(value) for key, value in wanted.items()}


def test_several_columns_by_group(ask):
    wanted = FRAME.groupby("island")[["body_mass_g", "bill_length_mm"]].mean()
    found = cells(ask("mean body mass and bill length by island"), "island", "body_mass_g", "bill_length_mm")
    assert sorted(found) == [(name, *map(rounded, row)) for name, row in wanted.iterrows()]


def test_several_measures_of_a_column(ask):
    answer = ask("min, max and median of bill length")
    values = FRAME["bill_length_mm"]
    for value in (values.min(), values.max(), values.median()):
        assert f"**{rounded(value)}**" in answer


def test_a_measure_by_month_of_a_text_date(ask):
    month = pd.to_datetime(FRAME["seen"]).dt.strftime("%Y-%m")
    wanted = FRAME.groupby(month)["body_mass_g"].mean()
    found = cells(ask("average body mass by month"), "month", "mean")
    assert found == [(name, rounded(value)) for name, value in wanted.items()][:20]
    assert f"{wanted.idxmax()}** has the highest mean" in ask("which month has the highest mean body mass")


def test_the_month_of_the_year_is_not_the_calendar_month(ask):
    month = pd.to_datetime(FRAME["seen"]).dt.month
    wanted = FRAME.groupby(month)["body_mass_g"].sum()
    assert f"**{wanted.idxmax()}** has the highest sum" in ask(
        "which month number has the greatest total body mass"
    )


def test_a_part_of_a_date_as_filter(ask):
    rows = pd.to_datetime(FRAME["seen"]).dt.month == 3
    assert f"**{rounded(FRAME.loc[rows, 'body_mass_g'].mean())}**" in ask("mean body mass in March")


def test_which_group_has_most(ask):
    wanted = FRAME["island"].value_counts()
    answer = ask("which island has the most penguins?")
    assert f"**{wanted.idxmax()}** has the highest number of rows: {wanted.max()}." in answer
    assert dict(cells(answer, "island", "rows")) == {name: str(count) for name, count in wanted.items()}


def test_groups_with_missing_labels_are_counted_and_told(ask):
    found = dict(cells(ask("how many penguins by sex"), "sex", "rows"))
    assert found["(missing)"] == str(FRAME["sex"].isna().sum())
    answer = ask("mean body mass by sex")
    assert f"Rows without `sex` ({FRAME['sex'].isna().sum()}) are left out." in answer


def test_a_count_with_filters(ask):
    count = ((FRAME["sex"] == "female") & (FRAME["year"] >= 2008)).sum()
    assert f"**{count}** of the {len(FRAME)} rows" in ask("how many female penguins since 2008")


def test_a_share_is_given_of_all_rows_and_of_those_known(ask):
    part, known = (FRAME["sex"] == "female").sum(), FRAME["sex"].notna().sum()
    answer = ask("what percentage of penguins are female?")
    assert f"**{100 * part / len(FRAME):.1f} %**: {part} of the {len(FRAME)} rows" in answer
    assert f"Of the {known} rows where this is known it is {100 * part / known:.1f} %." in answer


def test_missing_values(ask):
    wanted = FRAME.isna().sum()
    answer = ask("missing values in penguins")
    rows = FRAME.isna().any(axis=1).sum()
    assert f"**{rows}** of {len(FRAME)} rows ({100 * rows / len(FRAME):.1f} %)" in answer
    assert f"{wanted.sum()} values are missing" in answer
    assert dict(cells(answer, "column", "missing")) == {k: str(v) for k, v in wanted[wanted > 0].items()}


def test_repeated_rows():
    frame = pd.concat([FRAME, FRAME.iloc[[0, 0, 5]]], ignore_index=True)
    for held in (frame, pl.from_pandas(frame)):
        answer = Run({"penguins": held}).ask("duplicate rows?")
        assert (
            f"**3** of {len(frame)} rows of `penguins` repeat an earlier row; 5 rows are involved" in answer
        )
    assert "No row of `penguins` is repeated" in Run({"penguins": FRAME}).ask("any duplicates?")


def test_outliers_and_the_rows_they_are_in(ask):
    values = FRAME["body_mass_g"]
    q1, q3 = values.quantile(0.25), values.quantile(0.75)
    low, high = q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1)
    wanted = values[(values < low) | (values > high)]
    answer = ask("outliers in body mass")
    (row,) = cells(answer, "outliers", "values", "inside the fences")
    assert row == (str(len(wanted)), str(values.count()), f"{rounded(low)} – {rounded(high)}")
    assert f"rows {', '.join(map(str, wanted.index))} with values" in answer


def test_two_groups_compared(ask):
    one = FRAME.loc[FRAME["sex"] == "male", "body_mass_g"].dropna()
    two = FRAME.loc[FRAME["sex"] == "female", "body_mass_g"].dropna()
    pooled = np.sqrt(((len(one) - 1) * one.var() + (len(two) - 1) * two.var()) / (len(one) + len(two) - 2))
    (row,) = tables(ask("compare the body mass of male and female penguins"))[0]
    gap = one.mean() - two.mean()
    assert list(row.values()) == [
        "body_mass_g",
        rounded(one.mean()),
        rounded(two.mean()),
        rounded(gap),
        rounded(gap / pooled),
        f"{len(one)} / {len(two)}",
    ]


def test_a_correlation_is_of_complete_pairs(ask):
    pair = FRAME[["bill_length_mm", "body_mass_g"]]
    answer = ask("correlation between bill length and body mass")
    assert f"is **{pair.corr().iloc[0, 1]:.3f}** ({len(pair.dropna())} complete pairs)" in answer
    ranks = pair.dropna().rank()
    answer = ask("spearman correlation of bill length and body mass")
    assert f"**{ranks.corr().iloc[0, 1]:.3f}**" in answer


def test_the_correlations_of_one_column(ask):
    found = dict(cells(ask("what is body mass correlated with?"), "column", "correlation"))
    wanted = FRAME[NUMBERS].corr()["body_mass_g"].drop("body_mass_g")
    assert {key.split(", ")[1]: value for key, value in found.items()} == {
        name: f"{r:.3f}" for name, r in wanted.items()
    }


def test_a_trend_has_a_direction_a_slope_and_its_ends(ask):
    month = pd.to_datetime(FRAME["seen"]).dt.strftime("%Y-%m")
    values = FRAME.groupby(month)["flipper_length_mm"].mean()
    slope, _ = np.polyfit(range(len(values)), values, 1)
    answer = ask("trend of flipper length by month")
    r = np.corrcoef(range(len(values)), values)[0, 1]
    assert f"goes from {rounded(values.iloc[0])} ({values.index[0]})" in answer
    assert f"to {rounded(values.iloc[-1])} ({values.index[-1]})" in answer
    assert f"changes by {rounded(slope)} a month (correlation with time {r:.3f})" in answer


@pytest.mark.parametrize(("sign", "word"), [(1, "rises"), (-1, "falls")])
def test_a_trend_that_is_there_is_named(sign, word):
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=40), "price": np.arange(40.0) * sign})
    for held in (frame, pl.from_pandas(frame)):
        answer = Run({"prices": held}).ask("how did price change over time?")
        assert f"**`price` {word}** over `day`" in answer
        assert f"changes by {sign} a day (correlation with time {sign}.000)" in answer


def test_the_top_rows(ask):
    wanted = FRAME.nlargest(3, "body_mass_g")
    found = cells(ask("top 3 rows by body mass"), "body_mass_g", "species", "seen")
    assert found == [(rounded(row.body_mass_g), row.species, row.seen) for row in wanted.itertuples()]
    first = FRAME.loc[FRAME["body_mass_g"].idxmax()]
    answer = ask("on what date was the largest body mass seen?")
    assert f"is **{rounded(first.body_mass_g)}**" in answer
    assert f"`seen` {first.seen}" in answer


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("plot bill length against body mass", "body_mass_g against bill_length_mm"),
        ("histogram of flipper length", "Distribution of flipper_length_mm"),
        ("bar chart of species", "Rows by species"),
        ("box plot of body mass by species", "body_mass_g by species"),
        ("bar chart of body mass by island", "Mean body_mass_g by island"),
        ("line chart of body mass", "body_mass_g over seen"),
        ("画出体重的直方图", "Distribution of body_mass_g"),
    ],
)
def test_a_plot_has_a_title_and_named_axes(ask, prompt, title):
    ask(prompt)
    (axes,) = pyplot.gcf().axes
    assert axes.get_title() == title
    assert axes.get_xlabel()
    assert axes.get_ylabel()


def test_text_that_reads_as_numbers_is_used_as_numbers():
    frame = pd.DataFrame({"cost $": ["1,200", "$95.5", "4"] * 4, "share": ["10%", "20 %", "5%"] * 4})
    for held in (frame, pl.from_pandas(frame)):
        run = Run({"costs": held})
        answer = run.ask("total of 'cost $'")
        assert f"**{rounded(4 * 1299.5)}**" in answer
        assert "is text that reads as numbers" in answer
        assert f"**{rounded(35 / 3)}**" in run.ask("mean of share column in costs")


def test_what_does_not_read_as_a_number_is_counted_and_told():
    texts = [f"{value:,}" for value in range(1000, 1030)] + ["n/a"]
    frame = pd.DataFrame({"cost": texts * 2})
    frame.loc[len(frame)] = "1,000"
    for held in (frame, pl.from_pandas(frame)):
        answer = Run({"costs": held}).ask("mean of cost")
        kept = pd.to_numeric(frame["cost"].str.replace(",", ""), errors="coerce")
        assert f"**{rounded(kept.mean())}**" in answer
        assert "2 values of `cost` do not read as numbers and were left out." in answer


def test_an_answer_in_chinese_for_a_question_in_chinese(ask):
    answer = ask("各物种的平均体重")
    wanted = FRAME.groupby("species")["body_mass_g"].mean()
    assert dict(cells(answer, "species", "平均值")) == wanted.map(rounded).to_dict()
    assert answer.endswith("*由内置的 `offline` 模型按规则回答，它不是语言模型。*")
    assert not re.search(
        r"[A-Za-z]{4,}", re.sub(r"`[^`]*`|\*\*[^*]*\*\*|\|[^\n]*", "", answer).replace("---", "")
    )


def test_every_answer_says_once_what_gave_it(ask):
    for prompt in ("explore penguins", "mean body mass", "write a poem", "missing values", "hello"):
        assert ask(prompt).count("not a language model") == 1
