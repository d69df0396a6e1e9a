"""Rows of a table fill the budget: what is shown is within it, and one row or column more would not be."""

import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_notebook.context.previews import preview
from pi_notebook.context.previews.budget import most_fitting
from pi_notebook.context.previews.columns import mixed_columns
from pi_notebook.context.previews.frames import Draft, RowLines
from pi_notebook.context.previews.preview import ASKED_ROWS, CELL_ROWS, RowBounds
from pi_notebook.context.previews.rows import RowRange, preview_rows
from pi_notebook.context.previews.tables import find_table
from pi_notebook.context.tokens import count_tokens

always = settings(
    max_examples=40, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
words = st.one_of(
    st.text(max_size=12),
    st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1, max_size=200),
    st.text(st.characters(min_codepoint=0x1F300, max_codepoint=0x1F6FF), max_size=40),
    st.sampled_from(["", ",", '"', "\n" * 30, "a" * 5000, "lorem ipsum " * 200, "é" * 90]),
)
cells = st.one_of(words, st.integers(), st.floats(), st.none(), st.lists(st.integers(), max_size=40))


@st.composite
def tables(draw):
    """Long, wide and narrow frames, of long cells and of any script."""
    width, height = draw(st.integers(1, 40)), draw(st.integers(1, 120))
    some = draw(st.lists(cells, min_size=1, max_size=12))
    names = draw(st.lists(words, min_size=1, max_size=5))
    columns = {
        f"{names[at % len(names)][:100]}{at}": pd.Series(
            [some[(row * (at + 1) + at) % len(some)] for row in range(height)], dtype=object
        )
        for at in range(width)
    }
    return pd.DataFrame(columns)


budgets = st.sampled_from([40, 90, 200, 500, 1_500, 4_000])
bounds = st.sampled_from([CELL_ROWS, ASKED_ROWS, RowBounds(whole=500, head=300, tail=100, columns=40)])


@always
@given(tables(), budgets, bounds, st.sampled_from([None, "df", "x" * 60]))
def test_what_is_shown_never_exceeds_the_budget_and_is_not_cut_apart(frame, max_tokens, rows, name):
    found = preview(frame, max_tokens=max_tokens, rows=rows, name=name)
    assert count_tokens(found.text) <= max_tokens
    if max_tokens >= 500:
        assert "left out …]" not in found.text
        assert found.details["rows_shown"] <= rows.most(*frame.shape)


@always
@given(tables(), budgets, bounds, st.sampled_from(["DataFrame", "columns\n" * 20]))
def test_rows_fill_the_room_that_is_left(frame, max_tokens, rows, intro):
    table = find_table(frame)
    positions = range(table.column_count)
    lines = RowLines(table, positions, mixed_columns(table, positions), 12)
    draft = Draft(table, intro, max_tokens, rows)
    found = draft.most(lines, positions)
    if found.count:
        assert count_tokens(f"{intro}\n{found.text}") <= max_tokens
    if found.count not in (rows.most(table.row_count, table.column_count), rows.head + rows.tail):
        assert count_tokens(f"{intro}\n{draft.text(lines, found.count + 1)}") > max_tokens


@always
@given(tables(), st.sampled_from([120, 300, 800]))
def test_rows_that_are_asked_for_fill_the_budget(frame, max_tokens):
    found = preview_rows(frame, RowRange(start=None, stop=None), max_tokens=max_tokens)
    assert count_tokens(found.text) <= max_tokens


def test_where_no_row_fits_there_are_fewer_columns():
    frame = pd.DataFrame({f"column_{i}": [f"value {i} {row}" for row in range(500)] for i in range(30)})
    found = preview(frame, max_tokens=360)
    assert found.details["rows_shown"] >= 1
    assert 1 <= found.details["columns_shown"] < 30
    assert "more …)" in found.text


def test_a_single_wide_row_shows_as_many_columns_as_fit():
    frame = pl.DataFrame({f"c{i}": ["漢字" * 40] for i in range(200)})
    found = preview(frame, max_tokens=1_000)
    assert found.details["rows_shown"] == 1
    assert found.details["columns_shown"] >= 5


@pytest.mark.parametrize("is_fitting", [lambda n: n < 4 or n == 9, lambda n: n in (0, 1, 2, 4, 5)])
def test_a_number_that_fits_is_verified_and_one_more_does_not(is_fitting):
    count = most_fitting(is_fitting, 9)
    assert is_fitting(count)
    assert count == 9 or not is_fitting(count + 1)
