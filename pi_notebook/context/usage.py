"""How full the context is: the provider's last count, plus an estimate of what came after it."""

from __future__ import annotations

from collections.abc import Sequence
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
