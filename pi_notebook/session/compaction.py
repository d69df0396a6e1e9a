"""Compacting the context of a session: when, by whom, and what is recorded of it.

What is summarised and kept is planned in `context/compaction`; here the model is asked, the entry is
written and the listeners are told. One compaction is on at a time, and one that fails or is stopped
leaves the session as it was.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pi_notebook.agent.abort import Aborted, AbortSignal
from pi_notebook.agent.entries import CompactionEntry, MessageEntry
from pi_notebook.agent.events import AgentEvent, CompactionEnd, CompactionReason, CompactionStart
from pi_notebook.agent.messages import CustomMessage, Message, UserMessage, text_of
from pi_notebook.agent.protocols import Model
from pi_notebook.context.compaction.conversation_text import shortened
from pi_notebook.context.compaction.kept import kept_tokens, shortened_results
from pi_notebook.context.compaction.ledger_block import with_ledger, without_ledger
from pi_notebook.context.compaction.numbers import FILLED_SHARE, CompactionNumbers, bound_of_text
from pi_notebook.context.compaction.plain_summary import plain_summary
from pi_notebook.context.compaction.plan import CompactionPlan, is_answer
from pi_notebook.context.compaction.summarising import summarise
from pi_notebook.context.items import ContextItem, as_seen
from pi_notebook.context.ledger import Ledger
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.context.reattaching import DETAILS_KEY, is_reattached, stored
from pi_notebook.context.tokens import count_tokens, message_tokens
from pi_notebook.errors import ModelError, SessionBusyError, UsageError
from pi_notebook.session.branch import Branch
from pi_notebook.session.branch_ledger import branch_ledger
from pi_notebook.session.hook_events import ComingCompaction
from pi_notebook.session.session_hooks import SessionHooks
from pi_notebook.session.summariser import Summariser

Emit = Callable[[AgentEvent], Awaitable[None]]

_LEDGER_TOKENS = 1_300
_SAID_TOKENS = 1_000
_SAID_SHARE = 1 / 32
"""Of the window, at most, for the person's last request, and for its answer, where they are not kept."""
_CHARS_PER_TOKEN = 3
_LEAST_KEPT_TOKENS = 256
_FREES_NOTHING = "The summary would be no shorter than what it stands for, so the context stays as it is."


@dataclass(frozen=True, kw_only=True)
class Compaction:
    """What is asked for."""

    reason: CompactionReason
    model: Model
    policy: ContextPolicy
    numbers: CompactionNumbers
    fixed_tokens: int
    """Of system prompt and tool definitions, which no compaction changes."""
    tokens_before: int
    reattach: Callable[[Sequence[Message]], Awaitable[list[CustomMessage]]]
    """Gives what is shown again beside the messages that are kept."""
    factor: float = 1.0
    """What an estimate is multiplied with to be what this model counts."""
    coming_tokens: int = 0
    """Estimated, of what goes with the next request and is not recorded yet."""
    focus: str = ""
    """The person's own wish for the summary."""

    def counted(self, estimate: int) -> int:
        """`estimate` as this model counts."""
        return round(self.factor * estimate)

    def is_enough(self, plan: CompactionPlan | None) -> bool:
        """Whether the next request will fit when `plan` is done, with what is coming and any summary."""
        numbers, room = self.numbers, self.numbers.context_window * FILLED_SHARE
        if plan is None:
            return self.reason != "overflow" and self.tokens_before <= room
        kept = kept_tokens(plan, shortened_results(plan))
        summary = numbers.summary + (numbers.prefix_summary if plan.is_split_turn else 0)
        ledger = bound_of_text(_LEDGER_TOKENS, numbers.context_window)
        after = summary + self.counted(self.fixed_tokens + ledger + kept + self.coming_tokens)
        return after <= room


