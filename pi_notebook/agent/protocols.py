"""What the loop needs from others, and what each may expect of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pi_notebook.agent.entries import Entry
from pi_notebook.agent.events import ModelEvent
from pi_notebook.agent.messages import Message


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """What is known of a model before it is asked."""

    provider: str
    id: str
    api: str
    context_window: int
    """Tokens of request and reply together."""
    max_output_tokens: int
    sees_images: bool = False
    window_is_known: bool = True
    """False when `context_window` is only a cautious guess."""

    @property
    def name(self) -> str:
        """What a person types: `offline`, `openai/gpt-4o`."""
        return self.id if self.provider == self.id else f"{self.provider}/{self.id}"


@dataclass(frozen=True, kw_only=True)
class ToolDefinition:
    """What a model is told of a tool."""

    name: str
    description: str
    parameters: dict[str, Any]
    """A JSON schema of type object."""


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """Everything a model is sent; system prompt and tools come first and stay the same."""

    system_prompt: str
    tools: tuple[ToolDefinition, ...]
    messages: tuple[Message, ...]
    """Paired: every tool call is followed by exactly one result, before any other message."""
    session_id: str | None = None
    """For providers that route by session to keep their cache warm."""
    max_output_tokens: int | None = None
    """How long the reply may be at most; None leaves it to the model."""


class Model(Protocol):
    """A language model, or what stands for one."""

    @property
    def info(self) -> ModelInfo:
        """Never raises and never goes to the network."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer `request` piece by piece; the last event is `ModelDone` with the whole message.

        A refusal, a lost connection or a full context is raised as a `ModelError`. Events given
        before it do not count: tools run on a whole message only, so the request may be sent again.
        Cancelling the task that iterates closes the connection.
        """
        ...


class EntryLog(Protocol):
    """A session's entries, oldest first, and a way to add one."""

    def append(self, entry: Entry) -> None:
        """Return when `entry` is durable; raise `SessionWriteError` when it cannot be made so."""
        ...

    def branch(self) -> Sequence[Entry]:
        """The entries from the root to the leaf."""
        ...
