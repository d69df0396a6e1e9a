"""How full the context is, and what was spent.

Fullness is the provider's last count plus an estimate of what came after it; spending is what the
providers reported, of every request the session made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pi_notebook.agent.messages import AssistantMessage, Message
from pi_notebook.agent.protocols import ModelInfo, ToolDefinition
from pi_notebook.context.tokens import count_tokens, message_tokens, tools_tokens


@dataclass(frozen=True, kw_only=True)
class ContextUsage:
    """Tokens of the next request against the window they must fit in."""

    tokens: int
    context_window: int
    is_estimate: bool
    """True when no provider has counted any part of it."""

    @property
    def percent(self) -> float:
        return 100 * self.tokens / self.context_window if self.context_window else 0.0


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What one model was used for, as its provider counted."""

    model: str
    requests: int
    uncounted: int
    """Requests whose provider told no figures; they are in no sum."""
    input: int
    cached: int
    output: int
    cost: float
    """US dollars; 0 where no price is known."""


def spending(messages: Iterable[Message]) -> list[Spending]:
    """What was spent, by model, in the order of first use; failed and stopped requests count too."""
    replies: dict[str, list[AssistantMessage]] = {}
    for message in messages:
        if isinstance(message, AssistantMessage):
            replies.setdefault(f"{message.provider}/{message.model}", []).append(message)
    return [_spent(model, found) for model, found in replies.items()]


def _spent(model: str, replies: Sequence[AssistantMessage]) -> Spending:
    usages = [reply.usage for reply in replies]
    return Spending(
        model=model,
        requests=len(usages),
        uncounted=sum(usage.total_tokens == 0 for usage in usages),
        input=sum(usage.input + usage.cache_write for usage in usages),
        cached=sum(usage.cache_read for usage in usages),
        output=sum(usage.output for usage in usages),
        cost=sum(usage.cost.total for usage in usages),
    )


def context_usage(
    info: ModelInfo, system_prompt: str, tools: Sequence[ToolDefinition], messages: Sequence[Message]
) -> ContextUsage:
    """The size of a request that sends `messages` now."""
    counted, after = _counted(messages)
    if counted:
        tokens = counted + sum(map(message_tokens, after))
    else:
        tokens = count_tokens(system_prompt) + tools_tokens(tools) + sum(map(message_tokens, messages))
    return ContextUsage(tokens=tokens, context_window=info.context_window, is_estimate=not counted)


def _counted(messages: Sequence[Message]) -> tuple[int, Sequence[Message]]:
    """The newest count of a provider, of everything up to its reply, and the messages after that."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, AssistantMessage) and message.stop_reason not in ("error", "aborted"):
            usage = message.usage
            total = usage.total_tokens or usage.input + usage.output + usage.cache_read + usage.cache_write
            if total > 0:
                return total, messages[place + 1 :]
    return 0, messages
