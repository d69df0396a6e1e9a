"""What a model is shown of terminal output."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.context.cleaning import (
    clean,
    decode,
    encode,
    fold_blank_lines,
    fold_frames,
    is_binary,
    show_controls,
)

PIECES = st.sampled_from(
    [
        "a",
        "Z",
        " ",
        "\n",
        "\r",
        "\b",
        "\t",
        "\x1b",
        "\x1b[31m",
        "\x1b[K",
        "[",
        "]",
        "m",
        "\x1b]0;t\x07",
        "\x9b1m",
    ]
    + [
        "\x1b]52;c;Zm9v\x1b\\",
        "\x1bPq#1\x1b\\",
        "\x1b_x\x9c",
        "\x00",
        "\x7f",
        "\u202e",
        "\U000e0041",
        "\u4e2d",
        "5%",
    ]
)
STREAMS = st.lists(PIECES, max_size=60).map("".join)
EXAMPLES = settings(max_examples=400, derandomize=True, deadline=None)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[?25l\x1b[2K\x1b[38;5;12mx", "x"),
        ("\x9b31mred\x9bm", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;Zm9v\x07", ""),
        ("\x9d0;title\x9ctext", "text"),
        ("\x1bPq#0;2;0;0;0\x1b\\after", "after"),
        ("\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\end", "end"),
        ("\x1b(B\x1b=\x1bcx", "x"),
        ("\x1b]0;never ended\nnext", "0;never ended\nnext"),
        ("half\x1b[", "half"),
        ("half\x1b", "half"),
        ("  5%\r 50%\r100%\n", "100%\n"),
        ("bar\r\x1b[K", "bar"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("one\r\r\ntwo", "one\ntwo"),
        ("bold: B\bBO\bOL\bLD\bD", "bold: BOLD"),
        ("a\x00b\x07c\x7fd\x85e", "abcde"),
        ("tab\tstays\n", "tab\tstays\n"),
        ("pay\u202etxt.exe", "pay\\u202etxt.exe"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("zero\u200bwidth \ufeff", "zero\\u200bwidth \\ufeff"),
        ("family \U0001f468\u200d\U0001f469", "family \U0001f468\u200d\U0001f469"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("pair \ud83d\ude00", "pair \U0001f600"),
    ],
)
def test_a_model_reads_what_a_terminal_would_have_shown(raw, shown):
    assert clean(raw) == shown


@EXAMPLES
@given(STREAMS)
def test_nothing_that_steers_a_terminal_is_left_and_no_line_is_lost(raw):
    cleaned = clean(raw)
    assert cleaned.count("\n") == raw.count("\n")
    assert not set(cleaned) & {"\x1b", "\x9b", "\r", "\b", "\x00", "\x07", "\u202e", "\U000e0041"}
    assert clean(cleaned) == cleaned


@EXAMPLES
@given(st.lists(STREAMS, max_size=6))
def test_frames_may_be_folded_piece_by_piece(pieces):
    folded = b""
    for piece in pieces:
        folded = fold_frames(folded + encode(piece))
    assert folded == fold_frames(encode("".join(pieces)))
    assert clean(decode(folded)) == clean(decode(encode("".join(pieces))))


def test_a_megabyte_without_an_end_is_cleaned_in_linear_time():
    for unit in ("\x1b]", "\x9d", "\x1b[", "a\r", "a\b", "\x1b"):
        assert len(clean(unit * (1_000_000 // len(unit)))) <= 1_000_000


def test_blank_lines_are_folded_to_two():
    assert fold_blank_lines("a\n\n\n\n  \n\nb\n\nc\n") == "a\n\n\nb\n\nc\n"


def test_bytes_that_are_no_utf8_never_raise():
    assert decode(b"caf\xe9") == "caf\ufffd"
    assert decode("\ud83d".encode("utf-8", "surrogatepass")) == "\ufffd"
    assert decode("\ud83d\ude00".encode("utf-8", "surrogatepass")) == "\U0001f600"


def test_noise_is_told_from_text():
    assert is_binary(decode(bytes(range(256)) * 4))
    assert not is_binary(decode("caf\xe9 ".encode("latin-1") * 10 + b"plain text " * 50))
    assert not is_binary(decode("\u6570\u636e\u79d1\u5b66 ".encode("gbk") * 100))
    assert not is_binary("\x1b[31mred\x1b[0m\b\b\r" * 100)
    assert not is_binary("\x00\x00")


def test_a_file_shows_its_control_characters():
    assert show_controls("a\x1b[0m\tb\u202e\x00\n") == "a\\x1b[0m\tb\\u202e\\x00\n"
