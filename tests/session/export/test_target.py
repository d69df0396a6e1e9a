"""Where an export goes, and that nothing is lost by it."""

from __future__ import annotations

import os
import stat

import pytest

from pi_notebook.errors import UsageError
from pi_notebook.session.export.target import Target, parse_target, write_target


def parsed(text, tmp_path):
    return parse_target(text, folder=tmp_path, home=tmp_path / "home")


@pytest.mark.parametrize(
    ("text", "name", "may_replace"),
    [
        ("out.ipynb", "out.ipynb", False),
        ("out.HTML --force", "out.HTML", True),
        ("--force 'my report.md'", "my report.md", True),
        ('"a.jsonl"', "a.jsonl", False),
    ],
)
def test_a_name_is_taken_relative_to_the_folder(text, name, may_replace, tmp_path):
    assert parsed(text, tmp_path) == Target(path=tmp_path / name, may_replace=may_replace)


@pytest.mark.parametrize("text", ["", "--force", "out", "out.pdf", "ipynb"])
def test_a_name_of_no_format_tells_the_four(text, tmp_path):
    with pytest.raises(UsageError, match=r"\.ipynb, \.html, \.jsonl, \.md"):
        parsed(text, tmp_path)


def test_what_is_there_is_left_as_it_is_unless_asked(tmp_path):
    path = tmp_path / "out.md"
    path.write_text("mine")
    with pytest.raises(UsageError, match="--force"):
        parsed("out.md", tmp_path)
    assert path.read_text() == "mine"
    write_target(parsed("out.md --force", tmp_path), [b"ours"])
    assert path.read_text() == "ours"


def test_a_file_that_is_made_meanwhile_is_left_as_it_is(tmp_path):
    target = parsed("out.md", tmp_path)
    target.path.write_text("mine")
    with pytest.raises(UsageError, match="there already"):
        write_target(target, [b"ours"])
    assert target.path.read_text() == "mine"
    assert os.listdir(tmp_path) == ["out.md"]


def test_a_failure_half_way_leaves_nothing(tmp_path):
    def pieces():
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match="No space left"):
        write_target(parsed("out.md", tmp_path), pieces())
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there_and_a_folder_in_the_place_of_the_file_are_told(tmp_path):
    (tmp_path / "out.md").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        parsed("out.md --force", tmp_path)
    with pytest.raises(UsageError, match="is not there"):
        parsed("missing/out.md", tmp_path)


def test_a_name_that_no_file_can_have_is_told(tmp_path):
    with pytest.raises(UsageError, match="NUL"):
        parsed("a\0.md", tmp_path)
    with pytest.raises(UsageError, match="is not there"):
        parsed("~nobody-of-this-name/a.md", tmp_path)
    with pytest.raises(UsageError, match="cannot be written: File name too long"):
        write_target(parsed(f"{'n' * 300}.md", tmp_path), [b"x"])
    assert os.listdir(tmp_path) == []


def test_no_export_replaces_a_session(tmp_path):
    (tmp_path / "home" / "sessions").mkdir(parents=True)
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "home" / "sessions" / "a.jsonl")
    for name in ("home/sessions/a.jsonl", "link.jsonl"):
        with pytest.raises(UsageError, match="where sessions are kept"):
            parsed(f"{name} --force", tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_a_document_has_the_persons_own_mode_and_a_session_is_private(tmp_path):
    before = os.umask(0o022)
    try:
        write_target(parsed("out.md", tmp_path), [b"x"])
        write_target(parsed("out.jsonl", tmp_path), [b"x"], mode=0o600)
    finally:
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("out.md", "out.jsonl")]
    assert modes == [0o644, 0o600]


def test_a_link_that_is_replaced_stays_a_link(tmp_path):
    (tmp_path / "real.md").write_text("old")
    (tmp_path / "link.md").symlink_to(tmp_path / "real.md")
    write_target(parsed("link.md --force", tmp_path), [b"new"])
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").read_text() == "new"
