"""`%agent hooks`: which functions take part in the session, from where, and whether they work."""

import pytest

from pi_notebook import on
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.hook_registry import PROCESS_HOOKS
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.ui.commands import run_command
from pi_notebook.ui.completion import complete_line

EXTENSION = """
def setup(api):
    @api.on("after_compaction")
    def noted(entry): ...
"""


@pytest.fixture
def runtime(tmp_path, home):
    path = home / "extensions" / "notes.py"
    path.parent.mkdir(mode=0o700)
    path.write_text(EXTENSION)
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime
    runtime.close()
    for hook in list(PROCESS_HOOKS):
        PROCESS_HOOKS.remove(hook.function)


async def test_each_is_listed_with_its_event_its_place_and_its_state_in_the_order_of_calls(runtime, home):
    @runtime.session.hooks.on("before_prompt")
    def facts(prompt):
        raise ValueError("no facts")

    @on("before_prompt")
    def known(prompt): ...

    await runtime.session.prompt("go", model=ScriptedModel(["ok"]))
    report = run_command(runtime, "hooks")
    assert report.rows == (
        ("`before_prompt`", "`known`", "`every session of this kernel`", "works"),
        ("`after_compaction`", "`noted of notes.py`", f"`{home}/extensions/notes.py`", "works"),
        ("`before_prompt`", "`facts`", "`this session`", "has failed"),
    )


def test_without_hooks_it_is_said_how_one_is_registered(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    assert "from pi_notebook import on" in run_command(runtime, "hooks").plain
    runtime.close()


def test_it_stands_in_the_help_and_is_completed(runtime):
    assert "%agent hooks" in run_command(runtime, "help").plain
    assert "hooks" in complete_line(runtime, "%agent hoo")
