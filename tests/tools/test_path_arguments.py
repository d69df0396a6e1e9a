"""Whatever a model gives as a path: a right result or an error that says something, soon and short."""

import asyncio
import os
import socket
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pi_notebook.agent.tools import Tool, ToolError, ToolResult
from pi_notebook.tools.edit import edit
from pi_notebook.tools.find import find
from pi_notebook.tools.grep import grep
from pi_notebook.tools.ls import ls
from pi_notebook.tools.paths import resolve_path
from pi_notebook.tools.read import read
from pi_notebook.tools.write import write
from tests.patience import SOON
from tests.tools.calling import call

TEXT = "old text\n"
LONGEST_ANSWER = 2_000 + 5_000 * 6
"""Of characters: a path may be 5,000 of them, each shown as an escape."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small tree with links, what is no plain file, and names that differ in how they are spelled."""
    root = tmp_path_factory.mktemp("paths")
    folder = root / "work"
    (folder / "sub" / "deep").mkdir(parents=True)
    (root / "outside.txt").write_text(TEXT)
    for name in ("a.txt", "sub/b.txt", "caf\u00e9.txt", "name ", "dots...", "~", "-x", "sub/deep/c.txt"):
        (folder / name).write_text(TEXT)
    (folder / "l0").symlink_to("a.txt")
    for number in range(1, 60):
        (folder / f"l{number}").symlink_to(f"l{number - 1}")
    (folder / "loop").symlink_to("loop")
    (folder / "up").symlink_to("..")
    (folder / "lost").symlink_to("nowhere/at/all")
    os.mkfifo(folder / "pipe")
    (folder / "topipe").symlink_to("pipe")
    server = socket.socket(socket.AF_UNIX)
    before = Path.cwd()
    os.chdir(folder)  # the path of a socket may not be long
    server.bind("sock")
    os.chdir(before)
    yield folder
    server.close()


PARTS = st.sampled_from(
    [
        "..",
        ".",
        "",
        "a.txt",
        "sub",
        "deep",
        "b.txt",
        "cafe\u0301.txt",
        "caf\u00e9.txt",
        "name ",
        "name",
        "dots...",
        "dots",
    ]
    + [
        "l0",
        "l3",
        "l59",
        "loop",
        "up",
        "lost",
        "pipe",
        "topipe",
        "sock",
        "~",
        "~root",
        "~nobody",
        "-x",
        "A.TXT",
        "work",
    ]
    + [
        "outside.txt",
        "x" * 255,
        "x" * 256,
        "x" * 5000,
        "\u202e",
        "\ud800",
        "\x1b[0m",
        "a\nb",
        "a\0b",
        "*",
        "[a]",
        "@a.txt",
    ]
)
STARTS = st.sampled_from(
    ["", "", "", "/", "//", "~/", "./", "../", "@", " ", "/dev/zero/", "/proc/self/root/", "HERE/"]
)
ENDS = st.sampled_from(["", "", "", "/", "/.", " ", ".", "/..", "//"])
SPECIAL = st.sampled_from(
    ["/dev/zero", "/dev/stdin", "/proc/self/mem", "/proc/self/fd/0", "/", "~", "", "\0", "x/" * 2500]
)
PATHS = SPECIAL | st.builds(
    lambda start, parts, end: start + "/".join(parts) + end,
    STARTS,
    st.lists(PARTS, min_size=1, max_size=4),
    ENDS,
)
READERS = {
    read: {},
    ls: {},
    find: {"pattern": "*.txt"},
    grep: {"pattern": "old"},
}
WRITERS = {
    write: {"content": TEXT},
    edit: {"edits": [{"old_text": "old", "new_text": "old"}]},
}


async def answer(tool: Tool, folder: Path, arguments: dict) -> tuple[str, bool]:
    try:
        result: ToolResult = await call(tool, folder, **arguments)
    except ToolError as error:
        return str(error), True
    return "".join(getattr(block, "text", "") for block in result.content), result.is_error


def check(tool: Tool, folder: Path, path: str, arguments: dict) -> None:
    path = path.replace("HERE", str(folder))
    began = time.monotonic()
    text, is_error = asyncio.run(answer(tool, folder, {"path": path, **arguments}))
    assert time.monotonic() - began < SOON
    assert text
    assert len(text) < LONGEST_ANSWER
    assert not is_error or text.endswith((".", ":", "?")) or "\n" in text
    text.encode("utf-8")
    assert "\x1b" not in text
    if tool is read and not is_error and not os.path.isdir(resolve_path(path, folder)):
        assert text == TEXT


def is_below(root: Path, path: str, folder: Path) -> bool:
    try:
        return Path(os.path.realpath(resolve_path(path, folder))).is_relative_to(root)
    except (ToolError, OSError):
        return True


FEW = settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@FEW
@given(path=PATHS)
def test_reading_any_path_gives_the_file_a_listing_or_an_error(folder, path):
    check(read, folder, path, {})


@settings(FEW, max_examples=40)
@given(path=PATHS.filter(lambda path: "/.." not in path and not path.startswith(("/", "~", "."))))
@pytest.mark.parametrize("tool", [ls, find, grep], ids=lambda tool: tool.name)
def test_searching_any_path_gives_rows_or_an_error(folder, tool, path):
    check(tool, folder, path, READERS[tool])


@FEW
@given(path=PATHS.map(lambda path: path.lstrip("/~ ")))
@pytest.mark.parametrize("tool", [write, edit], ids=lambda tool: tool.name)
def test_writing_any_path_leaves_whole_files_and_what_is_no_file_alone(folder, tool, path):
    assume(is_below(folder.parent, path.replace("HERE", str(folder)), folder))
    check(tool, folder, path, WRITERS[tool])
    for name in ("a.txt", "sub/b.txt", "caf\u00e9.txt", "sub/deep/c.txt"):
        assert (folder / name).read_text() == TEXT
    assert (folder / "pipe").is_fifo()
    assert (folder / "sock").is_socket()
    assert (folder / "l59").is_symlink()
    assert not list(folder.rglob("*.tmp"))
