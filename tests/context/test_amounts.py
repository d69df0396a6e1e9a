"""How amounts are worded."""

import pytest

from pi_notebook.context.amounts import all_of, count_of


@pytest.mark.parametrize(
    ("count", "words", "said"),
    [
        (0, ("line",), "0 lines"),
        (1, ("line",), "1 line"),
        (1_234_567, ("byte",), "1,234,567 bytes"),
        (1.0, ("second",), "1 second"),
        (0.5, ("second",), "0.5 seconds"),
        (1, ("match", "matches"), "1 match"),
        (2, ("match", "matches"), "2 matches"),
    ],
)
def test_one_is_one_and_more_are_many(count, words, said):
    assert count_of(count, *words) == said


@pytest.mark.parametrize(
    ("items", "text"), [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
)
def test_a_list_is_worded_as_people_write_it(items, text):
    assert all_of(items) == text
