"""How much of a tool's text a person sees in the cell; the rest is folded away or named by its path."""

from __future__ import annotations

MAX_LINES = 20
MAX_CHARS = 4_000


def excerpt(text: str) -> tuple[str, int]:
    """The end of `text`, at most 20 lines and 4,000 characters, and how many lines stand before it."""
    lines = text.rstrip("\n").split("\n")
    shown = lines[-MAX_LINES:]
    while len(shown) > 1 and sum(map(len, shown)) + len(shown) > MAX_CHARS:
        shown = shown[1:]
    end = "\n".join(shown)
    if len(end) > MAX_CHARS:
        end = "…" + end[-(MAX_CHARS - 1) :]
    return end, len(lines) - len(shown)
