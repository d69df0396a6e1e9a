"""What a preview is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

PreviewKind = Literal[
    "frame", "series", "lazy", "array", "text", "bytes", "container", "record", "scalar",
    "rows", "figure", "exception", "callable", "class", "module", "object",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class RowBounds:
    """How much of a table's rows is shown where more would fit."""

    whole: int
    """A table of at most so many rows is shown with all of them."""
    head: int
    """Of a longer one, the most of its first rows."""
    tail: int
    columns: int
    """Of a wider one, the most of its outer columns in each row."""

    def most(self, total: int) -> int:
        """How many rows of `total` may be shown."""
        return total if total <= self.whole else min(total, self.head + self.tail)

    def split(self, count: int) -> tuple[int, int]:
        """`count` rows as first ones and last ones."""
        tail = count * self.tail // max(1, self.head + self.tail)
        tail = max(tail, min(1, self.tail, count - 1))
        return count - tail, tail


CELL_ROWS = RowBounds(whole=20, head=8, tail=5, columns=30)
"""As the value of a cell."""
ASKED_ROWS = RowBounds(whole=40, head=20, tail=10, columns=30)
"""When a model asks to see the variable."""


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A bounded text that stands for a value."""

    text: str
    kind: PreviewKind
    is_complete: bool
    """Whether the text holds all of the value: every row, item and character."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the value, for programs; JSON."""
