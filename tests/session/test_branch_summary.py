"""Leaving a branch with a summary: what is summarised, where it stands, and that nothing is half done."""

import asyncio

import pytest

from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.entries import BranchSummaryEntry
from pi_notebook.agent.messages import BranchSummaryMessage, ToolCall, text_of
from pi_notebook.context.compaction.prompts import SummaryPrompts
from pi_notebook.context.policies.notebook import NotebookPolicy
from pi_notebook.errors import ModelAuthError, ModelUnavailableError
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.branch_summary import left_entries
from pi_notebook.session.outline import outline
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.ui.tree import tree
from tests.request_rules import find_problems


@pytest.fixture
def runtime(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime
    runtime.close()


@pytest.fixture
def session(runtime):
    return runtime.session


def use(session, *replies, window=100_000):
    model = ScriptedModel(list(replies), context_window=window)
    session.agent.model = session.choices.model = model
    return model


async def two_prompts(session):
    """The end of a first answer, and the leaf after a second one in which a file was read and one written."""
    session.set_value("mode", "auto")
    (session.services.folder / "a.csv").write_text("secret result\n1\n")
    read = ToolCall(id="r", name="read", arguments={"path": "a.csv"})
    write = ToolCall(id="w", name="write", arguments={"path": "b.txt", "content": "x"})
    await session.prompt("first", model=ScriptedModel(["one"]))
    end = outline(session.store)[0].end_id
    await session.prompt("try it with a mean", model=ScriptedModel([[read], [write], "The mean is 7."]))
    return end, session.store.leaf_id


async def test_a_branch_that_is_left_is_summarised_where_the_session_goes_on(session):
    end, leaf = await two_prompts(session)
    model = use(session, "## Goal\nthe mean", "fine")
    entry = await session.leave(end, "look after numbers")
    (request,) = model.requests
    asked = text_of(request.messages[0])
    assert "try it with a mean" in asked
    assert "The mean is 7." in asked
    assert "Additional focus: look after numbers" in asked
    assert "secret result" not in asked
    assert "first" not in asked
    assert request.tools == ()
    assert (entry.from_id, entry.parent_id, session.store.leaf_id) == (leaf, end, entry.id)
    assert (entry.details["readFiles"], entry.details["modifiedFiles"]) == (["a.csv"], ["b.txt"])
    assert entry.summary.startswith("## Goal\nthe mean")
    assert "Files read: a.csv" in entry.summary
    await session.prompt("and now", model=model)
    sent = model.requests[-1]
    assert [m for m in sent.messages if isinstance(m, BranchSummaryMessage)]
    assert find_problems({"model": "m", "messages": chat_messages(sent, model.info)}) == []


async def test_the_policy_s_words_ask_and_say_what_of_the_answer_is_taken(session):
    class Terse(NotebookPolicy):
        def summary_prompts(self):
            return SummaryPrompts(system="Be terse.", branch="In one line.", taken=lambda text: text[-3:])

    end, _ = await two_prompts(session)
    session.choices.policy = Terse()
    model = use(session, "thinking aloud ... end")
    entry = await session.leave(end)
    (request,) = model.requests
    assert request.system_prompt == "Be terse."
    assert text_of(request.messages[0]).endswith("</conversation>\n\nIn one line.")
    assert entry.summary.startswith("end\n\n<ledger>")


@pytest.mark.parametrize("policy", ["pi", "notebook"])
async def test_both_policies_ask_for_what_the_other_branch_can_use(session, policy):
    end, _ = await two_prompts(session)
    session.set_value("policy", policy)
    model = use(session, "## Goal\nthe mean")
    await session.leave(end)
    assert "is a branch that the person leaves for another" in text_of(model.requests[0].messages[0])


async def test_only_what_is_not_on_the_way_to_the_target_is_left(session):
    end, _ = await two_prompts(session)
    prompt = outline(session.store)[1]
    left = [entry.id for entry in left_entries(session.store, end)]
    assert left[0] == session.store.branch()[[e.id for e in session.store.branch()].index(end) + 1].id
    assert prompt.entry_id in left
    assert list(left_entries(session.store, session.store.leaf_id)) == []
    with pytest.raises(KeyError):
        left_entries(session.store, "nothing")
    session.move(end)
    assert list(left_entries(session.store, prompt.end_id))[:-1] == []


async def test_a_branch_without_anything_said_is_left_without_a_summary(session):
    _, leaf = await two_prompts(session)
    model = use(session)
    assert await session.leave(leaf) is None
    assert session.store.leaf_id == leaf
    assert model.requests == []


async def test_from_before_the_first_prompt_all_is_left(session):
    await two_prompts(session)
    use(session, "## Goal\nall of it")
    entry = await session.leave(None)
    assert entry.parent_id is None
    assert [type(message) for message in session.messages] == [BranchSummaryMessage]


@pytest.mark.parametrize("reply", [ModelAuthError("no key", model="m"), "", "offline"])
async def test_where_no_model_summarises_the_program_lists_what_it_can(session, reply):
    end, _ = await two_prompts(session)
    if reply != "offline":
        use(session, *[reply] * 9)
    entry = await session.leave(end)
    assert entry.details["model"] == ""
    assert "try it with a mean" in entry.summary
    assert "The mean is 7." in entry.summary


async def test_a_summary_that_fails_leaves_the_session_where_it_was(session, monkeypatch):
    end, leaf = await two_prompts(session)
    monkeypatch.setattr("pi_notebook.session.summariser._PAUSES_SECONDS", (0.0, 0.0))
    use(session, *[ModelUnavailableError("down", model="m")] * 3)
    before = session.path.read_bytes()
    with pytest.raises(ModelUnavailableError):
        await session.leave(end)
    assert session.store.leaf_id == leaf
    assert session.path.read_bytes() == before


async def test_a_summary_that_is_stopped_leaves_the_session_where_it_was(session):
    end, leaf = await two_prompts(session)
    begun = asyncio.Event()

    class Slow(ScriptedModel):
        async def stream(self, request):
            begun.set()
            await asyncio.sleep(60)
            yield

    session.agent.model = session.choices.model = Slow()
    before = session.path.read_bytes()
    running = asyncio.ensure_future(session.leave(end))
    await begun.wait()
    session.abort()
    with pytest.raises(Aborted):
        await running
    assert (session.store.leaf_id, session.path.read_bytes()) == (leaf, before)
    assert (await session.prompt("go on", model=ScriptedModel(["yes"]))).reason == "done"


async def test_a_long_branch_is_summarised_from_its_newest_part(session):
    await session.prompt("first", model=ScriptedModel(["one"]))
    end = outline(session.store)[0].end_id
    session.set_value("compaction.enabled", "false")
    for number in range(12):
        await session.prompt(f"part {number} " * 700, model=ScriptedModel(["ok"]))
    model = use(session, *["## Goal\nparts"] * 20, window=16_000)
    entry = await session.leave(end)
    asked = "".join(text_of(request.messages[0]) for request in model.requests)
    assert "part 11 " in asked
    assert "part 0 " not in asked
    assert isinstance(entry, BranchSummaryEntry)


def test_the_command_goes_on_with_a_summary(runtime):
    session = runtime.session
    loop = asyncio.new_event_loop()
    end, _ = loop.run_until_complete(two_prompts(session))
    loop.close()
    use(session, "## Goal\nthe mean")
    first = outline(session.store)[0]
    shown = tree(runtime, f"{first.entry_id} --summary look after numbers")
    assert session.store.branch()[-1].parent_id == end
    assert "the mean" in "\n".join(shown.lines)
    again = tree(runtime, f"{first.entry_id} --summary")
    assert "the mean" in "\n".join(again.lines) or "Nothing was left" in "\n".join(again.lines)
