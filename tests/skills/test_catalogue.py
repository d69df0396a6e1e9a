"""Skills: where they are found, which of two counts, and what keeps one from being used."""

import os
import time

import pytest

from pi_notebook.skills.catalogue import MAX_SKILLS
from tests.patience import SOON
from tests.skills.folders import Folders, write, write_skill


@pytest.fixture
def folders(tmp_path):
    return Folders(tmp_path)


def places_of(folders):
    """Every place skills are found in, in the order they count."""
    return [
        folders.folder / ".pi/skills",
        folders.folder / ".agents/skills",
        folders.project / ".agents/skills",
        folders.home / "skills",
        folders.user.pi / "skills",
        folders.user.agents / "skills",
        folders.user.claude / "skills",
    ]


def test_of_skills_with_one_name_the_nearest_counts_and_the_others_are_named(folders):
    places = places_of(folders)
    for number, place in enumerate(places):
        write_skill(place, "same", f"from {number}")
    for number, place in enumerate(places):
        catalogue = folders.catalogue()
        assert catalogue.get("same").description == f"from {number}"
        losers = [skill for skill in catalogue.skills if skill.name == "same" and skill.problem]
        assert [skill.path.parent.parent for skill in losers] == places[number + 1 :]
        assert all(str(place) in skill.problem for skill in losers)
        (place / "same/SKILL.md").unlink()
    assert folders.catalogue().get("same") is None


def test_a_copy_of_a_skill_for_another_program_is_no_fault(folders):
    for place in (folders.home / "skills", folders.user.claude / "skills"):
        write_skill(place, "same")
    copies = [skill for skill in folders.catalogue().skills if skill.is_copy]
    assert [skill.path for skill in copies] == [folders.user.claude / "skills/same/SKILL.md"]


def test_an_untrusted_project_s_skills_are_listed_and_hide_nothing(folders):
    write_skill(folders.folder / ".pi/skills", "same", "the project's")
    write_skill(folders.home / "skills", "same", "the person's")
    catalogue = folders.catalogue(is_trusted=False)
    assert catalogue.get("same").description == "the person's"
    assert [skill.problem for skill in catalogue.skills if skill.source == "project"] == [
        "lies in a folder that is not trusted"
    ]


def test_skills_above_the_repository_and_in_hidden_folders_are_not_found(folders):
    write_skill(folders.base / ".agents/skills", "above")
    write_skill(folders.home / "skills/.git", "hidden")
    write_skill(folders.home / "skills/node_modules", "module")
    write_skill(folders.home / "skills/outer/references", "inner")
    write_skill(folders.home / "skills", "outer")
    write_skill(folders.home / "skills/group/part", "nested")
    assert [skill.name for skill in folders.own_skills()] == ["nested", "outer"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# No front matter\n", "no description"),
        ("---\nname: x\n---\n", "no description"),
        ("---\nname: x\ndescription: y\n", "ends its front matter"),
        (f"---\ndescription: {'x' * 70_000}\n---\n", "64 kB"),
        ("---\ndescription: a\0b\n---\n", "no text file"),
    ],
)
def test_a_skill_that_cannot_be_used_says_why(folders, text, said):
    write(folders.home / "skills/bad/SKILL.md", text)
    (skill,) = [skill for skill in folders.catalogue().skills if skill.source == "user"]
    assert said in skill.problem


@pytest.mark.parametrize(
    ("name", "said"),
    [("Big Name", "lower-case"), ("a--b", "lower-case"), ("-a", "lower-case"), ("x" * 70, "more than 64")],
)
def test_a_name_against_the_rules_is_told_and_used(folders, name, said):
    write(folders.home / "skills/it/SKILL.md", f"---\nname: {name}\ndescription: d\n---\n")
    (skill,) = folders.own_skills()
    assert skill.name == name
    assert said in skill.faults[0]


def test_names_and_descriptions_are_on_one_line_and_hide_nothing(folders):
    text = '---\nname: "a\\u202eb\\nc\\x1b[31m"\ndescription: "one\\n</skills>\\u200b two"\n---\n'
    write(folders.home / "skills/it/SKILL.md", text)
    (skill,) = folders.own_skills()
    assert skill.name == "a\\u202eb c\\x1b[31m"
    assert skill.description == "one </skills>\\u200b two"


def test_without_a_name_the_folder_s_counts(folders):
    write(folders.home / "skills/my-skill/SKILL.md", "\ufeff---\r\ndescription: d\r\n---\r\n")
    assert [skill.name for skill in folders.own_skills()] == ["my-skill"]


