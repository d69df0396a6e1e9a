"""What a model reads of the last value of its code, and where the rest of a frame is."""

import html
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.spill import SpillFolder
from pi_notebook.errors import CodeTimeoutError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.kernel.outputs import CellResult, DisplayOutput
from pi_notebook.tools.run_code import CodeLimits, run_code
from tests.tools.calling import context_for

LONG = pd.DataFrame({"n": range(20_000), "city": ["Oslo", "Bergen"] * 10_000})


class Kernel:
    """Gives one value for whatever it is told to run."""

    def __init__(self, value, *, is_shown=False, is_late=False):
        self.value = value
        self.is_shown = is_shown
        self.is_late = is_late

    async def run_code(self, code, sink, *, timeout_seconds=None):
        data = {} if self.value is None else {"text/plain": repr(self.value)}
        return CellResult(status="ok", value=self.value, value_data=data, is_shown=self.is_shown)

    async def call(self, function, *, timeout_seconds):
        if self.is_late:
            raise CodeTimeoutError("late", timeout_seconds=timeout_seconds)
        return function()


class Notebook:
    """One session's tools, its spill files in a folder of its own."""

    def __init__(self, folder):
        self.folder = SpillFolder(path=folder / "spill")
        self.spills = FrameSpills(self.folder)
        self._work = folder

    async def run(self, code, value, **options):
        context = context_for(self._work)
        resources = {CodeExecutor: Kernel(value, **options), CodeLimits: CodeLimits()}
        context.resources.update(resources | ({FrameSpills: self.spills} if self.spills else {}))
        return await run_code.execute(context, run_code.parse({"code": code}))

    @property
    def files(self):
        return list(self.folder.path.glob("*")) if self.folder.path.exists() else []


@pytest.fixture
def notebook(tmp_path):
    return Notebook(tmp_path)


def text_of(result):
    return result.content[0].text


async def test_a_frame_that_has_a_name_is_called_by_it_and_its_file_is_not_told(notebook):
    result = await notebook.run("df = load()\ndf", LONG)
    assert text_of(result).startswith("df = DataFrame (pandas): 20,000 rows x 2 columns")
    assert text_of(result).endswith("\n19999,Bergen")
    assert pd.read_parquet(result.details["valueSpill"]["path"]).equals(LONG)


async def test_all_rows_of_a_frame_without_a_name_are_found_by_path(notebook):
    result = await notebook.run("df[df.n >= 0]", LONG)
    path = result.details["valueSpill"]["path"]
    assert text_of(result).split("\n")[-1].startswith(f"[All 20,000 rows: {path} (parquet, ")
    assert text_of(result).startswith("DataFrame (pandas)")


@pytest.mark.parametrize("frame", [LONG, pl.from_pandas(LONG)], ids=["pandas", "polars"])
async def test_the_same_frame_is_written_once(notebook, frame):
    first = await notebook.run("df", frame)
    second = await notebook.run("df", frame)
    assert first.details["valueSpill"] == second.details["valueSpill"]
    assert len(notebook.files) == 1


async def test_a_frame_that_was_changed_in_place_is_written_again(notebook):
    frame = LONG.copy()
    await notebook.run("df", frame)
    frame.loc[10_000, "n"] = -5
    changed = await notebook.run("df", frame)
    assert pd.read_parquet(changed.details["valueSpill"]["path"]).equals(frame)
    assert len(notebook.files) == 2


async def test_another_frame_is_written_though_it_may_have_the_address_of_one_that_is_gone(notebook):
    for number in range(5):
        frame = pd.DataFrame({"n": range(1000), "m": [0] * 500 + [number] * 500}).query("n >= 0")
        result = await notebook.run("df.query('n >= 0')", frame)
        assert pd.read_parquet(result.details["valueSpill"]["path"])["m"].iloc[-1] == number
        del frame, result


@pytest.mark.parametrize("value", [LONG.head(50), LONG["n"], LONG.head(0), {"a": 1}, 3, None])
async def test_short_frames_and_other_values_are_not_written(notebook, value):
    assert "valueSpill" not in (await notebook.run("x()", value)).details
    assert notebook.files == []


async def test_the_frame_used_least_lately_makes_room_and_that_is_recorded(notebook, tmp_path):
    notebook.folder = SpillFolder(path=tmp_path / "spill", max_session_bytes=1, max_frame_bytes=50_000)
    notebook.spills = FrameSpills(notebook.folder)
    first, second = LONG.copy(), LONG.copy()
    paths = [
        (await notebook.run("one()", frame)).details["valueSpill"]["path"] for frame in (first, second, first)
    ]
    assert paths[2] == paths[0]
    result = await notebook.run("three()", LONG.copy())
    assert result.details["droppedSpills"] == [paths[1]]
    assert set(notebook.files) == {Path(paths[0]), Path(result.details["valueSpill"]["path"])}
    assert (await notebook.run("two()", second)).details["valueSpill"]["path"] != paths[1]


