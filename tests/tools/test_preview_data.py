"""`preview_data` as a model calls it."""

import msgspec
import numpy as np
import pandas as pd
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


async def run(arguments, *, spills=None, executor=None, **values):
    resources = {CodeExecutor: executor or DirectExecutor(), Variables: Shelf(**values)}
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
    assert "\nrows (first 20, last 10):\nn,city\n0,Oslo\n" in text
    assert text.endswith("\n19999,Bergen")
    assert result.details["rows"] == 20_000


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
        ({"name": "fd"}, "There is no variable 'fd'. There is: df"),
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
    assert text_of(result).endswith("\n19999,Bergen")
    assert "spill" not in result.details


def test_the_definition_is_short():
    assert len(msgspec.json.encode(preview_data.definition)) <= 500
    assert preview_data.risk == "read"
    assert preview_data.is_sequential
