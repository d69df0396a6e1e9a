"""Instructions of a person and of a project: which files count, in which order, and how much of them."""

import os
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.skills.instructions import (
    FILE_NAMES,
    InstructionLimits,
    find_instructions,
    find_prompt_file,
    fitted_instructions,
)
from tests.skills.folders import Folders, write


@pytest.fixture
def folders(tmp_path):
    return Folders(tmp_path)


def found_in(folders, *, is_trusted=True):
    return find_instructions(folders.places, folders.user, is_trusted=is_trusted)


def texts_of(folders, limits=None, **options):
    files, _ = found_in(folders, **options)
    return [text for _, text in fitted_instructions(files, limits or InstructionLimits())]


def test_the_person_s_come_first_and_then_those_from_the_root_down_to_the_folder(folders):
    write(folders.folder / "AGENTS.md", "folder")
    write(folders.project / "CLAUDE.md", "project")
    write(folders.base / "AGENTS.md", "above")
    write(folders.user.claude / "CLAUDE.md", "claude")
    write(folders.user.pi / "AGENTS.md", "pi")
    write(folders.home / "AGENTS.md", "ours")
    assert texts_of(folders) == ["ours", "pi", "claude", "above", "project", "folder"]
    assert texts_of(folders, is_trusted=False) == ["ours", "pi", "claude"]


def test_of_a_folder_s_files_the_first_counts(folders):
    for number, name in reversed(list(enumerate(FILE_NAMES))):
        write(folders.folder / name, f"{number}")
        assert texts_of(folders) == [f"{number}"]


def test_a_folder_of_that_name_and_an_empty_file_are_passed_over(folders):
    (folders.folder / "AGENTS.md").mkdir()
    write(folders.folder / "CLAUDE.md", "used")
    write(folders.project / "AGENTS.md", " \n")
    assert texts_of(folders) == ["used"]


def test_marks_and_line_ends_of_windows_are_left_out(folders):
    (folders.folder / "AGENTS.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r")
    (folders.project / "AGENTS.md").write_bytes("größer\r\n".encode("utf-16"))
    assert texts_of(folders) == ["größer", "one\ntwo"]


def test_what_cannot_be_read_is_told_and_what_is_not_utf8_is_shown_so(folders):
    (folders.folder / "AGENTS.md").write_bytes(b"\x00\x01")
    (folders.project / "AGENTS.md").write_bytes("größer".encode("latin-1"))
    files, faults = found_in(folders)
    assert [file.content.head for file in files] == ["gr�ßer".replace("ß", "�")]
    assert sorted(fault.text for fault in faults) == [
        "is no text file. It is not used.",
        "is not UTF-8: what cannot be read is shown as �.",
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_told(folders):
    write(folders.folder / "AGENTS.md").chmod(0)
    assert "Permission denied" in found_in(folders)[1][0].text


def test_a_pipe_is_no_file_and_nothing_waits_for_it(folders):
    os.mkfifo(folders.folder / "AGENTS.md")
    assert found_in(folders) == ([], [])


def test_a_project_s_link_to_the_person_s_secrets_is_not_followed(folders):
    secret = write(folders.base / "user/.ssh/id_rsa", "a secret")
    (folders.folder / "AGENTS.md").symlink_to(secret)
    (folders.folder / ".pi").mkdir()
    (folders.folder / ".pi/SYSTEM.md").symlink_to(secret)
    files, faults = found_in(folders)
    assert (files, len(faults)) == ([], 1)
    found, faults = find_prompt_file("SYSTEM.md", folders.places, folders.user, is_trusted=True)
    assert (found, len(faults)) == (None, 1)


def test_links_within_the_project_are_followed_and_one_file_is_shown_once(folders):
    write(folders.project / "AGENTS.md", "shared")
    (folders.folder / "CLAUDE.md").symlink_to("../AGENTS.md")
    assert texts_of(folders) == ["shared"]


def test_a_long_file_keeps_three_quarters_of_its_bound_at_the_head_and_says_what_is_missing(folders):
    lines = [f"line {number:05}" for number in range(5000)]
    path = write(folders.folder / "AGENTS.md", "\n".join(lines))
    (text,) = texts_of(folders)
    head, note, tail = text.partition(f"bytes are left out here: `read` {path}]")
    assert head.startswith("line 00000\n")
    assert 8900 < len(head) < 9100
    assert 2900 < len(tail) < 3100
    assert text.endswith("line 04999")
    assert set(text.split("\n")) - {line for line in text.split("\n") if "bytes" in line} <= set(lines)
    assert note


def test_five_megabytes_are_not_read_and_their_ends_are_whole_characters(folders):
    write(folders.folder / "AGENTS.md", "é日😀" * 600_000)
    (text,) = texts_of(folders)
    assert len(text) < 12_200
    assert set(text) <= set("é日😀") | set(text[text.index("[") : text.index("]") + 1]) | {"\n"}
    files, _ = found_in(folders)
    assert len(files[0].content.head) + len(files[0].content.tail) < 300_000


def test_when_all_have_too_much_the_nearest_get_theirs(folders):
    place = folders.folder
    for number in range(8):
        write(place / "AGENTS.md", f"{number}" * 12_000)
        place = place / f"sub{number}"
        place.mkdir()
    folders.folder = place
    texts = texts_of(folders)
    assert [text[0] for text in texts] == ["[", "[", "[", "3", "4", "5", "6", "7"]
    assert sum(len(text) for text in texts) < 61_000


@settings(derandomize=True, max_examples=200, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 3000), min_size=1, max_size=5),
    file=st.integers(300, 2000),
    whole=st.integers(300, 5000),
)
def test_instructions_stay_within_their_bounds(sizes, file, whole, tmp_path_factory):
    folders = Folders(tmp_path_factory.mktemp("f"))
    place = folders.folder
    for size in sizes:
        write(place / "AGENTS.md", "word " * size)
        place = place / "d"
        place.mkdir()
    folders.folder = place
    texts = texts_of(folders, InstructionLimits(max_file_chars=file, max_chars=whole))
    note = 300
    assert len(texts) == len(sizes)
    assert all(len(text) <= file + note for text in texts)
    assert sum(map(len, texts)) <= whole + note * len(sizes)


def test_the_first_prompt_file_counts(folders):
    write(folders.user.pi / "SYSTEM.md", "pi")
    write(folders.home / "SYSTEM.md", "ours")
    write(folders.folder / ".pi/SYSTEM.md", "project")

    def text(is_trusted):
        found, _ = find_prompt_file("SYSTEM.md", folders.places, folders.user, is_trusted=is_trusted)
        return found.content.head

    assert [text(True), text(False)] == ["project", "ours"]


@pytest.mark.parametrize("text", ["", " \n\n"])
def test_a_prompt_file_without_text_replaces_nothing_and_is_told(folders, text):
    write(folders.folder / ".pi/SYSTEM.md", text)
    find = partial(find_prompt_file, "SYSTEM.md", folders.places, folders.user, is_trusted=True)
    found, faults = find()
    assert found is None
    assert "no text" in faults[0].text
    write(folders.home / "SYSTEM.md", "ours")
    found, _ = find()
    assert found is not None
    assert found.content.head == "ours"
