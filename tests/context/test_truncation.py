"""Shortening a text: never over a limit, never a broken character, and a notice that is true."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.context.truncation import (
    OutputLimits,
    TextSize,
    Truncation,
    format_bytes,
    truncate_head,
    truncate_middle,
    truncate_tail,
)

WAYS = [truncate_head, truncate_tail, truncate_middle]
CHARACTERS = st.sampled_from("ab \n\n\u00e9\u4e2d\U0001f600\u0301\ud83d\ude00")
TEXTS = st.one_of(
    st.text(CHARACTERS, max_size=400),
    st.lists(st.text(CHARACTERS, max_size=60), max_size=60).map("\n".join),
    st.text(max_size=200),
)
LIMITS = st.builds(
    OutputLimits,
    max_lines=st.integers(1, 40),
    max_bytes=st.one_of(st.integers(4, 60), st.integers(400, 900)),
)
EXAMPLES = settings(max_examples=300, derandomize=True, deadline=None)


def lines_of(text: str) -> list[str]:
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.removesuffix("\n").split("\n") if text else []


def shown_lines(result: Truncation) -> int:
    """Of what is shown of more, the last line has no newline of its own."""
    if result.is_truncated and result.shown:
        return result.content.count("\n") + 1
    return TextSize.of(result.content.encode()).line_count


@pytest.mark.parametrize("way", WAYS)
@EXAMPLES
@given(text=TEXTS, limits=LIMITS)
def test_no_limit_is_ever_passed_and_no_character_broken(way, text, limits):
    result = way(text, limits)
    size = TextSize.of(result.content.encode("utf-8"))
    assert size.line_count <= limits.max_lines
    assert size.byte_count <= limits.max_bytes
    assert (result.output_lines, result.output_bytes) == (shown_lines(result), size.byte_count)
    if "\ufffd" not in "".join(lines_of(text)):
        assert "\ufffd" not in result.content


@pytest.mark.parametrize("way", WAYS)
@EXAMPLES
@given(text=TEXTS, limits=LIMITS)
def test_the_spans_name_exactly_the_lines_that_are_shown(way, text, limits):
    result = way(text, limits)
    lines = lines_of(text)
    assert result.total_lines == len(lines)
    if not result.is_truncated:
        assert lines_of(result.content) == lines
        assert result.notice == ""
        return
    assert shown_by(result.shown, lines, result)


def shown_by(spans, lines: list[str], result: Truncation) -> bool:
    parts = []
    for span in spans:
        there = [line.encode() for line in lines[span.first - 1 : span.last]]
        if span.cut == "end":
            there[-1] = there[-1][: span.byte_count]
        elif span.cut == "start":
            there[0] = there[0][len(there[0]) - span.byte_count :]
        parts.append(b"\n".join(there).decode())
    if not parts:
        return result.content == ""
    if len(parts) == 1:
        return result.content in (parts[0], f"{parts[0]}\n")
    return result.content.startswith(f"{parts[0]}\n[... ") and result.content.endswith(f" ...]\n{parts[1]}")


@pytest.mark.parametrize("way", WAYS)
def test_what_fits_is_given_back_as_it_is(way):
    padded = "".join(f"{i}".ljust(199) + "\n" for i in range(200))
    assert way(padded).content == padded
    exactly = "x\n" * 2000
    assert not way(exactly).is_truncated
    assert way("").content == ""


@pytest.mark.parametrize("way", WAYS)
def test_a_final_newline_is_no_line(way):
    assert way("a\nb\n").total_lines == 2
    assert not way("a\nb\n", OutputLimits(max_lines=2)).is_truncated
    assert not way("x" * 51_200 + "\n").is_truncated


def test_a_giant_last_line_keeps_its_end_with_or_without_a_newline():
    for size in (100_000, 250_000):
        for end in ("", "\n"):
            result = truncate_tail("x" * size + "END-MARKER" + end)
            assert result.content.endswith("END-MARKER")
            assert result.output_bytes == 51_200
            assert result.notice.startswith("Showing the last 50.0 KB of line 1 of 1 line, ")


def test_a_giant_line_is_shown_however_many_blank_lines_stand_beside_it():
    end = truncate_tail("x" * 250_000 + "END-MARKER\n\n \n")
    assert end.content.endswith("xEND-MARKER\n\n ")
    assert end.notice.startswith("Showing the last 50.0 KB of line 1 and lines 2-3 of 3 lines, ")
    start = truncate_head("\n\nSTART" + "x" * 250_000)
    assert start.content.startswith("\n\nSTARTx")
    assert start.notice.startswith("Showing lines 1-2 and the first 50.0 KB of line 3 of 3 lines, ")


def test_blank_lines_that_are_shown_count():
    assert truncate_head("\n\na\n", OutputLimits(max_lines=1)).notice.startswith(
        "Showing line 1 of 3 lines, "
    )
    kept = truncate_tail("a\n\nb\n", OutputLimits(max_lines=2))
    assert (kept.output_lines, kept.notice[:25]) == (2, "Showing lines 2-3 of 3 li")


@pytest.mark.parametrize("blank", ["\n", "  \n", "\t\n"])
@pytest.mark.parametrize("end", ["", "   "])
def test_blank_lines_at_the_end_never_push_out_what_was_said(blank, end):
    limits = OutputLimits(max_lines=20, max_bytes=4_000)
    done = truncate_tail("first\nDONE\n" + blank * 50 + end, limits)
    assert done.content == "first\nDONE"
    assert done.truncated_by == "lines"
    assert done.notice.startswith(f"Showing lines 1-2 of {52 + bool(end)} lines")
    both = truncate_middle("start\n" * 30 + "DONE\n" + blank * 50, limits)
    assert both.content.endswith("\nstart\nDONE")
    assert "[... 13 lines not shown ...]" in both.content


def test_sizes_are_bytes_of_utf8():
    result = truncate_tail("\u4e2d" * 40_000)
    assert result.total_bytes == 120_000
    assert result.output_bytes == 51_198
    assert set(result.content) == {"\u4e2d"}


def test_a_cut_takes_no_mark_from_its_letter():
    result = truncate_tail("e\u0301" * 100, OutputLimits(max_bytes=200))
    assert result.content.startswith("e")


def test_the_middle_names_the_lines_left_out():
    text = "".join(f"line {i}\n" for i in range(1, 5001))
    result = truncate_middle(text)
    assert "\nline 999\n[... 3,002 lines not shown ...]\nline 4002\n" in result.content
    assert result.notice == (
        "Showing lines 1-999 and lines 4,002-5,000 of 5,000 lines, 47.7 KB in all (2,000 line limit)."
    )


def test_the_tail_says_which_lines_of_how_many():
    text = "".join(f"line {i}\n" for i in range(1, 2002))
    result = truncate_tail(text)
    assert result.content.startswith("line 2\n")
    assert result.notice == "Showing lines 2-2,001 of 2,001 lines, 18.5 KB in all (2,000 line limit)."
    assert result.details()["truncatedBy"] == "lines"


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (1023, "1,023 bytes"), (51_200, "50.0 KB"), (200_000_000, "190.7 MB")],
)
def test_sizes_read_well(count, text):
    assert format_bytes(count) == text
