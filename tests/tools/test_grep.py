"""`grep`: the same rows with ripgrep and without."""

import asyncio
import shutil
import time

import pytest

from pi_notebook.agent.tools import ToolError
from pi_notebook.tools.grep import find_matches, grep
from pi_notebook.tools.search import Query, Search
from pi_notebook.tools.tree import list_files
from tests.tools.calling import call, text_of
from tests.tools.trees import make_tree

ENGINES = [
    pytest.param(None, id="python"),
    pytest.param(
        shutil.which("rg"),
        id="ripgrep",
        marks=pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed"),
    ),
]
QUERIES = [
    Query(pattern="needle"),
    Query(pattern="NEEDLE", ignore_case=True),
    Query(pattern="\u00fcber", ignore_case=True),
    Query(pattern=r"^needle\b.*ee$"),
    Query(pattern=r"six$"),
    Query(pattern="(a+b)?", literal=True),
    Query(pattern=r"n(?=eedle b)"),
    Query(pattern=r"needle|five", context=1),
    Query(pattern=r"needle", context=3),
    Query(pattern=r"-needle", literal=True),
    Query(pattern=r"--files"),
    Query(pattern=r"\w+ \d"),
    Query(pattern=r"^$"),
    Query(pattern=r"nothing like this"),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    return make_tree(tmp_path_factory.mktemp("grep"))


def rows_of(query: Query, tree, ripgrep: str | None):
    names = list_files(tree, should_stop=lambda: False).names
    return list(Search(query, folder=tree, ripgrep=ripgrep).rows(names))


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")
@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.pattern)
def test_both_engines_give_the_same_rows(tree, query):
    assert rows_of(query, tree, shutil.which("rg")) == rows_of(query, tree, None)


@pytest.mark.parametrize("ripgrep", ENGINES)
def test_matches_have_their_lines_and_places(tree, ripgrep):
    rows = rows_of(Query(pattern="needle"), tree, ripgrep)
    found = {(row.path, row.line, row.start) for row in rows}
    assert {("a.py", 2, 0), ("long.txt", 1, 3000), ("\u4e2d.txt", 1, 2), ("utf16.csv", 1, 2)} <= found
    assert ("bom.txt", 1, 0) in found
    assert "binary.bin" not in {row.path for row in rows}


@pytest.mark.parametrize("ripgrep", ENGINES)
def test_lines_around_a_match_are_given_once(tree, ripgrep):
    rows = rows_of(Query(pattern="needle", context=2), tree, ripgrep)
    deep = [(row.line, row.is_match) for row in rows if row.path == "sub/deep/y.txt"]
    assert deep == [(1, False), (2, False), (3, True), (4, False), (5, False), (6, True), (7, False)]


@pytest.mark.parametrize("ripgrep", ENGINES)
async def test_a_limit_ends_the_search(tree, ripgrep):
    names = list_files(tree, should_stop=lambda: False).names
    found = await find_matches(Search(Query(pattern="needle"), folder=tree, ripgrep=ripgrep), names, limit=3)
    assert len(found.rows) == 3
    assert found.notices == ["3 matches shown, there are more; use limit=6 or narrow it."]


async def test_rows_read_as_the_description_says(tree):
    text = await text_of(grep, tree, pattern="needle|five", path="sub/deep", context=1)
    assert text == (
        "sub/deep/y.txt-2- two\nsub/deep/y.txt:3: needle three\nsub/deep/y.txt-4- four\n"
        "sub/deep/y.txt:5: five\nsub/deep/y.txt:6: needle six\nsub/deep/y.txt-7- seven"
    )
    apart = await text_of(grep, tree, pattern="one|seven", path="sub/deep/y.txt", context=1)
    assert "\n--\n" in apart


async def test_a_glob_narrows_and_does_not_bring_back_what_is_ignored(tree):
    assert await text_of(grep, tree, pattern="needle", glob="*.log") == (
        "keep.log:1: needle kept\nnested/x.log:1: needle in another repository"
    )


async def test_a_file_that_is_ignored_is_searched_when_it_is_named(tree):
    assert await text_of(grep, tree, pattern="needle", path="a.log") == "a.log:1: needle ignored"


async def test_a_long_line_is_shown_around_its_match(tree):
    text = await text_of(grep, tree, pattern="needle", path="long.txt")
    assert text == "long.txt:1: ... " + "x" * 100 + "needle" + "y" * 394 + " ... [of 6,006 characters]"


async def test_no_match_says_how_much_was_searched(tree):
    assert await text_of(grep, tree, pattern="nothing like this", path="sub/deep") == "(no match in 2 files)"


async def test_what_cannot_be_searched_is_explained(tree):
    with pytest.raises(ToolError, match=r"'\(' is no regular expression: .* Use literal=true"):
        await call(grep, tree, pattern="(")
    with pytest.raises(ToolError, match="a match never spans lines"):
        await call(grep, tree, pattern="a\nb")
    with pytest.raises(ToolError, match="pattern must be one line"):
        await call(grep, tree, pattern="")
    with pytest.raises(ToolError, match="Nothing is at subb"):
        await call(grep, tree, pattern="x", path="subb")
    with pytest.raises(ToolError, match="named pipe"):
        await call(grep, tree, pattern="x", path="pipe")


async def test_a_pattern_that_takes_for_ever_is_ended_and_the_kernel_goes_on(tmp_path):
    (tmp_path / "a.txt").write_text("a" * 5000 + "\n")
    search = Search(Query(pattern=r"(?=x?)(a+)+$b"), folder=tmp_path, ripgrep=None)
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    heart = asyncio.ensure_future(beat())
    started = time.monotonic()
    found = await find_matches(search, ["a.txt"], limit=10, timeout_seconds=0.5)
    heart.cancel()
    assert time.monotonic() - started < 5
    assert beats > 5
    assert found.notices == ["Stopped after 0.5 s; narrow it by path or glob."]


async def test_a_cancelled_search_ends_its_process(tmp_path):
    (tmp_path / "a.txt").write_text("a" * 5000 + "\n")
    search = Search(Query(pattern=r"(?=x?)(a+)+$b"), folder=tmp_path, ripgrep=None)
    run = asyncio.ensure_future(find_matches(search, ["a.txt"], limit=10))
    await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert list(search.rows(["a.txt"])) == []
