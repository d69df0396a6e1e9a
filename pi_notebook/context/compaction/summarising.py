"""Getting a summary out of a model whatever the conversation's size: in pieces, and from less at each try.

The model is asked through a callable that is given; what it costs and who hears of it is the
session's. What no model could summarise is `plain_summary`'s.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from pi_notebook.agent.messages import Message
from pi_notebook.context.compaction.conversation_text import TextBounds, conversation_parts, groups, within
from pi_notebook.context.compaction.numbers import CompactionNumbers, bound_of_text
from pi_notebook.context.compaction.plan import CompactionPlan
from pi_notebook.context.compaction.prompts import TURN_HEADING, SummaryPrompts, summary_prompt
from pi_notebook.context.tokens import count_tokens, message_tokens
from pi_notebook.errors import ContextOverflowError

_MARGIN = 0.85
"""Of the room, for the conversation: counts are ours, not the provider's."""
_LEAST_ROOM_TOKENS = 500
_WORDS_TOKENS = 400
"""Of the system prompt and what stands around the parts."""
_SHORT_PREFIX_TOKENS = 400
"""The beginning of a cut turn that is no longer, often the prompt alone, is worth no request of its own."""
_FOCUS_TOKENS = 4_000
"""Of the person's own wish, which goes with each request: more is cut in its middle."""
_BEFORE_SHARE = 0.3
"""Of the window, for the summary before."""
_DROPPED_NOTE = "[{count} earlier exchanges are left out here: they did not fit.]"


class UnusableSummaryError(Exception):
    """The model answered, but with no summary: cut off, refused, empty, or with tool calls."""


class Ask(Protocol):
    """Asks the model one thing without tools; the text of its answer.

    Raises `UnusableSummaryError`, or the `ModelError` that the model raised.
    """

    def __call__(self, prompt: str, *, max_tokens: int) -> Awaitable[str]: ...


@dataclass(frozen=True, kw_only=True)
class _Effort:
    """One try: from how much of each part, with how much of the room, and of which share of the groups."""

    bounds: TextBounds
    room_share: float = 1.0
    newest_share: float = 1.0
    is_wide: bool = False
    """Whether the model may write more than a summary may be long, as those do that think first."""


_EFFORTS = (
    _Effort(bounds=TextBounds()),
    _Effort(bounds=TextBounds(result=500, arguments=500, text=8_000), is_wide=True),
    _Effort(bounds=TextBounds(result=500, arguments=500, text=8_000), room_share=0.5, is_wide=True),
    _Effort(
        bounds=TextBounds(result=200, arguments=200, text=2_000),
        room_share=0.5,
        newest_share=0.5,
        is_wide=True,
    ),
)


async def summarise(
    plan: CompactionPlan,
    numbers: CompactionNumbers,
    ask: Ask,
    *,
    focus: str = "",
    prompts: SummaryPrompts | None = None,
) -> str | None:
    """The summary that takes the place of what `plan` does not keep; None when no try gave one.

    `prompts` are the policy's; of them all but the system prompt, which `ask` sends, is used here.
    Raises a `ModelError` of `ask` unless it says that the request was too large.
    """
    for effort in _EFFORTS:
        try:
            return await _Try(numbers, ask, focus, effort, prompts or SummaryPrompts()).summary(plan)
        except (ContextOverflowError, UnusableSummaryError):
            continue
    return None


async def summarise_branch(
    messages: Sequence[Message],
    numbers: CompactionNumbers,
    ask: Ask,
    *,
    focus: str = "",
    prompts: SummaryPrompts | None = None,
) -> str | None:
    """The summary of a branch that is left; None when no try gave one. Given and raised as by `summarise`."""
    words = prompts or SummaryPrompts()
    for effort in _EFFORTS:
        try:
            attempt = _Try(numbers, ask, focus, effort, words)
            return await attempt.told(messages, words.branch, max_tokens=numbers.prefix_summary)
        except (ContextOverflowError, UnusableSummaryError):
            continue
    return None


