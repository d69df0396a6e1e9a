"""Output taken in while it is produced: bounded, counted exactly, whole on disk."""

import gc
import os
import stat
import threading
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.context.accumulator import OutputAccumulator
from pi_notebook.context.spill import SpillFolder
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.kernel.outputs import DisplayOutput

LINE = "0123456789" * 7 + "abc\n"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
EXAMPLES = settings(max_examples=60, derandomize=True, deadline=None)
UNITS = st.sampled_from(
    ["word ", "line\n", "\n", "\r 50%", "\r\n", "\x1b[31m", "\u4e2d\u6587", "\U0001f600", "\ud83d", "\ude00"]
    + ["x" * 3000, "row\n" * 700, "\r100%" * 900, "\x1b[0m" * 500]
)
STREAMS = st.lists(st.tuples(UNITS, st.integers(1, 40)), max_size=12).map(
    lambda parts: "".join(unit * count for unit, count in parts)
)


@pytest.fixture
def folder(tmp_path):
    return SpillFolder(path=tmp_path / "spill")


def written(text: str, folder=None, *, piece: int = 10**9, **options) -> OutputAccumulator:
    accumulator = OutputAccumulator(spill_folder=folder, **options)
    for start in range(0, len(text), piece):
        accumulator.write("stdout", text[start : start + piece])
    return accumulator


@pytest.mark.parametrize("keep", ["head", "tail", "ends"])
@EXAMPLES
@given(text=STREAMS, piece=st.integers(1, 5000), as_bytes=st.booleans())
def test_the_pieces_output_comes_in_change_nothing(keep, text, piece, as_bytes):
    whole = written(text)
    pieces = OutputAccumulator()
    raw = text.encode("utf-8", "surrogatepass")
    source = raw if as_bytes else text
    for start in range(0, len(source), piece):
        part = source[start : start + piece]
        pieces.feed(part) if as_bytes else pieces.write("stderr", part)
    assert pieces.result(keep=keep) == whole.result(keep=keep)
    assert pieces.size == whole.size


@pytest.mark.parametrize("keep", ["head", "tail", "ends"])
@EXAMPLES
@given(text=STREAMS)
def test_an_output_is_within_its_limits_and_can_be_read_back_byte_for_byte(tmp_path_factory, keep, text):
    limits = OutputLimits(max_lines=100, max_bytes=2000)
    folder = SpillFolder(path=tmp_path_factory.mktemp("spill") / "s")
    output = written(text, folder, limits=limits)
    result = output.result(keep=keep)
    raw = text.encode("utf-8", "surrogatepass")
    assert len(result.content.encode("utf-8")) <= limits.max_bytes
    assert result.content.count("\n") <= limits.max_lines
    assert "\x1b" not in result.content
    assert "\r" not in result.content
    assert result.truncation.total_bytes == len(raw)
    assert result.truncation.total_lines == raw.count(b"\n") + (raw[-1:] not in (b"", b"\n"))
    if result.truncation.is_truncated:
        assert result.spill.is_whole
        assert result.spill.path.read_bytes() == raw
        assert str(result.spill.path) in result.notice
    output.close()


def test_a_short_output_is_all_there_and_opens_no_file(folder):
    result = written("hello\n", folder).result()
    assert (result.text, result.notice) == ("hello\n", "")
    assert not folder.path.exists()


def test_two_thousand_lines_are_shown_and_one_more_is_not(folder):
    assert not written("x\n" * 2000, folder).result().truncation.is_truncated
    result = written("".join(f"{i}\n" for i in range(1, 2002)), folder).result()
    assert result.notice == (
        "[Showing lines 2-2,001 of 2,001 lines, 8.7 KB in all (2,000 line limit). "
        f"Full output: {result.spill.path} (`read` pages it).]"
    )


def test_line_numbers_count_the_whole_stream(folder):
    lines = 100_000
    result = written("".join(f"{i}\n" for i in range(1, lines + 1)), folder).result()
    first = result.truncation.shown[0].first
    assert result.content.split("\n")[0] == str(first)
    assert (result.truncation.shown[0].last, result.truncation.total_lines) == (lines, lines)


def test_both_ends_are_kept_when_both_matter(folder):
    result = written("".join(f"{i}\n" for i in range(1, 100_001)), folder).result(keep="ends")
    assert result.content.startswith("1\n2\n")
    assert result.content.endswith("\n99999\n100000")
    assert "\n[... 98,002 lines not shown ...]\n" in result.content


def test_what_was_said_before_a_flood_of_blank_lines_is_shown(folder):
    text = written("saved 12 rows\n" + "\n" * 400_000, folder).result().text
    assert text.startswith("saved 12 rows\n")
    assert "of 400,001 lines" in text


def test_a_progress_bar_takes_no_room_from_real_lines(folder):
    frames = "".join(f"\r{i:7d}/200000 [#####     ]" for i in range(200_000))
    result = written("loading\nresult 1\n" + frames + "\ndone\n", folder).result()
    assert result.content == "loading\nresult 1\n 199999/200000 [#####     ]\ndone\n"
    assert result.notice == ""


