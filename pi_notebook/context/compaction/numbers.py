"""How much room a compaction leaves, keeps and may use, scaled to the model's window."""

from __future__ import annotations

from dataclasses import dataclass

from pi_notebook.agent.protocols import ModelInfo

RESERVE_TOKENS = 16_384
KEEP_RECENT_TOKENS = 20_000
"""Pi's numbers; they hold from a window of 64k tokens up."""

_RESERVE_SHARE = 0.25
_RECENT_SHARE = 0.35
_TEXT_SHARE = 0.25
_WHOLE_WINDOW = 64_000
"""From here on a number of characters is not scaled."""
_LEAST_CHARS_SHARE = 0.25
_SUMMARY_SHARE = 0.8
"""Of the reserve, for a summary; the rest is for the reply that comes first after it."""
_PREFIX_SHARE = 0.5
FILLED_SHARE = 0.9
"""Of the window, at most, for what stands in it after a compaction; the reply needs the rest."""


@dataclass(frozen=True, kw_only=True)
class CompactionNumbers:
    """The numbers of one model and one session, in tokens."""

    context_window: int
    reserve: int
    """Kept free for the reply: beyond the window less this, the context is compacted."""
    keep_recent: int
    """About as much of the newest messages stays word for word."""
    summary: int
    """A summary is at most this long."""
    prefix_summary: int
    """So is the part of it about a turn that was cut in two."""
    output: int
    """A model may write so much for a summary when it did not get to its end: some think first."""

    @property
    def threshold(self) -> int:
        """A context larger than this is compacted."""
        return self.context_window - self.reserve


def compaction_numbers(
    info: ModelInfo, *, reserve_tokens: int = RESERVE_TOKENS, keep_recent_tokens: int = KEEP_RECENT_TOKENS
) -> CompactionNumbers:
    """The numbers for a model, from those wanted where there is room."""
    window = info.context_window
    reserve = min(reserve_tokens, int(window * _RESERVE_SHARE))
    return CompactionNumbers(
        context_window=window,
        reserve=reserve,
        keep_recent=min(keep_recent_tokens, int(window * _RECENT_SHARE)),
        summary=min(info.max_output_tokens, int(reserve * _SUMMARY_SHARE)),
        prefix_summary=min(info.max_output_tokens, int(reserve * _PREFIX_SHARE)),
        output=min(info.max_output_tokens, int(window * _TEXT_SHARE)),
    )


def bound_of_text(default_tokens: int, context_window: int) -> int:
    """How large one text may be in a window of this size."""
    return min(default_tokens, int(context_window * _TEXT_SHARE))


def chars_in_window(default_chars: int, context_window: int) -> int:
    """What counts as long of a result in a window of this size: less where there is less room."""
    least = int(default_chars * _LEAST_CHARS_SHARE)
    return max(least, min(default_chars, default_chars * context_window // _WHOLE_WINDOW))
