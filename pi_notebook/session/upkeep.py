"""Keeping a session's context within its window, and its runs going when the model fails.

What is due is decided by the policy and by `recovery`; when it is looked at, and what is done about
it, is decided here: before a prompt, between turns, after a run, and when a request did not fit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pi_notebook.agent.abort import Aborted, AbortSignal
from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.events import AgentEvent, CompactionReason, Notice, TurnEnd
from pi_notebook.agent.messages import AssistantMessage, CustomMessage, Message, ToolCall
from pi_notebook.agent.protocols import Model, ModelInfo
from pi_notebook.agent.tools import ToolResult
from pi_notebook.context.amounts import count_of
from pi_notebook.context.compaction.numbers import CompactionNumbers, compaction_numbers
from pi_notebook.context.items import as_seen
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.context.reattaching import shown_again
from pi_notebook.context.usage import ContextMeter, ContextUsage
from pi_notebook.session.branch import Branch
from pi_notebook.session.compaction import Compaction, Compactor
from pi_notebook.session.filling import Filling, PendingResults
from pi_notebook.session.pruning import prune
from pi_notebook.session.reattaching import reattached
from pi_notebook.session.recovery import Recovery, Wait
from pi_notebook.session.refills import Refills, stuck
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.session_hooks import SessionHooks
from pi_notebook.session.settings import Settings
from pi_notebook.session.situation import current_situation, facts_again
from pi_notebook.session.stored_prompt import StoredPrompt
from pi_notebook.session.windows import LearntWindows, ToldWindows

Emit = Callable[[AgentEvent], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What the upkeep looks at; asked anew each time."""

    model: Model
    settings: Settings
    policy: ContextPolicy
    resources: Mapping[type, Any]
    """With what things in use are looked at."""


