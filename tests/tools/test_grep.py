"""`grep`: the same rows with ripgrep and without."""

import asyncio
import functools
import json
import re
import shutil
import sys
import time

import pytest

from pi_notebook.agent.tools import ToolError
from pi_notebook.tools.grep import find_matches, grep
from pi_notebook.tools.search import Query, Search
from pi_notebook.tools.tree import list_files
from tests.patience import SOON
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
    assert found.has_more
    assert {row.path for row in found.rows}.isdisjoint(found.others)
    assert {*found.others, *(row.path for row in found.rows)} == {
        row.path for row in rows_of(Query(pattern="needle"), tree, ripgrep)
    }


async def test_a_limit_names_the_files_where_more_is(tmp_path):
    for name in ("a.py", "b.py", "c.py", "z.txt"):
        (tmp_path / name).write_text("x = 1\n" * 3)
    (tmp_path / "d.py").write_text("y\n")
    assert await text_of(grep, tmp_path, pattern="x", limit=2) == (
        "a.py:1: x = 1\na.py:2: x = 1\n\n"
        "[2 matches shown, from 1 file, there are more, also in b.py, c.py, z.txt; use limit=4 or narrow it.]"
    )
    last = await text_of(grep, tmp_path, pattern="x", path="z.txt", limit=1)
    assert last.endswith("[1 match shown, from 1 file, there are more; use limit=2 or narrow it.]")
    for i in range(20):
        (tmp_path / f"m{i:02d}.py").write_text("x\n")
    many = await text_of(grep, tmp_path, pattern="x", limit=3)
    assert "also in b.py, c.py, m00.py, m01.py, m02.py, m03.py, m04.py, m05.py and 15 more files;" in many


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


@pytest.fixture(params=ENGINES)
def engine(request, monkeypatch, tmp_path_factory):
    if request.param is None:
        monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("empty")))
    return request.param


@pytest.mark.usefixtures("engine")
async def test_letters_in_other_encodings_are_found_and_the_guess_is_told(tmp_path):
    line = "Descripci\u00f3n;Legislaci\u00f3n\r\n"
    (tmp_path / "a.csv").write_bytes(line.encode("cp1252") * 2)
    (tmp_path / "b.csv").write_bytes(line.encode())
    (tmp_path / "c.csv").write_bytes(line.encode("utf-16"))
    (tmp_path / "d.csv").write_bytes("\u041f\u0440\u0438\u0432\u0435\u0442 abc\n".encode("cp1251"))
    (tmp_path / "e.csv").write_bytes("\u00fc\u00f6\u00e4\u00df abc\n".encode() + b"\xff\n")
    row = line.rstrip()
    missed = "2 files are not UTF-8, so letters beyond ASCII may be missed: d.csv, e.csv."
    assert await text_of(grep, tmp_path, pattern="LEGISLACI\u00d3N", ignore_case=True) == (
        f"a.csv:1: {row}\na.csv:2: {row}\nb.csv:1: {row}\nc.csv:1: {row}\n\n"
        f"[1 file is not UTF-8, searched as cp1252: a.csv. {missed}]"
    )
    assert await text_of(grep, tmp_path, pattern="^Descripci.n;", glob="a.csv", limit=1) == (
        f"a.csv:1: {row}\n\n[1 match shown, from 1 file, there are more; use limit=2 or narrow it. "
        "1 file is not UTF-8, searched as cp1252: a.csv.]"
    )
    assert await text_of(grep, tmp_path, pattern="abc", glob="*.csv") == (
        "d.csv:1: \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd abc\ne.csv:1: \u00fc\u00f6\u00e4\u00df abc"
        f"\n\n[{missed}]"
    )
    assert await text_of(grep, tmp_path, pattern="\u00e5zz") == (
        f"(no match in 5 files)\n\n[1 file is not UTF-8, searched as cp1252: a.csv. {missed}]"
    )
    assert await text_of(grep, tmp_path, pattern="zzz") == "(no match in 5 files)"
    assert await text_of(grep, tmp_path, pattern="Legis", glob="b.csv") == f"b.csv:1: {row}"


@pytest.mark.usefixtures("engine")
async def test_a_pattern_meets_the_same_characters_in_both_engines(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"x\xffy\n\xd0\xb6\xd0\xb6\xd0\xb6\n")
    (tmp_path / "b.txt").write_bytes("a\u20ac\u0081b\n".encode("cp1252", "ignore") + b"\x81c\xe9d\xe8\n")
    assert (await text_of(grep, tmp_path, pattern="^x.y$")).startswith("a.txt:1: x\ufffdy")
    assert (await text_of(grep, tmp_path, pattern="c\u00e9d")).startswith("b.txt:2: \\x81c\u00e9d\u00e8\n")


@pytest.mark.usefixtures("engine")
async def test_lines_that_end_in_a_carriage_return_are_lines(tmp_path):
    (tmp_path / "mac.csv").write_bytes(b"a,b\rneedle,1\rc,d\r")
    assert await text_of(grep, tmp_path, pattern="needle") == "mac.csv:2: needle,1"


