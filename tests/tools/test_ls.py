"""`ls`: what a folder holds, whatever its names are."""

import os

import pytest

from pi_notebook.agent.tools import ToolError
from pi_notebook.tools.ls import ls
from tests.tools.calling import call, text_of


async def test_folders_links_and_sizes_are_told(tmp_path):
    (tmp_path / "b.csv").write_bytes(bytes(2048))
    (tmp_path / "A").mkdir()
    (tmp_path / ".hidden").touch()
    (tmp_path / "link").symlink_to("A")
    (tmp_path / "lost").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    assert await text_of(ls, tmp_path) == (
        ".hidden  0 bytes\nA/\nb.csv  2.0 KB\nlink/ -> A\nlost -> nowhere\npipe  (no plain file)"
    )


async def test_an_empty_folder_says_so(tmp_path):
    (tmp_path / "x").mkdir()
    assert await text_of(ls, tmp_path, path="x") == "(x is empty)"


async def test_a_limit_says_how_to_see_the_rest(tmp_path):
    for i in range(12):
        (tmp_path / f"{i:02d}").touch()
    text = await text_of(ls, tmp_path, limit=2)
    assert text == "00  0 bytes\n01  0 bytes\n\n[2 of 12 entries shown; limit=12 gives all.]"


async def test_many_entries_stay_within_the_bound(tmp_path):
    for i in range(600):
        (tmp_path / f"{i:03d}{'x' * 200}").touch()
    text = await text_of(ls, tmp_path, limit=1000)
    assert len(text.encode()) < 51_200 + 300
    assert "Narrow the search to see the rest." in text


async def test_a_name_with_odd_characters_takes_one_line(tmp_path):
    (tmp_path / "a\nb\x1b[0m\u202e").touch()
    (tmp_path / os.fsdecode(b"\xff.txt")).touch()
    assert await text_of(ls, tmp_path) == "a\\nb\\x1b[0m\\u202e  0 bytes\n\ufffd.txt  0 bytes"


async def test_a_file_or_a_missing_folder_is_explained(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "a.txt").touch()
    with pytest.raises(ToolError, match="a.txt is a file, not a folder. Use `read` to see it."):
        await call(ls, tmp_path, path="a.txt")
    with pytest.raises(ToolError, match="Nothing is at dat. Did you mean data\\?"):
        await call(ls, tmp_path, path="dat")
