"""`find`: files by name, as ripgrep would list them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pi_notebook.agent.tools import ToolError
from pi_notebook.tools.find import find
from pi_notebook.tools.globs import glob_filter
from pi_notebook.tools.tree import list_files
from tests.tools.calling import call, text_of
from tests.tools.trees import make_tree


@pytest.fixture
def tree(tmp_path):
    return make_tree(tmp_path / "tree")


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
@pytest.mark.parametrize("below", ["", "sub", "build", "sub/deep", "nested"])
def test_the_files_are_those_that_ripgrep_lists(tree, below):
    options = [
        "--no-config",
        "--hidden",
        "--no-require-git",
        "--no-ignore-global",
        "--no-ignore-exclude",
        "--files",
        "-0",
    ]
    listed = subprocess.run(
        ["rg", *options, "-g", "!.git", "."], cwd=tree / below, capture_output=True, check=False
    ).stdout
    theirs = {name.removeprefix("./") for name in listed.decode().split("\0")[:-1]}
    assert set(list_files(tree / below, should_stop=lambda: False).names) == theirs


def test_what_ignore_files_name_is_left_out(tree):
    names = list_files(tree, should_stop=lambda: False).names
    assert "keep.log" in names
    assert "sub/c.py" in names
    assert ".hidden" in names
    assert "nested/x.log" in names
    for left_out in ("a.log", "build/out.txt", "cache/x/y.txt", "sub/d.py", "sub/e.dat", ".git/config"):
        assert left_out not in names
    assert not {"pipe", "link.txt", "loop"} & set(names)


@pytest.mark.parametrize("wrong", ["[z-a]", "!", "half\\"])
def test_a_rule_that_is_none_leaves_the_others_in_force(tmp_path, wrong):
    (tmp_path / ".gitignore").write_text(f"*.log\n{wrong}\nbuild/\n")
    (tmp_path / "build").mkdir()
    for name in ("a.log", "a.txt", "build/out.txt"):
        (tmp_path / name).touch()
    assert list_files(tmp_path, should_stop=lambda: False).names == [".gitignore", "a.txt"]


def test_an_ignore_file_that_is_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / ".gitignore")
    assert list_files(tmp_path, should_stop=lambda: False).names == []


def test_a_bracket_in_a_glob_is_no_warning_to_the_person(recwarn):
    assert glob_filter("[[]1].csv", Path("/x"))("[1].csv")
    assert not recwarn.list


def test_a_folder_that_is_ignored_is_listed_when_it_is_asked_for(tree):
    assert list_files(tree / "build", should_stop=lambda: False).names == ["out.txt"]


def test_a_listing_that_was_stopped_says_so(tree):
    for stopped in (
        list_files(tree, should_stop=lambda: True),
        list_files(tree, should_stop=lambda: False, timeout_seconds=0),
        list_files(tree, should_stop=lambda: False, max_files=2),
    ):
        assert stopped.notices == [f"Stopped after {len(stopped.names):,} files; narrow the path."]


@pytest.mark.parametrize(
    ("pattern", "matches", "fails"),
    [
        ("*.csv", ["a.csv", "x/y/a.csv"], ["a.csvx", "csv"]),
        ("data/*.csv", ["data/a.csv"], ["x/data/a.csv", "data/x/a.csv"]),
        ("data/**/*.csv", ["data/a.csv", "data/x/y/a.csv"], ["a.csv"]),
        ("**/test_*.py", ["test_a.py", "x/test_b.py"], ["x/a.py"]),
        ("*.{png,jp{,e}g}", ["a.png", "b.jpg", "c.jpeg"], ["a.gif"]),
        ("!*.min.js", ["a.js"], ["a.min.js"]),
        ("./a.txt", ["a.txt"], []),
        ("/base/x/*.txt", ["x/a.txt"], ["y/a.txt"]),
        ("[ab].txt", ["a.txt"], ["c.txt"]),
        ("#x", ["#x"], ["x"]),
    ],
)
def test_globs_mean_what_people_mean(pattern, matches, fails):
    keep = glob_filter(pattern, Path("/base"))
    assert [keep(name) for name in matches] == [True] * len(matches)
    assert [keep(name) for name in fails] == [False] * len(fails)


async def test_paths_are_relative_to_the_working_folder_and_sorted(tree):
    assert await text_of(find, tree, pattern="*.py", path="sub") == "sub/b.py\nsub/c.py"
    assert await text_of(find, tree, pattern="*.py") == "a.py\nsub/b.py\nsub/c.py"


async def test_a_limit_and_no_match_are_told(tree):
    text = await text_of(find, tree, pattern="*.py", limit=1)
    assert text == "a.py\n\n[1 of 3 files shown; limit=3 gives all.]"
    assert re.fullmatch(r"\(no match in \d+ files\)", await text_of(find, tree, pattern="*.zzz"))
    assert await text_of(find, tree, pattern="*.zzz", path="build") == "(no match in 1 file)"


async def test_wrong_folders_and_patterns_are_explained(tree):
    with pytest.raises(ToolError, match="a.py is no folder"):
        await call(find, tree, pattern="*", path="a.py")
    with pytest.raises(ToolError, match="Nothing is at subb. Did you mean sub\\?"):
        await call(find, tree, pattern="*", path="subb")
    with pytest.raises(ToolError, match="glob pattern is empty"):
        await call(find, tree, pattern=" ")
    with pytest.raises(ToolError, match="too many choices"):
        await call(find, tree, pattern="{a,b}" * 20)
