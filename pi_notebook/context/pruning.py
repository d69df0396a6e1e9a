"""Shortening old tool results before anything is summarised: which, and how far.

Prunings come in batches: one begins when the context is well filled and goes on until there is room
for a while, because each of them makes the provider read the rest of the request anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_notebook.agent.messages import AssistantMessage, ImageContent, ToolResultMessage
from pi_notebook.context.instruction_reads import calls_by_id, is_instruction_read
from pi_notebook.context.items import ContextItem
from pi_notebook.context.shortening import result_chars, shortened_result
from pi_notebook.context.tokens import message_tokens

PINNED = "pinned"
"""Key of the details of a result that the model wants to keep."""
SAME_AS = "sameAs"
"""Key of the details of a result that points at an earlier one: the entry of that."""
_LEAST_SHARE = 0.2
"""Of a result: what frees less only makes it harder to read."""
_PICTURE_CHARS = 4_800
"""As which a picture counts: about what it takes in tokens."""


@dataclass(frozen=True, kw_only=True)
class PruningRules:
    """When a batch begins, when it ends, and what it leaves alone."""

    at_tokens: int
    to_tokens: int
    least_tokens: int
    """A batch that frees less is not worth the prefix it costs."""
    keep_turns: int
    """Results of so many turns at the end stay whole."""
    over_chars: int
    """Longer results are shortened."""
    head_chars: int
    tail_chars: int


@dataclass(frozen=True, kw_only=True)
class Pruning:
    """One result and what takes its place."""

    entry_id: str
    message: ToolResultMessage
    freed_tokens: int


def prunings(items: Sequence[ContextItem], *, tokens: int, rules: PruningRules) -> list[Pruning]:
    """The batch that is due in a context of `tokens`, oldest results first; empty when none is."""
    if tokens <= rules.at_tokens:
        return []
    wanted = tokens - rules.to_tokens
    batch: list[Pruning] = []
    for item, message in _old_results(items, rules):
        if wanted <= sum(pruning.freed_tokens for pruning in batch):
            break
        short = shortened_result(
            message, entry_id=item.entry_id, head_chars=rules.head_chars, tail_chars=rules.tail_chars
        )
        freed = item.tokens - message_tokens(short)
        if freed > item.tokens * _LEAST_SHARE:
            batch.append(Pruning(entry_id=item.entry_id, message=short, freed_tokens=freed))
    return batch if sum(pruning.freed_tokens for pruning in batch) >= rules.least_tokens else []


def _old_results(
    items: Sequence[ContextItem], rules: PruningRules
) -> Iterator[tuple[ContextItem, ToolResultMessage]]:
    """The results that may be shortened, oldest first."""
    recent = _recent_start(items, rules.keep_turns)
    calls = calls_by_id(item.message for item in items)
    spared = {_last_error(items)} | _pointed_at(items[recent:])
    for item in items[:recent]:
        message = item.message
        if (
            isinstance(message, ToolResultMessage)
            and item.entry_id not in spared
            and _size(message) > rules.over_chars
            and not detail(message, PINNED)
            and not is_instruction_read(calls.get(message.tool_call_id))
        ):
            yield item, message


def _recent_start(items: Sequence[ContextItem], turns: int) -> int:
    """Where the last `turns` replies begin."""
    for place in range(len(items) - 1, -1, -1):
        if turns <= 0:
            return place + 1
        turns -= isinstance(items[place].message, AssistantMessage)
    return 0


def _last_error(items: Sequence[ContextItem]) -> str | None:
    for item in reversed(items):
        if isinstance(item.message, ToolResultMessage) and item.message.is_error:
            return item.entry_id
    return None


def _pointed_at(items: Sequence[ContextItem]) -> set[str]:
    """Entries that a recent result says still hold."""
    found = (detail(item.message, SAME_AS) for item in items if isinstance(item.message, ToolResultMessage))
    return {entry_id for entry_id in found if isinstance(entry_id, str)}


def _size(message: ToolResultMessage) -> int:
    pictures = sum(isinstance(block, ImageContent) for block in message.content)
    return result_chars(message) + pictures * _PICTURE_CHARS


def detail(message: ToolResultMessage, key: str) -> object:
    """One of a result's details; None when it has none of that name."""
    return message.details.get(key) if isinstance(message.details, dict) else None