@pytest.mark.usefixtures("engine")
async def test_a_notebook_is_searched_by_cell_with_its_outputs(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["# Sales\n", "of the year"]},
        {
            "cell_type": "code",
            "source": "import os\nsales = 1\nprint(sales)",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["one\n", "\x1b[1msales\x1b[0m 2\n"]},
                {"output_type": "display_data", "data": {"image/png": "c2FsZXM="}},
            ],
        },
        {"cell_type": "code", "source": "", "outputs": []},
        {"cell_type": "code", "source": "sales", "outputs": []},
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    (tmp_path / "a.py").write_text("sales\n")
    (tmp_path / "z.py").write_text("no\nsales\n")
    assert await text_of(grep, tmp_path, pattern="sales", ignore_case=True) == (
        "a.py:1: sales\nn.ipynb, cell 1: # Sales\nn.ipynb, cell 2: sales = 1\nn.ipynb, cell 2: print(sales)\n"
        "n.ipynb, cell 2 output: sales 2\nn.ipynb, cell 4: sales\nz.py:2: sales"
    )
    assert await text_of(grep, tmp_path, pattern="^sales", path="n.ipynb", context=1) == (
        "n.ipynb, cell 2- import os\nn.ipynb, cell 2: sales = 1\nn.ipynb, cell 2- print(sales)\n--\n"
        "n.ipynb, cell 2 output- one\nn.ipynb, cell 2 output: sales 2\n--\nn.ipynb, cell 4: sales"
    )
    assert "also in n.ipynb, z.py; use" in await text_of(grep, tmp_path, pattern="sales", limit=1)
    assert await text_of(grep, tmp_path, pattern="^$", context=2) == "(no match in 3 files)"


@pytest.mark.usefixtures("engine")
async def test_a_notebook_that_is_none_is_searched_as_text(tmp_path):
    (tmp_path / "n.ipynb").write_text('{"cells":\n "needle"')
    assert await text_of(grep, tmp_path, pattern="needle") == 'n.ipynb:2:  "needle"'


async def test_files_that_are_no_text_are_counted_where_nothing_was_found(tree):
    found = await text_of(grep, tree, pattern="nothing like this")
    assert re.match(r"\(no match in \d+ files; 1 binary file not searched\)", found)


async def test_what_cannot_be_searched_is_explained(tree):
    with pytest.raises(ToolError, match=r"'\(' is no regular expression: .* Use literal=true"):
        await call(grep, tree, pattern="(")
    with pytest.raises(ToolError, match="a match never spans lines"):
        await call(grep, tree, pattern="a\nb")
    with pytest.raises(ToolError, match="pattern must be one line"):
        await call(grep, tree, pattern="")
    with pytest.raises(ToolError, match="too long: 10,000 characters at most"):
        await call(grep, tree, pattern="x" * 200_000)
    with pytest.raises(ToolError, match="Nothing is at subb"):
        await call(grep, tree, pattern="x", path="subb")
    with pytest.raises(ToolError, match="named pipe"):
        await call(grep, tree, pattern="x", path="pipe")


@pytest.mark.parametrize("pattern", ["a\0b", "\ud800"])
async def test_a_pattern_that_no_argument_may_hold_is_searched_all_the_same(tmp_path, pattern):
    (tmp_path / "a.txt").write_text("ab\n")
    assert await text_of(grep, tmp_path, pattern=pattern) == "(no match in 1 file)"


async def test_a_class_that_only_ripgrep_knows_is_refused_without_it_and_warns_nobody(
    tree, monkeypatch, recwarn
):
    monkeypatch.setattr(sys.modules[find_matches.__module__], "find_ripgrep", lambda: None)
    with pytest.raises(ToolError, match="is no regular expression: Possible nested set"):
        await call(grep, tree, pattern="[[:alpha:]]")
    assert not recwarn.list


async def test_a_search_that_was_stopped_does_not_say_that_there_is_no_match(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a" * 5000 + "\n")
    module = sys.modules[find_matches.__module__]
    monkeypatch.setattr(module, "find_ripgrep", lambda: None)
    monkeypatch.setattr(module, "find_matches", functools.partial(find_matches, timeout_seconds=0.2))
    text = await text_of(grep, tmp_path, pattern=r"(?=x?)(a+)+$b")
    assert text == "(no match so far)\n\n[Stopped after 0.2 seconds; narrow it by path or glob.]"


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
    assert time.monotonic() - started < SOON
    assert beats > 5
    assert found.notices == ["Stopped after 0.5 seconds; narrow it by path or glob."]


async def test_a_cancelled_search_ends_its_process(tmp_path):
    (tmp_path / "a.txt").write_text("a" * 5000 + "\n")
    search = Search(Query(pattern=r"(?=x?)(a+)+$b"), folder=tmp_path, ripgrep=None)
    run = asyncio.ensure_future(find_matches(search, ["a.txt"], limit=10))
    await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert list(search.rows(["a.txt"])) == []
