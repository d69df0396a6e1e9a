"""What is known of a frame: its columns, as the profile cell printed them.

The profile prints one JSON object a column and then `key: value` lines; `read_output` reads that
form, and every other cell of the offline model prints the same one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Library = Literal["pandas", "polars", "csv"]
Role = Literal["number", "text", "date", "bool", "other"]

_ROLES: tuple[tuple[str, Role], ...] = (
    (r"u?int|float|double|decimal|half", "number"),
    (r"bool", "bool"),
    (r"date|timestamp", "date"),
    (r"object|str|utf8|large_str|categor|enum", "text"),
)
_TEXT_NUMBER = re.compile(r"\s*[-+]?[$€£¥]?\s?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?\s?%?\s*")
_DATE_FORMATS = (
    (r"\d{4}-\d\d-\d\d", "%Y-%m-%d"),
    (r"\d{4}/\d\d?/\d\d?", "%Y/%m/%d"),
    (r"\d{4}-\d\d", "%Y-%m"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "%Y-%m-%d %H:%M:%S"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "%Y-%m-%dT%H:%M:%S"),
    (r"\d{1,2}-[A-Za-z]{3}-\d\d", "%d-%b-%y"),
    (r"\d{1,2} [A-Za-z]{3} \d{4}", "%d %b %Y"),
)
_IDENTITY = re.compile(r"(?i)(unnamed(:.*)?|id|ids|.*[_ ]id|.*Id|index|idx|ind|serial|row_?(no|num|number))?")


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a frame."""

    position: int
    label: str | int | None
    """What selects it; None when only its position does (a duplicate name, a tuple)."""
    name: str
    """What a person calls it."""
    dtype: str
    missing: int
    distinct: int
    is_nested: bool = False
    """Its cells are lists or the like, which cannot be compared."""
    values: tuple[Any, ...] = ()
    """All values when there are at most 20 (`has_all_values`), else a few examples; most common first."""

    @property
    def role(self) -> Role:
        if self.is_nested:
            return "other"
        for pattern, role in _ROLES:
            if re.match(pattern, self.dtype.lower()):
                return role
        return "other"

    @property
    def has_all_values(self) -> bool:
        return self.distinct == len(self.values) and self.distinct > 0

    @property
    def is_text_number(self) -> bool:
        """Text that reads as numbers: `1,200`, `76.9%`."""
        texts = [str(value) for value in self.values]
        return self.role == "text" and bool(texts) and all(map(_TEXT_NUMBER.fullmatch, texts))

    @property
    def is_numeric(self) -> bool:
        return self.role == "number" or self.is_text_number

    @property
    def date_format(self) -> str | None:
        """The format of dates kept as text; None when it is not plain."""
        texts = [str(value) for value in self.values]
        if self.role != "text" or not texts:
            return None
        for pattern, form in _DATE_FORMATS:
            if all(re.fullmatch(pattern, text) for text in texts):
                return form
        return None

    @property
    def is_date(self) -> bool:
        return self.role == "date" or self.date_format is not None

    @property
    def is_year(self) -> bool:
        """Whole numbers that name calendar years."""
        if not self.dtype.lower().startswith(("int", "uint", "float")) or "year" not in self.name.lower():
            return self.role == "number" and self.name == "年份"
        return all(isinstance(value, (int, float)) and 1000 <= value <= 2999 for value in self.values)

    @property
    def is_identity(self) -> bool:
        """A row's number or key: no quantity."""
        return bool(_IDENTITY.fullmatch(self.name)) and self.name != ""

    @property
    def is_category(self) -> bool:
        return 2 <= self.distinct <= 20 and self.has_all_values and self.role in ("text", "bool", "number")


@dataclass(frozen=True, kw_only=True)
class Schema:
    """A frame in the kernel, as the profile found it."""

    frame: str
    """The variable's name."""
    library: Library
    rows: int
    column_count: int
    columns: tuple[Column, ...]
    is_sampled: bool = False
    """Distinct values were counted in a sample of the rows."""

    @property
    def quantities(self) -> tuple[Column, ...]:
        """Number columns that measure something and hold a value."""
        return tuple(
            column
            for column in self.columns
            if column.role == "number"
            and column.missing < self.rows
            and not (column.is_identity or column.is_year)
        )

    @property
    def dates(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.is_date)

    @property
    def best_category(self) -> Column | None:
        """The column that parts the rows best: few distinct values, text first, few nulls."""
        found = [
            column
            for column in self.columns
            if column.is_category
            and column.missing * 5 <= self.rows
            and not column.is_date
            and (column.role != "number" or column.distinct <= 8)
            and column.distinct * 2 <= self.rows
        ]
        order = {"text": 0, "bool": 1, "number": 2}
        return min(found, key=lambda c: (order[c.role], c.missing > 0, c.position), default=None)


def labels_of(columns: Sequence[Column]) -> list[str]:
    """A key for each of `columns` in printed rows: its name, made unique."""
    labels: list[str] = []
    for column in columns:
        taken = column.name in (*labels, "group", "group 2", "count", "")
        labels.append(f"{column.name} (column {column.position + 1})" if taken else column.name)
    return labels


@dataclass(frozen=True, kw_only=True)
class Output:
    """What a cell of ours printed: JSON rows and `key: value` facts."""

    rows: tuple[Mapping[str, Any], ...]
    facts: Mapping[str, str]

    def number(self, key: str) -> float | None:
        """The fact as a number; None when it is absent or not finite."""
        return as_number(self.facts.get(key))

    def whole(self, key: str) -> int:
        return int(self.number(key) or 0)


NO_OUTPUT = Output(rows=(), facts={})


def as_number(value: object) -> float | None:
    """`value` as a finite number, whole ones as int; None when it is none."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    if number != number or number in (float("inf"), float("-inf")):
        return None
    return int(str(value)) if re.fullmatch(r"-?\d+", str(value)) else number


def read_output(text: str) -> Output:
    """The rows and facts in `text`; lines of any other form are passed over."""
    rows: list[Mapping[str, Any]] = []
    facts: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue
        elif match := re.fullmatch(r"([a-z][a-z0-9 _]*): (.*)", line):
            facts.setdefault(match[1], match[2])
    return Output(rows=tuple(rows), facts=facts)


def read_schema(text: str, *, frame: str, library: Library) -> Schema | None:
    """The schema that a profile printed; None when `text` is no profile."""
    output = read_output(text)
    if "rows" not in output.facts:
        return None
    entries = [row for row in output.rows if "column" in row]
    names = [str(_plain(row["column"])) for row in entries]
    columns = tuple(_column(row, position, names) for position, row in enumerate(entries))
    return Schema(
        frame=frame,
        library=library,
        rows=output.whole("rows"),
        column_count=output.whole("columns"),
        columns=columns,
        is_sampled="sampled" in output.facts,
    )


def _plain(name: object) -> object:
    return name[0] if isinstance(name, list) and name else name


def _column(row: Mapping[str, Any], position: int, names: list[str]) -> Column:
    raw = row["column"]
    name = names[position]
    by_label = isinstance(raw, (str, int)) and not isinstance(raw, bool) and names.count(name) == 1
    return Column(
        position=position,
        label=raw if by_label else None,
        name=name,
        dtype=str(row.get("dtype", "")),
        missing=int(row.get("missing", 0)),
        distinct=int(row.get("distinct", 0)),
        is_nested=bool(row.get("nested")),
        values=tuple(row.get("values", ())),
    )
