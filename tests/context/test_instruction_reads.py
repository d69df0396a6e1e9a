"""Which reads are of instructions, and so stay as they are when others are shortened."""

import pytest

from pi_notebook.agent.messages import ToolCall
from pi_notebook.context.instruction_reads import is_instruction_read, is_skill_read


@pytest.mark.parametrize(
    ("path", "is_skill", "is_instruction"),
    [
        ("/home/me/skills/tidy/SKILL.md", True, True),
        ("/home/me/skills/tidy.md", True, True),
        ("/project/AGENTS.md", False, True),
        ("/project/skills/tidy/notes.md", False, False),
        ("/project/data.csv", False, False),
    ],
)
def test_skills_and_files_that_say_how_to_work_are_known_by_their_place(path, is_skill, is_instruction):
    call = ToolCall(id="a", name="read", arguments={"path": path})
    assert (is_skill_read(call), is_instruction_read(call)) == (is_skill, is_instruction)
    other = ToolCall(id="a", name="grep", arguments={"path": path})
    assert not is_skill_read(other)
