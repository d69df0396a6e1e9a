"""`preview_data` as a model calls it."""

import msgspec
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.messages import ToolCall
from pi_notebook.agent.tools import ToolContext, ToolError
from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.previews.references import Variables
from pi_notebook.context.spill import SpillFolder
from pi_notebook.context.tokens import count_tokens
from pi_notebook.errors import CodeTimeoutError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.preview_data import preview_data


class DirectExecutor:
    """Calls at once, and says what deadline it was given."""

    def __init__(self, *, is_late=False):
        self.is_late = is_late
        self.deadlines = []

    async def call(self, function, *, timeout_seconds):
        self.deadlines.append(timeout_seconds)
        if self.is_late:
            raise CodeTimeoutError("late", timeout_seconds=timeout_seconds)
        return function()


class Shelf:
    def __init__(self, **values):
        self.values = values

    def get(self, name):
        return self.values[name]

    def names(self):
        return list(self.values)


async def run(arguments, *, spills=None, executor=None, folder=None, **values):
    resources = {CodeExecutor: executor or DirectExecutor(), Variables: Shelf(**values)}
    if folder is not None:
        resources[WorkingFolder] = WorkingFolder(path=folder)
    if spills is not None:
        resources[FrameSpills] = spills
    context = ToolContext(
        call=ToolCall(id="1", name="preview_data", arguments=arguments),
        abort=AbortSignal(),
        update=lambda text: None,
        resources=resources,
    )
    return await preview_data.execute(context, preview_data.parse(arguments))


def text_of(result):
    return "".join(block.text for block in result.content)


LONG = pd.DataFrame({"n": range(20_000), "city": ["Oslo", "Bergen"] * 10_000})


async def test_a_frame_is_shown_with_some_rows_of_both_ends():
    result = await run({"name": "df"}, df=LONG)
    text = text_of(result)
    assert text.startswith("df = DataFrame (pandas): 20,000 rows x 2 columns")
    assert "\nrows (first 8, last 4):\nn,city\n0,Oslo\n" in text
    assert text.endswith("\n19999,Bergen")
    assert result.details["rows"] == 20_000


async def test_a_file_is_no_variable_and_what_looks_at_it_is_named(tmp_path):
    (tmp_path / "df.csv").write_text("a\n1\n")
    with pytest.raises(ToolError, match=r"df\.csv is a file, no variable: read shows it, query_data"):
        await run({"name": "df.csv"}, folder=tmp_path, df=LONG)
    with pytest.raises(ToolError, match="There is no variable 'other'"):
        await run({"name": "other.csv"}, folder=tmp_path, df=LONG)


async def test_a_nested_value_is_shown_whole_or_as_a_sketch():
    runs = [{"id": at, "loss": [1 / (at + step + 1) for step in range(50)]} for at in range(40)]
    assert count_tokens(text_of(await run({"name": "runs"}, runs=runs[:4]))) > 1_500
    text = text_of(await run({"name": "runs"}, runs=runs))
    assert 1_000 < count_tokens(text) < 1_700
    assert "more …" in text


async def test_long_and_wide_cells_stay_within_10000_tokens():
    frame = pd.DataFrame({f"text_{i}": ["word " * 500] * 100 for i in range(200)})
    assert count_tokens(text_of(await run({"name": "df"}, df=frame))) <= 10_000
    assert count_tokens(text_of(await run({"name": "df", "rows": "0:50"}, df=frame))) <= 10_000


async def test_a_small_frame_has_no_notice():
    assert "[" not in text_of(await run({"name": "df"}, df=pd.DataFrame({"a": [1]})))


@pytest.mark.parametrize("rows", ["15000:15002", "[15000:15002]"])
async def test_rows_are_shown_when_asked_for(rows):
    text = text_of(await run({"name": "df", "rows": rows}, df=LONG))
    assert text.split("\n")[-2:] == ["15000,Oslo", "15001,Bergen"]


async def test_a_number_of_rows_is_taken_from_the_start():
    result = await run({"name": "df", "rows": 3}, df=LONG)
    assert text_of(result).endswith("0,Oslo\n1,Bergen\n2,Oslo")
    assert result.details["stop"] == 3


async def test_rows_that_do_not_fit_say_how_to_go_on():
    result = await run({"name": "df", "rows": "0:20000"}, df=LONG)
    stop = result.details["stop"]
    assert text_of(result).endswith(f'[rows="{stop}:20000" goes on.]')
    assert count_tokens(text_of(result)) <= 10_000


async def test_an_item_of_a_container_is_reached_by_its_path():
    result = await run({"name": 'd["x"][0]'}, d={"x": [np.arange(3)]})
    assert "ndarray (numpy): shape (3,), int64" in text_of(result)


async def test_a_long_list_says_how_to_see_its_middle():
    text = text_of(await run({"name": "items"}, items=[{"id": i, "t": "x" * 100} for i in range(5000)]))
    assert 'rows="0:50"' in text
    middle = text_of(await run({"name": "items", "rows": "2500:2501"}, items=list(range(5000))))
    assert middle == "items = list of 5,000 items; items 2500:2501:\n2500"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"name": "fd"}, "There is no variable 'fd'. Did you mean df?"),
        ({"name": "df.head()"}, "Use run_code"),
        ({"name": "df", "rows": "some"}, 'Use "head 20"'),
        ({"name": "n", "rows": "0:3"}, "n (int) has no rows to choose. Leave rows out."),
    ],
)
async def test_what_the_model_can_mend_says_how(arguments, text):
    with pytest.raises(ToolError) as caught:
        await run(arguments, df=LONG, n=1)
    assert text in str(caught.value)


async def test_wrong_arguments_are_refused():
    with pytest.raises(ToolError, match="Wrong arguments"):
        await run({"variable": "df"}, df=LONG)


