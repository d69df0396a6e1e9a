"""Cells that go with a prompt: what a model reads of them, within bounds."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.context.previews.budget import count_tokens
from pi_notebook.session.attached_cells import MAX_CELLS, AttachedCell, cells_attachment, cells_text

CELLS = st.lists(
    st.builds(
        lambda number, words, lines: AttachedCell(
            number=number, source="x = 1\n" * words, output="0.123456 " * lines
        ),
        st.integers(1, 500),
        st.integers(0, 3_000),
        st.integers(0, 3_000),
    ),
    min_size=1,
    max_size=80,
)


def test_without_cells_nothing_is_attached():
    assert cells_attachment([], {}) == []


@settings(derandomize=True, max_examples=15, deadline=None)
@given(CELLS, st.integers(500, 5_000))
def test_cells_stay_within_their_bound(cells, room):
    text = cells_text(cells, max_tokens=room)
    assert count_tokens(text) < room + 100 + 30 * min(len(cells), MAX_CELLS)
    assert text.startswith("<attachment cells=")


def test_an_output_that_is_given_alone_is_named_as_one():
    assert AttachedCell(number=3, source=" ", output="7\n").text == "Output of cell 3:\n7"
    assert AttachedCell(number=3, source="3 + 4", output="7\n").text == "Cell 3:\n3 + 4\nIts output:\n7"


def test_what_a_short_cell_leaves_of_its_share_the_next_ones_have():
    short, long = AttachedCell(number=1, source="x"), AttachedCell(number=2, source="word " * 900)
    assert "left out" not in cells_text([short, long], max_tokens=1_000)


def test_more_cells_than_are_shown_are_counted():
    cells = [AttachedCell(number=number, source="x") for number in range(1, MAX_CELLS + 4)]
    assert cells_text(cells).endswith("[3 more cells left out.]\n</attachment>")


def test_a_key_in_a_cell_is_not_sent(monkeypatch):
    monkeypatch.setenv("SERVICE_API_KEY", "sk-0123456789abcdef0123456789")
    text = cells_text([AttachedCell(number=1, source="key = 'sk-0123456789abcdef0123456789'")])
    assert "0123456789abcdef" not in text