def test_noise_is_named_by_its_size(folder):
    accumulator = OutputAccumulator(spill_folder=folder)
    noise = bytes((i * 193 + i // 7) % 256 for i in range(118_000))
    accumulator.feed(noise)
    result = accumulator.result()
    assert result.content == "(binary output of 115.2 KB)"
    assert result.spill.path.read_bytes() == noise


def test_the_files_and_their_folder_are_private(folder):
    mask = os.umask(0)
    try:
        result = written(LINE * 1000, folder).result()
    finally:
        os.umask(mask)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert stat.S_IMODE(result.spill.path.stat().st_mode) == 0o600


def test_a_full_disk_is_a_note_and_nothing_is_raised(tmp_path):
    (tmp_path / "file").write_text("in the way")
    result = written(LINE * 1000, SpillFolder(path=tmp_path / "file" / "spill")).result()
    assert "The rest was not kept: the file could not be written" in result.notice
    assert result.truncation.total_lines == 1000


def test_a_folder_that_is_a_link_is_refused(tmp_path):
    (tmp_path / "victim").mkdir()
    (tmp_path / "spill").symlink_to(tmp_path / "victim")
    result = written(LINE * 1000, SpillFolder(path=tmp_path / "spill")).result()
    assert "is not a folder" in result.notice
    assert list((tmp_path / "victim").iterdir()) == []


def test_the_spill_stops_at_its_quota_and_says_so(tmp_path):
    text = LINE * 10_000
    result = written(text, SpillFolder(path=tmp_path / "spill", max_call_bytes=300_000)).result()
    assert result.spill.path.read_bytes() == text.encode()[:300_000]
    assert "The first 293.0 KB: " in result.notice
    assert result.notice.endswith("; the limit of 293.0 KB a call was reached.]")


def test_without_a_folder_the_notice_says_that_the_rest_is_gone():
    assert written(LINE * 1000).result().notice.endswith("The rest was not kept.]")


def test_a_glance_shows_the_last_lines_while_output_comes():
    accumulator = written("".join(f"line {i}\n" for i in range(50_000)))
    accumulator.write("stdout", "\x1b[32mnow\x1b[0m")
    glance = accumulator.glance()
    assert glance.endswith("line 49999\nnow")
    assert len(glance.split("\n")) == 20


def test_memory_stays_small_however_much_is_written(tmp_path):
    accumulator = OutputAccumulator(spill_folder=SpillFolder(path=tmp_path / "spill"))
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(600):
            accumulator.feed(LINE.encode() * 886)
            accumulator.write("stdout", LINE)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    accumulator.close()
    assert peak < 4 * 1024 * 1024


def test_threads_lose_nothing():
    accumulator = OutputAccumulator()
    threads = [
        threading.Thread(target=lambda: [accumulator.write("stdout", LINE) for _ in range(2000)])
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert accumulator.size.line_count == 16_000


def test_displays_stand_in_order_as_one_line_each():
    accumulator = OutputAccumulator()
    accumulator.write("stdout", "before")
    accumulator.display(DisplayOutput(data={"image/png": PNG, "text/plain": "<Figure size 1x1>"}))
    html = {"text/html": "<b>" * 100_000, "text/plain": "<IPython.core.display.HTML object>"}
    accumulator.display(DisplayOutput(data=html))
    accumulator.display(DisplayOutput(data={"text/html": "<table>", "text/plain": "   a\n0  1"}))
    accumulator.write("stdout", "after\n")
    result = accumulator.result()
    assert result.content == (
        "before\n[image/png, 1 x 1, 70 bytes]\n[text/html, 293.0 KB]\n   a\n0  1\nafter\n"
    )
    assert [record.output.data for record in result.displays][1] == html


def test_an_updated_display_is_told_once_with_its_last_state():
    accumulator = OutputAccumulator()
    for step in range(1000):
        output = DisplayOutput(data={"text/plain": f"step {step}"}, display_id="p", is_update=step > 0)
        accumulator.display(output)
    result = accumulator.result()
    assert result.content == "step 0\n[display updated]\nstep 999\n"
    assert len(result.displays) == 1


def test_displays_are_bounded_and_the_rest_counted():
    accumulator = OutputAccumulator()
    for i in range(100):
        accumulator.display(DisplayOutput(data={"text/plain": f"{i}"}))
    result = accumulator.result()
    assert (len(result.displays), result.dropped_displays) == (64, 36)
    assert result.content.endswith("\n99\n")


def test_the_details_name_the_file_and_the_truncation(folder):
    details = written(LINE * 1000, folder).result().details()
    assert details["truncation"]["totalLines"] == 1000
    assert details["spill"]["isWhole"] is True
    assert details["fullOutputPath"].startswith(str(folder.path))


def test_a_session_keeps_no_more_than_its_limit_and_says_so(tmp_path):
    folder = SpillFolder(path=tmp_path / "spill", max_call_bytes=100_000, max_session_bytes=150_000)
    notes = []
    for _ in range(3):
        output = OutputAccumulator(spill_folder=folder)
        output.feed(b"x" * 89 + b"\n")
        output.feed((b"y" * 99 + b"\n") * 999)
        captured = output.result()
        output.close()
        notes.append(captured.spill.note)
    kept = sum(path.stat().st_size for path in (tmp_path / "spill").iterdir())
    assert kept <= 150_000
    assert notes[0] == ""
    assert "a session was reached" in notes[1]
    assert "a session was reached" in notes[2]