class _Try:
    """One effort over one conversation."""

    def __init__(
        self, numbers: CompactionNumbers, ask: Ask, focus: str, effort: _Effort, prompts: SummaryPrompts
    ) -> None:
        self._numbers = numbers
        self._ask = ask
        self._focus = within(focus, bound_of_text(_FOCUS_TOKENS, numbers.context_window))
        self._effort = effort
        self._prompts = prompts

    async def summary(self, plan: CompactionPlan) -> str | None:
        previous, messages, prefix = plan.previous_summary, plan.to_summarise, plan.turn_prefix
        if previous is not None and TURN_HEADING in previous and not messages:
            # The same turn is cut again: its parts become one, else the summary grows each time.
            messages, prefix = prefix, ()
        elif messages and sum(map(message_tokens, prefix)) <= _SHORT_PREFIX_TOKENS:
            messages, prefix = (*messages, *prefix), ()
        wanted = self._prompts.first if previous is None else self._prompts.update
        limit = self._numbers.summary
        summary = await self.told(messages, wanted, previous=previous, max_tokens=limit)
        asked = self._prompts.turn_prefix
        turn = await self.told(prefix, asked, max_tokens=self._numbers.prefix_summary)
        if not turn:
            return summary
        return f"{summary or 'No earlier history.'}\n\n---\n\n{TURN_HEADING}\n\n{turn}"

    async def told(
        self, messages: Sequence[Message], wanted: str, *, previous: str | None = None, max_tokens: int
    ) -> str | None:
        """A summary of `messages`, piece by piece where they do not fit, each with the summary so far.

        That is `previous`, which may be None, when there is nothing to tell of them.
        """
        kept, note = _newest(messages, self._effort.newest_share)
        output = max(max_tokens, self._numbers.output) if self._effort.is_wide else max_tokens
        summary = within(previous, self._most_before(max_tokens)) if previous is not None else None
        room = self._room(output, max(max_tokens, count_tokens(summary or "")), wanted)
        for parts in _pieces(conversation_parts(kept, self._effort.bounds), room):
            prompt = summary_prompt(parts, wanted, previous=summary, focus=self._focus, note=note)
            answer = self._prompts.taken(await self._ask(prompt, max_tokens=output))
            if not answer:
                raise UnusableSummaryError("the answer holds no summary")
            summary, note = within(answer, max_tokens), ""
            wanted = self._prompts.update if wanted == self._prompts.first else wanted
        return summary

    def _most_before(self, max_tokens: int) -> int:
        """How much of the summary before is given: one of another model may be too long for this one."""
        return max(2 * max_tokens, int(self._numbers.context_window * _BEFORE_SHARE))

    def _room(self, output: int, before: int, instructions: str) -> int:
        """Tokens of conversation that fit beside the answer, the summary so far and the words around them."""
        around = output + before + count_tokens(instructions) + count_tokens(self._focus) + _WORDS_TOKENS
        room = (self._numbers.context_window - around) * _MARGIN * self._effort.room_share
        return max(_LEAST_ROOM_TOKENS, int(room))


def _newest(messages: Sequence[Message], share: float) -> tuple[list[Message], str]:
    """The newest share of the exchanges, and what says that others are missing."""
    found = groups(messages)
    dropped = int(len(found) * (1 - share))
    note = _DROPPED_NOTE.format(count=dropped) if dropped else ""
    return [message for group in found[dropped:] for message in group], note


def _pieces(parts: Sequence[str], room_tokens: int) -> Iterator[list[str]]:
    """The parts in runs that fit the room; one that does not fit alone is shortened."""
    piece: list[str] = []
    left = room_tokens
    for part in parts:
        tokens = count_tokens(part)
        if tokens > room_tokens:
            part = within(part, room_tokens)
            tokens = count_tokens(part)
        if piece and tokens > left:
            yield piece
            piece, left = [], room_tokens
        piece.append(part)
        left -= tokens
    if piece:
        yield piece
