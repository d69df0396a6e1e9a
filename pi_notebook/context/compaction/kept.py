"""What a compaction keeps word for word, made to fit: results that are larger than there is room for."""

from __future__ import annotations

from collections.abc import Mapping

from pi_notebook.agent.messages import ToolResultMessage
from pi_notebook.context.compaction.plan import CompactionPlan
from pi_notebook.context.shortening import result_chars, shortened_result
from pi_notebook.context.tokens import message_tokens

_LEAST_CHARS = 1_000
"""A result is not made shorter than this."""


def shortened_results(plan: CompactionPlan) -> dict[str, ToolResultMessage]:
    """By entry: what takes the place of results in the kept part while that is larger than it may be."""
    over = sum(item.tokens for item in plan.kept) - plan.keep_recent_tokens
    found: dict[str, ToolResultMessage] = {}
    for item in sorted(plan.kept, key=lambda one: one.tokens, reverse=True):
        if over <= 0:
            break
        if isinstance(item.message, ToolResultMessage):
            chars = result_chars(item.message)
            keep = max(_LEAST_CHARS, int(chars * max(0.0, 1 - over / max(1, item.tokens))))
            short = shortened_result(
                item.message, entry_id=item.entry_id, head_chars=keep // 2, tail_chars=keep // 2
            )
            if short is not item.message:
                found[item.entry_id] = short
                over -= item.tokens - message_tokens(short)
    return found


def kept_tokens(plan: CompactionPlan, shortened: Mapping[str, ToolResultMessage]) -> int:
    """Of the kept part, with what takes the place of its results."""
    return sum(
        message_tokens(shortened[item.entry_id]) if item.entry_id in shortened else item.tokens
        for item in plan.kept
    )