@pytest.mark.parametrize("place", [0, 3, 4])
def test_a_file_with_a_head_in_a_folder_of_ours_or_of_pi_is_a_skill(folders, place):
    skills = places_of(folders)[place]
    write(skills / "tidy.md", "---\ndescription: tidies\n---\n# How\n")
    write(skills / "other.md", "---\nname: named\ndescription: is named\n---\n")
    write(skills / "README.md", "# These are my skills\n")
    write(skills / "bad.md", "---\nname: bad\n---\n")
    write(skills / "notes.txt", "---\ndescription: no\n---\n")
    write(skills / "deep/loose.md", "---\ndescription: no\n---\n")
    write_skill(skills, "whole")
    assert [(one.name, one.path) for one in folders.own_skills()] == [
        ("named", skills / "other.md"),
        ("tidy", skills / "tidy.md"),
        ("whole", skills / "whole/SKILL.md"),
    ]
    (bad,) = [skill for skill in folders.catalogue().skills if skill.problem]
    assert (bad.name, bad.problem) == ("bad", "has no description in its front matter")


@pytest.mark.parametrize("place", [1, 2, 5, 6])
def test_elsewhere_a_skill_has_a_folder_of_its_own(folders, place):
    write(places_of(folders)[place] / "tidy.md", "---\ndescription: tidies\n---\n")
    assert folders.own_skills() == []


def test_a_skill_that_is_a_file_may_not_be_a_link_out_of_its_folder(folders):
    secret = write(folders.base / "secret.md", "---\ndescription: a secret\n---\n")
    place = folders.folder / ".pi/skills"
    place.mkdir(parents=True)
    (place / "tidy.md").symlink_to(secret)
    assert folders.own_skills() == []
    assert ["link" in skill.problem for skill in folders.catalogue().skills if skill.problem] == [True]


def test_a_skill_that_the_model_is_not_told_of_is_there_when_asked_for(folders):
    write(folders.home / "skills/it/SKILL.md", "---\ndescription: d\ndisable-model-invocation: true\n---\n")
    (skill,) = folders.own_skills()
    assert skill.is_hidden


def test_a_link_out_of_the_skill_or_out_of_the_project_is_not_followed(folders):
    secret = write(folders.base / "secret/SKILL.md", "---\ndescription: a secret\n---\n")
    for place in (folders.home / "skills/linked", folders.folder / ".pi/skills/linked"):
        place.mkdir(parents=True)
        (place / "SKILL.md").symlink_to(secret)
    (folders.folder / ".pi/skills/whole").symlink_to(secret.parent)
    assert folders.own_skills() == []
    problems = [skill.problem for skill in folders.catalogue().skills if skill.problem]
    assert len(problems) == 3
    assert all("link" in problem for problem in problems)


def test_the_person_may_link_a_whole_skill_and_links_in_a_circle_end(folders):
    elsewhere = write_skill(folders.base / "elsewhere", "linked").parent
    place = folders.home / "skills"
    place.mkdir(parents=True)
    (place / "linked").symlink_to(elsewhere)
    (place / "again").symlink_to(elsewhere)
    (place / "circle").symlink_to(place)
    (place / "broken").symlink_to(place / "nothing")
    assert [skill.name for skill in folders.own_skills()] == ["linked"]


def test_what_is_no_plain_file_is_passed_over_without_waiting(folders):
    place = folders.home / "skills"
    (place / "pipe").mkdir(parents=True)
    os.mkfifo(place / "pipe/SKILL.md")
    (place / "folder/SKILL.md").mkdir(parents=True)
    (place / "device").mkdir()
    (place / "device/SKILL.md").symlink_to("/dev/zero")
    (place / "gone").mkdir()
    (place / "gone/SKILL.md").symlink_to("nothing")
    problems = {
        skill.path.parent.name: skill.problem for skill in folders.catalogue().skills if skill.problem
    }
    assert set(problems) == {"pipe", "folder", "device", "gone"}
    assert "no plain file" in problems["pipe"]


def test_many_skills_take_bounded_time_and_those_left_out_are_counted(folders):
    place = folders.home / "skills"
    for number in range(10_000):
        (place / f"s{number:05}").mkdir(parents=True)
    for number in range(MAX_SKILLS + 10):
        (place / f"s{number:05}/SKILL.md").write_text(f"---\ndescription: number {number}\n---\n")
    began = time.perf_counter()
    catalogue = folders.catalogue()
    assert time.perf_counter() - began < SOON  # the figure is measured by `python -m benchmarks skills`
    assert len([skill for skill in catalogue.used if skill.source == "user"]) == MAX_SKILLS
    assert [count for _, count in catalogue.passed_over] == [10_000 - MAX_SKILLS]
    assert catalogue.get("dataframes") is not None


def test_a_project_with_many_skills_leaves_the_person_s_to_be_read(folders):
    for number in range(MAX_SKILLS + 1):
        (folders.folder / f".pi/skills/s{number}").mkdir(parents=True)
        (folders.folder / f".pi/skills/s{number}/SKILL.md").write_text("---\ndescription: d\n---\n")
    write_skill(folders.home / "skills", "mine")
    assert folders.catalogue(is_trusted=False).get("mine") is not None


def test_folders_that_hold_no_skills_are_not_searched_for_ever(folders):
    for number in range(40):
        for part in range(80):
            (folders.home / f"skills/{number:02}/{part:02}").mkdir(parents=True)
    write_skill(folders.home / "skills/zz", "last")
    assert folders.catalogue().passed_over != ()
