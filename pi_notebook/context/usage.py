"""How full the context is, and what was spent.

Fullness is the provider's last count plus an estimate of what came after it; spending is what the
providers reported, of every request the session made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pi_notebook.agent.messages import AssistantMessage, Message, ThinkingContent, Usage
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.context.items import as_seen
from pi_notebook.context.projection import Projection, reported_tokens

_LEAST_FACTOR, _MOST_FACTOR = 0.5, 2.0
_LEAST_LEARNT_TOKENS = 1_000
"""A shorter request says more of what the provider adds to it than of its words."""
_MOST_TIMES, _SLACK_TOKENS, _SLACK_SHARE = 4, 10_000, 0.1
"""A count further from the estimate is none of this request: of several, or of a part.

The slack is for what a provider adds, and no more than its share of the window.
"""
_MOST_UNCOUNTED = 20_000
"""Of more messages nobody waits for a count that only serves to check another."""


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


def spending(messages: Iterable[Message], others: Iterable[tuple[str, Usage]] = ()) -> list[Spending]:
    """What was spent, by model, in the order of first use; failed and stopped requests count too.

    `others` are requests that no message of the session answers, as those for summaries, each with its model.
    """
    usages: dict[str, list[Usage]] = {}
    for message in messages:
        if isinstance(message, AssistantMessage):
            usages.setdefault(reply_model(message), []).append(message.usage)
    for model, usage in others:
        usages.setdefault(model, []).append(usage)
    return [_spent(model, found) for model, found in usages.items()]


def _spent(model: str, usages: Sequence[Usage]) -> Spending:
    return Spending(
        model=model,
        requests=len(usages),
        uncounted=sum(usage.total_tokens == 0 for usage in usages),
        input=sum(usage.input + usage.cache_write for usage in usages),
        cached=sum(usage.cache_read for usage in usages),
        output=sum(usage.output for usage in usages),
        cost=sum(usage.cost.total for usage in usages),
    )


class ContextMeter:
    """How large the requests of one session are: the one measure of trigger, gauge and inspector.

    What a provider counted is taken where it still holds, with an estimate of what came after. It also
    says how this model's tokens relate to the estimates, which is remembered while the session is open.
    """

    def __init__(self) -> None:
        self._factors: dict[str, float] = {}
        self._last: AssistantMessage | None = None

    def factor(self, model: str) -> float:
        """What an estimate is multiplied with for `model`, a `ModelInfo.name`; 1 until it has answered."""
        return self._factors.get(model, 1.0)

    def usage(self, info: ModelInfo, *, head_tokens: int, projection: Projection) -> ContextUsage:
        """The size of the request sent now; `head_tokens` is the estimate of what comes before messages."""
        counted = projection.last_counted()
        factor = self.factor(info.name)
        if counted is not None:
            reply, items = counted
            is_own = (reply.provider, reply.model) == (info.provider, info.id)
            sees_images = info.sees_images or not is_own
            after = sum(item.tokens for item in as_seen(items[1:], sees_images=sees_images))
            # What the request had besides the projection's messages, less those it had not.
            around = head_tokens - items[0].tokens - after
            if projection.uncounted > _MOST_UNCOUNTED or self._is_plausible(
                reply,
                around + seen_tokens(projection, sees_images=sees_images),
                context_window=info.context_window,
            ):
                factor = self.factor(info.name)
                if is_own:
                    tokens = _kept_tokens(reply) + round(factor * after)
                    return ContextUsage(tokens=tokens, context_window=info.context_window, is_estimate=False)
        seen = seen_tokens(projection, sees_images=info.sees_images)
        tokens = round(factor * (head_tokens + seen))
        return ContextUsage(tokens=tokens, context_window=info.context_window, is_estimate=True)

    def _is_plausible(self, reply: AssistantMessage, estimate: int, *, context_window: int) -> bool:
        """Whether the provider's count can be that of the request, by the estimate of that.

        What the count says of the model is learnt, where it is near.
        """
        asked = asked_tokens(reply)
        slack = min(_SLACK_TOKENS, int(context_window * _SLACK_SHARE))
        if asked > _MOST_TIMES * estimate + slack or estimate > _MOST_TIMES * asked + slack:
            return False
        is_near = asked <= _MOST_TIMES * estimate and estimate <= _MOST_TIMES * asked
        if is_near and reply is not self._last and estimate >= _LEAST_LEARNT_TOKENS:
            self._learn(reply_model(reply), asked / estimate)
            self._last = reply
        return True

    def _learn(self, model: str, found: float) -> None:
        """Go half of the way to what was found; the first time all of it."""
        found = min(max(found, _LEAST_FACTOR), _MOST_FACTOR)
        self._factors[model] = (self._factors.get(model, found) + found) / 2


def seen_tokens(projection: Projection, *, sees_images: bool) -> int:
    """What `projection` comes to for a model that sees images, or sees none."""
    if sees_images:
        return projection.tokens
    pictures = sum(share.tokens for share in projection.shares if share.category == "images")
    return projection.tokens - pictures


def asked_tokens(reply: AssistantMessage) -> int:
    """What the provider counted of the request that `reply` answers; 0 when it told nothing."""
    usage = reply.usage
    return max(0, usage.input + usage.cache_read + usage.cache_write) or max(
        0, reported_tokens(reply) - usage.output
    )


def reply_model(reply: AssistantMessage) -> str:
    """The model that answered, as a person types it."""
    return reply.model if reply.provider == reply.model else f"{reply.provider}/{reply.model}"


def _kept_tokens(reply: AssistantMessage) -> int:
    """What the provider counted, without thinking that it is not sent again."""
    signed = any(isinstance(block, ThinkingContent) and block.thinking_signature for block in reply.content)
    unsent = 0 if signed else min(reply.usage.reasoning or 0, reply.usage.output)
    return reported_tokens(reply) - unsent