class ContextUpkeep:
    """Looks after the context of one session."""

    def __init__(
        self,
        branch: Branch,
        services: AgentSessionServices,
        *,
        context_window: int,
        standing: Callable[[], Standing],
        emit: Emit,
        hooks: SessionHooks,
    ) -> None:
        self._branch = branch
        self.use(services, context_window=context_window)
        self.meter = ContextMeter()
        self._standing = standing
        self._emit = emit
        self._compactor = Compactor(branch, emit, hooks)
        self._signal: AbortSignal | None = None
        self._recovery: Recovery | None = None
        self._refills = Refills()
        self._windows, self._told_windows = LearntWindows(branch), ToldWindows(branch)
        self._filling, self._pending = Filling(), PendingResults()

    def use(self, services: AgentSessionServices, *, context_window: int) -> None:
        """Let requests begin with what `services` say, as far as the session has not begun otherwise.

        What stands in files is cut to its share of a window of `context_window` tokens.
        """
        self._services = services
        sections = services.prompt_for(context_window).by_name
        self.prompt = StoredPrompt(
            self._branch, sections=sections, tools=services.definitions, folder=services.folder
        )
        """What every request begins with."""

    @property
    def is_compacting(self) -> bool:
        return self._compactor.is_running

    @property
    def numbers(self) -> CompactionNumbers:
        """The numbers of the model that is asked now."""
        standing = self._standing()
        wanted = compaction_numbers(
            self.info,
            reserve_tokens=standing.settings.get("compaction.reserve_tokens"),
            keep_recent_tokens=standing.settings.get("compaction.keep_recent_tokens"),
        )
        return standing.policy.numbers(wanted)

    @property
    def usage(self) -> ContextUsage:
        """How full the context would be if a request were sent now."""
        return self.meter.usage(self.info, head_tokens=self.prompt.tokens, projection=self._branch.projection)

    def _tokens_with(self, coming: int) -> int:
        """The same with what is coming, whose estimate is taken as this model counts."""
        usage = self.usage  # learns before the factor is asked for
        return usage.tokens + round(coming * self.meter.factor(self.info.name))

    @property
    def info(self) -> ModelInfo:
        """The model that is asked now, with the window that was learnt of it."""
        return self._windows.known(self._standing().model.info)

    @property
    def trigger(self) -> int:
        """A context of more tokens than this is compacted."""
        return self._standing().policy.trigger(self.numbers)

    def begin_run(self, signal: AbortSignal) -> None:
        """A run begins that `signal` stops."""
        self._signal = signal
        self._recovery = Recovery(self._standing().settings)

    def store_prompt(self) -> None:
        """Let what every request begins with be stored, as large as there is room for now."""
        services = self._services
        fitted = services.prompt_for(self.info.context_window)
        self.prompt.look(sections=fitted.by_name, whole=services.prompt.by_name, tools=services.definitions)
        self.prompt.record()

    async def check(self, *, coming: Callable[[], int] = lambda: 0) -> bool:
        """Prune and compact as the policy has it, given what is coming, and tell that the context fills.

        Whether room was made. `coming` gives estimated tokens. Raises `Aborted` on a stop, and
        `ContextOverflowError` when compacting does not help any more.
        """
        await self.tell_window()
        tokens = self._tokens_with(coming())
        if has_made_room := await self._prune(tokens) > 0:
            tokens = self._tokens_with(coming())
        if tokens > self.trigger and await self._make_room(tokens, coming()):
            has_made_room, tokens = True, self._tokens_with(coming())
        await self._tell_filling(tokens)
        return has_made_room

    async def tell_window(self) -> None:
        """Tell what the person should know of the window of the model that is asked now."""
        prompt = self.prompt
        for told in self._told_windows.look(self.info, prompt.tokens, prompt.file_tokens):
            await self._emit(told)

    async def result_note(self, call: ToolCall, result: ToolResult) -> str:
        """What the model is told at the end of `result`, the last of its reply, before it is recorded."""
        is_last = self._pending.add(call, result, self._branch.messages)
        await self._tell_filling(self._tokens_with(self._pending.tokens))
        return self._filling.take_note() if is_last else ""

    def messages_before_prompt(self) -> list[CustomMessage]:
        """What the model is told before a prompt and was not told otherwise."""
        told = (self.prompt.take_change(self._branch.messages), self._filling.take_message())
        return [message for message in told if message is not None]

    async def compact(self, focus: str) -> CompactionEntry:
        """Compact because the person asks for it; see `Compactor.compact` for what it raises."""
        entry = await self._compact("manual", self.usage.tokens, focus)
        assert entry is not None  # for a person's request the compactor raises instead
        return entry

    def on_event(self, event: AgentEvent) -> None:
        """Hear of every event: the last turn of a run counts like those that another follows."""
        if isinstance(event, TurnEnd) and event.message.stop_reason not in ("error", "aborted"):
            self._refills.turn_ended()

    async def between_turns(self, messages: Sequence[Message]) -> None:
        """A `between_turns` hook: a turn ended well, and another follows."""
        if self._recovery is not None and _is_whole(messages):
            self._recovery.succeeded()
        await self.check()

    async def mended(self, error: Exception) -> bool:
        """An `on_failure` hook: whether the model can be asked again."""
        if self._recovery is None or self._signal is None:
            return False
        step = self._recovery.step(error)
        if learnt := self._windows.learn(self._standing().model.info, error):
            await self._emit(Notice(learnt, "warning"))
        try:
            if isinstance(step, Wait):
                again = f"{error} Asking again in {step.seconds:.0f} s ({step.attempt} of {step.attempts})."
                await self._emit(Notice(again, "warning"))
                await self._signal.guard(asyncio.sleep(step.seconds))
                return True
            return step == "compact" and await self._compact("overflow", self.usage.tokens) is not None
        except Aborted:
            return True  # the loop sees the stop before it asks again

    async def _prune(self, tokens: int) -> int:
        """Shorten what the policy names in a context of `tokens`; how many that frees.

        The policy goes by estimates, so it is told in their measure what this model counts.
        """
        policy, factor = self._standing().policy, self.meter.factor(self.info.name)
        measured, trigger = round(tokens / factor), round(self.trigger / factor)
        due = policy.prunings(
            as_seen(self._branch.projection.paired_items, sees_images=self.info.sees_images),
            tokens=measured,
            trigger=trigger,
            context_window=self.info.context_window,
        )
        if not due:
            return 0
        self._filling.drop_note()
        freed = round(factor * sum(pruning.freed_tokens for pruning in due))
        prune(self._branch, due, policy=policy.name, tokens_before=tokens, freed_tokens=freed)
        await self._emit(
            Notice(f"{count_of(len(due), 'older result')} shortened: about {count_of(freed, 'token')} free.")
        )
        return freed

    async def _make_room(self, tokens: int, coming: int) -> bool:
        """Compact a context of `tokens`, `coming` among them, unless it is switched off or futile."""
        window, trigger = self.info.context_window, self.trigger
        if not self._standing().settings.get("compaction.enabled"):
            return False
        if self._refills.is_futile(tokens, trigger=trigger, context_window=window):
            return False
        if self._refills.is_full_again():
            raise stuck(max(self._branch.items, key=lambda item: item.tokens), self.info)
        entry = await self._compact("threshold", tokens, coming=coming)
        self._refills.tried(tokens, trigger=trigger, has_freed=entry is not None)
        return entry is not None

    async def _tell_filling(self, tokens: int) -> None:
        """Tell the person once that the context is well filled."""
        trigger = self.trigger
        rule = self._standing().policy.warnings(trigger)
        told = self._filling.look(
            tokens,
            at_tokens=rule.at_tokens,
            trigger=trigger,
            tells_model=rule.tells_model,
            is_summarised=self._standing().settings.get("compaction.enabled"),
        )
        if told:
            await self._emit(Notice(told))

    async def _compact(
        self, reason: CompactionReason, tokens: int, focus: str = "", *, coming: int = 0
    ) -> CompactionEntry | None:
        assert self._signal is not None
        standing, is_between = self._standing(), reason == "threshold" and coming == 0
        wanted = Compaction(
            reason=reason,
            model=standing.model,
            policy=standing.policy,
            numbers=self.numbers,
            fixed_tokens=self.prompt.tokens,
            tokens_before=tokens,
            factor=self.meter.factor(self.info.name),
            coming_tokens=coming,
            focus=focus,
            reattach=partial(self._reattached, is_asked_next=reason == "overflow" or is_between),
        )
        entry = await self._compactor.compact(wanted, self._signal)
        if entry is not None:
            self._refills.compacted()
            self._filling.forget()
        return entry

    async def _reattached(self, kept: Sequence[Message], *, is_asked_next: bool) -> list[CustomMessage]:
        """What a compaction that keeps `kept` shows again, what holds of the prompt before all else.

        Where the model `is_asked_next`, no prompt comes with which it would be told where it is.
        """
        standing = self._standing()
        rules = standing.policy.reattachment(self.info.context_window)
        in_use = await reattached(self._branch, kept, rules=rules, resources=standing.resources)
        holds = [self.prompt.lasting_change(kept)]
        if is_asked_next:
            holds.append(facts_again(kept, current_situation(self._services.folder, self.info, {})))
        return [*(shown_again(message) for message in holds if message is not None), *in_use]


def _is_whole(messages: Sequence[Message]) -> bool:
    """Whether the newest reply came to its end: one that was cut short may fail the same way again."""
    newest = next((one for one in reversed(messages) if isinstance(one, AssistantMessage)), None)
    return newest is not None and newest.stop_reason != "length"
