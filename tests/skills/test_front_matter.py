"""Front matter is text by key, whatever YAML would make of it; what cannot be used is said."""

import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_notebook.skills.front_matter import MAX_BYTES, read_front_matter
from tests.patience import SOON

BOMB = "a: &a {x: y}\n" + "\n".join(
    f"{chr(98 + n)}: &{chr(98 + n)} {{<<: [{', '.join([f'*{chr(97 + n)}'] * 9)}]}}" for n in range(9)
)

# block, what the description is read as, whether something is said of it
SPELLINGS = [
    ("description: Does a thing.", "Does a thing.", False),
    ("description: Does a thing. Use when: you need it", "Does a thing. Use when: you need it", True),
    ('description: "Use when: you need it"', "Use when: you need it", False),
    ("description: 'it''s quoted'", "it's quoted", False),
    ("description: # important", "# important", True),
    ("description: text # a comment", "text", False),
    ("description: [a, b] list", "[a, b] list", True),
    ("description: [a, b]", "[a, b]", True),
    ("description: {a: b} map", "{a: b} map", True),
    ("description: {a: b}", "{a: b}", True),
    ("description: >\n  folded\n  text\n", "folded text", False),
    ("description: |-\n  kept\n  lines\n", "kept\nlines", False),
    ("description: @mention first", "@mention first", True),
    ("description: `code` first", "`code` first", True),
    ("description: *alias", "*alias", True),
    ("description: 42", "42", False),
    ("description: true", "true", False),
    ("description: 2026-01-02", "2026-01-02", False),
    (
        "description: !!python/object/apply:os.system ['echo pwned']",
        "!!python/object/apply:os.system ['echo pwned']",
        True,
    ),
    ("description: !!python/name:os.system text", "text", False),
    ("description: first\ndescription: second", "first", True),
    ("description: 日本語の説明, für alle", "日本語の説明, für alle", False),
    ("  description: indented", "indented", False),
    ("description: one\n\tname: tab", "one", True),
    ('description: "no end', '"no end', True),
    ("name: x\n---x: y\ndescription: z", "z", False),
    ("? complex\n: value\ndescription: z", "z", False),
    ("description: z\nmetadata:\n  deep:\n    - a\n    - {b: c}\nallowed-tools: [read, bash]", "z", False),
    (f"{BOMB}\ndescription: z", "z", False),
    ("description: z\nother: &x [*x, *x]", "z", False),
]


@pytest.mark.parametrize(("block", "description", "is_told"), SPELLINGS)
def test_a_description_is_read_as_the_person_meant_it(block, description, is_told):
    found = read_front_matter(f"---\n{block}\n---\nbody\n")
    assert found.values.get("description") == description
    assert bool(found.faults) == is_told
    assert found.problem == ""
    assert found.body == "body\n"


@pytest.mark.parametrize(
    ("block", "read"),
    [
        ("description: Sums. Use when: asked\n  for totals\nlicense: x", "Sums. Use when: asked for totals"),
        ("description: |2\n   Sums: all\n\n   of them\nname: a: b", "Sums: all of them"),
        ('description: "Sums: all\n  of them"\nname: a: b', "Sums: all of them"),
        ("description:\n  - sums\n  - means", "- sums - means"),
        ("description:\n- sums\n- means\nname: a", "- sums - means"),
        ("description:\n  for: sums", "for: sums"),
    ],
)
def test_a_text_of_several_lines_is_read_whole_and_the_fault_told(block, read):
    found = read_front_matter(f"---\n{block}\n---\n")
    assert found.values["description"] == read
    assert found.faults


@pytest.mark.parametrize(
    "block", ["description:", "description: ~", "description: null", 'description: ""', ""]
)
def test_a_description_of_nothing_is_none(block):
    assert "description" not in read_front_matter(f"---\n{block}\n---\n").values


@pytest.mark.parametrize(
    "block", ["- a\n- b", "just words", "[a, b]", "\x00\x01", "%YAML 9.9", "\ufeff: x", "'", "&"]
)
def test_what_is_no_mapping_gives_no_values_and_raises_nothing(block):
    assert "name" not in read_front_matter(f"---\n{block}\n---\n").values


def test_a_block_without_an_end_and_one_that_is_too_large_are_told():
    assert "ends its front matter" in read_front_matter("---\nname: x\n").problem
    assert "64 kB" in read_front_matter(f"---\nname: {'x' * MAX_BYTES}\n---\n").problem
    assert "64 kB" in read_front_matter(f"---\nname: {'é' * (MAX_BYTES // 2)}\n---\n").problem


def test_a_text_without_front_matter_is_all_body():
    for text in ("# Title\n---\nname: x\n---\n", "", "--- \nx", "----\nname: x\n---\n"):
        assert read_front_matter(text).values == {}
    assert read_front_matter("# Title\n").body == "# Title\n"


@pytest.mark.parametrize(
    "block",
    [
        "a: " + "[" * 60_000,
        "a: " + "{" * 60_000,
        "\n".join(f"{' ' * n}a:" for n in range(300)),
        "? " * 30_000,
        "&a " * 20_000,
        "- " * 30_000,
        "'" * 60_000,
        "a: |\n" + " \n" * 30_000,
        BOMB,
        "".join(f"k{n}: v\n" for n in range(8000)),
        ("x" * 1000 + ":\n") * 60,
    ],
)
def test_blocks_made_to_take_long_take_moments(block):
    began = time.process_time()
    read_front_matter(f"---\n{block}\n---\n")
    assert time.process_time() - began < SOON


WORDS = st.text(alphabet=st.sampled_from("abzAZ09 ,.()'-_/é日|>&*!%@?#:[]{}\"~=\t"), min_size=1, max_size=20)
LINES = st.lists(st.tuples(st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,8}", fullmatch=True), WORDS), max_size=4)


@settings(derandomize=True, max_examples=500, deadline=None)
@given(lines=LINES)
def test_lines_that_need_no_yaml_are_read_as_yaml_reads_them(lines):
    block = "".join(f"{key}: {word}\n" for key, word in lines)
    found = read_front_matter(f"---\n{block}---\n")
    try:
        meant = yaml.load(block, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.YAMLError:
        assert found.faults
        return
    if not found.faults and isinstance(meant, dict):
        texts = {key: value.strip() for key, value in meant.items() if isinstance(value, str)}
        kept = {key: value for key, value in texts.items() if value not in ("", "~", "null")}
        assert {key: value for key, value in found.values.items() if key in kept} == kept
        assert set(found.values) <= set(texts)
