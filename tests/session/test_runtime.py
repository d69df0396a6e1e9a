"""Replacing the current session: in order, stoppable by a hook, and never with another folder's services."""

import asyncio
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.messages import ToolCall, ToolResultMessage, text_of
from pi_notebook.errors import SessionBusyError, SessionError, SessionNotFoundError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.home import find_home
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.trust import TrustStore, folder_trust
from pi_notebook.skills.places import user_places
from tests.skills.folders import write, write_skill


@pytest.fixture
def runtime(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime
    runtime.close()


async def asked(session, text="go"):
    await session.prompt(text, model=ScriptedModel([f"answer to {text}"]))
    return session


async def test_a_hook_stops_a_replacement_before_anything_has_changed(runtime):
    first = await asked(runtime.session)
    seen = []

    async def stay(change):
        seen.append((change.reason, runtime.session is first, first.is_running))
        return "work is not saved"

    runtime.before_change.append(stay)
    with pytest.raises(SessionError, match="work is not saved"):
        await runtime.new()
    assert seen == [("new", True, False)]
    assert runtime.session is first
    await asked(first, "and on")


async def test_a_hook_that_fails_stops_the_replacement_too(runtime):
    first = runtime.session

    async def fail(change):
        raise RuntimeError("broken hook")

    runtime.before_change.append(fail)
    with pytest.raises(SessionError, match="broken hook"):
        await runtime.new()
    assert runtime.session is first


async def test_what_cannot_be_opened_leaves_the_current_session_as_it_was(runtime, tmp_path):
    first = await asked(runtime.session)
    broken = tmp_path / "broken.jsonl"
    broken.write_text("not a session\n")
    for wanted in (str(broken), "nothing-like-it"):
        with pytest.raises(SessionError):
            await runtime.resume(wanted)
    assert runtime.session is first
    await asked(first, "and on")


async def test_a_turn_under_way_is_stopped_and_recorded_before_the_session_is_let_go(runtime):
    first = runtime.session
    begun = asyncio.Event()

    @tool(risk="read")
    async def wait(context: ToolContext) -> str:
        """Wait."""
        begun.set()
        await asyncio.sleep(60)
        return "never"

    first.agent.tools["wait"] = wait
    running = asyncio.ensure_future(
        first.prompt("go", model=ScriptedModel([[ToolCall(id="c1", name="wait", arguments={})], "no"]))
    )
    await begun.wait()
    await runtime.new()
    assert (await running).reason == "aborted"
    said = [json.loads(line).get("message", {}) for line in first.path.read_text().splitlines()]
    assert said[-1]["role"] == "toolResult"
    resumed = await runtime.resume(first.id)
    assert isinstance(resumed.messages[-1], ToolResultMessage)


async def test_two_replacements_at_once_are_one_and_an_error(runtime):
    first, second = await asyncio.gather(runtime.new(), runtime.new(), return_exceptions=True)
    assert {type(first), type(second)} >= {SessionBusyError}
    assert runtime.session in (first, second)


async def test_listeners_hear_of_the_new_session_when_it_is_there(runtime):
    heard = []
    runtime.on_replaced(lambda session: heard.append(session is runtime.session))
    await runtime.new()
    assert heard == [True]


async def test_without_an_earlier_session_resume_says_so(runtime):
    with pytest.raises(SessionNotFoundError, match="no earlier session"):
        await runtime.resume()


async def test_a_resume_looks_for_the_notebooks_session_first_and_never_beyond_the_folder(runtime, tmp_path):
    first = await asked(runtime.session)
    second = await asked(await runtime.new())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    third = await asked(await runtime.new(elsewhere))
    await runtime.new(tmp_path)
    runtime.session_hint = third.id
    assert (await runtime.resume()).id == second.id
    await runtime.new()
    runtime.session_hint = first.id
    assert (await runtime.resume()).id == first.id


def bring_guidance(folder, environ):
    """Let `folder` bring instructions, a skill, a template and prompt text of its own, and be trusted."""
    name = folder.name
    write(folder / "AGENTS.md", f"instructions of-{name}")
    write(folder / ".pi/APPEND_SYSTEM.md", f"addendum of-{name}")
    write(folder / ".pi/prompts/ask.md", f"template of-{name}")
    write_skill(folder / ".pi/skills", f"of-{name}", f"skill of-{name}")
    home = find_home(environ)
    TrustStore(home).keep(folder_trust(folder, home, user_places(home.root, environ)).found)


async def sent_by(session):
    """What a model gets as system prompt and as prompt when a template is asked for."""
    model = ScriptedModel(["answered"])
    await session.prompt("/ask", model=model)
    return f"{model.requests[0].system_prompt}\n{text_of(model.requests[0].messages[-1])}"


STEPS = st.lists(
    st.tuples(st.sampled_from(["new", "resume", "fork"]), st.integers(0, 2), st.integers(0, 9)),
    min_size=1,
    max_size=8,
)


@settings(derandomize=True, max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_no_session_ever_works_with_another_folder_s_services(steps, tmp_path_factory):
    base = tmp_path_factory.mktemp("folders")
    folders = [base / name for name in ("one", "two", "three")]
    for folder in folders:
        folder.mkdir()
    environ = {"PI_NOTEBOOK_HOME": str(base / "home")}
    (base / "home").mkdir(mode=0o700)
    by_folder = {str(folder): {"max_turns": number + 1} for number, folder in enumerate(folders)}
    (base / "home" / "settings.json").write_text(json.dumps({"folders": by_folder}))
    for folder in folders:
        bring_guidance(folder, environ)
    runtime = AgentSessionRuntime(folders[0], lambda folder: build_services(folder, environ=environ))

    async def walk():
        made = [await asked(runtime.session)]
        for kind, place, number in steps:
            wanted = made[number % len(made)]
            if kind == "new":
                session = await runtime.new(folders[place])
            elif kind == "resume":
                session = await runtime.resume(str(wanted.path))
            else:
                session = await runtime.fork(str(wanted.path))
            await asked(session)
            made.append(session)
            folder = session.store.folder
            assert session.services.folder == folder
            assert session.settings.get("max_turns") == folders.index(folder) + 1
            assert str(folder) in str(session.messages)
            assert not [other for other in folders if other != folder and str(other) in str(session.messages)]
            sent = await sent_by(session)
            assert {other.name for other in folders if f"of-{other.name}" in sent} == {folder.name}
            assert sent.count(f"of-{folder.name}") == 5

    asyncio.run(walk())
    runtime.close()
