"""A session of 500 turns and twelve compactions still knows what was done at its beginning."""

from __future__ import annotations

import pytest

from pi_notebook.agent.messages import AssistantMessage, ToolCall, text_of
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.context.call_record import LEDGER_TYPE, CallRecord, VariableNote
from pi_notebook.context.ledger import ledger_of
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime, open_session
from pi_notebook.session.services import build_services
from tests.session.replay import StrictReader

pytestmark = pytest.mark.timeout(600)

PROMPTS, TURNS, WINDOW = 50, 10, 32_000


def path(number):
    return f"facts/{number:03}.txt"


def fact(number):
    return f"station {number} measured {number * 37 + 11} units"


class Worker(StrictReader):
    """Writes a file, changes it, and reads it twice; then takes the next. What it says is long."""

    def __init__(self) -> None:
        super().__init__(WINDOW)
        self.turn = 0

    def _next_message(self, request: ModelRequest) -> AssistantMessage:
        super()._next_message(request)
        if not request.tools:
            return self._message("## Goal\nmeasure the stations\n\n## Critical Context\nas said")
        if self.turn == PROMPTS * TURNS:
            return self._message("all done")
        if self.turn % TURNS == TURNS - 1:
            self.turn += 1
            return self._message("done")
        number, step = divmod(self.turn, 4)
        self.turn += 1
        arguments = {"path": path(number)}
        if step == 0:
            arguments["content"] = fact(number) + "\nsecond line\n"
        elif step == 1:
            arguments["edits"] = [{"old_text": "second line", "new_text": "line two"}]
        call = ToolCall(id=f"c{self.turn}", name=("write", "edit", "read", "read")[step], arguments=arguments)
        return self._message(["I go on. " * 300, call])


def planted():
    """By their steps: the files that were written, changed and read."""
    written, edited, read = set(), set(), set()
    for turn in range(PROMPTS * TURNS):
        if turn % TURNS != TURNS - 1:
            number, step = divmod(turn, 4)
            (written, edited, read, read)[step].add(number)
    return written, edited & written, read & written


async def test_after_500_turns_and_12_compactions_every_fact_of_the_ledger_is_exact(tmp_path):
    runtime = AgentSessionRuntime(tmp_path, build_services)
    session = runtime.session
    session.set_value("mode", "auto")
    session.set_value("compaction.keep_recent_tokens", "4000")
    model = Worker()
    session.agent.model = session.choices.model = model
    for number in range(PROMPTS):
        notes = [VariableNote(name=f"frame_{number}", action="created", type="DataFrame", shape=[number, 3])]
        if number >= 5:
            notes.append(VariableNote(name=f"frame_{number - 5}", action="deleted"))
        session.branch.add_record(LEDGER_TYPE, CallRecord(tool_call_id=f"v{number}", variables=notes).data())
        await session.prompt(f"station round {number}", model=model)
    await session.prompt("round up " * 300, model=model)
    await session.compact()
    runtime.close()

    again = open_session(session.path, folder=tmp_path)
    compactions = list(again.store.branch().of_kind("compaction"))
    assert len(compactions) >= 12
    assert model.turn == PROMPTS * TURNS
    written, edited, read = planted()
    ledger = ledger_of(again.store.branch().of_kind(f"custom:{LEDGER_TYPE}"))
    by_action = {
        action: {file for file, state in ledger.files.items() if action in state.counts}
        for action in ("written", "modified", "read")
    }
    assert by_action["written"] == {path(number) for number in written}
    assert by_action["modified"] == {path(number) for number in edited}
    assert by_action["read"] == {path(number) for number in read}
    alive = {f"frame_{number}": (number, 3) for number in range(PROMPTS - 5, PROMPTS)}
    assert {name: one.shape for name, one in ledger.variables.items()} == alive

    newest = compactions[-1]
    assert newest.details["modifiedFiles"] == sorted(path(number) for number in written)
    assert all(f"{name} (DataFrame, {rows} x 3)" in newest.summary for name, (rows, _) in alive.items())
    assert "frame_44 " not in newest.summary

    for number in (0, 17, 61):
        search = ToolCall(
            id=f"s{number}", name="search_history", arguments={"query": f'"station {number} measured"'}
        )
        looked = ScriptedModel([[search], "found"], context_window=WINDOW)
        await again.prompt("what was measured?", model=looked)
        assert fact(number) in "\n".join(text_of(message) for message in looked.requests[-1].messages)
    again.close()
