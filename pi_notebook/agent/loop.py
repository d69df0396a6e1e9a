"""One run: turns until the model calls no tool and no message waits, or it fails or is stopped."""

from __future__ import annotations

import re
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from pi_notebook.agent.abort import Aborted, AbortSignal
from pi_notebook.agent.events import (
    AgentEnd,
    AgentStart,
    EndReason,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ModelDone,
    QueueUpdate,
    TextDelta,
    TurnEnd,
    TurnStart,
)
from pi_notebook.agent.hooks import Hooks
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantMessage,
    Message,
    StopReason,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    now_ms,
)
from pi_notebook.agent.protocols import Model, ModelInfo, ModelRequest
from pi_notebook.agent.queues import MessageQueue
from pi_notebook.agent.tool_calls import LENGTH_TEXT, Emit, Execution, ToolCalls
from pi_notebook.agent.tools import Tool


@dataclass(frozen=True, kw_only=True)
class RunEnvironment:
    """Everything a run needs from outside. The callables are asked anew for every turn."""

    model: Callable[[], Model]
    request: Callable[[], Awaitable[ModelRequest]]
    """Builds what is sent, after every message so far has been recorded."""
    tools: Callable[[], Mapping[str, Tool]]
    emit: Emit
    abort: AbortSignal
    hooks: Hooks = field(default_factory=Hooks)
    steering: MessageQueue = field(default_factory=MessageQueue)
    follow_up: MessageQueue = field(default_factory=MessageQueue)
    execution: Callable[[], Execution] = lambda: "parallel"
    resources: Mapping[type, Any] = field(default_factory=dict)
    max_turns: int | None = None
    used_call_ids: set[str] = field(default_factory=set)
    """Ids of the conversation's tool calls; a reply that repeats one gets another."""


async def run_loop(prompts: Sequence[Message], environment: RunEnvironment) -> AgentEnd:
    """Add `prompts` to the conversation and take turns until the agent is idle.

    Returns how the run ended; a failure of the model is in it and recorded as a message. Raises
    only what a subscriber or a `between_turns` hook raises.
    """
    run = _Run(environment)
    await environment.emit(AgentStart())
    has_waited = await run.begin(prompts)
    reason = (has_waited and await run.between_turns()) or await run.turns()
    end = AgentEnd(tuple(run.messages), reason, run.error)
    await environment.emit(end)
    return end


