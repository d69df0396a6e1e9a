"""What a question asks for, once its words are bound to the columns of a frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from pi_notebook.models.offline.schema import Column

Kind = Literal[
    "overview",
    "describe",
    "aggregate",
    "counts",
    "share",
    "missing",
    "duplicates",
    "outliers",
    "trend",
    "compare",
    "correlation",
    "top",
    "plot",
    "shape",
]
Part = Literal["year", "quarter", "month", "week", "day", "month number"]
"""How a date is cut: calendar periods, or the month of the year."""

End = Literal["highest", "lowest"]

PlotKind = Literal["auto", "scatter", "histogram", "bar", "line", "box"]


@dataclass(frozen=True, kw_only=True)
class Filter:
    """Only rows where `column` (or a part of its date) stands in `op` to `value`."""

    column: Column
    op: Literal["==", "!=", ">", ">=", "<", "<=", "between", "in"]
    value: Any
    part: Literal["year", "month"] | None = None

    @property
    def text(self) -> str:
        """As the answer says it."""
        name = self.column.name if self.part is None else f"{self.part} of {self.column.name}"
        if self.op == "between":
            return f"{name} {self.value[0]}–{self.value[1]}"
        if self.op == "in":
            return f"{name} in {', '.join(map(str, self.value))}"
        return f"{name} {'=' if self.op == '==' else self.op} {self.value}"


@dataclass(frozen=True, kw_only=True)
class Group:
    """What the rows are grouped by: a column, or a part of its dates."""

    column: Column
    part: Part | None = None

    @property
    def name(self) -> str:
        return self.column.name if self.part is None else self.part


@dataclass(frozen=True, kw_only=True)
class Query:
    """A question that rules can answer."""

    kind: Kind
    measures: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    groups: tuple[Group, ...] = ()
    filters: tuple[Filter, ...] = ()
    wants: End | None = None
    """Which end is asked for: "which species has the highest ..."."""
    method: Literal["pearson", "spearman"] = "pearson"
    plot: PlotKind = "auto"
    count: int | None = None
    """How many rows: "the top 5"."""
    pair: tuple[Any, Any] | None = None
    """The two values that are compared."""
    decimals: int | None = None
    row_noun: str | None = None
    """The word of the question that was taken to mean the rows."""
    readings: tuple[tuple[str, str], ...] = field(default=())
    """Words that were read as a column of another name: (word, column)."""


@dataclass(frozen=True, kw_only=True)
class Unclear:
    """Why a question cannot be answered by rule."""

    reason: Literal["words", "ambiguous", "no_column", "not_numeric", "no_date", "unsupported"]
    words: tuple[str, ...] = ()
    """The words in the way, or the candidates between which the question leaves a choice."""
