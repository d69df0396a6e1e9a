"""Prompt templates: what `/name arguments` becomes."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.skills.template_arguments import TooLong, filled, split_arguments
from pi_notebook.skills.templates import MAX_TEMPLATES, find_call, find_templates
from tests.patience import SOON
from tests.skills.folders import Folders, write


@pytest.fixture
def folders(tmp_path):
    return Folders(tmp_path)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", []),
        ("  one   two\nthree ", ["one", "two", "three"]),
        ('"one two" three', ["one two", "three"]),
        ("'one \"two\"' x", ['one "two"', "x"]),
        ('a"b c"d', ["ab cd"]),
        ('"" x', ["", "x"]),
        ("it's fine", ["it's", "fine"]),
        ('say "hello', ["say", '"hello']),
        ("5\" and 6'", ['5"', "and", "6'"]),
        ("'a' \"", ["a", '"']),
        ("back\\slash \\", ["back\\slash", "\\"]),
    ],
)
def test_arguments_are_words_and_quotes_keep_them_together(typed, words):
    assert split_arguments(typed) == words


@pytest.mark.parametrize(
    ("body", "arguments", "text"),
    [
        ("$1 and $2", ["a", "b"], "a and b"),
        ("$1 and $2.", ["a"], "a and ."),
        ("$@ | $ARGUMENTS", ["a", "b"], "a b | a b"),
        ("$10", list("abcdefghij"), "j"),
        ("${1}st", ["a"], "ast"),
        ("${1:-none} ${2:-none}", ["a"], "a none"),
        ("${1:-}", [], ""),
        ("${@:-all}", [], "all"),
        ("${ARGUMENTS:-all}", ["x"], "x"),
        ("${@:2}", ["a", "b", "c"], "b c"),
        ("${@:2:1}", ["a", "b", "c"], "b"),
        ("${@:0}", ["a", "b"], "a b"),
        ("${@:9}", ["a"], ""),
        ("$0 $", ["a"], " $"),
        ("$x $$ ${x} ${1:2} costs 5$", ["a"], "$x $$ ${x} ${1:2} costs 5$"),
        ("$ARGUMENTSX", ["a"], "$ARGUMENTSX"),
        ("$1", ["$2", "x"], "$2"),
        ("$1", ["${@}"], "${@}"),
    ],
)
def test_arguments_stand_where_the_template_names_them(body, arguments, text):
    assert filled(body, arguments) == text


def test_a_template_that_its_arguments_make_huge_is_refused_at_once():
    began = time.perf_counter()
    with pytest.raises(TooLong):
        filled("$@" * 30_000, ["x" * 100_000])
    assert time.perf_counter() - began < SOON


@settings(derandomize=True, max_examples=500, deadline=None)
@given(typed=st.text(alphabet="ab '\"\\$@{}:-1\n", max_size=40))
def test_words_lose_no_character_but_blanks_and_closed_quotes(typed):
    kept = [char for word in split_arguments(typed) for char in word if char not in " '\"\n"]
    assert kept == [char for char in typed if char not in " '\"\n"]


@pytest.mark.parametrize(
    ("prompt", "call"),
    [
        ("/review", ("review", "")),
        (" /review a b\nc \n", ("review", "a b\nc")),
        ("/home/me/data.csv is broken", None),
        ("/ review", None),
        ("what is /review", None),
        ("//comment", None),
        ("/re:view x", None),
    ],
)
def test_a_prompt_is_a_call_when_it_begins_with_a_name(prompt, call):
    assert find_call(prompt) == call


def test_templates_come_from_the_project_then_from_the_person(folders):
    write(folders.folder / ".pi/prompts/same.md", "project")
    write(folders.home / "prompts/same.md", "---\ndescription: d\nargument-hint: <file>\n---\nours $1\n")
    write(folders.user.pi / "prompts/same.md", "pi")
    write(folders.user.pi / "prompts/sub/deep.md", "no direct child")
    found, faults = find_templates(folders.places, folders.user, is_trusted=True)
    assert [(one.name, one.filled("x")) for one in found] == [("same", "project")]
    assert len(faults) == 2
    found, faults = find_templates(folders.places, folders.user, is_trusted=False)
    assert [(one.filled("x"), one.description, one.hint) for one in found] == [("ours x", "d", "<file>")]
    assert all(str(folders.folder) not in str(fault.path) for fault in faults)


def test_what_cannot_be_a_template_is_told(folders):
    place = folders.home / "prompts"
    write(place / "two words.md", "x")
    write(place / "compact.md", "x")
    write(place / "empty.md", "---\ndescription: d\n---\n")
    write(place / "large.md", "x" * 70_000)
    (place / "gone.md").symlink_to("nothing")
    (place / "folder.md").mkdir()
    write(place / "it's.md", "x")
    found, faults = find_templates(folders.places, folders.user, is_trusted=True)
    assert found == []
    assert len(faults) == 7


def test_the_text_of_a_template_keeps_its_quotes_and_broken_front_matter(folders):
    write(folders.home / "prompts/odd.md", "---\ndescription: a: b\n---\nSay \"it's $1\n")
    write(folders.home / "prompts/open.md", "---\nno end $1")
    found, faults = find_templates(folders.places, folders.user, is_trusted=True)
    assert [one.filled('"x') for one in found] == ['Say "it\'s "x', '---\nno end "x']
    assert [fault.path.name for fault in faults] == ["odd.md"]


def test_many_templates_are_bounded(folders):
    for number in range(MAX_TEMPLATES + 5):
        write(folders.home / f"prompts/t{number:04}.md")
    found, faults = find_templates(folders.places, folders.user, is_trusted=True)
    assert (len(found), len(faults)) == (MAX_TEMPLATES, 1)
