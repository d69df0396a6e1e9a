"""One life of a session: prompts to a scripted model whose tools leave marks outside the session.

A life may end at any moment. What it has been promised by then, and what it has done, is in its
`Diary`, a file of its own, so that it can be held against the session afterwards.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.messages import ToolCall
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.agent.tools import Tool
from pi_notebook.models.conversion import chat_messages, chat_tools
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.files import Files
from pi_notebook.session.home import Home
from pi_notebook.session.permissions import Approval
from pi_notebook.session.services import build_services
from pi_notebook.session.session import AgentSession
from pi_notebook.session.store import SessionStore
from tests.request_rules import find_problems


class Diary:
    """Lines that outlive the process: `ack ID`, `act CALL NONCE`, `problem TEXT`, `memory`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def note(self, *words: str) -> None:
        os.write(self._fd, (" ".join(words).replace("\n", " ") + "\n").encode())

    def close(self) -> None:
        os.close(self._fd)

    def read(self, kind: str) -> list[str]:
        lines = self.path.read_text().splitlines()
        return [line.partition(" ")[2] for line in lines if line.partition(" ")[0] == kind]


class Yes:
    """An approver that allows everything, so that every decision is recorded too."""

    async def ask(self, request: object) -> Approval:
        return Approval(allowed=True)


def open_life(folder: Path, root: Path, diary: Diary, files: Files) -> AgentSession:
    """The session in the home `root`, resumed where there is one; what it appends is noted."""
    services = build_services(folder, environ={"PI_NOTEBOOK_HOME": str(root)})
    services = dataclasses.replace(services, home=Home(root=root, files=files))
    found = sorted(root.rglob("*.jsonl"))
    if found:
        store = SessionStore.open(found[0], files=files)
    else:
        store = SessionStore.create(folder, home=services.home)
    _note_what_is_acknowledged(store, diary)
    try:
        session = AgentSession(store, services)
    except BaseException:
        store.close()
        raise
    session.agent.tools.update({item.name: item for item in _tools(diary)})
    return session


async def live(session: AgentSession, diary: Diary, *, prompts: int) -> None:
    """Ask `prompts` times; each answer takes two turns of tool calls."""
    for _ in range(prompts):
        model = script(diary)
        await session.prompt("go on", model=model, approver=Yes())


def script(diary: Diary) -> ScriptedModel:
    """Calls that no other life makes, and a look at each request as a strict provider takes it."""
    lives = os.urandom(4).hex()

    def reply(*calls: ToolCall | str) -> object:
        def check(request: ModelRequest) -> list[ToolCall | str]:
            for problem in problems_of(request, model):
                diary.note("problem", problem)
            return list(calls)

        return check

    def act(number: int, name: str = "act") -> ToolCall:
        return ToolCall(id=f"{lives}-{number}", name=name, arguments={"nonce": f"{lives}{number}"})

    model = ScriptedModel(
        [reply("I act.", act(1), act(2, "act_alone")), reply(act(3), act(4)), reply("Done.")]
    )
    return model


def problems_of(request: ModelRequest, model: ScriptedModel) -> list[str]:
    """What a strict provider would reject in `request`."""
    body = {"model": "m", "messages": chat_messages(request, model.info), "tools": chat_tools(request.tools)}
    return find_problems(body)


def _note_what_is_acknowledged(store: SessionStore, diary: Diary) -> None:
    append = store.append

    def noted(entry) -> None:  # type: ignore[no-untyped-def]
        append(entry)
        diary.note(*(("memory",) if store.memory_reason else ("ack", entry.id)))

    store.append = noted  # type: ignore[method-assign]


def _tools(diary: Diary) -> list[Tool]:
    @tool(risk="execute")
    async def act(context: ToolContext, nonce: str) -> str:
        """Leave a mark."""
        diary.note("act", context.call.id, nonce)
        return f"did {nonce}"

    @tool(risk="execute", sequential=True)
    async def act_alone(context: ToolContext, nonce: str) -> str:
        """Leave a mark while nothing else runs."""
        diary.note("act", context.call.id, nonce)
        return f"did {nonce} " + "x" * 5_000

    return [act, act_alone]
