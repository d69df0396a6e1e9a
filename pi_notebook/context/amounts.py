"""How amounts are worded for a reader."""

from __future__ import annotations

from collections.abc import Sequence


def count_of(count: float, noun: str, plural: str = "") -> str:
    """`1 row`, `1,200 rows`, `0.5 seconds`; `plural` where the noun takes no s."""
    number = f"{count:,g}" if isinstance(count, float) else f"{count:,}"
    return f"{number} {noun if count == 1 else plural or noun + 's'}"


def all_of(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last
