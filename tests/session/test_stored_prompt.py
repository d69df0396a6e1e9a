"""The system prompt of a session: stored with it, sent the same by a resume, its changes told once."""

import pytest

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.messages import CustomMessage, ToolCall, text_of
from pi_notebook.agent.protocols import ToolDefinition
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.branch import Branch
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.store import SessionStore
from pi_notebook.session.stored_prompt import CHANGE_TYPE, PROMPT_TYPE, StoredPrompt

READ = ToolDefinition(name="read", description="Read.", parameters={})
WRITE = ToolDefinition(name="write", description="Write.", parameters={})


@tool(risk="read")
async def give(context: ToolContext, name: str) -> str:
    """Give a text."""
    return f"{name} " + "word " * 3_000


@pytest.fixture
def branch(tmp_path):
    return Branch(SessionStore.in_memory(tmp_path, reason="a test"))


def prompt(branch, *tools, **sections):
    made = StoredPrompt(branch, sections={"role": "You help.", **sections}, tools=tools or (READ,))
    made.record()
    return made


def records(branch):
    return list(branch.store.branch().of_kind(f"custom:{PROMPT_TYPE}"))


def test_it_is_stored_once_and_sent_the_same_though_what_it_is_made_of_has_changed(branch):
    first = prompt(branch, instructions="Use polars.")
    assert prompt(branch, role="You are another.", skills="- plots").text == first.text
    assert len(records(branch)) == 1


def test_a_change_is_told_once_and_again_when_the_context_has_lost_it(branch):
    prompt(branch, instructions="Use polars.")
    later = prompt(branch, instructions="Use pandas.")
    told = later.take_change([])
    assert "Use pandas." in told.content
    assert later.take_change([told]) is None
    assert later.take_change([]) is not None
    back = prompt(branch, instructions="Use polars.")
    assert "Use polars." in back.take_change([told]).content
    assert back.take_change([]) is None
    gone = prompt(branch)
    assert "holds no more" in gone.take_change([]).content


def test_what_the_program_says_of_itself_is_no_change(branch):
    prompt(branch)
    assert prompt(branch, role="You help, newly worded.").take_change([]) is None


def test_a_smaller_window_is_no_change(branch):
    prompt(branch, instructions="Use polars, and much more.")
    later = prompt(branch, instructions="Use polars, and much more.")
    whole = {"instructions": "Use polars, and much more."}
    later.look(sections={"instructions": "Use"}, whole=whole, tools=(READ,))
    assert later.take_change([]) is None


def test_other_tools_are_recorded_and_named_once(branch):
    prompt(branch, READ)
    later = prompt(branch, WRITE)
    told = later.take_change([]).content
    assert "new: write" in told
    assert "gone: read" in told
    assert later.take_change([]) is None
    assert [sorted(entry.data["tools"]) for entry in records(branch)] == [["read"], ["write"]]


def test_a_record_that_makes_no_sense_is_passed_over(branch):
    for data in (None, 1, {"sections": [], "tools": {}}, {"sections": {"a": 1}, "tools": {}}):
        branch.add_record(PROMPT_TYPE, data)
    branch.add_message(
        CustomMessage(custom_type=CHANGE_TYPE, content="x", display=False, details=["a"], timestamp=0)
    )
    made = prompt(branch)
    assert made.text == "You help."
    assert made.take_change(branch.messages) is None


async def test_a_resume_sends_what_is_stored_and_tells_the_model_of_new_instructions(tmp_path, home):
    folder = tmp_path / "folder"
    folder.mkdir()
    own = home / "AGENTS.md"
    own.write_text("Answer in verse.")
    first, second = ScriptedModel(["one"]), ScriptedModel(["two", "three"])
    runtime = AgentSessionRuntime(folder, build_services)
    await runtime.session.prompt("go", model=first)
    path = runtime.session.path
    runtime.close()
    own.write_text("Answer in prose.")
    runtime = AgentSessionRuntime(folder, build_services)
    await runtime.resume(str(path))
    for word in ("on", "and on"):
        await runtime.session.prompt(word, model=second)
    runtime.close()
    assert "Answer in verse." in first.requests[0].system_prompt
    assert [request.system_prompt for request in second.requests] == [first.requests[0].system_prompt] * 2
    told = [m for m in second.requests[-1].messages if "Answer in prose." in text_of(m)]
    assert [message.custom_type for message in told] == [CHANGE_TYPE]


@pytest.mark.parametrize("policy", ["notebook", "pi"])
async def test_what_has_changed_holds_through_the_compactions_of_a_run_and_a_resume(tmp_path, home, policy):
    def told(request):
        return sum("Answer in prose." in text_of(message) for message in request.messages)

    def replies(count):
        calls = [ToolCall(id=f"{policy}{n}", name="give", arguments={"name": str(n)}) for n in range(count)]
        return [*([one] for one in calls), "done"]

    class Answering(ScriptedModel):
        def _next_message(self, request):
            return super()._next_message(request) if request.tools else self._message("## Goal\nsummary")

    folder = tmp_path / "folder"
    folder.mkdir()
    runtime = AgentSessionRuntime(folder, build_services)
    session = runtime.session
    await session.prompt("go", model=ScriptedModel(["one"], context_window=16_000))
    (home / "AGENTS.md").write_text("Answer in prose.")
    session.use(build_services(folder))
    session.agent.tools["give"] = give
    session.set_value("notebook.prune_keep_turns", "100")
    model = Answering(replies(9), context_window=16_000)
    await session.prompt("on", model=model, policy=policy)
    assert len(session.store.branch().of_kind("compaction")) >= 2
    assert [told(request) for request in model.requests if request.tools] == [1] * 10
    path, before = session.path, session.branch.projection.paired
    await runtime.new()
    resumed = await runtime.resume(str(path))
    assert resumed.branch.projection.paired == before
    model = Answering(["fine"], context_window=16_000)
    await resumed.prompt("and on", model=model)
    assert told(model.requests[-1]) == 1
    runtime.close()
