"""Whether compacting still helps: contexts that fill again at once, and those it made no smaller."""

from __future__ import annotations

from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.context.compaction.numbers import FILLED_SHARE
from pi_notebook.context.items import ContextItem
from pi_notebook.errors import ContextOverflowError

SOON_TURNS = 3
"""A context that is full again within so many turns was not helped by its compaction."""
MAX_REFILLS = 3
_GROWTH_SHARE = 0.05
"""Of the window: a compaction that freed nothing is tried again when the context has grown so much."""


class Refills:
    """Remembers the compactions of one session while it is open."""

    def __init__(self) -> None:
        self._turns = SOON_TURNS + 1
        """Since the newest compaction."""
        self._refills = 0
        self._futile: tuple[int, int] | None = None
        """Size of a context that a compaction did not make smaller, and what it may be before one is due."""

    def turn_ended(self) -> None:
        self._turns += 1

    def is_futile(self, tokens: int, *, trigger: int, context_window: int) -> bool:
        """Whether compacting a context of `tokens` would free nothing again."""
        if self._futile is None:
            return False
        before, growth = self._futile[0], int(context_window * _GROWTH_SHARE)
        is_pressing = before <= context_window * FILLED_SHARE < tokens  # less is kept, for lack of room
        return tokens <= before + growth and trigger >= self._futile[1] and not is_pressing

    def is_full_again(self) -> bool:
        """Note that the context is full; whether it is so soon after a compaction too many times in a row.

        As long as no turn has followed a compaction, its context is not full again but still.
        """
        if self._turns:
            self._refills = self._refills + 1 if self._turns <= SOON_TURNS else 0
        if self._refills < MAX_REFILLS:
            return False
        self._refills = 0
        return True

    def compacted(self) -> None:
        """A compaction is recorded."""
        self._turns = 0

    def tried(self, tokens: int, *, trigger: int, has_freed: bool) -> None:
        """How the compaction went that was due in a context of `tokens`."""
        self._futile = None if has_freed else (tokens, trigger)


def stuck(largest: ContextItem, info: ModelInfo) -> ContextOverflowError:
    """That compacting does not help any more, naming what fills the context of the model of `info` most."""
    return ContextOverflowError(
        f"The context was full again within {SOON_TURNS} turns of a compaction, {MAX_REFILLS} times in "
        f"a row. The largest part is {largest.name}, about {largest.tokens:,} of "
        f"{info.context_window:,} tokens. Ask for less at a time, or choose a larger model.",
        model=info.name,
    )
