"""`write`: a file replaced as a whole or not at all."""

import os
import stat
import threading

import pytest

from pi_notebook.agent.tools import ToolError
from pi_notebook.tools.files import exclusive, replace_file
from pi_notebook.tools.write import write
from tests.tools.calling import call, text_of


async def refused(folder, path: str) -> str:
    with pytest.raises(ToolError) as raised:
        await call(write, folder, path=path, content="new")
    return str(raised.value)


async def test_a_file_and_its_folders_are_made(tmp_path):
    said = await text_of(write, tmp_path, path="a/b/c.txt", content="one\ntwo\n")
    assert said == "Created a/b/c.txt: 2 lines, 8 bytes."
    assert (tmp_path / "a/b/c.txt").read_text() == "one\ntwo\n"
    assert await text_of(write, tmp_path, path="a/b/d", content="x") == "Created a/b/d: 1 line, 1 byte."


async def test_a_file_is_replaced_and_keeps_its_mode(tmp_path):
    path = tmp_path / "run.sh"
    path.write_text("old")
    path.chmod(0o754)
    assert await text_of(write, tmp_path, path="run.sh", content="") == "Replaced run.sh: 0 lines, 0 bytes."
    assert path.read_text() == ""
    assert stat.S_IMODE(path.stat().st_mode) == 0o754
    assert os.listdir(tmp_path) == ["run.sh"]


async def test_a_link_stays_a_link_and_its_target_changes(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    await call(write, tmp_path, path="link", content="new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


async def test_lone_surrogates_do_not_stop_it(tmp_path):
    await call(write, tmp_path, path="a", content="x\ud800y \ud83d\ude00")
    assert (tmp_path / "a").read_text() == "x\ufffdy \U0001f600"


async def test_what_is_no_plain_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    assert "is a folder" in await refused(tmp_path, "folder")
    assert "named pipe" in await refused(tmp_path, "pipe")
    assert "is a device" in await refused(tmp_path, "/dev/null")
    assert "could not be written" in await refused(tmp_path, "file/below")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "pipe"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
async def test_a_read_only_file_is_left_alone(tmp_path):
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o444)
    assert "is read-only" in await refused(tmp_path, "a")
    assert (tmp_path / "a").read_text() == "old"


def test_one_file_is_changed_by_one_call_at_a_time(tmp_path):
    path = tmp_path / "count"
    path.write_text("0")
    (tmp_path / "link").symlink_to(path)

    def add(name: str) -> None:
        for _ in range(50):
            with exclusive(tmp_path / name) as real:
                replace_file(real, str(int(real.read_text()) + 1).encode(), tmp_path)

    threads = [threading.Thread(target=add, args=(name,)) for name in ("count", "link") * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "200"
