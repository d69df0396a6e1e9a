"""Exceptions as a model reads them: the person's frames, the number of the others, the last line."""

import io
import json

import pytest

from pi_notebook.kernel.tracebacks import describe_exception


def told(failing):
    """The traceback of what `failing` raises, its own frame the first."""
    try:
        failing()
    except Exception as raised:
        error = raised.with_traceback(raised.__traceback__.tb_next)
    return describe_exception(error, name_file=lambda filename: "<agent code>").traceback


def test_frames_of_a_library_are_counted():
    text = told(lambda: json.loads("{"))
    assert "  … 3 frames in json …\njson.decoder.JSONDecodeError: Expecting" in text
    assert text.count("File ") == 1
    assert 'File "<agent code>", line' in text


def test_a_missing_column_takes_a_few_lines():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1]})
    text = told(lambda: frame["b"])
    assert text.count("KeyError: 'b'") == 1
    assert "frames in pandas …\nKeyError: 'b'" in text
    assert len(text) < 300


def test_own_frames_between_those_of_libraries_stay_in_their_place():
    pandas = pytest.importorskip("pandas")
    text = told(lambda: pandas.DataFrame({"a": [1]}).apply(lambda row: 1 / 0, axis=1))
    lines = text.split("\n")
    places = [i for i, line in enumerate(lines) if line.startswith("  … ") or line.startswith("  File")]
    assert [lines[place].startswith("  … ") for place in places] == [False, True, False]
    assert text.endswith("ZeroDivisionError: division by zero")


def test_what_led_to_an_error_is_told_when_it_says_something_else():
    pandas = pytest.importorskip("pandas")
    text = told(lambda: pandas.read_csv(io.BytesIO(b"a\n1,2\n1,2,3,4\n"), engine="c"))
    assert text.startswith("Traceback (most recent call last):\n  File")
    assert "ParserError" in text

    def outer():
        try:
            json.loads("{")
        except ValueError as error:
            raise RuntimeError("no settings") from error

    text = told(outer)
    assert (
        text.index("JSONDecodeError: ") < text.index("direct cause") < text.index("RuntimeError: no settings")
    )


def test_an_error_raised_again_with_the_same_words_by_the_person_is_told_twice():
    def outer():
        try:
            {}["k"]  # noqa: B018
        except KeyError:
            raise KeyError("k")  # noqa: B904

    assert told(outer).count("KeyError: 'k'") == 2


def test_the_first_and_last_calls_of_a_recursion_are_told():
    def even(n):
        return odd(n + 1)

    def odd(n):
        return even(n + 1)

    text = told(lambda: even(0))
    assert "more frames …" in text
    assert text.count("File ") == 12
    assert "lambda" in text


def test_the_line_of_each_frame_is_the_one_that_failed():
    def fail():
        return 1 / 0

    assert "in fail\n    return 1 / 0" in told(fail)


@pytest.mark.parametrize("unit", ["y", "\u96ea", "line\n"])
def test_a_long_message_tells_how_much_of_it_is_left_out_and_blames_no_frames(unit):
    def fail():
        raise ValueError("begin " + unit * 30_000 + " end")

    text = told(fail)
    assert len(text.encode()) <= 4096
    assert "earlier frames" not in text
    start, _, rest = text.partition(" [... ")
    count, _, end = rest.partition(" bytes left out ...] ")
    assert start.splitlines()[-1].startswith(("ValueError: begin", "line", "li", "l"))
    assert end.endswith(" end")
    size = len(f"ValueError: begin {unit * 30_000} end".encode())
    shown = len(start[start.rindex("ValueError") :].encode()) + len(end.encode())
    assert size - shown - 6 <= int(count.replace(",", "")) <= size - shown


def test_frames_that_have_no_room_are_said_to_be_left_out():
    def fail(depth=0):
        try:
            raise ValueError(f"{depth} " + "word " * 100)
        except ValueError as error:
            raise KeyError(depth) from error if depth == 8 else fail(depth + 1)

    assert told(fail).startswith("[earlier frames left out]\n")
