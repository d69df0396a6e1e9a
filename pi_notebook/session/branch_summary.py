"""Leaving a branch with a summary of it: what it tried and found stands where the session goes on.

The leaf moves with the one entry that holds the summary: a summary that is stopped or fails leaves
the session where it was.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.entries import BranchSummaryEntry
from pi_notebook.agent.messages import Message, ToolResultMessage
from pi_notebook.agent.protocols import Model
from pi_notebook.context.call_record import LEDGER_TYPE
from pi_notebook.context.compaction.ledger_block import with_ledger
from pi_notebook.context.compaction.numbers import CompactionNumbers
from pi_notebook.context.compaction.plain_summary import plain_text
from pi_notebook.context.compaction.summarising import summarise_branch
from pi_notebook.context.items import ContextItem
from pi_notebook.context.ledger import Ledger, ledger_of
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.context.reattaching import is_reattached
from pi_notebook.errors import ModelAuthError
from pi_notebook.session.branch import Branch
from pi_notebook.session.store import SessionStore
from pi_notebook.session.summariser import Summariser
from pi_notebook.session.tree import NOWHERE, StoredEntries

_LEDGER_CHARS = 2_000


async def leave_with_summary(
    branch: Branch,
    entry_id: str | None,
    *,
    model: Model,
    policy: ContextPolicy,
    numbers: CompactionNumbers,
    signal: AbortSignal,
    focus: str = "",
) -> BranchSummaryEntry | None:
    """Go on from `entry_id` with a summary of what is left; None, and nothing is written, if that is nothing.

    `policy` words what the model is asked.
    Raises `KeyError` when there is no such entry, `Aborted` once `signal` is set and what the model
    raised; where no model can be asked, or it gives no summary, the program lists what it can.
    """
    left = left_entries(branch.store, entry_id)
    ids = {left.tree.entry_id(place) for place in left.places}
    messages = _newest([item for item in branch.items if item.entry_id in ids], max_tokens=numbers.threshold)
    ledger = ledger_of(left.of_kind(f"custom:{LEDGER_TYPE}"))
    if not messages:
        return None
    prompts = policy.summary_prompts()
    summariser = Summariser(model, system=prompts.system)
    ask = partial(summarise_branch, messages, numbers, summariser, focus=focus, prompts=prompts)
    told = None if model.info.api == "offline" else await signal.guard(_told(ask))
    text = told or plain_text(messages, max_tokens=numbers.prefix_summary)
    return branch.leave(
        entry_id,
        summary=with_ledger(text, ledger, messages=messages, max_chars=_LEDGER_CHARS),
        usage=summariser.usage if summariser.requests else None,
        details=_details(ledger, model, focus, is_plain=told is None),
    )


def left_entries(store: SessionStore, entry_id: str | None) -> StoredEntries:
    """The entries of the branch that are not on the way to `entry_id`."""
    tree, here = store.entries.tree, store.branch()
    place = tree.find(entry_id) if entry_id is not None else NOWHERE
    if place is None:
        raise KeyError(entry_id)
    there = set()
    while place != NOWHERE:
        there.add(place)
        place = tree.parent(place)
    return here.at([one for one in here.places[: len(here)] if one not in there])


async def _told(ask: Callable[[], Awaitable[str | None]]) -> str | None:
    """The model's summary; None where no key lets it be asked."""
    try:
        return await ask()
    except ModelAuthError:
        return None


def _newest(items: Sequence[ContextItem], *, max_tokens: int) -> list[Message]:
    """The newest messages that fit, oldest first; of results only what the replies say of them."""
    found: list[Message] = []
    for item in reversed(items):
        if isinstance(item.message, ToolResultMessage) or is_reattached(item.message):
            continue
        max_tokens -= item.tokens
        if max_tokens < 0 and found:
            break
        found.append(item.message)
    return found[::-1]


def _details(ledger: Ledger, model: Model, focus: str, *, is_plain: bool) -> dict[str, object]:
    return {
        "readFiles": ledger.read_only,
        "modifiedFiles": ledger.changed,
        "focus": focus,
        "model": "" if is_plain else model.info.name,
    }
