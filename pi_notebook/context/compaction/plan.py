"""What a compaction summarises and what it keeps: decided from the context alone.

The newest messages that make up the recent budget are kept word for word. The cut never stands at a
tool result, so that no result is kept without its call; where it falls inside a turn, the part of
the turn before it is summarised apart, because the kept part cannot be understood without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pi_notebook.agent.messages import (
    AssistantMessage,
    CompactionSummaryMessage,
    CustomMessage,
    Message,
    ToolResultMessage,
    UserMessage,
)
from pi_notebook.context.items import ContextItem

_OVERSIZED = 8
"""Times the budget: a message larger than this is not kept only because the budget ends in it."""
_NEAR_SHARE = 0.25
"""Of the budget: so much less is kept rather than a finished turn cut in two."""
_END_SHARE = 0.05
"""Of the budget: an end of the last turn that is no longer is summarised with it, where it is finished."""
_FAR = 1_000
"""A result that stands further behind its call is taken for one without a call."""


@dataclass(frozen=True, kw_only=True)
class CompactionPlan:
    """One compaction, before a model is asked."""

    previous_summary: str | None
    """The text of the compaction before, which the new summary takes up."""
    to_summarise: tuple[Message, ...]
    """Whole turns, from the end of the previous summary on, those it had kept included."""
    turn_prefix: tuple[Message, ...]
    """The first part of the turn that the cut goes through."""
    kept: tuple[ContextItem, ...]
    tokens_before: int
    """Of the context as a whole."""
    keep_recent_tokens: int = 0
    """What is kept is made to fit this where that can be."""

    @property
    def first_kept_entry_id(self) -> str | None:
        """None when nothing is kept."""
        return self.kept[0].entry_id if self.kept else None

    @property
    def is_split_turn(self) -> bool:
        return bool(self.turn_prefix)


def plan_compaction(
    items: Sequence[ContextItem],
    *,
    keep_recent_tokens: int,
    tokens_before: int,
    spares_turns: bool = False,
) -> CompactionPlan | None:
    """The compaction of `items` that keeps about `keep_recent_tokens`; None when all of them are kept.

    With `spares_turns` a finished turn is not cut in two for the little at its end that could be kept:
    a turn that is cut costs a summary of its own.
    """
    has_summary = bool(items) and isinstance(items[0].message, CompactionSummaryMessage)
    start = 1 if has_summary else 0
    cut = find_cut(items, start=start, keep_recent_tokens=keep_recent_tokens)
    if cut <= start:
        return None
    if spares_turns:
        cut = _turn_end(items, cut=cut, keep_recent_tokens=keep_recent_tokens)
    turn = _turn_start(items, start=start, cut=cut)
    previous = items[0].message if has_summary else None
    return CompactionPlan(
        previous_summary=previous.summary if isinstance(previous, CompactionSummaryMessage) else None,
        to_summarise=tuple(item.message for item in items[start:turn]),
        turn_prefix=tuple(item.message for item in items[turn:cut]),
        kept=tuple(items[cut:]),
        tokens_before=tokens_before,
        keep_recent_tokens=keep_recent_tokens,
    )


def find_cut(items: Sequence[ContextItem], *, start: int, keep_recent_tokens: int) -> int:
    """The place of the first message to keep; `start` when all of them are within the budget.

    The message that the budget ends in is kept, unless it is alone far larger than the budget and
    something follows that can be kept without it. Where the results at the end are larger, they are
    kept with their call: nothing but shortening them would help. A budget of nothing keeps nothing.
    """
    if keep_recent_tokens <= 0:
        return len(items)
    room = keep_recent_tokens
    place = len(items)
    while place > start and room > 0:
        place -= 1
        room -= items[place].tokens
    if room > 0:
        return start
    after: int | None = None
    most = keep_recent_tokens * _OVERSIZED
    for at in _places_to_cut(items, start):
        if at < place or (at == place and after is not None and items[at].tokens > most):
            cut = at if after is None else after
            return _with_prelude(items, start=start, cut=cut)
        after = at
    return _with_prelude(items, start=start, cut=start if after is None else after)


def _turn_end(items: Sequence[ContextItem], *, cut: int, keep_recent_tokens: int) -> int:
    """Where the finished turn ends that `cut` goes through, if that is near; else `cut` itself."""
    if cut == len(items) or not isinstance(items[cut].message, AssistantMessage):
        return cut
    passed = 0
    for place in range(cut, len(items)):
        if isinstance(items[place].message, UserMessage):
            return _with_prelude(items, start=cut, cut=place) if place in _places_to_cut(items, cut) else cut
        passed += items[place].tokens
        if passed > keep_recent_tokens * _NEAR_SHARE:
            return cut
    is_near = passed <= keep_recent_tokens * _END_SHARE
    return len(items) if is_near and is_answer(items[-1].message) else cut


def is_answer(message: Message) -> bool:
    """Whether a turn is finished with `message`."""
    return isinstance(message, AssistantMessage) and message.stop_reason == "stop" and not message.tool_calls


def _places_to_cut(items: Sequence[ContextItem], start: int) -> Iterator[int]:
    """Where the kept part may begin, from the end on: at no result, and between no call and its result."""
    waiting: set[str] = set()
    for place in range(len(items) - 1, start - 1, -1):
        message = items[place].message
        if isinstance(message, ToolResultMessage):
            if _has_call(items, place, start):
                waiting.add(message.tool_call_id)
            continue
        if isinstance(message, AssistantMessage):
            waiting -= {call.id for call in message.tool_calls}
        if not waiting and not isinstance(message, CompactionSummaryMessage):
            yield place


def _has_call(items: Sequence[ContextItem], place: int, start: int) -> bool:
    """Whether the result at `place` answers a call that is still there; mostly it is the one before."""
    result = items[place].message
    assert isinstance(result, ToolResultMessage)
    before = (items[at].message for at in range(place - 1, max(start, place - _FAR) - 1, -1))
    return any(
        call.id == result.tool_call_id
        for message in before
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    )


def _with_prelude(items: Sequence[ContextItem], *, start: int, cut: int) -> int:
    """`cut`, or where the messages begin that were put before the prompt it stands at."""
    if cut < len(items) and isinstance(items[cut].message, (UserMessage, CustomMessage)):
        while cut > start and isinstance(items[cut - 1].message, CustomMessage):
            cut -= 1
    return cut


def _turn_start(items: Sequence[ContextItem], *, start: int, cut: int) -> int:
    """Where the turn begins that `cut` goes through; `cut` itself when it stands between turns."""
    if cut == len(items) or not isinstance(items[cut].message, AssistantMessage):
        return cut
    for place in range(cut - 1, start - 1, -1):
        if isinstance(items[place].message, UserMessage):
            return _with_prelude(items, start=start, cut=place)
    return start
