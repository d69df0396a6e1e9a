"""The skills that come with the package: small, readable, right about the tools."""

import ast
import re

import pytest

from pi_notebook.skills.front_matter import read_front_matter
from pi_notebook.skills.places import BUILT_IN_SKILLS
from pi_notebook.tools import default_tools

PATHS = sorted(BUILT_IN_SKILLS.glob("*/SKILL.md"))


def test_there_are_four():
    names = [path.parent.name for path in PATHS]
    assert names == ["dataframes", "debugging", "notebook-style", "plotting"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.name)
def test_a_skill_is_short_and_its_head_needs_no_yaml(path):
    text = path.read_text(encoding="utf-8")
    matter = read_front_matter(text)
    assert len(text.encode()) <= 4096
    assert matter.faults == ()
    assert matter.values["name"] == path.parent.name
    assert len(matter.values["description"]) < 80
    assert max(map(len, text.split("\n"))) <= 130


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.name)
def test_code_in_a_skill_is_python(path):
    for code in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL):
        ast.parse(code)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.parent.name)
def test_tools_that_a_skill_names_exist(path):
    known = {tool.name for tool in default_tools()}
    looks_like_a_tool = re.compile(
        r"`((?:run|list|preview|query|search)_[a-z]+|bash|read|write|edit|ls|find|grep)`"
    )
    named = set(looks_like_a_tool.findall(path.read_text(encoding="utf-8")))
    assert named <= known
