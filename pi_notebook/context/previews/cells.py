"""Rows of tables as lines of CSV, every cell bounded whatever it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pi_notebook.context.previews.foreign import attempt, is_instance, type_name
from pi_notebook.context.previews.leaves import PLAIN_TYPES, leaf
from pi_notebook.context.previews.structures import Parts, inline, parts_of
from pi_notebook.context.previews.wording import (
    csv_field,
    is_kept_whole,
    number,
    one_line,
    plain_text,
    quoted,
)

_NAMED_BY_STR = ("date", "time", "timedelta")


class CellWriter:
    """Writes cells, and remembers which it had to shorten."""

    def __init__(self, max_chars: int, *, null_text: str) -> None:
        self.max_chars = max_chars
        self.null_text = null_text
        self.shortened: set[tuple[int, int]] = set()
        """Row and place in it."""
        self.has_rounded = False

    @property
    def has_shortened(self) -> bool:
        return bool(self.shortened)

    def fields(
        self, cells: Iterable[object], *, row: int, objects: frozenset[int] = frozenset()
    ) -> list[str]:
        """Each cell as a field; texts at the places `objects` are quoted, to tell `'1'` from `1`."""
        return [self._field(cell, (row, place), place in objects) for place, cell in enumerate(cells)]

    def _field(self, cell: object, place: tuple[int, int], is_object: bool) -> str:
        text, is_whole = attempt(lambda: self._text(cell, is_object), (f"<{type_name(cell)}>", False))
        if not is_whole:
            self.shortened.add(place)
        return csv_field(text) if text else '""'

    def _text(self, cell: object, is_object: bool) -> tuple[str, bool]:
        if cell is None:
            return self.null_text, True
        if type(cell) is float:
            text = number(cell)
            self.has_rounded = self.has_rounded or float(text) != cell == cell
            return text, True
        if type(cell) is str:
            shown = quoted(cell, self.max_chars) if is_object else one_line(cell, self.max_chars)
            return shown, is_kept_whole(len(cell), self.max_chars)
        if type(cell) in PLAIN_TYPES:
            return leaf(cell, self.max_chars)
        if is_instance(cell, "datetime", *_NAMED_BY_STR) or is_instance(cell, "decimal", "Decimal"):
            return one_line(plain_text(cell).removesuffix(" 00:00:00"), self.max_chars), True
        if is_instance(cell, "pandas", "Period", "Interval"):
            return one_line(plain_text(cell), self.max_chars), True
        parts = attempt(lambda: _array_parts(cell, max(2, self.max_chars // 8)), None)
        if parts is not None or parts_of(cell, 1) is not None:
            return inline(cell, self.max_chars, parts=parts)
        return leaf(cell, self.max_chars)


def _array_parts(cell: Any, limit: int) -> Parts | None:
    """A list as its library holds it, of which only head and tail are made Python values."""
    if is_instance(cell, "pyarrow", "Array"):
        method = "to_pylist"
    elif is_instance(cell, "polars", "Series"):
        method = "to_list"
    elif is_instance(cell, "numpy", "ndarray"):
        method = "tolist"
    else:
        return None
    length = len(cell)
    tail = limit // 3 if length > limit else 0
    head = min(length, limit - tail)
    return Parts(
        opening="[",
        closing="]",
        head=[("", item) for item in getattr(cell[:head], method)()],
        omitted=length - head - tail,
        tail=[("", item) for item in getattr(cell[length - tail :], method)()],
    )
