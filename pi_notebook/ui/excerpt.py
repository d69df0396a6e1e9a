"""How much of a tool's text a person sees in the cell; the rest is folded away or named by its path."""

from __future__ import annotations

from pi_notebook.context.truncation import OutputLimits, truncate_tail

LIMITS = OutputLimits(max_lines=20, max_bytes=4_096)
_FEW_LINES = 3
_ROOMIER = OutputLimits(max_lines=LIMITS.max_lines + _FEW_LINES, max_bytes=LIMITS.max_bytes)


def excerpt(text: str) -> tuple[str, int]:
    """The end of `text`, 20 lines and 4 KB at most, and how many lines stand before it.

    A few lines more are shown when that is all there is: the line that counts them would take as much room.
    """
    text = text.rstrip("\n")
    kept = truncate_tail(text, _ROOMIER)
    if kept.is_truncated:
        kept = truncate_tail(text, LIMITS)
    return kept.content, kept.total_lines - kept.output_lines


def count_lines(number: int) -> str:
    """`1 line`, `1,234 lines`."""
    return f"{number:,} line{'' if number == 1 else 's'}"
