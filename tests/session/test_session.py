"""A conversation over its file: what is recorded, when, and what goes on after a resume."""

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.events import MessageEnd, Notice, ToolExecutionStart
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    CustomMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_notebook.errors import (
    KernelError,
    ModelUnavailableError,
    SessionBusyError,
    SessionFolderError,
    SettingsError,
    UsageError,
)
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.permissions import Approval
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.stored_prompt import PROMPT_TYPE


@tool(risk="read")
async def look(context: ToolContext) -> str:
    """Look."""
    return "seen"


@tool(risk="execute")
async def act(context: ToolContext, what: str) -> str:
    """Do it."""
    return f"did {what}"


def call(name: str, call_id: str = "c1", /, **arguments: object) -> ToolCall:
    return ToolCall(id=call_id, name=name, arguments=arguments)


@pytest.fixture
def runtime(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    yield runtime
    runtime.close()


@pytest.fixture
def session(runtime):
    session = runtime.session
    session.agent.tools.update({"look": look, "act": act})
    return session


def entries(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def messages(path: Path) -> list[dict]:
    return [entry["message"] for entry in entries(path) if entry["type"] == "message"]


class Answers:
    """An approver that gives what it was told to, and keeps what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def ask(self, request):
        self.asked.append(request)
        return self.answers.pop(0)


async def test_nothing_is_written_before_the_first_prompt(session, home):
    assert session.path is not None
    assert not list(home.rglob("*.jsonl"))


async def test_a_run_is_in_the_file_with_the_prompt_word_for_word(session):
    await session.prompt("What is\n  in {x}?", model=ScriptedModel([[call("look")], "It is **seen**."]))
    found = messages(session.path)
    assert [message["role"] for message in found] == ["user", "assistant", "toolResult", "assistant"]
    assert found[0]["content"] == "What is\n  in {x}?"
    assert found[1]["stopReason"] == "toolUse"
    assert found[2]["toolCallId"] == found[1]["content"][0]["id"]
    assert entries(session.path)[0]["version"] == 3


async def test_every_message_is_on_disk_before_anything_follows_from_it(session):
    seen = []

    def on_event(event):
        if isinstance(event, MessageEnd) and not isinstance(event.message, CustomMessage):
            seen.append(messages(session.path)[-1]["role"])
        if isinstance(event, ToolExecutionStart):
            assert messages(session.path)[-1]["content"][-1]["name"] == "look"

    session.subscribe(on_event)
    model = ScriptedModel([[call("look")], "done"])
    await session.prompt("go", model=model)
    assert seen == ["user", "assistant", "toolResult", "assistant"]


async def test_date_folder_and_kernel_stand_before_the_prompt_and_are_told_once(session):
    model = ScriptedModel(["one", "two"])
    await session.prompt("first", model=model)
    await session.prompt("second", model=model)
    first, second = (request.messages for request in model.requests)
    assert isinstance(first[0], CustomMessage)
    assert str(session.services.folder) in first[0].content
    assert first[-1].content == "first"
    assert second[-1].content == "second"
    assert sum(isinstance(message, CustomMessage) for message in second) == 1
    assert "date" not in model.requests[0].system_prompt.lower().replace("update", "")


async def test_what_was_sent_before_stays_as_it_was(session):
    model = ScriptedModel([[call("look")], "one", "two"])
    await session.prompt("first", model=model)
    await session.prompt("second", model=model)
    for before, after in zip(model.requests, model.requests[1:], strict=False):
        assert after.messages[: len(before.messages)] == before.messages
        assert (after.system_prompt, after.tools) == (before.system_prompt, before.tools)


async def test_a_resumed_session_goes_on_where_it_was(runtime, session):
    await session.prompt("remember 42", model=ScriptedModel(["I will."]))
    await runtime.new()
    resumed = await runtime.resume(session.id)
    assert resumed is not session
    model = ScriptedModel(["42"])
    await resumed.prompt("what was it?", model=model)
    told = [message for message in model.requests[0].messages if not isinstance(message, CustomMessage)]
    assert [type(message) for message in told] == [UserMessage, AssistantMessage, UserMessage]
    assert len([m for m in model.requests[0].messages if isinstance(m, CustomMessage)]) == 1


async def test_resume_without_an_id_takes_the_newest_before_this_one(runtime, session):
    await session.prompt("first", model=ScriptedModel(["one"]))
    second = await runtime.new()
    await second.prompt("second", model=ScriptedModel(["two"]))
    await runtime.new()
    assert (await runtime.resume()).id == second.id
    assert (await runtime.resume()).id == session.id


async def test_a_setting_holds_from_the_next_request_on_and_after_a_resume(runtime, session):
    assert session.set_value("max_turns", "1") == 1
    assert session.set_value("mode", "auto") == "auto"
    end = await session.prompt("go", model=ScriptedModel([[call("act", what="x")], "never"]))
    assert end.reason == "max_turns"
    assert messages(session.path)[-1]["content"][0]["text"] == "did x"
    await runtime.new()
    resumed = await runtime.resume(session.id)
    assert (resumed.settings.get("max_turns"), resumed.mode) == (1, "auto")


@pytest.mark.parametrize(("name", "value"), [("maxturns", "1"), ("mode", "automatic"), ("max_turns", "many")])
async def test_a_wrong_setting_changes_nothing(session, name, value):
    with pytest.raises(SettingsError):
        session.set_value(name, value)
    assert session.mode == "ask"
    assert not session.path.exists()


async def test_a_recorded_setting_that_is_no_longer_valid_does_not_stop_a_resume(runtime, session):
    session.set_value("max_turns", "3")
    text = session.path.read_text().replace('"name":"max_turns"', '"name":"was_once"')
    await runtime.new()
    session.path.write_text(text)
    assert (await runtime.resume(session.id)).settings.get("max_turns") is None


async def test_model_and_mode_of_a_prompt_hold_for_that_run_only(session):
    await session.prompt("go", model=ScriptedModel([[call("act", what="x")], "ok"]), mode="auto")
    assert session.model.name == "offline"
    assert session.mode == session.gate.mode == "ask"
    changes = [entry for entry in entries(session.path) if entry["type"] == "model_change"]
    assert [change["modelId"] for change in changes] == ["scripted"]


@pytest.mark.parametrize(
    ("mode", "risk", "runs"),
    [("plan", "read", True), ("plan", "execute", False), ("ask", "read", True), ("auto", "execute", True)],
)
async def test_modes_decide_without_asking(session, mode, risk, runs):
    name, arguments = ("look", {}) if risk == "read" else ("act", {"what": "x"})
    approver = Answers()
    await session.prompt(
        "go", model=ScriptedModel([[call(name, **arguments)], "ok"]), mode=mode, approver=approver
    )
    result = next(message for message in session.messages if isinstance(message, ToolResultMessage))
    assert result.is_error is not runs
    assert not approver.asked


async def test_without_anyone_to_ask_a_call_is_refused_with_what_to_do(session):
    await session.prompt("go", model=ScriptedModel([[call("act", what="x")], "ok"]))
    result = next(message for message in session.messages if isinstance(message, ToolResultMessage))
    assert result.is_error
    assert "--auto" in result.text


async def test_the_persons_word_is_recorded_before_the_call_runs_and_bound_to_its_arguments(session):
    approver = Answers(Approval(allowed=True))
    await session.prompt("go", model=ScriptedModel([[call("act", what="x")], "ok"]), approver=approver)
    kinds = [
        entry.get("customType") or entry["message"]["role"]
        for entry in entries(session.path)
        if entry["type"] in ("custom", "message") and entry.get("customType") != PROMPT_TYPE
    ]
    assert kinds == ["user", "assistant", "pi_notebook/approval", "toolResult", "assistant"]
    (asked,) = approver.asked
    record = next(
        entry for entry in entries(session.path) if entry.get("customType") == "pi_notebook/approval"
    )
    assert record["data"]["fingerprint"] == asked.fingerprint
    assert asked.call.arguments == {"what": "x"}


async def test_a_no_reaches_the_model_with_its_reason(session):
    approver = Answers(Approval(allowed=False, reason="use polars"))
    await session.prompt("go", model=ScriptedModel([[call("act", what="x")], "ok"]), approver=approver)
    result = next(message for message in session.messages if isinstance(message, ToolResultMessage))
    assert "use polars" in result.text


async def test_always_in_this_run_ends_with_the_run_and_always_in_this_session_does_not(session):
    def replies():
        return ScriptedModel([[call("act", "a", what="1")], [call("act", "b", what="2")], "ok"])

    approver = Answers(Approval(allowed=True, scope="run"), Approval(allowed=True, scope="session"))
    await session.prompt("one", model=replies(), approver=approver)
    assert len(approver.asked) == 1
    await session.prompt("two", model=replies(), approver=approver)
    assert len(approver.asked) == 2
    await session.prompt("three", model=replies(), approver=approver)
    assert len(approver.asked) == 2


async def test_edited_arguments_are_what_runs(session):
    approver = Answers(Approval(allowed=True, arguments={"what": "y"}))
    await session.prompt("go", model=ScriptedModel([[call("act", what="x")], "ok"]), approver=approver)
    result = next(message for message in session.messages if isinstance(message, ToolResultMessage))
    assert result.text == "did y"


async def test_a_stop_while_the_question_waits_leaves_a_valid_session(session):
    class Never:
        async def ask(self, request):
            session.abort()
            await asyncio.sleep(60)

    end = await session.prompt("go", model=ScriptedModel([[call("act", what="x")]]), approver=Never())
    assert end.reason == "aborted"
    assert "not run" in session.messages[-1].text
    assert (await session.prompt("again", model=ScriptedModel(["ok"]))).reason == "done"


async def test_a_failed_model_raises_and_its_attempt_is_kept_out_of_the_next_request(session):
    session.set_value("retry.enabled", "false")
    with pytest.raises(ModelUnavailableError):
        await session.prompt("go", model=ScriptedModel([ModelUnavailableError("down", model="m")]))
    model = ScriptedModel(["fine"])
    await session.prompt("again", model=model)
    assert not [message for message in model.requests[0].messages if isinstance(message, AssistantMessage)]
    assert messages(session.path)[1]["stopReason"] == "error"


async def test_a_call_that_was_running_when_the_kernel_died_is_answered_in_the_next_request(runtime, session):
    await session.prompt("go", model=ScriptedModel([[call("look")], "ok"]))
    path = session.path
    await runtime.new()
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-2]) + "\n")
    resumed = await runtime.resume(session.id)
    model = ScriptedModel(["ok"])
    await resumed.prompt("go on", model=model)
    sent = model.requests[0].messages
    result = next(message for message in sent if isinstance(message, ToolResultMessage))
    assert "may have run" in result.text
    assert result.tool_call_id == sent[sent.index(result) - 1].tool_calls[0].id


@pytest.mark.parametrize("stop_reason", ["length", "stop"])
async def test_an_answer_that_is_cut_at_its_limit_is_told_as_cut(session, stop_reason):
    told = []
    session.subscribe(lambda event: told.append(event.text) if isinstance(event, Notice) else None)
    answer = AssistantMessage(
        content=[TextContent(text="The first half of")],
        api="scripted",
        provider="scripted",
        model="scripted",
        usage=NO_USAGE,
        stop_reason=stop_reason,
        timestamp=0,
    )
    await session.prompt("go", model=ScriptedModel([answer]))
    assert [text for text in told if "The answer ends here" in text] == (
        ["The answer ends here because it is as long as the model may make one. Ask it to go on."]
        if stop_reason == "length"
        else []
    )


async def test_one_run_at_a_time(session):
    running = asyncio.ensure_future(
        session.prompt("go", model=ScriptedModel([[call("look")], "ok"]), approver=None)
    )
    await asyncio.sleep(0)
    with pytest.raises(SessionBusyError):
        await session.prompt("again")
    await running


async def test_the_context_fills_as_the_conversation_grows(session):
    before = session.upkeep.usage
    await session.prompt("word " * 2_000, model=ScriptedModel(["ok"]))
    after = session.upkeep.usage
    assert 0 < before.tokens < after.tokens - 1_500
    assert after.is_estimate
    assert after.context_window == session.model.context_window


async def test_where_no_file_can_be_made_the_session_goes_on_in_memory_and_says_so_once(
    runtime, home, tmp_path
):
    blocked = tmp_path / "blocked"
    blocked.write_text("not a folder")
    environ = {"PI_NOTEBOOK_HOME": str(blocked)}
    other = AgentSessionRuntime(tmp_path, lambda folder: build_services(folder, environ=environ))
    notices = []
    other.session.subscribe(lambda event: notices.append(event) if isinstance(event, Notice) else None)
    for prompt in ("one", "two"):
        end = await other.session.prompt(prompt, model=ScriptedModel(["ok"]))
        assert end.reason == "done"
    assert len(notices) == 1
    assert str(blocked) in notices[0].text
    other.close()


async def test_a_session_whose_folder_is_gone_is_offered_and_goes_on_where_it_is_told_to(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    first = AgentSessionRuntime(gone, build_services)
    await first.session.prompt("one", model=ScriptedModel(["ok"]))
    first.close()
    gone.rmdir()
    here = AgentSessionRuntime(tmp_path, build_services)
    current = here.session
    with pytest.raises(SessionFolderError, match="--here") as refused:
        await here.resume(first.session.id)
    assert refused.value.folder == gone
    assert here.session is current
    resumed = await here.resume(first.session.id, folder=tmp_path)
    assert resumed.services.folder == tmp_path
    assert len(resumed.branch.history(limit=9)) == 3
    here.close()


@pytest.mark.parametrize(
    ("path", "mode", "runs"),
    [
        ("notes.md", "auto-edit", True),
        ("../notes.md", "auto-edit", False),
        ("../notes.md", "auto", True),
        (".bashrc", "auto", False),
        ("sub/../.git/hooks/pre-commit", "auto", False),
        ("~/.ipython/profile_default/startup/x.py", "auto", False),
        ("notes.md", "plan", False),
    ],
)
async def test_files_elsewhere_and_files_that_decide_what_runs_are_asked_for(session, path, mode, runs):
    calls = [call("write", path=path, content="x")]
    await session.prompt("go", model=ScriptedModel([calls, "ok"]), mode=mode)
    result = next(message for message in session.messages if isinstance(message, ToolResultMessage))
    assert result.is_error is not runs


async def test_a_link_out_of_the_folder_is_asked_for(session, tmp_path, tmp_path_factory):
    (tmp_path / "out").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    calls = [call("write", path="out/x.txt", content="x")]
    await session.prompt("go", model=ScriptedModel([calls, "ok"]), mode="auto-edit")
    assert next(m for m in session.messages if isinstance(m, ToolResultMessage)).is_error


@pytest.mark.parametrize(
    ("rule", "mode", "runs"),
    [("refuse", "auto", False), ("allow", "ask", True), ("ask", "auto", False), ("allow", "plan", False)],
)
async def test_a_rule_for_a_tool_stands_above_the_mode_except_in_plan(session, rule, mode, runs):
    session.set_value("permissions.write", rule)
    calls = [call("write", path="notes.md", content="x")]
    await session.prompt("go", model=ScriptedModel([calls, "ok"]), mode=mode)
    result = next(message for message in session.messages if isinstance(message, ToolResultMessage))
    assert result.is_error is not runs


async def test_outside_a_kernel_the_tools_that_need_one_are_not_offered(session):
    names = {tool.name for tool in session.services.tools}
    assert {"read", "write", "grep"} <= names
    assert not {"run_code", "list_variables", "preview_data"} & names


async def test_a_file_can_go_with_the_prompt_and_stands_before_it(session, tmp_path):
    (tmp_path / "notes.md").write_text("the answer is 42\n")
    model = ScriptedModel(["ok"])
    await session.prompt("what is it?", model=model, attach=("notes.md",))
    sent = model.requests[0].messages
    assert sent[-1].content == "what is it?"
    assert "the answer is 42" in "".join(block.text for block in sent[-2].content)


@pytest.mark.parametrize("name", ["nothing.csv", "", "/dev/zero"])
async def test_what_cannot_be_attached_is_said_before_anything_is_sent(session, name):
    model = ScriptedModel(["ok"])
    with pytest.raises(UsageError):
        await session.prompt("go", model=model, attach=(name,))
    assert not model.requests
    assert (await session.prompt("go", model=model)).reason == "done"


async def test_a_stop_before_the_run_has_begun_ends_it_with_nothing_recorded(session):
    class Slow:
        async def call(self, function, *, timeout_seconds):
            session.abort()
            raise KernelError("interrupted")

    session.use(dataclasses.replace(session.services, shell=object()))
    model = ScriptedModel(["never"])
    end = await session.prompt("go", model=model, executor=Slow())
    assert (end.reason, model.requests, session.messages) == ("aborted", [], [])
    assert (await session.prompt("go", model=ScriptedModel(["ok"]))).reason == "done"


async def test_a_second_prompt_is_refused_from_the_first_moment_of_the_first(session):
    running = asyncio.ensure_future(session.prompt("one", model=ScriptedModel(["ok"])))
    await asyncio.sleep(0)
    assert session.is_running
    with pytest.raises(SessionBusyError):
        await session.prompt("two", model=ScriptedModel(["ok"]))
    assert (await running).reason == "done"


async def test_variables_that_cannot_be_looked_at_are_not_told_as_gone(session):
    class Busy:
        async def call(self, function, *, timeout_seconds):
            raise KernelError("busy")

    model = ScriptedModel(["one", "two"])
    await session.prompt("one", model=model)
    session.use(dataclasses.replace(session.services, shell=object()))
    await session.prompt("two", model=model, executor=Busy())
    assert "gone" not in str(model.requests[-1].messages)


async def test_a_model_that_does_not_exist_is_said_and_the_session_works(tmp_path):
    environ = {"PI_NOTEBOOK_HOME": str(tmp_path / "home"), "PI_NOTEBOOK_MODEL": "opnai/gpt-4o"}
    runtime = AgentSessionRuntime(tmp_path, lambda folder: build_services(folder, environ=environ))
    (diagnostic,) = runtime.take_diagnostics()
    assert "opnai" in diagnostic.text
    assert "PI_NOTEBOOK_MODEL" in diagnostic.text
    assert runtime.session.model.name == "offline"
    runtime.session.set_value("model", "openai/gpt-4o")
    assert runtime.session.model.name == "openai/gpt-4o"
    runtime.close()