class Compactor:
    """Compacts one branch."""

    def __init__(self, branch: Branch, emit: Emit, hooks: SessionHooks) -> None:
        self._branch = branch
        self._emit = emit
        self._hooks = hooks
        self.is_running = False

    async def compact(self, wanted: Compaction, signal: AbortSignal) -> CompactionEntry | None:
        """Summarise what is old and record it; None when nothing is old enough, or it would free nothing.

        Raises `Aborted` once `signal` is set, with nothing stored, and for a person's own request
        `UsageError` when there is nothing to summarise or to free or a hook cancels it, and the
        `ModelError` of a model that cannot be asked. Otherwise the program lists what no model summarised.
        """
        if self.is_running:
            raise SessionBusyError("A compaction is on already. Wait until it is done.")
        plan = self._plan(wanted)
        if plan is None:
            if wanted.reason == "manual":
                raise UsageError("There is nothing to compact: all messages are within what is kept.")
            return None
        self.is_running = True
        await self._emit(CompactionStart(wanted.reason, wanted.tokens_before))
        outcome: CompactionEntry | str = "It was stopped."
        try:
            outcome = await self._outcome(plan, wanted, signal)
        except ModelError as error:
            outcome = str(error)
            raise
        finally:
            self.is_running = False
            await self._emit(_end(wanted, outcome))
        if isinstance(outcome, CompactionEntry):
            with suppress(Aborted):  # it is recorded, and a stop ends only the wait for the hooks
                await signal.guard(self._hooks.after_compaction(outcome))
            return outcome
        if wanted.reason == "manual":
            raise UsageError(outcome)
        return None

    async def _outcome(
        self, plan: CompactionPlan, wanted: Compaction, signal: AbortSignal
    ) -> CompactionEntry | str:
        """What was recorded, or why nothing was."""
        decision = await signal.guard(self._hooks.before_compaction(_coming(plan, wanted)))
        if decision.cancel:
            return f"It was cancelled: {decision.reason}."
        return await self._compacted(plan, wanted, decision.summary, signal) or _FREES_NOTHING

    def _plan(self, wanted: Compaction) -> CompactionPlan | None:
        """What to summarise; less and less is kept while the request after it would be too large."""
        items = [item for item in self._items(wanted) if not is_reattached(item.message)]
        keep = wanted.numbers.keep_recent
        while True:
            plan = wanted.policy.plan(items, keep_recent_tokens=keep, tokens_before=wanted.tokens_before)
            if keep == 0 or wanted.is_enough(plan):
                return plan
            keep = keep * 3 // 4 if keep > _LEAST_KEPT_TOKENS else 0

    async def _compacted(
        self, plan: CompactionPlan, wanted: Compaction, given: str | None, signal: AbortSignal
    ) -> CompactionEntry | None:
        """Record it with the summary that a hook has given, or else the model's."""
        begun = time.monotonic()
        summariser = Summariser(wanted.model, system=wanted.policy.summary_prompts().system)
        summary = given or await signal.guard(_summary(plan, wanted, summariser))
        ledger = branch_ledger(self._branch, [*plan.to_summarise, *plan.turn_prefix])
        text = self._with_ledger(summary, plan, ledger, wanted.numbers)
        shortened = shortened_results(plan)
        tokens = wanted.fixed_tokens + count_tokens(text) + kept_tokens(plan, shortened)
        if tokens >= wanted.fixed_tokens + sum(item.tokens for item in self._items(wanted)):
            return None
        kept = [shortened.get(item.entry_id, item.message) for item in plan.kept]
        attached = await signal.guard(wanted.reattach(kept))
        attached_tokens = sum(map(message_tokens, attached))
        if wanted.counted(tokens + attached_tokens) > wanted.policy.trigger(wanted.numbers):
            attached, attached_tokens = [], 0
        entry = self._branch.add_compaction(
            summary=text,
            first_kept_entry_id=plan.first_kept_entry_id,
            tokens_before=wanted.tokens_before,
            usage=summariser.usage if summariser.requests else None,
            from_hook=True if given else None,
            details=self._details(plan, wanted, ledger, is_plain=summary is None or given is not None)
            | {
                "tokensAfter": wanted.counted(tokens + attached_tokens),
                "seconds": round(time.monotonic() - begun, 3),
                "requests": summariser.requests,
            }
            | ({DETAILS_KEY: stored(attached)} if attached else {}),
        )
        for entry_id, message in shortened.items():
            self._branch.replace(entry_id, message)
        return entry

    def _items(self, wanted: Compaction) -> Sequence[ContextItem]:
        """What the context holds, as it costs the model that is asked."""
        return as_seen(self._branch.items, sees_images=wanted.model.info.sees_images)

    def _with_ledger(
        self, summary: str | None, plan: CompactionPlan, ledger: Ledger, numbers: CompactionNumbers
    ) -> str:
        """The summary as it is recorded; where no model gave one, the program lists what it can."""
        text = plain_summary(plan, max_tokens=numbers.summary) if summary is None else summary
        bound = bound_of_text(_LEDGER_TOKENS, numbers.context_window)
        said_tokens = min(_SAID_TOKENS, int(numbers.context_window * _SAID_SHARE))
        return with_ledger(
            without_ledger(text),
            ledger,
            request=shortened(self._unkept_request(plan), said_tokens * _CHARS_PER_TOKEN),
            answer=shortened(_unkept_answer(plan), said_tokens * _CHARS_PER_TOKEN),
            messages=self._branch.messages,
            max_chars=bound * _CHARS_PER_TOKEN,
        )

    def _unkept_request(self, plan: CompactionPlan) -> str:
        """What the person asked last, when it is not among the messages that are kept."""
        prompts = self._branch.store.branch().of_kind("message:user")
        if not prompts or any(isinstance(item.message, UserMessage) for item in plan.kept):
            return ""
        entry = prompts[-1]
        return text_of(entry.message) if isinstance(entry, MessageEntry) else ""

    def _details(
        self, plan: CompactionPlan, wanted: Compaction, ledger: Ledger, *, is_plain: bool
    ) -> dict[str, Any]:
        """What a person can look up of a compaction; the first two as Pi names them."""
        return {
            "readFiles": ledger.read_only,
            "modifiedFiles": ledger.changed,
            "reason": wanted.reason,
            "focus": wanted.focus,
            "model": "" if is_plain else wanted.model.info.name,
            "previous": self._branch.last_compaction_id,
            "summarised": len(plan.to_summarise) + len(plan.turn_prefix),
            "kept": len(plan.kept),
            "isSplitTurn": plan.is_split_turn,
        }


