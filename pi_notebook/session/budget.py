"""What one run may use: tool calls, the same call again, tokens, money and time.

A run that has used one of them up ends with a `BudgetError` that names the setting. Its session is as
valid as after any other end, and a run that goes on from there has a budget of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from pi_notebook.agent.events import AgentEvent, CompactionEnd, MessageEnd, ToolExecutionStart
from pi_notebook.agent.hooks import ToolCallDecision
from pi_notebook.agent.messages import NO_USAGE, AssistantMessage, Message, ToolCall, Usage
from pi_notebook.agent.tools import Tool
from pi_notebook.errors import BudgetError
from pi_notebook.session.settings import Settings

_END = "%agent continue goes on with a new budget; %agent settings {setting} N changes it."


class Budget:
    """Counts for one session, a run at a time; told of every event, and asked before calls and requests.

    Parameters
    ----------
    context_tokens
        Gives the size of the context: what a request counts for whose provider told no figures.
    summary_usage
        Gives what the newest summary took; None when no model made it.
    """

    def __init__(self, context_tokens: Callable[[], int], summary_usage: Callable[[], Usage | None]) -> None:
        self._context_tokens = context_tokens
        self._summary_usage = summary_usage
        self._limits: Settings | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._calls = 0
        self._same: tuple[str, str | None, object] | None = None
        self._same_calls = 0
        self._tokens = 0
        self._cost = 0.0
        self.exceeded: BudgetError | None = None
        """What ended the run, or is about to."""

    def begin(self, settings: Settings, stop: Callable[[], None]) -> None:
        """A run begins; `stop` is called when its time is over."""
        self.end()
        self._limits, self.exceeded = settings, None
        self._calls = self._same_calls = self._tokens = 0
        self._same, self._cost = None, 0.0
        seconds = settings.get("budget.seconds")
        if seconds is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._out_of_time, seconds, stop)

    def end(self) -> None:
        """The run is over."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._limits = None

    def on_event(self, event: AgentEvent) -> None:
        """Count what happens; a call counts whatever becomes of it."""
        if isinstance(event, ToolExecutionStart):
            self._count(event.call)
        elif isinstance(event, MessageEnd) and isinstance(event.message, AssistantMessage):
            usage = event.message.usage
            self._cost += usage.cost.total
            if usage.total_tokens > 0:
                self._tokens += usage.total_tokens
            elif event.message.stop_reason not in ("error", "aborted") and self._limit("tokens") is not None:
                self._tokens += self._context_tokens()

        elif isinstance(event, CompactionEnd) and not event.error:
            usage = self._summary_usage() or NO_USAGE
            self._cost, self._tokens = self._cost + usage.cost.total, self._tokens + usage.total_tokens

    async def check(self, tool: Tool, call: ToolCall) -> ToolCallDecision | None:
        """A `before_tool_call` hook: no call runs beyond the budget."""
        if self.exceeded is None:
            return None
        return ToolCallDecision(block=True, reason="Not run: this run has used up its budget of tool calls.")

    async def between_turns(self, messages: Sequence[Message]) -> None:
        """A `between_turns` hook: raises `BudgetError` rather than let another request be sent."""
        tokens, cost = self._limit("tokens"), self._limit("cost")
        if tokens is not None and self._tokens >= tokens:
            self._exceed("tokens", f"has used {self._tokens:,} tokens, of {tokens:,}")
        if cost is not None and self._cost >= cost:
            self._exceed("cost", f"has cost ${self._cost:.4f}, of ${cost:.4f}")
        if self.exceeded is not None:
            raise self.exceeded

    def _count(self, call: ToolCall) -> None:
        made = (call.name, call.malformed_arguments, call.arguments)
        self._same_calls = self._same_calls + 1 if made == self._same else 1
        self._same, self._calls = made, self._calls + 1
        calls, same = self._limit("tool_calls"), self._limit("same_calls")
        if calls is not None and self._calls > calls:
            self._exceed("tool_calls", f"has made its {calls:,} tool calls")
        if same is not None and self._same_calls > same:
            self._exceed("same_calls", f"has made the same call of {call.name} {same:,} times in a row")

    def _limit(self, name: str) -> float | None:
        limit: float | None = self._limits.get(f"budget.{name}") if self._limits is not None else None
        return limit

    def _exceed(self, name: str, what: str) -> None:
        setting = f"budget.{name}"
        if self.exceeded is None:
            text = f"The run was ended: it {what} ({setting}). {_END.format(setting=setting)}"
            self.exceeded = BudgetError(text, setting=setting)

    def _out_of_time(self, seconds: float, stop: Callable[[], None]) -> None:
        self._exceed("seconds", f"has taken {seconds:,.0f} s")
        stop()
