"""Questions in English and Chinese are read as what they ask, or declined; nothing is guessed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.models.offline.query import Query, Unclear
from pi_notebook.models.offline.question.rules import read_question
from tests.models.offline.frames import PENGUINS, SALES

MENTIONS = frozenset({"penguin", "penguins", "sale"})


def read(prompt, schema=PENGUINS):
    return read_question(prompt, schema, MENTIONS)


def summary(query):
    """A reading on one line: kind, measures, columns, groups, filters and what else is asked."""
    assert isinstance(query, Query), query
    parts = [query.kind, *query.measures]
    parts += [f"of {','.join(column.name for column in query.columns)}"] if query.columns else []
    parts += [f"by {','.join(group.name for group in query.groups)}"] if query.groups else []
    parts += [f"where {' & '.join(item.text for item in query.filters)}"] if query.filters else []
    parts += [f"{query.wants}"] if query.wants else []
    parts += [f"first {query.count}"] if query.count else []
    parts += [f"{query.pair[0]}/{query.pair[1]}"] if query.pair else []
    parts += [query.plot] if query.kind == "plot" else []
    return " ".join(parts)


READINGS = {
    "Explore `penguins`": "overview",
    "penguins": "overview",
    "Describe the data": "overview",
    "Look at penguins: what stands out, and what should I ask next?": "overview",
    "summarise penguins please": "overview",
    "average body mass by species": "aggregate mean of body_mass_g by species",
    "mean of body_mass_g": "aggregate mean of body_mass_g",
    "What's the mean Body Mass?": "aggregate mean of body_mass_g",
    "the average mass of the body": "aggregate mean of body_mass_g",
    "What is the median flipper length of Adelie penguins?": (
        "aggregate median of flipper_length_mm where species = Adelie"
    ),
    "Mean body mass in grams of female Gentoo penguins, 1 decimal?": (
        "aggregate mean of body_mass_g where sex = female & species = Gentoo"
    ),
    "mean body mass of Adelies": "aggregate mean of body_mass_g where species = Adelie",
    "average body mass per island and species": "aggregate mean of body_mass_g by island,species",
    "average body mass and flipper length by species": (
        "aggregate mean of body_mass_g,flipper_length_mm by species"
    ),
    "min and max of body mass": "aggregate min max of body_mass_g",
    "mean body mass of women": "aggregate mean of body_mass_g where sex = female",
    "sum of body_mass_g where island = Dream": "aggregate sum of body_mass_g where island = Dream",
    "mean body mass on Dream island": "aggregate mean of body_mass_g where island = Dream",
    "mean body mass where island = Dream and year >= 2008": (
        "aggregate mean of body_mass_g where year >= 2008 & island = Dream"
    ),
    "mean body mass with flipper length over 200 mm": (
        "aggregate mean of body_mass_g where flipper_length_mm > 200"
    ),
    "mean body mass with bill depth between 15 and 17": (
        "aggregate mean of body_mass_g where bill_depth_mm 15–17"
    ),
    "average body mass in 2008": "aggregate mean of body_mass_g where year = 2008",
    "average body mass since 2008": "aggregate mean of body_mass_g where year >= 2008",
    "average body mass in 2008 or later": "aggregate mean of body_mass_g where year >= 2008",
    "average body mass in 2007-2008": "aggregate mean of body_mass_g where year 2007–2008",
    "average body mass from 2007 to 2008": "aggregate mean of body_mass_g where year 2007–2008",
    "mean body mass of Adelie and Gentoo": (
        "aggregate mean of body_mass_g by species where species in Adelie, Gentoo"
    ),
    "which species has the highest average body mass?": "aggregate mean of body_mass_g by species highest",
    "which species has the highest body mass?": "aggregate mean max of body_mass_g by species highest",
    "Which year had the lowest mean body mass?": "aggregate mean of body_mass_g by year lowest",
    "how many penguins are there?": "counts",
    "how many female penguins": "counts where sex = female",
    "how many penguins per island": "counts by island",
    "how many female penguins by island and species": "counts by island,species where sex = female",
    "which island has the most penguins?": "counts by island highest",
    "most common species": "counts by species highest",
    "distribution of species": "counts by species",
    "distribution of body mass": "describe of body_mass_g",
    "describe body mass": "describe of body_mass_g",
    "number of distinct islands": "aggregate distinct of island",
    "how many species": "aggregate distinct of species",
    "what percentage of penguins are female?": "share where sex = female",
    "how many rows and columns?": "shape",
    "total number of penguins": "counts",
    "penguins with body mass over 6000": "counts where body_mass_g > 6000",
    "top 5 rows by body mass": "top of body_mass_g highest first 5",
    "the 3 penguins with the smallest body mass": "top of body_mass_g lowest first 3",
    "largest body mass": "top of body_mass_g highest first 1",
    "missing values": "missing",
    "how many rows have at least one missing value?": "missing",
    "What percentage of sex is missing?": "missing of sex",
    "any duplicates?": "duplicates",
    "outliers in body mass": "outliers of body_mass_g",
    "are there outliers?": "outliers",
    "compare body mass of male and female penguins": "compare of body_mass_g by sex male/female",
    "difference in body mass between Adelie and Gentoo on Biscoe": (
        "compare of body_mass_g by species where island = Biscoe Adelie/Gentoo"
    ),
    "compare body mass by sex": "compare of body_mass_g by sex male/female",
    "correlation between bill length and body mass": "correlation of bill_length_mm,body_mass_g",
    "strongest correlation": "correlation",
    "trend of body mass over time": "trend mean of body_mass_g by year",
    "plot bill length against body mass": "plot of bill_length_mm,body_mass_g auto",
    "histogram of flipper_length_mm": "plot of flipper_length_mm histogram",
    "bar chart of species": "plot of species bar",
    "box plot of body mass by species": "plot of body_mass_g by species box",
    "探索 penguins": "overview",
    "看一下数据": "overview",
    "各物种的平均体重": "aggregate mean of body_mass_g by species",
    "各物种的平均体重是多少？": "aggregate mean of body_mass_g by species",
    "雌性企鹅的平均体重": "aggregate mean of body_mass_g where sex = female",
    "Gentoo 企鹅的体重中位数": "aggregate median of body_mass_g where species = Gentoo",
    "2008年的平均体重": "aggregate mean of body_mass_g where year = 2008",
    "2008年以后的平均体重": "aggregate mean of body_mass_g where year >= 2008",
    "体重大于4000的企鹅有多少": "counts where body_mass_g > 4000",
    "不同岛屿有多少只企鹅": "counts by island",
    "哪个物种的平均体重最高": "aggregate mean of body_mass_g by species highest",
    "体重最大的5只企鹅": "top of body_mass_g highest first 5",
    "缺失值有多少": "missing",
    "有重复行吗": "duplicates",
    "体重的异常值": "outliers of body_mass_g",
    "比较雄性和雌性的体重": "compare of body_mass_g by sex male/female",
    "体重和鳍长的相关性": "correlation of body_mass_g,flipper_length_mm",
    "体重随时间的趋势": "trend mean of body_mass_g by year",
    "画出体重的直方图": "plot of body_mass_g histogram",
    "penguins 有多少行": "counts",
    "雌性企鹅的比例": "share where sex = female",
}

SALES_READINGS = {
    "total revenue by region": "aggregate sum of Revenue $ by Region",
    "average unit price": "aggregate mean of unitPrice",
    "total quantity in 2021": "aggregate sum of qty where year of Order Date = 2021",
    "average unit price in March 2022": (
        "aggregate mean of unitPrice where month of Order Date = 3 & year of Order Date = 2022"
    ),
    "monthly total revenue": "aggregate sum of Revenue $ by month",
    "average unit price by year": "aggregate mean of unitPrice by year",
    "which month has the highest total revenue?": "aggregate sum of Revenue $ by month highest",
    "which month number has the highest total revenue over all years?": (
        "aggregate sum of Revenue $ by month number highest"
    ),
    "trend of revenue by month": "trend mean of Revenue $ by month",
    "on what date was the largest revenue?": "top of Revenue $ highest first 1",
    "average unit price by 客户类型": "aggregate mean of unitPrice by 客户类型",
    "企业的平均 unitPrice": "aggregate mean of unitPrice where 客户类型 = 企业",
    "按地区的总收入": "aggregate sum of Revenue $ by Region",
    "Compare unit price in North and South": "compare of unitPrice by Region North/South",
}

DECLINED = {
    "average bill by species": ("ambiguous", "bill"),
    "mean body mass in kg": ("words", "kg"),
    "mean body mass not on Dream": ("words", "not"),
    "mean body mass without Adelie": ("words", "without"),
    "mean body mass of penguins over 4000 g": ("words", "4000"),
    "mean body mass of juveniles": ("words", "juveniles"),
    "train a random forest to predict species": ("words", "forest"),
    "write a poem": ("words", "poem"),
    "mean salary": ("words", "salary"),
    "mean species": ("not_numeric", "species"),
    "average": ("no_column", ""),
    "geometric mean of body mass": ("words", "geometric"),
    "what fraction of Gentoo are male": ("unsupported", "sex"),
    "mean body mass of male or Gentoo penguins": ("unsupported", "species"),
    "count of missing values by species": ("unsupported", "species"),
    "how many penguins per species per island per sex": ("unsupported", "sex"),
    "average body mass across all species": ("words", "across"),
    "mean flipper length of body mass": ("words", "body mass"),
    "how many sex": ("unsupported", "sex"),
    "you may take the mean body mass": ("words", "may"),
    "mean body mass of the heaviest ten percent": ("words", "heaviest"),
    "trimmed mean of body mass by species": ("words", "trimmed"),
    "不包括Adelie的平均体重": ("words", "不"),
    "训练一个随机森林": ("words", "训练"),
    "mean body mass in March": ("no_date", ""),
    "bootstrap the mean body mass": ("words", "bootstrap"),
}


@pytest.mark.parametrize("prompt", READINGS)
def test_a_question_is_read_as_it_is_meant(prompt):
    assert summary(read(prompt)) == READINGS[prompt]


@pytest.mark.parametrize("prompt", SALES_READINGS)
def test_names_are_matched_whatever_their_case_language_and_abbreviation(prompt):
    assert summary(read(prompt, SALES)) == SALES_READINGS[prompt]


@pytest.mark.parametrize("prompt", DECLINED)
def test_what_no_rule_covers_is_declined_with_the_words_in_the_way(prompt):
    reason, word = DECLINED[prompt]
    found = read(prompt)
    assert isinstance(found, Unclear)
    assert found.reason == reason
    assert not word or any(word in told for told in found.words)


def test_decimals_are_taken_from_the_question_and_not_read_as_a_number():
    query = read("mean body mass, 3 decimals")
    assert isinstance(query, Query)
    assert query.decimals == 3
    assert read("平均体重，保留两位小数").decimals == 2  # type: ignore[union-attr]


def test_a_column_read_from_another_word_is_told():
    query = read("mean mass by species")
    assert isinstance(query, Query)
    assert query.readings == (("mass", "body_mass_g"),)


WORDS = sorted({word for prompt in [*READINGS, *DECLINED] for word in prompt.split()})


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([*WORDS, "zqx", "5", "2008", ">=", "'", "`", "("]), max_size=8).map(" ".join))
def test_any_words_are_read_or_declined_and_never_raise(prompt):
    assert isinstance(read(prompt), (Query, Unclear))
    assert isinstance(read(prompt, SALES), (Query, Unclear))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=60))
def test_any_text_is_read_or_declined_and_never_raises(text):
    assert isinstance(read(text), (Query, Unclear))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.sampled_from([p for p, kind in READINGS.items() if kind not in ("overview",)]), st.integers(0, 12))
def test_an_unknown_word_anywhere_keeps_a_focused_question_from_an_answer(prompt, place):
    words = prompt.split()
    place = min(place, len(words))
    found = read(" ".join([*words[:place], "zqxw", *words[place:]]))
    assert isinstance(found, Unclear) or found.kind == "overview" or found.kind == "describe"
