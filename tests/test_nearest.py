"""Which right names are offered for a wrong one, and in which words."""

import ast
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pi_notebook
from pi_notebook._nearest import did_you_mean, nearest

PACKAGE = Path(pi_notebook.__file__).parent


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        ("SALES.CSV", ["other.txt", "sales.csv"], ["sales.csv"]),
        ("Sales", ["sale", "sales"], ["sales", "sale"]),
        ("max_lines", ["max_line", "output.max_lines"], ["output.max_lines", "max_line"]),
        ("atuo", ["at", "auto"], ["auto", "at"]),
        ("automatic", ["plan", "ask", "auto"], ["auto"]),
        ("sales.csv", ["b.txt", "2024__region-north__sales.csv"], ["2024__region-north__sales.csv"]),
        ("ab", ["a_long_name_ab.csv", "zzz"], []),
        ("zzz", ["plan", "ask"], []),
        ("", ["a"], []),
        ("fd", ["df", "df"], ["df"]),
        ("ß", ["SS", "ss"], ["SS", "ss"]),
    ],
)
def test_the_likeliest_comes_first_and_what_is_unlike_does_not_come(name, names, expected):
    assert nearest(name, names) == expected


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, " Did you mean aa1?"), (2, " Did you mean aa1 or aa2?"), (3, " Did you mean aa1, aa2 or aa3?")],
)
def test_the_question_lists_as_many_as_asked_for(count, text):
    assert did_you_mean("aa1", ["aa1", "aa2", "aa3", "aa4"], count=count) == text
    assert did_you_mean("zz", ["aa1"], count=count) == ""


@settings(derandomize=True, max_examples=200)
@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=20), st.integers(1, 5))
def test_only_names_that_exist_are_offered_each_once_and_never_too_many(name, names, count):
    found = nearest(name, names, count=count)
    assert set(found) <= set(names)
    assert len(found) == len(set(found)) <= count
    if name in names and name:
        assert found[0].casefold() == name.casefold()


def test_ten_thousand_names_take_no_noticeable_time():
    began = time.process_time()
    nearest("x" * 100_000, (f"column number {number} of a wide frame" for number in range(100_000)))
    assert time.process_time() - began < 1


def test_names_are_compared_in_one_place_alone():
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if getattr(node, "attr", getattr(node, "name", "")) == "get_close_matches"
    }
    # Lines of a file are no names.
    assert users - {"_nearest.py", "tools/replacements.py"} == set()
