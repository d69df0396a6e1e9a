"""The words for what a person ran, within their bound."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.context.person_cells import describe_cells
from pi_notebook.context.tokens import count_tokens
from pi_notebook.kernel.person_cells import PersonCell


def cell(number: int, code: str = "x = 1", **more) -> PersonCell:
    return PersonCell(number=number, code=code, code_chars=len(code), ended_ms=number + 1, **more)


def test_a_cell_is_told_with_its_output_value_and_error():
    told = describe_cells(
        [
            cell(3, "print(1)\n7", output="1\n", output_chars=2, value="7"),
            cell(4, "1/0", error="ZeroDivisionError"),
        ],
        max_tokens=2000,
    )
    assert told.text == (
        "<cells>\nRun by the person since the last prompt:\n"
        "In[3]:\nprint(1)\n7\nOutput:\n1\nOut[3]: 7\n"
        "In[4]:\n1/0\nError: ZeroDivisionError\n</cells>"
    )
    assert (told.shown, told.omitted) == (2, 0)


def test_what_steers_a_terminal_is_not_told():
    told = describe_cells(
        [cell(1, output="10%\r100%\n\x1b[31mred\x1b[0m\n", output_chars=30)], max_tokens=2000
    )
    assert "Output:\n[… the end of 30 characters]\n100%\nred\n" in told.text


@pytest.mark.parametrize("max_tokens", [0, -1, 5])
def test_no_room_is_nothing_to_tell(max_tokens):
    assert describe_cells([cell(1)], max_tokens=max_tokens) is None


def test_the_newest_are_kept_and_the_one_at_the_edge_in_part():
    cells = [cell(number, f"y = {number}\n" + "word " * 300) for number in range(1, 21)]
    told = describe_cells(cells, max_tokens=2000)
    assert "In[20]" in told.text
    assert "In[1]:" not in told.text
    assert f"({told.omitted} earlier ones left out)" in told.text
    assert told.text.count("left out …]") == 1
    assert count_tokens(told.text) > 1500


@settings(max_examples=60, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.text(max_size=400), st.text(max_size=400)), max_size=12), st.integers(0, 400))
def test_the_bound_holds_always(texts, max_tokens):
    cells = [
        cell(number, code, output=output, output_chars=len(output))
        for number, (code, output) in enumerate(texts)
    ]
    told = describe_cells(cells, max_tokens=max_tokens)
    assert told is None or count_tokens(told.text) <= max_tokens
    assert told is None or told.shown + told.omitted == len(cells)
