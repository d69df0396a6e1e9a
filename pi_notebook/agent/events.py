"""What an agent tells its subscribers while it works, and what a model tells the loop.

Events are awaited in order; a subscriber that has not returned holds the run. One prompt gives

    AgentStart
      MessageStart(user) MessageEnd(user)
      TurnStart
        MessageStart(assistant) MessageUpdate* MessageEnd(assistant)
        ToolExecutionStart  ToolExecutionUpdate*  ToolExecutionEnd      once a call, in the order they end
        MessageStart(tool result) MessageEnd(tool result)               once a call, in call order
      TurnEnd
      TurnStart ... TurnEnd                                             until no call and no message is left
    AgentEnd
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Union

from pi_notebook.agent.messages import AssistantMessage, Message, ToolCall, ToolResultMessage

EndReason = Literal["done", "aborted", "error", "max_turns"]


@dataclass(frozen=True)
class TextDelta:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True)
class ThinkingDelta:
    """A piece of the model's thinking."""

    thinking: str


@dataclass(frozen=True)
class ToolCallDelta:
    """A piece of a tool call; `arguments` is JSON text that may end anywhere."""

    index: int
    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class ModelDone:
    """The whole reply; always the last event of a stream."""

    message: AssistantMessage


ModelEvent = Union[TextDelta, ThinkingDelta, ToolCallDelta, ModelDone]


@dataclass(frozen=True)
class AgentStart:
    """A run begins."""


@dataclass(frozen=True)
class AgentEnd:
    """A run is over; `messages` are those it added."""

    messages: tuple[Message, ...]
    reason: EndReason
    error: Exception | None = None


@dataclass(frozen=True)
class TurnStart:
    """The model is about to be asked; `number` counts from 1 in this run."""

    number: int


@dataclass(frozen=True)
class TurnEnd:
    message: AssistantMessage
    tool_results: tuple[ToolResultMessage, ...]


@dataclass(frozen=True)
class MessageStart:
    """A message is beginning; an assistant message is still empty here."""

    message: Message


@dataclass(frozen=True)
class MessageUpdate:
    """The assistant message has grown by `delta`."""

    delta: TextDelta | ThinkingDelta | ToolCallDelta


@dataclass(frozen=True)
class MessageEnd:
    """A message is whole. When the first subscriber, the store, returns, it is durable."""

    message: Message


@dataclass(frozen=True)
class ToolExecutionStart:
    call: ToolCall


@dataclass(frozen=True)
class ToolExecutionUpdate:
    """A bounded glance at what a tool has given so far, or at the call as a hook changed it; for people."""

    call: ToolCall
    text: str


@dataclass(frozen=True)
class ToolExecutionEnd:
    call: ToolCall
    result: ToolResultMessage


@dataclass(frozen=True)
class QueueUpdate:
    """The messages waiting to be delivered."""

    steering: tuple[Message, ...]
    follow_up: tuple[Message, ...]


CompactionReason = Literal["manual", "threshold", "overflow"]


@dataclass(frozen=True)
class CompactionStart:
    """Earlier messages are about to be summarised."""

    reason: CompactionReason
    tokens: int
    """Of the context now."""


@dataclass(frozen=True)
class CompactionEnd:
    """The context is smaller, or why it stays as it was."""

    reason: CompactionReason
    tokens_before: int
    tokens_after: int
    """The same as before when nothing was stored."""
    error: str = ""


@dataclass(frozen=True)
class Notice:
    """One line from the program to the person."""

    text: str
    level: Literal["info", "warning"] = "info"
    of_queue: bool = False
    """True when it says what waits to be said; `QueueUpdate` tells programs that."""


@dataclass(frozen=True)
class SessionChanged:
    """The person set something, gave the session a name, or went elsewhere in it; not of a run."""

    has_moved: bool = False
    """True when they went elsewhere."""


AgentEvent = Union[
    AgentStart,
    AgentEnd,
    TurnStart,
    TurnEnd,
    MessageStart,
    MessageUpdate,
    MessageEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    ToolExecutionEnd,
    QueueUpdate,
    CompactionStart,
    CompactionEnd,
    Notice,
    SessionChanged,
]