async def test_a_frame_larger_than_all_frames_may_be_is_shown_with_the_reason(notebook, tmp_path):
    notebook.folder = SpillFolder(path=tmp_path / "spill", max_frame_bytes=1)
    notebook.spills = FrameSpills(notebook.folder)
    result = await notebook.run("first()", LONG)
    assert "valueSpill" not in result.details
    assert text_of(result).endswith(
        "\n19999,Bergen\n[Not kept on disk: its file is larger than the 1 byte a session keeps.]"
    )


@pytest.mark.parametrize("change", ["number", "text", "object", "when", "kind"])
async def test_a_frame_that_was_changed_in_place_is_written_anew(notebook, change):
    frame = pd.DataFrame({"number": range(5000), "text": ["a", "b"] * 2500, "object": [(1,), "b"] * 2500})
    frame["when"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(frame["number"], unit="D")
    frame["kind"] = frame["text"].astype("category")
    values = {"number": 2501, "text": "b", "object": (2,), "when": pd.Timestamp("2025-01-01"), "kind": "b"}
    first = (await notebook.run("f()", frame)).details["valueSpill"]["path"]
    assert (await notebook.run("f()", frame)).details["valueSpill"]["path"] == first
    frame.loc[2500, change] = values[change]
    second = (await notebook.run("f()", frame)).details["valueSpill"]["path"]
    assert second != first


async def test_a_file_that_is_gone_or_was_changed_is_written_anew(notebook):
    first = Path((await notebook.run("f()", LONG)).details["valueSpill"]["path"])
    first.write_bytes(b"")
    second = Path((await notebook.run("f()", LONG)).details["valueSpill"]["path"])
    second.unlink()
    third = (await notebook.run("f()", LONG)).details["valueSpill"]["path"]
    assert pd.read_parquet(third).equals(LONG)


async def test_a_session_without_a_spill_folder_shows_the_frame_all_the_same(notebook):
    notebook.spills = None
    assert text_of(await notebook.run("df", LONG)).startswith("df = DataFrame")


async def test_a_preview_that_takes_too_long_says_so_under_the_plain_text(notebook):
    text = text_of(await notebook.run("x", [1, 2], is_late=True))
    assert text == "[1, 2]\n[No profile: it took over 3 s; preview_data gives one.]"


async def test_what_the_person_sees_as_a_table_is_told_with_the_line_on_its_file(notebook):
    result = await notebook.run("df[df.n >= 0]", LONG, is_shown=True)
    assert result.details["shownValue"] == [0, len(text_of(result))]


KEY = "sk-0123456789abcdefghijklmnop&<x>"


class Displays(Kernel):
    """Prints and displays a key in every form before it gives its value."""

    async def run_code(self, code, sink, *, timeout_seconds=None):
        sink.write("stdout", f"key {KEY}\n")
        for mime_type, text in (
            ("text/markdown", f"**{KEY}**"),
            ("text/html", f"<b>{html.escape(KEY)}</b>"),
            ("text/latex", f"${KEY}$"),
            ("text/plain", repr({KEY: 1})),
        ):
            sink.display(DisplayOutput(data={mime_type: text}, metadata={}))
        sink.display(DisplayOutput(data={"text/markdown": html.escape(KEY)}, metadata={}))
        return await super().run_code(code, sink, timeout_seconds=timeout_seconds)


async def test_a_key_that_code_displays_is_not_told_and_places_in_the_text_hold(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    frame = pd.DataFrame({"name": [KEY, "b"]})
    context = context_for(tmp_path)
    context.resources.update({CodeExecutor: Displays(frame, is_shown=True), CodeLimits: CodeLimits()})
    result = await run_code.execute(context, run_code.parse({"code": "df"}))
    text = text_of(result)
    assert KEY not in text
    assert html.escape(KEY) not in text
    assert "0123456789" not in text
    assert "key [key]\n**[key]**\n[text/html, " in text
    start, end = result.details["shownValue"]
    assert text[start:end].startswith("df = DataFrame")
    assert text[start:end].endswith("[key]\nb")
    assert frame.name[0] == KEY


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        ("long " * 30, "str, 150 characters, 1 line:"),
        ([1, 2], "[1, 2]"),
        ({"a": [1]}, "{'a': [1]}"),
    ],
)
async def test_other_values_are_shown_without_a_name(notebook, value, text):
    assert text in text_of(await notebook.run("x", value))
    assert "x =" not in text_of(await notebook.run("x", value))
