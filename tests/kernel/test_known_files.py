"""What became of known files while nobody watched."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pi_notebook.kernel.known_files import MAX_FILES, KnownFiles


@pytest.fixture
def known(tmp_path):
    (tmp_path / "work").mkdir()
    return KnownFiles(str(tmp_path / "work"))


@pytest.fixture
def file(tmp_path, known):
    path = tmp_path / "work" / "a.csv"
    path.write_text("a,b\n1,2\n")
    known.look([str(path)])
    return path


def told(known):
    return [(os.path.basename(e.path), e.action, os.path.basename(e.renamed_to)) for e in known.moved()]


def by_the_shell(old, new):
    subprocess.run(["mv", old, new], check=True)


@pytest.mark.parametrize("move", [os.rename, os.replace, shutil.move, Path.rename, by_the_shell])
def test_a_renamed_file_is_known_however_it_was_renamed(known, file, move):
    (file.parent / "sub").mkdir()
    move(file, file.parent / "sub" / "b.csv")
    assert told(known) == [("a.csv", "deleted", "b.csv"), ("b.csv", "written", "")]
    assert told(known) == []
    os.rename(file.parent / "sub" / "b.csv", file.parent / "c.csv")
    assert told(known) == [("b.csv", "deleted", "c.csv"), ("c.csv", "written", "")]


def test_what_was_known_already_or_is_another_file_is_not_taken_for_the_renamed_one(known, file):
    copy = file.parent / "copy.csv"
    shutil.copy2(file, copy)
    file.unlink()
    (file.parent / "new.csv").write_text("a,b\n1,2\n")
    assert told(known) == [("a.csv", "deleted", "")]
    known.look([str(copy)])
    linked = file.parent / "linked.csv"
    os.link(copy, linked)
    known.look([str(linked)])
    linked.unlink()
    assert told(known) == [("linked.csv", "deleted", "")]


def test_what_leaves_the_folder_is_gone_and_what_is_looked_at_in_between_is_as_it_is_then(
    known, file, tmp_path
):
    file.write_text("changed since")
    known.look()
    os.rename(file, file.with_name("b.csv"))
    assert told(known) == [("a.csv", "deleted", "b.csv"), ("b.csv", "written", "")]
    os.rename(file.with_name("b.csv"), tmp_path / "away.csv")
    assert told(known) == [("b.csv", "deleted", "")]


def test_what_a_look_finds_gone_is_told_of_no_more(known, file):
    file.unlink()
    known.look()
    assert told(known) == []


def test_no_more_than_the_newest_are_kept(known, tmp_path):
    paths = [tmp_path / "work" / f"{number}.txt" for number in range(MAX_FILES + 5)]
    for path in paths:
        path.write_text(path.name)
        known.look([str(path)])
    for path in paths:
        path.unlink()
    assert len(known.moved()) == MAX_FILES
