"""The offline model in a conversation: one step a request, files, names, refusals, and what it cannot do."""

from __future__ import annotations

import asyncio
import json
import re

import pandas as pd
import polars as pl
import pytest

from pi_notebook.agent.events import ModelDone, TextDelta, ToolCallDelta
from pi_notebook.agent.messages import AssistantMessage, CustomMessage, now_ms, user_message
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.models.offline import OfflineModel
from tests.models.offline.driver import TOOLS, Run
from tests.models.offline.frames import penguins


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with a file of penguins in `data`."""
    (tmp_path / "data").mkdir()
    penguins().to_csv(tmp_path / "data" / "penguins.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def loaded(run):
    return {name for name, value in run.namespace.items() if type(value).__name__ == "DataFrame"}


async def read(request):
    return [event async for event in OfflineModel().stream(request)]


def request(*messages, tools=TOOLS):
    return ModelRequest(system_prompt="", tools=tools, messages=messages)


async def test_a_call_is_streamed_in_pieces_and_the_last_event_holds_it_whole():
    events = await read(request(user_message("explore penguins")))
    assert [type(event) for event in events if not isinstance(event, TextDelta)] == [ToolCallDelta, ModelDone]
    message = events[-1].message
    assert message.stop_reason == "toolUse"
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == message.text
    assert [call.name for call in message.tool_calls] == ["list_variables"]
    assert json.loads(events[-2].arguments) == {}


async def test_the_same_request_gets_the_same_reply():
    asked = request(user_message("explore penguins"))
    first, second = (await read(asked))[-1].message, (await read(asked))[-1].message
    assert first.content == second.content


async def test_reading_can_be_stopped_at_any_piece():
    reading = asyncio.ensure_future(read(request(user_message("what can you do?"))))
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


def test_call_ids_are_unique_in_a_conversation():
    run = Run({"penguins": penguins()})
    for prompt in ("explore penguins", "mean body mass", "mean body mass"):
        run.ask(prompt)
    ids = [
        call.id
        for message in run.messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    ]
    assert len(ids) > 8
    assert len(set(ids)) == len(ids)


def test_messages_of_the_program_are_not_taken_for_the_question():
    run = Run({"penguins": penguins()})
    run.messages.append(
        CustomMessage(custom_type="state", content="explore everything", display=False, timestamp=now_ms())
    )
    assert "The mean of `body_mass_g`" in run.ask("mean body mass")


@pytest.mark.parametrize(
    ("prompt", "path"),
    [
        ("explore data/penguins.csv", "data/penguins.csv"),
        ("explore `data/penguins.csv`", "data/penguins.csv"),
        ("What is in @data/penguins.csv?", "data/penguins.csv"),
        ("explore ./data/penguins.csv.", "./data/penguins.csv"),
        ('look at "my data/all penguins.csv"', "my data/all penguins.csv"),
        ("探索data/penguins.csv", "data/penguins.csv"),
    ],
)
def test_a_file_named_is_loaded_and_said(folder, prompt, path):
    (folder / "my data").mkdir()
    penguins().to_csv(folder / "my data" / "all penguins.csv", index=False)
    run = Run()
    answer = run.ask(prompt)
    (name,) = {"penguins", "all_penguins"} & loaded(run)
    assert f"`{path}`" in answer
    assert f"`{name}`" in answer
    pd.testing.assert_frame_equal(run.namespace[name], pd.read_csv(path))


def test_a_focused_question_to_a_file_is_answered_from_it(folder):
    mean = penguins()["body_mass_g"].mean()
    assert f"**{mean:,.1f}**" in Run().ask("mean body mass in data/penguins.csv, 1 decimal")


def test_loading_replaces_none_of_the_persons_variables(folder):
    mine = pd.DataFrame({"x": [1]})
    run = Run({"penguins": mine, "row": "mine", "profile_columns": "mine"})
    answer = run.ask("explore data/penguins.csv")
    assert run.namespace["penguins"] is mine
    assert (run.namespace["row"], run.namespace["profile_columns"]) == ("mine", "mine")
    assert "Loaded `data/penguins.csv` into `penguins_2`." in answer
    assert len(run.namespace["penguins_2"]) == len(penguins())


@pytest.mark.parametrize(
    "prompt", ["explore penguins", "mean body mass by species", "compare male and female", "outliers"]
)
def test_no_cell_assigns_a_name_that_the_person_uses(prompt):
    names = ["row", "numbers", "summary", "by_species", "name", "values", "key", "correlations", "figure"]
    names += [
        "axes",
        "order",
        "top",
        "table",
        "profile_columns",
        "find_outliers",
        "compare_groups",
        "selected",
    ]
    run = Run({"penguins": penguins(), **dict.fromkeys(names, "mine")})
    run.ask(prompt)
    assert {name: run.namespace[name] for name in names} == dict.fromkeys(names, "mine")


def test_a_file_is_loaded_once_in_a_conversation(folder):
    run = Run()
    run.ask("explore data/penguins.csv")
    run.ask("average body mass by species in data/penguins.csv")
    assert not any("read_csv" in code for code in run.codes)
    assert loaded(run) >= {"penguins"}
    assert "penguins_2" not in run.namespace


def test_a_later_question_is_about_the_frame_of_the_last_one():
    run = Run({"penguins": penguins(), "other": pd.DataFrame({"x": [1, 2]})})
    assert "There is more than one frame: `penguins`, `other`" in run.ask("missing values?")
    run.ask("missing values in penguins?")
    assert "The mean of `body_mass_g`" in run.ask("and the mean body mass?")


def test_tables_that_the_agent_made_are_not_taken_for_the_persons_data():
    run = Run({"penguins": penguins()})
    run.ask("explore penguins")
    assert "by_species" in run.namespace
    assert "The mean of `body_mass_g`" in run.ask("mean body mass")


def test_files_of_other_separators_and_kinds_are_read(folder):
    penguins().to_csv("semi.csv", sep=";", index=False)
    penguins().to_csv("tabs.tsv", sep="\t", index=False)
    penguins().to_parquet("rows.parquet")
    penguins().to_json("rows.jsonl", orient="records", lines=True)
    mean = penguins()["body_mass_g"].mean()
    for path in ("semi.csv", "tabs.tsv", "rows.parquet", "rows.jsonl"):
        assert f"**{mean:,.1f}**" in Run().ask(f"mean body mass in {path}, 1 decimal"), path


def test_a_file_that_is_not_there_is_said_and_not_tried_again(folder):
    run = Run()
    answer = run.ask("explore data/pinguins.csv")
    assert "I could not load `data/pinguins.csv`: `FileNotFoundError" in answer
    assert len(run.codes) == 1


def test_polars_is_used_by_those_who_work_with_it(folder):
    run = Run({"mine": pl.DataFrame({"x": [1]})})
    run.ask("explore data/penguins.csv")
    assert isinstance(run.namespace["penguins"], pl.DataFrame)


class Without:
    """An importer that has none of the modules named."""

    def __init__(self, *names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.fixture
def without(monkeypatch):
    """Takes modules away for the rest of the test."""
    import sys

    def take(*names):
        for name in list(sys.modules):
            if name.partition(".")[0] in names:
                monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(sys, "meta_path", [Without(*names), *sys.meta_path])

    return take


def test_polars_is_used_where_pandas_is_missing(folder, without):
    run = Run()
    without("pandas")
    assert "The mean of `body_mass_g`" in run.ask("mean body mass in data/penguins.csv")
    assert type(run.namespace["penguins"]).__module__.startswith("polars")


def test_a_csv_file_is_looked_at_with_neither_pandas_nor_polars(folder, without):
    frame = penguins()
    mean = frame["body_mass_g"].mean()
    without("pandas", "polars")
    answer = Run().ask("explore data/penguins.csv")
    assert f"**{len(frame)} rows and {frame.shape[1]} columns**" in answer
    assert f"| `body_mass_g` | {mean:,.1f} |" in answer
    assert "I can only give an overview" in Run().ask("mean body mass in data/penguins.csv")


def test_an_overview_without_matplotlib_says_that_no_plot_was_drawn(without):
    run = Run({"penguins": penguins()})
    without("matplotlib")
    answer = run.ask("explore penguins")
    assert "The plot could not be drawn: `ModuleNotFoundError" in answer
    assert "### Numbers" in answer


@pytest.mark.parametrize(
    "reason",
    [
        "The person declined this call; it was not run.",
        "run_code was not run: it needs the person's consent and nobody can be asked here.",
    ],
)
def test_a_refusal_is_told_with_the_way_to_allow_it_and_not_tried_again(reason):
    run = Run({"penguins": penguins()}, refuse=reason)
    answer = run.ask("explore penguins")
    assert "was refused" in answer
    assert "--auto" in answer
    assert reason in answer
    assert len(run.outputs) == 1


def test_an_error_in_the_code_ends_the_answer():
    class Failing(Run):
        def execute(self, call):
            if call.name == "run_code":
                self.codes.append(call.arguments["code"])
                return 'Traceback (most recent call last)\n  File "x"\nRuntimeError: no columns today', True
            return super().execute(call)

    run = Failing({"penguins": penguins()})
    answer = run.ask("explore penguins")
    assert "stopped with an error" in answer
    assert "RuntimeError: no columns today" in answer
    assert len(run.codes) == 1


def test_a_tool_that_is_not_offered_is_not_called():
    only_list = tuple(tool for tool in TOOLS if tool.name == "list_variables")
    answer = Run({"penguins": penguins()}, tools=only_list).ask("explore penguins")
    assert "I need the tool `run_code`" in answer
    assert "I need the tool `list_variables`" in Run(tools=()).ask("explore penguins")


def test_with_nothing_to_look_at_it_says_how_to_ask():
    answer = Run({"x": 3}).ask("what is the average?")
    assert "There is no dataframe here" in answer
    assert "`x`" in answer


def test_what_it_cannot_do_it_says_with_what_it_can_and_how_to_choose_a_model():
    answer = Run({"penguins": penguins()}).ask("train a random forest to predict species")
    assert "I cannot answer this by rule" in answer
    assert "`%agent model openai/gpt-4o`" in answer
    assert "OPENAI_API_KEY" in answer
    assert not re.search(r"\d\.\d", answer)


@pytest.mark.parametrize(
    "prompt", ["hello", "Hi!", "what can you do?", "你好", "你能做什么？", "help", "", "?"]
)
def test_small_talk_calls_no_tool(prompt):
    run = Run({"penguins": penguins()})
    answer = run.ask(prompt)
    assert run.outputs == []
    assert "openai/gpt-4o" in answer


@pytest.mark.parametrize(
    "prompt", ["```python\nx = 20\nprint(x + 1)\nx * 2\n```", "run: x = 20; print(x + 1); x * 2"]
)
def test_code_in_the_prompt_is_run_as_it_stands(prompt):
    run = Run()
    answer = run.ask(prompt)
    assert run.namespace["x"] == 20
    assert "21\n40" in answer


@pytest.mark.parametrize(
    "prompt", ["explore {}", "mean body mass by species in {}", "outliers in {}", "trend of body mass in {}"]
)
@pytest.mark.parametrize("subject", ["penguins", "data/penguins.csv"])
def test_no_question_takes_more_than_five_calls(folder, prompt, subject):
    run = Run({"penguins": penguins()} if subject == "penguins" else {})
    run.ask(prompt.format(subject))
    assert 2 <= len(run.outputs) <= 5


def test_cells_are_short_and_run_as_they_stand_on_python_3_10():
    run = Run({"penguins": penguins()})
    for prompt in ("explore penguins", "compare male and female", "outliers", "trend of body mass by month"):
        run.ask(prompt)
        for code in run.codes:
            assert len(code.splitlines()) <= 30
            assert max(map(len, code.splitlines())) <= 160
            compile(code, "<cell>", "exec")
