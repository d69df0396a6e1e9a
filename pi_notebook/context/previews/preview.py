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
    whole_cells: int = 0
    """A table of at most so many cells is shown with all of its rows too: figures by year or by group."""

    def most(self, total: int, columns: int) -> int:
        """How many rows of `total` may be shown, of so many columns each."""
        is_small = total <= self.whole or total * max(1, columns) <= self.whole_cells
        return total if is_small else min(total, self.head + self.tail)

    def split(self, count: int) -> tuple[int, int]:
        """`count` rows as first ones and last ones."""
        tail = count * self.tail // max(1, self.head + self.tail)
        tail = max(tail, min(1, self.tail, count - 1))
        return count - tail, tail


CELL_ROWS = RowBounds(whole=20, head=5, tail=3, columns=30, whole_cells=200)
"""As the value of a cell."""
ASKED_ROWS = RowBounds(whole=40, head=8, tail=4, columns=30, whole_cells=400)
"""When a model asks to see the variable: what it does not say, it says of rows that are asked for."""


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A bounded text that stands for a value."""

    text: str
    kind: PreviewKind
    is_complete: bool
    """Whether the text holds all of the value: every row, item and character."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the value, for programs; JSON."""
