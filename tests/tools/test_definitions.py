"""What a model is told of the file and shell tools with every request."""

import msgspec
import pytest

from pi_notebook.tools.bash import bash
from pi_notebook.tools.edit import edit
from pi_notebook.tools.find import find
from pi_notebook.tools.grep import grep
from pi_notebook.tools.ls import ls
from pi_notebook.tools.read import read
from pi_notebook.tools.write import write

TOOLS = [bash, read, write, edit, ls, find, grep]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_parameter_is_described(tool):
    properties = tool.definition.parameters["properties"]
    assert all(schema.get("description") for schema in properties.values())


def test_the_definitions_are_short():
    assert sum(len(msgspec.json.encode(tool.definition)) for tool in TOOLS) <= 4000


@pytest.mark.parametrize("tool", [bash, read], ids=lambda tool: tool.name)
def test_limits_are_told(tool):
    assert "2000 lines or 50 KB" in " ".join(tool.definition.description.split())


def test_what_each_may_do_is_said():
    assert {tool.name: tool.risk for tool in TOOLS} == {
        "bash": "execute",
        "read": "read",
        "write": "edit",
        "edit": "edit",
        "ls": "read",
        "find": "read",
        "grep": "read",
    }