class _Run:
    def __init__(self, environment: RunEnvironment) -> None:
        self.environment = environment
        self.emit = environment.emit
        self.messages: list[Message] = []
        self.error: Exception | None = None

    async def turns(self) -> EndReason:
        number = 0
        while True:
            if self.environment.abort.is_set:
                return "aborted"
            if number == self.environment.max_turns:
                return "max_turns"
            number += 1
            await self.emit(TurnStart(number))
            reply = await self.reply()
            results = await self.results(reply)
            await self.emit(TurnEnd(reply, tuple(results)))
            if self.error is not None and await self.recovered(self.error):
                self.error = None
                continue
            if reply.stop_reason in ("error", "aborted"):
                return "error" if reply.stop_reason == "error" else "aborted"
            if not (await self.deliver(self.environment.steering) or results or await self.follow_up()):
                return "aborted" if self.environment.abort.is_set else "done"
            if (end := await self.between_turns()) is not None:
                return end

    async def between_turns(self) -> EndReason | None:
        """Let the hooks do what is due before the next request; how the run ends when one stops it."""
        try:
            for hook in self.environment.hooks.between_turns:
                await hook(self.messages)
        except Aborted:
            return "aborted"
        except Exception as error:
            self.error = error
            return "error"
        return None

    async def recovered(self, error: Exception) -> bool:
        """Whether a hook has mended what made the model fail; a stop meanwhile ends the run."""
        for hook in self.environment.hooks.on_failure:
            if await hook(error):
                return True
        return False

    async def add(self, message: Message) -> None:
        """Record a message that is whole from the start."""
        await self.emit(MessageStart(message))
        await self.emit(MessageEnd(message))
        self.messages.append(message)

    async def reply(self) -> AssistantMessage:
        """Ask the model; what came of it is recorded, whole, cut short or failed."""
        model = self.environment.model()
        partial: list[str] = []
        await self.emit(MessageStart(_reply_of(model.info, "", "stop")))
        try:
            message = await self.environment.abort.guard(self._stream(model, partial))
            message = _with_unique_ids(message, self.environment.used_call_ids)
        except Aborted:
            message = _reply_of(model.info, "".join(partial), "aborted")
        except Exception as error:
            self.error = error
            message = _reply_of(model.info, "".join(partial), "error", str(error) or type(error).__name__)
        await self.emit(MessageEnd(message))
        self.messages.append(message)
        return message

    async def _stream(self, model: Model, partial: list[str]) -> AssistantMessage:
        request = await self.environment.request()
        async for event in model.stream(request):
            if isinstance(event, ModelDone):
                return event.message
            if isinstance(event, TextDelta):
                partial.append(event.text)
            await self.emit(MessageUpdate(event))
        raise RuntimeError(f"{model.info.name} ended its answer without finishing it.")

    async def results(self, reply: AssistantMessage) -> list[ToolResultMessage]:
        """Run the reply's tool calls and record their results, in call order."""
        if not reply.tool_calls or reply.stop_reason in ("error", "aborted"):
            return []
        calls = ToolCalls(
            tools=self.environment.tools(),
            hooks=self.environment.hooks,
            abort=self.environment.abort,
            emit=self.emit,
            execution=self.environment.execution(),
            resources=self.environment.resources,
        )
        if reply.stop_reason == "length":
            results = await calls.refuse(reply.tool_calls, LENGTH_TEXT)
        else:
            results = await calls.run(reply.tool_calls)
        for result in results:
            await self.add(result)
        return results

    async def follow_up(self) -> bool:
        return await self.deliver(self.environment.follow_up)

    async def begin(self, prompts: Sequence[Message]) -> bool:
        """Add the messages the run begins with; whether one of them waited in a queue, as it does no more."""
        queues = (self.environment.steering, self.environment.follow_up)
        waited = sum(map(len, queues))
        for message in prompts:
            waits_in = [queue for queue in queues if message in queue.messages]
            if not waits_in:
                await self.add(message)
            elif isinstance(message, UserMessage):
                await self.say(message, *waits_in)
        has_waited = sum(map(len, queues)) < waited
        if has_waited:
            await self.tell_queues()
        return has_waited

    async def deliver(self, queue: MessageQueue) -> bool:
        """Add the messages that are due; True when there were any."""
        due = () if self.environment.abort.is_set else queue.due()
        said = [message for message in due if await self.say(message, queue)]
        if said:
            await self.tell_queues()
        return bool(said)

    async def say(self, message: UserMessage, *queues: MessageQueue) -> bool:
        """Add a message that waited in `queues`, and what goes before it; stopped meanwhile, it waits on."""
        before: list[Message] = []
        try:
            for hook in self.environment.hooks.before_queued:
                before += await self.environment.abort.guard(hook(message))
        except Aborted:
            return False
        for one in (*before, message):
            await self.add(one)
        for queue in queues:
            queue.delivered(message)
        return True

    async def tell_queues(self) -> None:
        await self.emit(QueueUpdate(self.environment.steering.messages, self.environment.follow_up.messages))


def _reply_of(
    info: ModelInfo, text: str, stop_reason: StopReason, error_message: str | None = None
) -> AssistantMessage:
    return AssistantMessage(
        content=[TextContent(text=text)] if text else [],
        api=info.api,
        provider=info.provider,
        model=info.id,
        usage=NO_USAGE,
        stop_reason=stop_reason,
        error_message=error_message,
        timestamp=now_ms(),
    )


_VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def _with_unique_ids(message: AssistantMessage, used: set[str]) -> AssistantMessage:
    """The message with call ids that every provider takes and no earlier call has."""
    content = [
        msgspec.structs.replace(block, id=_unique(block.id, used)) if isinstance(block, ToolCall) else block
        for block in message.content
    ]
    return msgspec.structs.replace(message, content=content)


def _unique(call_id: str, used: set[str]) -> str:
    if not _VALID_ID.fullmatch(call_id) or call_id in used:
        call_id = f"call_{uuid.uuid4().hex[:20]}"
    used.add(call_id)
    return call_id
