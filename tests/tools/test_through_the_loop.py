"""Every tool as a model reaches it: its arguments as JSON, its result as a message, real files between."""

import json

import pytest

from pi_notebook.agent import Agent
from pi_notebook.context.previews.references import Variables
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.kernel.namespace import VariableInfo
from pi_notebook.kernel.outputs import CellResult
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.models.scripted import call as scripted_call
from pi_notebook.tools import default_tools
from pi_notebook.tools.history import HistorySearch
from pi_notebook.tools.json_filter import JsonFilter, find_json_filter
from pi_notebook.tools.list_variables import VariableList
from pi_notebook.tools.manage_context import ResultEdits
from pi_notebook.tools.needs import QueryEngine, find_query_engine, find_shell
from pi_notebook.tools.run_code import CodeLimits
from tests.tools.calling import context_for

SOURCE = "import os\ntotal = 1\nprint(total)\n"


class Kernel:
    """Runs code in one namespace, on the thread it is asked on."""

    def __init__(self):
        self.names = {"amounts": [1, 2, 3]}

    async def run_code(self, code, sink, *, timeout_seconds=None):
        exec(
            code, {"print": lambda *words: sink.write("stdout", " ".join(map(str, words)) + "\n")}, self.names
        )
        return CellResult(status="ok")

    async def call(self, function, *, timeout_seconds):
        return function()

    def describe(self):
        return [VariableInfo(name=name, type=type(value).__name__) for name, value in self.names.items()]

    def get(self, name):
        return self.names[name]


class History:
    """One entry, whatever its name."""

    def text(self, reference):
        return f"what {reference} says"


class Results:
    """One result, whatever its name."""

    def edit(self, action, names, note):
        return 7 * len(names)


def agent_in(folder, *replies) -> Agent:
    kernel = Kernel()
    resources = {CodeExecutor: kernel, Variables: kernel, VariableList: kernel, CodeLimits: CodeLimits()}
    resources[JsonFilter] = find_json_filter()
    resources[QueryEngine] = find_query_engine()
    resources[HistorySearch] = History()
    resources[ResultEdits] = Results()
    return Agent(
        ScriptedModel([*replies, "done"]),
        tools=default_tools(),
        resources=context_for(folder).resources | resources,
    )


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.py").write_text(SOURCE)
    (folder / "sub" / "b.csv").write_text("x,y\n1,2\n")
    return folder


CALLS = [
    ("run_code", {"code": "x = 2\nprint(x + 1)"}, "3"),
    ("list_variables", {}, "amounts: list"),
    ("preview_data", {"name": "amounts"}, "[1, 2, 3]"),
    ("query_data", {"sql": "SELECT sum(y) AS total FROM 'sub/b.csv'"}, "total\n2"),
    ("query_json", {"reference": "amounts", "filter": "map(. * 2)"}, "[2,4,6]"),
    ("bash", {"command": "cat a.py | wc -l", "timeout": 20}, "3"),
    ("read", {"path": "a.py", "offset": 2, "limit": 1}, "total = 1\n\n[Showing line 2 of 3."),
    ("write", {"path": "new/c.txt", "content": "c\n"}, "Created new/c.txt: 1 line, 2 bytes."),
    ("edit", {"path": "a.py", "edits": [{"old_text": "total = 1", "new_text": "total = 2"}]}, "at line 2."),
    ("ls", {"path": "."}, "a.py  33 bytes\nsub/"),
    ("find", {"pattern": "*.csv"}, "sub/b.csv"),
    ("grep", {"pattern": "total"}, "a.py:2: total = 1\na.py:3: print(total)"),
    ("search_history", {"query": "[ab12cd34]"}, "what ab12cd34 says"),
    (
        "manage_context",
        {"action": "drop", "results": ["r1"]},
        "Dropped 1 result, which frees about 7",
    ),
]


def test_each_tool_is_called_below():
    assert [name for name, _, _ in CALLS] == [tool.name for tool in default_tools()]


@pytest.mark.parametrize(("name", "arguments", "said"), CALLS, ids=[name for name, _, _ in CALLS])
async def test_a_call_gives_its_result(folder, name, arguments, said):
    if name == "bash" and find_shell() is None:
        pytest.skip("there is no shell here")
    agent = agent_in(folder, scripted_call(name, **json.loads(json.dumps(arguments))))
    end = await agent.prompt("go")
    result = end.messages[2]
    assert said in result.text
    assert not result.is_error
    assert end.reason == "done"


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "a.py", "edits": '[{"old_text": "total = 1", "new_text": "total = 2"}]'},
        {"path": ["a.py"], "edits": {"old_text": "total = 1", "new_text": "total = 2"}},
        {"path": "a.py", "old_text": "total = 1", "new_text": "total = 2"},
        {"path": "a.py", "edits": [{"oldText": "total = 1", "newText": "total = 2"}]},
        {"path": "a.py", "oldText": "total = 1", "newText": "total = 2"},
        {"input": {"path": "a.py", "edits": [{"old_text": "total = 1", "new_text": "total = 2"}]}},
    ],
)
async def test_an_edit_is_made_however_its_list_is_sent(folder, arguments):
    agent = agent_in(folder, scripted_call("edit", **arguments))
    await agent.prompt("go")
    assert agent.messages[2].text == "Edited a.py: 1 replacement, at line 2."
    assert (folder / "a.py").read_text() == SOURCE.replace("= 1", "= 2")


async def test_nulls_and_floats_are_what_was_meant(folder):
    agent = agent_in(folder, scripted_call("read", path="a.py", offset=2.0, limit=None))
    await agent.prompt("go")
    assert agent.messages[2].text == "total = 1\nprint(total)\n"


@pytest.mark.parametrize("name", [name for name, _, _ in CALLS if name != "list_variables"])
async def test_arguments_that_are_wrong_name_the_right_ones(folder, name):
    agent = agent_in(folder, scripted_call(name, nonsense={"a": 1}))
    await agent.prompt("go")
    result = agent.messages[2]
    assert result.is_error
    assert result.text.startswith(f"Wrong arguments for {name}: ")
    assert "It takes: " in result.text
