"""Where others may look at a run and change its course, and what each place allows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from pi_notebook.agent.messages import Message, ToolCall, UserMessage
from pi_notebook.agent.tools import Tool, ToolResult


@dataclass(frozen=True, kw_only=True)
class ToolCallDecision:
    """What a `before_tool_call` hook decides."""

    block: bool = False
    reason: str = ""
    """Read by the model when `block` is true; say what it may do instead."""
    arguments: dict[str, object] | None = None
    """Arguments to use instead of the model's; they are checked again."""


BeforeToolCall = Callable[[Tool, ToolCall], Awaitable["ToolCallDecision | None"]]
AfterToolCall = Callable[[ToolCall, ToolResult], Awaitable["ToolResult | None"]]
BeforeQueued = Callable[[UserMessage], Awaitable[Sequence[Message]]]
BetweenTurns = Callable[[Sequence[Message]], Awaitable[None]]
OnFailure = Callable[[Exception], Awaitable[bool]]


@dataclass(kw_only=True)
class Hooks:
    """Lists of hooks, run in order; the session adds its own first."""

    before_tool_call: list[BeforeToolCall] = field(default_factory=list)
    """Called with checked arguments, one call at a time, in call order. None lets it pass.

    A hook that raises blocks the call: a gate that fails stays shut.
    """

    after_tool_call: list[AfterToolCall] = field(default_factory=list)
    """Called with a finished result; another result takes its place. One that raises turns the
    result into an error."""

    refused_tool_call: list[AfterToolCall] = field(default_factory=list)
    """Called in its place with the error result of a call that was not run."""

    before_queued: list[BeforeQueued] = field(default_factory=list)
    """Called with what was said to a run and waited, when its moment has come. The messages that it gives
    are added before it."""

    between_turns: list[BetweenTurns] = field(default_factory=list)
    """Called when all results of a turn are recorded, or what waited for a run is said at its beginning,
    and before the next request, with the messages this run has added. What it raises ends the run as a
    failure of the model does."""

    on_failure: list[OnFailure] = field(default_factory=list)
    """Called with what the model raised, once the failed attempt is recorded. True means that the cause
    is mended or waited out, and the model is asked again; the first that says so counts."""
