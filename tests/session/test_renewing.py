"""Services are built anew for a session that is on: what holds changes, the session and its prefix do not."""

import pytest

from pi_notebook.agent.messages import ToolCall
from pi_notebook.errors import SessionBusyError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.trust import TrustStore, folder_trust

EXTENSION = """
from pi_notebook import tool

@tool(risk="read")
async def added(context) -> str:
    '''Say so.'''
    return "it is there"

def setup(api):
    api.add_tool(added)
    api.on("before_prompt")(lambda prompt: "a passage")
"""


@pytest.fixture
def runtime(tmp_path):
    (tmp_path / "AGENTS.md").write_text("Always speak Latin.")
    (tmp_path / ".pi" / "extensions").mkdir(parents=True)
    (tmp_path / ".pi" / "extensions" / "x.py").write_text(EXTENSION)
    (tmp_path / ".pi" / "settings.json").write_text('{"thinking": "low", "mode": "auto"}')
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime
    runtime.close()


def trust(runtime):
    services = runtime.services
    TrustStore(services.home).keep(folder_trust(services.folder, services.home).found)


async def test_what_is_trusted_holds_from_the_next_prompt_on_and_what_was_sent_stays(runtime):
    session = runtime.session
    model = ScriptedModel(["one", [ToolCall(id="c1", name="added", arguments={})], "two", "three"])
    await session.prompt("first", model=model)
    trust(runtime)
    assert await runtime.renew() is session is runtime.session
    assert (session.settings.get("thinking"), session.settings.get("mode")) == ("low", "ask")
    await session.prompt("second", model=model)
    first, second, third = model.requests
    assert "Latin" not in f"{first.system_prompt} {first.messages}"
    assert second.system_prompt == first.system_prompt
    assert second.messages[: len(first.messages)] == first.messages
    assert "Always speak Latin." in str(second.messages[len(first.messages) :])
    assert "a passage" in str(second.messages[len(first.messages) :])
    assert "it is there" in str(third.messages[-1])
    TrustStore(runtime.services.home).remove(runtime.services.folder)
    await runtime.renew()
    assert list(session.hooks) == []
    assert session.settings.get("thinking") == "off"
    await session.prompt("third", model=model)
    assert "holds no more" in str(model.requests[-1].messages)
    assert "added" not in {definition.name for definition in model.requests[-1].tools}


async def test_before_the_first_prompt_it_is_as_if_it_had_always_been_so(runtime):
    trust(runtime)
    await runtime.renew()
    model = ScriptedModel(["done"])
    await runtime.session.prompt("go", model=model)
    assert "Always speak Latin." in model.requests[0].system_prompt


async def test_a_hook_of_the_session_itself_stays(runtime):
    runtime.session.hooks.on("before_prompt")(lambda prompt: "mine")
    await runtime.renew()
    model = ScriptedModel(["done"])
    await runtime.session.prompt("go", model=model)
    assert "mine" in str(model.requests[0].messages)


async def test_while_a_prompt_is_answered_nothing_is_built_anew(runtime):
    refused = []

    @runtime.session.hooks.on("before_prompt")
    async def meanwhile(prompt):
        with pytest.raises(SessionBusyError):
            await runtime.renew()
        refused.append(True)

    await runtime.session.prompt("go", model=ScriptedModel(["done"]))
    assert refused == [True]


async def test_what_is_told_of_the_new_services_is_told_once(runtime):
    assert ["%agent trust" in told.text for told in runtime.take_diagnostics()] == [True]
    trust(runtime)
    await runtime.renew()
    assert ["mode may not be set" in told.text for told in runtime.take_diagnostics()] == [True]
    await runtime.renew()
    assert runtime.take_diagnostics() == []
