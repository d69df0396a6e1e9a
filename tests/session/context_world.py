"""A session under a model that is strict: every request is checked as it comes, against the rules of
providers, the window, and the file of the session, which must explain whatever is no longer said.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from pi_notebook.agent import ToolContext, tool
from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.entries import ContextEditEntry
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    Message,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
)
from pi_notebook.agent.protocols import ModelInfo, ModelRequest
from pi_notebook.context.projection import NO_RESULT_TEXT
from pi_notebook.context.tokens import count_tokens, message_tokens, tools_tokens
from pi_notebook.errors import (
    BudgetError,
    ContextOverflowError,
    ModelError,
    ModelUnavailableError,
    UsageError,
)
from pi_notebook.models.conversion import chat_messages, chat_tools
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from tests.request_rules import find_problems

T = TypeVar("T")

SUMMARY = "## Goal\nsummary"
WORD_CHARS = 5


@dataclass(frozen=True, kw_only=True)
class Turn:
    """What a model does in one turn."""

    text_chars: int = 0
    results: tuple[int, ...] = ()
    """How many characters the tool gives, for each call; a negative number fails with so many."""
    end: str = "well"
    """Or "error", "down", "abort", "length", "thinking", "empty", "overflow"."""


@dataclass
class Plan:
    """What the model will do: turns in order, then it says that it is done."""

    turns: list[Turn] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)
    """How requests for a summary go, "well" when there is none left; `StrictModel` knows the others."""


@tool(risk="read")
async def big(context: ToolContext, chars: int, name: str) -> str:
    """Give a text of so many characters; fail for a negative number."""
    text = words(name, abs(chars))
    if chars < 0:
        raise RuntimeError(text)
    return text


def words(name: str, chars: int) -> str:
    """A text of its own, about so long."""
    return f"{name} " + "word " * (chars // WORD_CHARS)


class StrictModel(ScriptedModel):
    """Follows a plan and gives each request to the world to check."""

    def __init__(self, world: World, window: int) -> None:
        super().__init__(context_window=window)
        self._world = world

    def _next_message(self, request: ModelRequest) -> AssistantMessage:
        world = self._world
        world.check(request, self.info)
        tokens = request_tokens(request) if world.tells_usage else 0
        self._usage = msgspec.structs.replace(NO_USAGE, input=tokens, total_tokens=tokens)
        if not request.tools:
            return self._summary()
        turn = world.plan.turns.pop(0) if world.plan.turns else Turn(text_chars=20)
        return self._reply(turn)

    def _summary(self) -> AssistantMessage:
        how = self._world.plan.summaries.pop(0) if self._world.plan.summaries else "well"
        if how == "abort":
            self._world.session.abort()
        if how == "overflow":
            raise ContextOverflowError("too long", model="m")
        if how == "down":
            raise ModelError("broken", model="m")
        text = {"empty": "", "long": words(SUMMARY, 200_000)}.get(how, words(SUMMARY, 1_000))
        content: list[Any] = [TextContent(text=f"{text} {self._world.new_name()}")] if text else []
        if how == "calls":
            content.append(ToolCall(id="c", name="big", arguments={}))
        return self._whole(content, "length" if how == "length" else "stop")

    def _reply(self, turn: Turn) -> AssistantMessage:
        world, end = self._world, turn.end
        if end == "error":
            raise ModelError("broken", model="m")
        if end == "down":
            raise ModelUnavailableError("overloaded", model="m")
        if end == "overflow":
            raise ContextOverflowError("too long", model="m")
        if end == "abort":
            world.session.abort()
        if end == "empty":
            return self._whole([], "stop")
        if end == "thinking":
            return self._whole([ThinkingContent(thinking=words(world.new_name(), 200))], "stop")
        content: list[Any] = [TextContent(text=words(world.new_name(), turn.text_chars))]
        for chars in turn.results:
            name = world.new_name()
            content.append(ToolCall(id=f"c{name}", name="big", arguments={"chars": chars, "name": name}))
        reason = "length" if end == "length" else "toolUse" if turn.results else "stop"
        return self._whole(content, reason)

    def _whole(self, content: list[Any], reason: Any) -> AssistantMessage:
        return AssistantMessage(
            content=content,
            api="scripted",
            provider="scripted",
            model="scripted",
            usage=self._usage,
            stop_reason=reason,
            timestamp=0,
        )


class World:
    """One runtime in a folder, driven from outside; every method leaves it at rest."""

    def __init__(self, folder: Any, *, window: int = 16_000) -> None:
        self._loop = asyncio.new_event_loop()
        self._runtime = AgentSessionRuntime(folder, build_services)
        self.plan = Plan()
        self.window = window
        self.requests = 0
        self.tells_usage = False
        """Whether the model says how large the requests were."""
        self._names = 0
        self._before: _Sent | None = None
        self._prepare()

    @property
    def session(self) -> Any:
        return self._runtime.session

    def close(self) -> None:
        self._runtime.close()
        self._loop.close()

    def new_name(self) -> str:
        self._names += 1
        return f"n{self._names}"

    def prompt(self, chars: int, plan: Plan, **options: Any) -> None:
        """Ask something, and let the model do as planned."""
        self.plan = plan
        self._wait(self.session.prompt(words(self.new_name(), chars), model=self._model(), **options))

    def compact(self, plan: Plan, focus: str = "") -> None:
        self.plan = plan
        self.session.agent.model = self.session.choices.model = self._model()
        self._wait(self.session.compact(focus))

    def use_window(self, tokens: int) -> None:
        self.window = tokens

    def move(self, number: int) -> None:
        """Go on from another entry."""
        ids = [None, *(entry.id for entry in self.session.store.entries)]
        self.session.move(ids[number % len(ids)])

    def leave(self, number: int, plan: Plan) -> None:
        """Go on from another entry with a summary of what is left."""
        self.plan = plan
        self.session.agent.model = self.session.choices.model = self._model()
        ids = [None, *(entry.id for entry in self.session.store.entries)]
        self._wait(self.session.leave(ids[number % len(ids)]))

    def fork(self, number: int) -> None:
        """Go on in a copy."""
        ids = [entry.id for entry in self.session.store.branch()]
        if ids:
            self._wait(self._runtime.fork(entry_id=ids[number % len(ids)]))
            self._before = None
            self._prepare()

    def resume(self) -> None:
        """Let go of the session and open its file again."""
        path = self.session.path
        if path is not None and path.exists():
            self._wait(self._runtime.new())
            self._wait(self._runtime.resume(str(path)))
            self._prepare()

    def edit(self, number: int, *, hides: bool) -> None:
        """Take something out of the context, or put less in its place."""
        items = [i for i in self.session.branch.items if not isinstance(i.message, CompactionSummaryMessage)]
        items = [item for item in items if "/" not in item.entry_id]
        if not items:
            return
        item = items[number % len(items)]
        if hides:
            self.session.branch.hide(item.entry_id)
        else:
            less = {"content": f"{self.new_name()} instead"}
            self.session.branch.add(ContextEditEntry, target_id=item.entry_id, replacement=less)

    def check(self, request: ModelRequest, info: ModelInfo) -> None:
        """Hold `request` against every rule."""
        self.requests += 1
        body = {"model": "m", "messages": chat_messages(request, info)}
        if request.tools:
            body["tools"] = chat_tools(request.tools)
        assert find_problems(body) == []
        tokens = request_tokens(request) + (request.max_output_tokens or 0)
        assert tokens <= info.context_window, (tokens, info.context_window, bool(request.tools))
        if request.tools:
            sent = _Sent(request.messages, _read(self.session.path))
            if self._before is not None and self._before.file.same_session(sent.file):
                assert sent.unexplained(self._before) == []
            self._before = sent

    def _prepare(self) -> None:
        self.session.agent.tools["big"] = big
        if self.session.settings.get("retry.base_delay_seconds") != 0:
            self.session.set_value("retry.base_delay_seconds", "0")

    def _model(self) -> StrictModel:
        return StrictModel(self, self.window)

    def _wait(self, awaited: Awaitable[T]) -> T | None:
        try:
            return self._loop.run_until_complete(awaited)
        except (ModelError, UsageError, BudgetError, Aborted):
            return None


def request_tokens(request: ModelRequest) -> int:
    """The size of a request by our own count."""
    fixed = count_tokens(request.system_prompt) + tools_tokens(request.tools)
    return fixed + sum(map(message_tokens, request.messages))


class _File:
    """The lines of a session as another program reads them."""

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self.id = lines[0]["id"]
        self.entries = {line["id"]: line for line in lines[1:]}
        self.branch: list[str] = []
        place = lines[-1]["id"] if lines[1:] else None
        while place is not None:
            self.branch.append(place)
            place = self.entries[place]["parentId"]
        self.branch.reverse()

    def same_session(self, other: _File) -> bool:
        return self.id == other.id

    def texts(self, entry_id: str) -> set[str]:
        """The texts that this entry has put into the context."""
        return set(_strings(self.entries[entry_id]))

    def gone(self) -> set[str]:
        """The entries of the branch that a compaction or an edit says are no longer shown."""
        covered: set[str] = set()
        edits: dict[str, str] = {}
        superseded = set()
        for number, entry_id in enumerate(self.branch):
            entry = self.entries[entry_id]
            if entry["type"] == "compaction":
                first = entry["firstKeptEntryId"]
                kept = self.branch.index(first) if first in self.branch[:number] else number
                covered |= set(self.branch[:kept])
                covered |= {one for one in self.branch[kept:number] if self._is_compaction(one)}
            elif entry["type"] == "context_edit":
                if (target := entry["targetId"]) in edits:
                    superseded.add(edits[target])
                edits[target] = entry_id
        covered |= {result for target in edits for result in self._results_of(target)}
        return covered | set(edits) | superseded | {edit for one, edit in edits.items() if one in covered}

    def _is_compaction(self, entry_id: str) -> bool:
        return self.entries[entry_id]["type"] == "compaction"

    def _results_of(self, entry_id: str) -> set[str]:
        """The results of the calls of a reply: they go with it when it is edited away."""
        message = self.entries.get(entry_id, {}).get("message", {})
        blocks = message.get("content") if message.get("role") == "assistant" else None
        calls = {block["id"] for block in blocks or [] if block.get("type") == "toolCall"}
        return {
            other
            for other, entry in self.entries.items()
            if calls and entry.get("message", {}).get("toolCallId") in calls
        }


@dataclass(frozen=True)
class _Sent:
    """One request of the conversation, and the file at that moment."""

    messages: tuple[Message, ...]
    file: _File

    def texts(self) -> list[str]:
        return [text for message in self.messages for text in _texts(message)]

    def unexplained(self, before: _Sent) -> list[str]:
        """What `before` said and this does not, where nothing in the file says why."""
        now, here = set(self.texts()), set(self.file.branch)
        gone = self.file.gone()
        is_explained = here - gone
        found = []
        for text in set(before.texts()) - now - {NO_RESULT_TEXT}:
            carriers = {one for one in before.file.branch if text in self.file.texts(one)}
            assert carriers, f"no entry has said {text[:80]!r}"
            if carriers & is_explained:
                found.append(text[:80])
        return found


def _texts(message: Message) -> Iterator[str]:
    if isinstance(message, (BranchSummaryMessage, CompactionSummaryMessage)):
        yield message.summary
    elif isinstance(message.content, str):
        yield message.content
    else:
        yield from (block.text for block in message.content if isinstance(block, TextContent))
        if isinstance(message, ToolResultMessage):
            return
        yield from (block.id for block in message.content if isinstance(block, ToolCall))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _read(path: Any) -> _File:
    return _File([json.loads(line) for line in path.read_text("utf-8").splitlines()])