async def test_a_value_that_takes_too_long_is_an_answer_not_a_failure():
    executor = DirectExecutor(is_late=True)
    with pytest.raises(ToolError, match="longer than 10 s"):
        await run({"name": "df"}, executor=executor, df=LONG)
    assert executor.deadlines == [10.0]


async def test_the_whole_frame_is_on_disk_when_rows_are_left_out_and_its_name_is_the_way_back(tmp_path):
    result = await run({"name": "df"}, spills=FrameSpills(SpillFolder(path=tmp_path)), df=LONG)
    path = result.details["spill"]["path"]
    assert pd.read_parquet(path).equals(LONG)
    assert path not in text_of(result)


async def test_nothing_is_written_when_all_is_shown_or_rows_were_asked_for(tmp_path):
    await run({"name": "df"}, spills=FrameSpills(SpillFolder(path=tmp_path)), df=LONG.head(50))
    await run({"name": "df", "rows": "0:3"}, spills=FrameSpills(SpillFolder(path=tmp_path)), df=LONG)
    assert list(tmp_path.iterdir()) == []


async def test_a_refused_spill_takes_nothing_from_the_preview(tmp_path):
    (tmp_path / "file").write_text("")
    result = await run({"name": "df"}, spills=FrameSpills(SpillFolder(path=tmp_path / "file")), df=LONG)
    assert "\n19999,Bergen\n[Not kept on disk: the file could not be written (" in text_of(result)
    assert "spill" not in result.details


def test_the_definition_is_short():
    assert len(msgspec.json.encode(preview_data.definition)) <= 600
    assert preview_data.risk == "read"
    assert preview_data.is_sequential


LETTERS = pd.DataFrame(
    {"n": range(300), "text": [f"<{i}>" + "word " * 20_000 if i % 7 == 3 else "x" for i in range(300)]}
)


async def cell_text(cell, *, frame=LETTERS, **arguments) -> str:
    return text_of(await run({"name": "df", "cell": cell, **arguments}, df=frame))


async def test_the_reference_of_a_shortened_cell_gives_it_whole_page_by_page():
    shown = text_of(await run({"name": "df"}, df=LETTERS))
    assert shown.endswith('\n[A shortened cell whole: cell=[3, "text"].]')
    pages, start = "", 0
    while True:
        text = await cell_text([3, "text"], rows=f"{start}:")
        title, _, rest = text.partition("\n")
        page, _, notice = rest.partition("\n[")
        assert title.startswith(f"df, row 3, text: characters {start:,}:")
        assert count_tokens(text) <= 10_000
        pages += page
        if not notice:
            break
        start = int(notice.removeprefix('rows="').partition(":")[0])
    assert pages == LETTERS["text"][3]


async def test_asked_for_rows_name_their_first_shortened_cell():
    text = text_of(await run({"name": "df", "rows": "4:12"}, df=LETTERS))
    assert text.endswith('[A shortened cell whole: cell=[10, "text"].]')
    assert "cell=" not in text_of(await run({"name": "df", "rows": "4:6"}, df=LETTERS))


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
async def test_cells_of_every_library_are_given_whole(convert):
    frame = convert(pd.DataFrame({"items": [[*range(2000)]]}))
    shown = text_of(await run({"name": "df"}, df=frame))
    assert shown.endswith('cell=[0, "items"].]')
    assert "1998, 1999" in await cell_text([0, "items"], frame=frame)
    page = await cell_text([0, "items"], frame=frame, rows="1000:1002")
    assert page == "df, row 0, items: list of 2,000 items; items 1000:1002:\n1000\n1001"


async def test_arrays_within_a_cell_are_given_whole():
    frame = pd.DataFrame({"a": [[np.arange(30), {"b": np.array(["x"])}]]})
    assert "28, 29" in await cell_text([0, "a"], frame=frame)
    assert "{'b': ['x']}" in await cell_text([0, "a"], frame=frame)


async def test_a_column_is_named_by_its_label_or_its_position():
    frame = pd.DataFrame([["a", "b", "c"]], columns=["x", 1, "x"])
    assert await cell_text([0, 1], frame=frame) == "df, row 0, 1: 1 character\nb"
    assert (await cell_text([0, "x"], frame=frame)).endswith("\na")
    assert (await cell_text([-1, 2], frame=frame)).endswith("\nc")
    assert (await cell_text(["0", "1"], frame=frame)).endswith("\nb")
    assert (await cell_text([0], frame=frame["x"].iloc[:, 0])).endswith("\na")


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ([3, "txt"], "df has no column 'txt'. Did you mean text?"),
        ([300, "text"], "df has 300 rows, none at 300."),
        (["first", "text"], "The row 'first' is no position, counted from 0."),
        ([3], 'A cell is [row, column], as in [12, "text"]: a position and a name.'),
    ],
)
async def test_a_cell_that_is_not_there_says_which_are(cell, said):
    with pytest.raises(ToolError) as raised:
        await cell_text(cell)
    assert str(raised.value) == said


async def test_what_is_no_table_has_no_cells():
    with pytest.raises(ToolError, match=r"n \(int\) has no cells. Leave cell out."):
        await run({"name": "n", "cell": [0, 0]}, n=1)


async def test_a_shortened_container_names_a_part_of_its_own_and_query_json():
    data = {"orders": [{"id": i, "note": "long " * 50} for i in range(3000)]}
    text = text_of(await run({"name": "data"}, data=data))
    assert text.endswith('[More: a part by its path, as in data["orders"], or query_json.]')
    text = text_of(await run({"name": "items"}, items=data["orders"]))
    assert text.endswith('[More: rows="0:50", a part by its path, as in items[0], or query_json.]')
