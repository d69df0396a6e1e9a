"""An agent in memory: a model, tools and a conversation, without a file or a notebook.

`session.AgentSession` runs one over a session file; alone it serves scripts and tests.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.events import AgentEnd, AgentEvent, MessageEnd, QueueUpdate
from pi_notebook.agent.hooks import Hooks
from pi_notebook.agent.loop import RunEnvironment, run_loop
from pi_notebook.agent.messages import (
    AssistantMessage,
    Message,
    ToolResultMessage,
    UserContent,
    UserMessage,
    user_message,
)
from pi_notebook.agent.protocols import Model, ModelRequest
from pi_notebook.agent.queues import MessageQueue
from pi_notebook.agent.tool_calls import Execution
from pi_notebook.agent.tools import Tool
from pi_notebook.errors import SessionBusyError, UsageError

Listener = Callable[[AgentEvent], "Awaitable[None] | None"]
RequestBuilder = Callable[[], Awaitable[ModelRequest]]
History = Callable[[], Sequence[Message]]


class Agent:
    """Holds a conversation and runs it, one prompt at a time, on the loop it is awaited in.

    Parameters
    ----------
    model
        Answers; may be replaced between requests.
    tools
        What the model may call, by name.
    system_prompt
        Sent first in every request, unchanged.
    hooks
        Gates and observers of a run.
    build_request
        Builds each request; by default the system prompt, the tools and all messages.
    resources
        Objects that tools ask their context for, each under its Protocol.
    history
        Gives the conversation so far; by default the agent remembers it itself.
    """

    def __init__(
        self,
        model: Model,
        *,
        tools: Sequence[Tool] = (),
        system_prompt: str = "",
        hooks: Hooks | None = None,
        build_request: RequestBuilder | None = None,
        resources: Mapping[type, Any] | None = None,
        execution: Execution = "parallel",
        history: History | None = None,
    ) -> None:
        self.model = model
        self.tools = {tool.name: tool for tool in tools}
        self.system_prompt = system_prompt
        self.hooks = hooks or Hooks()
        self.resources: dict[type, Any] = dict(resources or {})
        self.execution: Execution = execution
        self.steering = MessageQueue()
        self.follow_ups = MessageQueue()
        self._build_request = build_request or self._plain_request
        self._remembered: list[Message] = []
        self._history = history or (lambda: self._remembered)
        self._listeners: list[Listener] = [self._remember] if history is None else []
        self._abort: AbortSignal | None = None

    @property
    def messages(self) -> Sequence[Message]:
        """The conversation so far."""
        return self._history()

    @property
    def is_running(self) -> bool:
        """True from the start of a run until its last event has been told."""
        return self._abort is not None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event, after those subscribed before; returns how to stop that.

        It may be a coroutine function; the run waits for it.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    async def prompt(
        self,
        content: str | list[UserContent],
        *,
        before: Sequence[Message] = (),
        max_turns: int | None = None,
    ) -> AgentEnd:
        """Run on the person's words until the agent is idle; `before` are messages put ahead of them.

        Returns how it ended, a failed model included. Raises `SessionBusyError` while a run is on.
        """
        return await self.run([*before, user_message(content)], max_turns=max_turns)

    async def resume(self, *, before: Sequence[Message] = (), max_turns: int | None = None) -> AgentEnd:
        """Run on without new words; `before` are messages that are added first.

        Those that wait in the queues are said now. Raises `UsageError` when there is nothing that the
        model could answer.
        """
        prompts = [*before, *self.waiting]
        if not prompts and not self.can_resume:
            raise UsageError(
                "There is nothing to continue: the last word is the model's. Send a prompt instead."
            )
        return await self.run(prompts, max_turns=max_turns)

    @property
    def can_resume(self) -> bool:
        """Whether `resume` has something to do: a message waits, or the model has the next word."""
        return bool(self.waiting) or _awaits_answer(self.messages)

    @property
    def waiting(self) -> tuple[UserMessage, ...]:
        """The messages that were queued and not delivered yet."""
        return (*self.steering.messages, *self.follow_ups.messages)

    async def steer(self, content: str | list[UserContent]) -> None:
        """Say something to a run before its next request."""
        await self._queue(self.steering, user_message(content))

    async def follow_up(self, content: str | list[UserContent]) -> None:
        """Say something to a run when it would otherwise end."""
        await self._queue(self.follow_ups, user_message(content))

    def abort(self) -> None:
        """Stop the run, wherever it is; from any thread. Nothing happens when none is on."""
        abort = self._abort
        if abort is not None:
            abort.set()

    async def emit(self, event: AgentEvent) -> None:
        """Tell every listener, one after the other."""
        for listener in tuple(self._listeners):
            outcome = listener(event)
            if inspect.isawaitable(outcome):
                await outcome

    async def run(self, prompts: Sequence[Message], *, max_turns: int | None = None) -> AgentEnd:
        """Add `prompts`, whole messages, and run until the agent is idle; see `prompt`."""
        if self._abort is not None:
            raise SessionBusyError(
                "A run is on already. Stop it, or queue the message with steer or follow_up."
            )
        self._abort = AbortSignal()
        try:
            return await run_loop(
                prompts,
                RunEnvironment(
                    model=lambda: self.model,
                    request=self._build_request,
                    tools=lambda: self.tools,
                    emit=self.emit,
                    abort=self._abort,
                    hooks=self.hooks,
                    steering=self.steering,
                    follow_up=self.follow_ups,
                    execution=lambda: self.execution,
                    resources=self.resources,
                    max_turns=max_turns,
                    used_call_ids=_call_ids(self.messages),
                ),
            )
        finally:
            self._abort = None

    async def _queue(self, queue: MessageQueue, message: UserMessage) -> None:
        queue.add(message)
        await self.tell_queues()

    async def tell_queues(self) -> None:
        """Tell every listener what waits."""
        await self.emit(QueueUpdate(self.steering.messages, self.follow_ups.messages))

    def _remember(self, event: AgentEvent) -> None:
        if isinstance(event, MessageEnd):
            self._remembered.append(event.message)

    async def _plain_request(self) -> ModelRequest:
        return ModelRequest(
            system_prompt=self.system_prompt,
            tools=tuple(tool.definition for tool in self.tools.values()),
            messages=tuple(self.messages),
        )


def _awaits_answer(messages: Sequence[Message]) -> bool:
    """Whether the model has the next word: what it left unfinished does not count as one."""
    for message in reversed(messages):
        if not isinstance(message, AssistantMessage):
            return True
        if message.stop_reason not in ("error", "aborted"):
            return False
    return False


def _call_ids(messages: Sequence[Message]) -> set[str]:
    return {message.tool_call_id for message in messages if isinstance(message, ToolResultMessage)} | {
        call.id
        for message in messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    }
