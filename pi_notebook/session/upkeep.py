"""Keeping a session's context within its window, and its runs going when the model fails.

What is due is decided by the policy and by `recovery`; when it is looked at, and what is done about
it, is decided here: before a prompt, between turns, after a run, and when a request did not fit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from pi_notebook.agent.abort import Aborted, AbortSignal
from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.events import AgentEvent, CompactionReason, Notice
from pi_notebook.agent.messages import Message
from pi_notebook.agent.protocols import Model
from pi_notebook.context.compaction.numbers import CompactionNumbers, compaction_numbers
from pi_notebook.context.tokens import count_tokens, tools_tokens
from pi_notebook.context.usage import ContextUsage, context_usage
from pi_notebook.errors import ContextOverflowError
from pi_notebook.session.branch import Branch
from pi_notebook.session.compaction import Compaction, Compactor
from pi_notebook.session.recovery import Recovery, Wait
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.settings import Settings

Emit = Callable[[AgentEvent], Awaitable[None]]

_SOON_TURNS = 3
"""A context that is full again within so many turns was not helped by its compaction."""
_MAX_REFILLS = 3


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What the upkeep looks at; asked anew each time."""

    model: Model
    settings: Settings


class ContextUpkeep:
    """Looks after the context of one session."""

    def __init__(
        self,
        branch: Branch,
        services: AgentSessionServices,
        *,
        standing: Callable[[], Standing],
        emit: Emit,
    ) -> None:
        self._branch = branch
        self._services = services
        self._standing = standing
        self._emit = emit
        self._compactor = Compactor(branch, emit)
        self._signal: AbortSignal | None = None
        self._recovery: Recovery | None = None
        self._turns = _SOON_TURNS + 1
        """Since the newest compaction."""
        self._refills = 0

    @property
    def is_compacting(self) -> bool:
        return self._compactor.is_running

    @property
    def numbers(self) -> CompactionNumbers:
        """The numbers of the model that is asked now."""
        standing = self._standing()
        return compaction_numbers(
            standing.model.info,
            reserve_tokens=standing.settings.get("compaction.reserve_tokens"),
            keep_recent_tokens=standing.settings.get("compaction.keep_recent_tokens"),
        )

    @property
    def usage(self) -> ContextUsage:
        """How full the context would be if a request were sent now."""
        return context_usage(
            self._standing().model.info,
            self._services.system_prompt,
            self._services.definitions,
            self._services.policy.view(self._branch.messages),
        )

    def begin_run(self, signal: AbortSignal) -> None:
        """A run begins that `signal` stops."""
        self._signal = signal
        self._recovery = Recovery(self._standing().settings)

    async def check(self, *, coming_tokens: int = 0) -> None:
        """Compact if the context, with what is coming, is over its threshold, unless that is switched off.

        Raises `Aborted` on a stop, and `ContextOverflowError` when compacting does not help any more.
        """
        if not self._standing().settings.get("compaction.enabled"):
            return
        usage = self.usage
        if usage.tokens + coming_tokens <= self.numbers.threshold:
            return
        self._count_refill(usage)
        await self._compact("threshold", usage.tokens)

    async def compact(self, focus: str) -> CompactionEntry:
        """Compact because the person asks for it; see `Compactor.compact` for what it raises."""
        entry = await self._compact("manual", self.usage.tokens, focus)
        assert entry is not None  # for a person's request the compactor raises instead
        return entry

    async def between_turns(self, messages: Sequence[Message]) -> None:
        """A `between_turns` hook: a turn ended well, and another follows."""
        self._turns += 1
        if self._recovery is not None:
            self._recovery.succeeded()
        await self.check()

    async def mended(self, error: Exception) -> bool:
        """An `on_failure` hook: whether the model can be asked again."""
        if self._recovery is None or self._signal is None:
            return False
        step = self._recovery.step(error)
        try:
            if isinstance(step, Wait):
                again = f"{error} Asking again in {step.seconds:.0f} s ({step.attempt} of {step.attempts})."
                await self._emit(Notice(again, "warning"))
                await self._signal.guard(asyncio.sleep(step.seconds))
                return True
            return step == "compact" and await self._compact("overflow", self.usage.tokens) is not None
        except Aborted:
            return True  # the loop sees the stop before it asks again

    async def _compact(
        self, reason: CompactionReason, tokens: int, focus: str = ""
    ) -> CompactionEntry | None:
        assert self._signal is not None
        services = self._services
        wanted = Compaction(
            reason=reason,
            model=self._standing().model,
            numbers=self.numbers,
            fixed_tokens=count_tokens(services.system_prompt) + tools_tokens(services.definitions),
            tokens_before=tokens,
            focus=focus,
        )
        entry = await self._compactor.compact(wanted, self._signal)
        if entry is not None:
            self._turns = 0
        return entry

    def _count_refill(self, usage: ContextUsage) -> None:
        """Note that the context is full; raise when it is so again and again, naming what fills it."""
        self._refills = self._refills + 1 if self._turns <= _SOON_TURNS else 0
        if self._refills < _MAX_REFILLS:
            return
        self._refills = 0
        largest = max(self._branch.items, key=lambda item: item.tokens)
        raise ContextOverflowError(
            f"The context was full again within {_SOON_TURNS} turns of a compaction, {_MAX_REFILLS} times in "
            f"a row. The largest part is {largest.name}, about {largest.tokens:,} of "
            f"{usage.context_window:,} tokens. Ask for less at a time, or choose a larger model.",
            model=self._standing().model.info.name,
        )
