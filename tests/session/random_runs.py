"""Sessions that go as they may: prompts, results, failures, stops, retries, edits, resumes, other models."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
from hypothesis import strategies as st

from pi_notebook.agent import ToolContext, ToolError, tool
from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.entries import ContextEditEntry, MessageEntry
from pi_notebook.agent.messages import (
    AssistantMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
)
from pi_notebook.agent.protocols import ModelInfo, ModelRequest
from pi_notebook.errors import ContextOverflowError, ModelUnavailableError, PiNotebookError
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.person_cells import CUSTOM_TYPE as CELLS_TYPE
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

calls = st.sampled_from(["small", "large", "fails", "unknown", "stops"])
replies = st.one_of(
    st.sampled_from(["text", "down", "overflow", "stopped", "empty", "thinking"]),
    st.lists(calls, min_size=1, max_size=3),
)
steps = st.one_of(
    st.tuples(st.just("prompt"), st.lists(replies, min_size=1, max_size=4)),
    st.tuples(st.just("attach"), st.lists(replies, min_size=1, max_size=2)),
    st.tuples(st.just("picture"), st.just(["text"])),
    st.tuples(
        st.sampled_from(["cells", "setting", "compact", "resume", "dead call", "late result"]), st.none()
    ),
    st.tuples(st.just("model"), st.sampled_from(["one", "two"])),
    st.tuples(st.sampled_from(["shorten", "hide"]), st.integers(0, 20)),
)
programs = st.lists(steps, min_size=2, max_size=12)


@tool(risk="read")
async def give(context: ToolContext, size: int) -> str:
    """Give a text."""
    if size < 0:
        raise ToolError("no such size")
    return "word " * (size // 5)


@dataclass(frozen=True)
class Sent:
    """A request, and what had been recorded by then that may change what came before."""

    request: ModelRequest
    info: ModelInfo
    changes: int


class RandomModel(ScriptedModel):
    """Answers as the step has it; summaries when it is asked for one."""

    def __init__(self, run: RandomRun, name: str) -> None:
        super().__init__(context_window=24_000, sees_images=name == "two")
        self.info = replace(self.info, id=name)
        self.run = run

    def _next_message(self, request: ModelRequest) -> AssistantMessage:
        if not request.tools:
            return self._message("## Goal\nto go on")
        self.run.note(request, self.info)
        answer = self.run.answer()
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, AssistantMessage) else self._message(answer)


class RandomRun:
    """Runs a program over one session file; `sent` are the conversation's requests, in order."""

    def __init__(self, folder: Path) -> None:
        self.sent: list[Sent] = []
        self.models = {name: RandomModel(self, name) for name in ("one", "two")}
        self.model = self.models["one"]
        self.folder = folder
        (folder / "notes.txt").write_text("a,b\n1,2\n" * 50)
        self.due: list[object] = []
        self.numbers = iter(range(1_000_000))
        self.runtime = AgentSessionRuntime(folder, build_services)
        self._prepare()

    @property
    def session(self):
        return self.runtime.session

    def _prepare(self) -> None:
        session = self.session
        session.agent.tools["give"] = give
        session.set_value("retry.base_delay_seconds", "0")
        session.set_value("mode", "auto")

    def note(self, request: ModelRequest, info: ModelInfo) -> None:
        self.sent.append(Sent(request, info, self.changes()))

    def changes(self) -> int:
        """Compactions and edits so far; an attempt that failed was in no request, so hiding it is none."""
        branch = self.session.store.branch()
        failed = {
            entry.id
            for entry in branch.of_kind("message:assistant")
            if isinstance(entry, MessageEntry) and entry.message.stop_reason == "error"
        }
        edits = [
            entry
            for entry in branch.of_kind("context_edit")
            if isinstance(entry, ContextEditEntry) and entry.target_id not in failed
        ]
        return len(edits) + len(branch.of_kind("compaction"))

    def answer(self):
        planned = self.due.pop(0) if self.due else "text"
        if planned == "down":
            return ModelUnavailableError("not there", model="m")
        if planned == "overflow":
            return ContextOverflowError("too long", model="m")
        if planned == "stopped":
            self.session.abort()
        if isinstance(planned, list):
            return ["I look.", *map(self._call, planned)]
        return {"empty": "", "thinking": " "}.get(planned, f"It is {next(self.numbers)}.")

    def _call(self, kind: str) -> ToolCall:
        number = next(self.numbers)
        if kind == "stops":
            self.session.abort()
        sizes = {"small": 50, "large": 24_000, "fails": -1}
        name = "nothing" if kind == "unknown" else "give"
        return ToolCall(id=f"call.{number}", name=name, arguments={"size": sizes.get(kind, 10)})

    async def step(self, kind: str, what) -> None:
        """One step; what the person would be told of a failure is passed over."""
        session = self.session
        with contextlib.suppress(PiNotebookError, Aborted):
            if kind in ("prompt", "attach", "picture"):
                await self._ask(kind, list(what))
            elif kind == "model":
                self.model = self.models[what]
            elif kind == "compact":
                session.agent.model = session.choices.model = self.model
                await session.compact()
            elif kind == "resume":
                await self._resume()
            else:
                self._record(kind, what)

    async def _ask(self, kind: str, due: list[object]) -> None:
        self.due = due
        content = f"What of {next(self.numbers)}?"
        if kind == "picture":
            content = [TextContent(text=content), ImageContent(data=PIXEL, mime_type="image/png")]
        attach = ["notes.txt"] if kind == "attach" else []
        await self.session.prompt(content, model=self.model, attach=attach, max_turns=6)

    async def _resume(self) -> None:
        path = self.session.path
        if not path.exists():
            return
        self.runtime.close()
        self.runtime = AgentSessionRuntime(self.folder, build_services)
        await self.runtime.resume(str(path))
        self._prepare()

    def _record(self, kind: str, what) -> None:
        """What stands in a session's file though no run of ours has just written it."""
        branch, number = self.session.branch, next(self.numbers)
        if kind == "setting":
            self.session.set_value("output.max_lines", str(100 + number))
        elif kind == "cells":
            branch.add_message(
                CustomMessage(custom_type=CELLS_TYPE, content=f"x = {number}", display=False, timestamp=0)
            )
        elif kind == "dead call":
            branch.add_message(self.models["one"]._message([ToolCall(id="dead", name="give", arguments={})]))
        elif kind == "late result":
            branch.add_message(result("dead", "late"))
        else:
            self._edit(kind, what)

    def _edit(self, kind: str, what: int) -> None:
        branch = self.session.branch
        results = [item for item in branch.items if isinstance(item.message, ToolResultMessage)]
        if not results:
            return
        item = results[what % len(results)]
        short = msgspec.structs.replace(item.message, content=[TextContent(text="short")])
        if kind == "shorten":
            branch.replace(item.entry_id, short)
        else:
            branch.hide(item.entry_id)


def result(call_id: str, text: str) -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=call_id, tool_name="give", content=[TextContent(text=text)], is_error=False, timestamp=0
    )


def run_program(program) -> RandomRun:
    """What came of a program, in a folder of its own."""

    async def run(folder: Path) -> RandomRun:
        found = RandomRun(folder)
        try:
            for kind, what in program:
                await found.step(kind, what)
        finally:
            found.runtime.close()
        return found

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(Path(folder)))
