"""The system prompt: what a model reads of it, whole, and how much of it there is.

Run with `UPDATE_GOLDEN=1` in the environment to write the golden file anew, then read the difference.
"""

import json
import os
from pathlib import Path

import pytest

from pi_notebook.context.system_prompt import PromptLimits, PromptTexts, build_prompt
from pi_notebook.context.tokens import count_tokens
from pi_notebook.models.conversion import chat_tools
from pi_notebook.session.guidance import find_guidance
from pi_notebook.skills.places import BUILT_IN_SKILLS
from pi_notebook.tools import default_tools
from tests.skills.folders import Folders, write, write_skill

GOLDEN = Path(__file__).parents[1] / "fixtures" / "prompts" / "system.txt"
DEFINITIONS = tuple(tool.definition for tool in default_tools())
ROOM_FOR_THE_PATH = 80
"""Bytes of the folder of the package's skills, as an installed package has it."""


@pytest.fixture
def folders(tmp_path):
    return Folders(tmp_path)


def prompt_of(folders, limits=None):
    guidance = find_guidance(folders.folder, user=folders.user, is_trusted=True)
    return build_prompt(DEFINITIONS, guidance.texts, limits)


def test_with_everything_in_it_it_reads_as_the_golden_file(folders):
    write(folders.home / "AGENTS.md", "Answer in English.\n")
    write(folders.project / "AGENTS.md", "# The project\n\nOrders are in `data/orders.csv`.\n")
    write(folders.folder / "CLAUDE.md", "\ufeffAmounts are in cents.\u202e\r\n\x1b[31mred\x1b[0m\n")
    write(folders.folder / ".pi/APPEND_SYSTEM.md", "Keep it short.\n")
    write_skill(folders.folder / ".pi/skills", "orders", "what the columns of orders mean")
    write(folders.home / "skills/other/SKILL.md", "---\nname: a-name\ndescription: Use <it> when\n---\n")
    write(
        folders.home / "skills/quiet/SKILL.md", "---\ndescription: d\ndisable-model-invocation: true\n---\n"
    )
    text = prompt_of(folders).text.replace(str(BUILT_IN_SKILLS), "BUILT-IN").replace(str(folders.base), "")
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(f"{text}\n", encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8").removesuffix("\n")


def test_a_replacement_takes_the_place_of_role_and_rules_alone(folders):
    write(folders.home / "SYSTEM.md", "You are a pirate.\n")
    write(folders.home / "AGENTS.md", "Be kind.\n")
    prompt = prompt_of(folders)
    assert prompt.text.startswith("You are a pirate.\n\n")
    assert list(prompt.by_name) == ["role", "instructions", "skills"]


def test_the_sections_add_up_to_the_text_and_are_made_the_same_twice(folders):
    write(folders.home / "AGENTS.md", "Be kind.\n")
    prompt = prompt_of(folders)
    assert prompt.text == "\n\n".join(prompt.by_name.values())
    assert prompt == prompt_of(folders)


def test_without_read_no_skills_are_listed(folders):
    tools = [definition for definition in DEFINITIONS if definition.name != "read"]
    guidance = find_guidance(folders.folder, user=folders.user, is_trusted=True)
    assert "skills" not in build_prompt(tools, guidance.texts).by_name


def test_a_path_ends_no_attribute(folders):
    folders.folder = folders.project / 'a"><b'
    write(folders.folder / "AGENTS.md", "text")
    assert 'a&quot;&gt;&lt;b/AGENTS.md">\ntext' in prompt_of(folders).by_name["instructions"]


@pytest.mark.parametrize("window", [8_000, 16_000, 32_000, 128_000, 1_000_000])
def test_what_stands_in_files_leaves_most_of_any_window(folders, window):
    write(folders.folder / "AGENTS.md", "word " * 20_000)
    write(folders.home / "AGENTS.md", "word " * 20_000)
    for number in range(300):
        write_skill(folders.home / "skills", f"skill-{number}", "does much " * 30)
    prompt = prompt_of(folders, PromptLimits().within(window))
    assert len(prompt.by_name["instructions"]) / 4 < window * 0.3
    assert len(prompt.by_name["skills"]) / 4 < window * 0.06


@pytest.mark.parametrize("letters", ["word ", "数据分析", "😀", "ꦗꦮ"])
@pytest.mark.parametrize("window", [8_000, 16_000, 32_000])
def test_no_text_takes_more_than_its_share_whatever_it_is_written_in(folders, window, letters):
    text = letters * 20_000
    for path in (folders.folder / "AGENTS.md", folders.home / "AGENTS.md", folders.home / "SYSTEM.md"):
        write(path, text)
    prompt = prompt_of(folders, PromptLimits().within(window)).by_name
    for name in ("role", "instructions"):
        assert 0.1 < count_tokens(prompt[name]) / window <= 0.25
    assert "are left out here" in prompt["instructions"]


def test_with_the_skills_of_the_package_prompt_and_definitions_stay_within_8_kb(folders):
    sent = json.dumps(chat_tools(DEFINITIONS), ensure_ascii=False, separators=(",", ":"))
    prompt = prompt_of(folders).text.replace(str(BUILT_IN_SKILLS), "x" * ROOM_FOR_THE_PATH)
    assert len(sent.encode()) + len(prompt.encode()) <= 8000


def test_with_no_texts_it_is_role_and_rules():
    assert list(build_prompt(DEFINITIONS, PromptTexts()).by_name) == ["role", "rules"]