def _unkept_answer(plan: CompactionPlan) -> str:
    """What ended the last turn, when nothing of it is kept."""
    last = plan.to_summarise[-1] if plan.to_summarise and not plan.kept else None
    return text_of(last) if last is not None and is_answer(last) else ""


def _end(wanted: Compaction, outcome: CompactionEntry | str) -> CompactionEnd:
    """What listeners are told of an end."""
    if isinstance(outcome, str):
        return CompactionEnd(wanted.reason, wanted.tokens_before, wanted.tokens_before, outcome)
    return CompactionEnd(wanted.reason, wanted.tokens_before, outcome.details["tokensAfter"], "")


def _coming(plan: CompactionPlan, wanted: Compaction) -> ComingCompaction:
    """What the hooks of others are told of it."""
    return ComingCompaction(
        reason=wanted.reason,
        focus=wanted.focus,
        tokens_before=wanted.tokens_before,
        to_summarise=[*plan.to_summarise, *plan.turn_prefix],
        kept=[item.message for item in plan.kept],
        previous_summary=plan.previous_summary,
        max_summary_tokens=wanted.numbers.summary,
    )


async def _summary(plan: CompactionPlan, wanted: Compaction, summariser: Summariser) -> str | None:
    """The model's summary; None when the program has to list what it can."""
    if wanted.model.info.api == "offline":
        return None
    previous = without_ledger(plan.previous_summary) if plan.previous_summary is not None else None
    bare = replace(plan, previous_summary=previous)
    try:
        prompts = wanted.policy.summary_prompts()
        return await summarise(bare, wanted.numbers, summariser, focus=wanted.focus, prompts=prompts)
    except ModelError:
        if wanted.reason == "manual":
            raise
        return None
