"""What is told of one column: its type, missing values, distinct values, range, commonest values.

Of a long column the range of numbers and dates and the missing values are those of all of it, unless
there is too much of it; the rest comes from a sample. Then `~` stands before a figure and `>=` before a
number of distinct values, of which a sample can only show the least.
"""

from __future__ import annotations

import collections
import functools
import importlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pi_notebook._loading import installed
from pi_notebook.context.previews.extremes import Allowance, Extremes, find_extremes
from pi_notebook.context.previews.foreign import attempt, type_name
from pi_notebook.context.previews.leaves import leaf
from pi_notebook.context.previews.tables import Sample, Table
from pi_notebook.context.previews.wording import csv_field, number, one_line, share

_HEADINGS = ("column", "dtype", "nulls", "unique", "min", "median", "max", "commonest")
MAX_SAMPLE_ROWS = 100_000
_MAX_SAMPLED_CELLS = 400_000
_MAX_VALUE_CHARS = 24
_MAX_HASHED_CHARS = 4_000_000
_MAX_HASHED_BYTES = 16_000_000
"""Of texts that a library holds in one piece and reads faster."""
_COMMONEST = 3
_INEXACT = 2**53
"""From here on a float is not the whole number it was made of: its last digits would be false."""
_MAX_DATE_CHARS = 32
_DATE = re.compile(
    r"\d{4}(?P<mark>[-/])\d\d(?P<day>(?P=mark)\d\d)?"
    r"(?P<time>[ T]\d\d:\d\d(:\d\d([.,]\d+)?)?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
"""Texts that sort as the times they mean do, where all are written alike and in one zone."""
_ZERO = re.compile(r"\+00:?00")
_MIXED = ("object[", "object~[", "Object")
_LOOKED_AT = 200


@dataclass(frozen=True, kw_only=True)
class ColumnSummary:
    """One column, each figure as text; empty where it has no meaning for the type."""

    name: str
    dtype: str
    nulls: str = ""
    unique: str = ""
    low: str = ""
    middle: str = ""
    high: str = ""
    commonest: str = ""

    @property
    def is_mixed(self) -> bool:
        """Whether it holds Python objects of other types than text."""
        return self.dtype.startswith(_MIXED)

    @property
    def fields(self) -> tuple[str, ...]:
        """The name and the figures, as they stand under `_HEADINGS`."""
        shown = (self.dtype, self.nulls, self.unique, self.low, self.middle, self.high, self.commonest)
        return (csv_field(self.name), *(csv_field(item) if item else "" for item in shown))

    @property
    def mention(self) -> str:
        """The name, with its missing values where there are any."""
        has_nulls = self.nulls and not self.nulls.startswith(("0", "~0%"))
        return csv_field(self.name) + (f" ({self.nulls.partition(' ')[0]} null)" if has_nulls else "")


def summary_lines(columns: Iterable[ColumnSummary]) -> list[str]:
    """A line a column under one that names the figures; a figure that no column has is left out."""
    lines = [column.fields for column in columns]
    used = [n for n in range(len(_HEADINGS)) if n < 2 or any(line[n] for line in lines)]
    return [",".join(line[n] for n in used) for line in (_HEADINGS, *lines)]


def sample_rows(column_count: int) -> int:
    """How many rows of each column are looked at, so that wide tables cost no more than long ones."""
    return max(500, min(MAX_SAMPLE_ROWS, _MAX_SAMPLED_CELLS // max(column_count, 1)))


def summarize(table: Table, position: int, size: int, allowance: Allowance) -> ColumnSummary:
    """The column at `position`; what cannot be found out is left empty."""
    name = attempt(lambda: table.name(position), f"column {position}")
    dtype = attempt(lambda: table.dtype(position), "unknown type")
    known = attempt(lambda: table.null_count(position), None)
    sample = attempt(lambda: table.sample(position, size), None)
    if sample is None:
        return ColumnSummary(name=name, dtype=dtype, nulls="" if known is None else str(known))
    exact = None
    if not sample.is_whole:
        exact = attempt(lambda: find_extremes(table.column(position), allowance), None)
    found = attempt(lambda: _Figures(sample, exact), None)
    if found is None:
        return ColumnSummary(name=name, dtype=dtype, nulls="" if known is None else str(known))
    return found.summary(name, dtype, known, table.row_count)


def mention(table: Table, position: int, *, has_nulls: bool) -> ColumnSummary:
    """Name and type of the column at `position`, with its missing values when asked; nothing is sampled."""
    nulls = attempt(lambda: table.null_count(position), None) if has_nulls else None
    return ColumnSummary(
        name=attempt(lambda: table.name(position), f"column {position}"),
        dtype=attempt(lambda: table.dtype(position), "unknown type"),
        nulls=_null_text(nulls, table.row_count) if nulls else "",
    )


def mixed_columns(table: Table, positions: Sequence[int]) -> frozenset[int]:
    """Which columns hold Python objects of other types than text, as far as a few values tell."""
    objects = [at for at in positions if table.dtype(at).lower() == "object"]
    return frozenset(at for at in objects if attempt(functools.partial(_is_mixed, table, at), True))


def _is_mixed(table: Table, position: int) -> bool:
    series = narwhals_series(table.sample(position, _LOOKED_AT))
    return any(type(item) is not str for item in series.drop_nulls().to_list())


def load_narwhals() -> None:
    """Load what reads the samples, so that its loading is not counted as time of the columns."""
    with installed():
        importlib.import_module("narwhals")


def narwhals_series(sample: Sample) -> Any:
    """The sample as narwhals reads it, alike for every library."""
    with installed():
        import narwhals

    return narwhals.from_native(sample.series, series_only=True)


def _null_text(count: int, total: int) -> str:
    return f"{count} ({share(count, total)})" if count else "0"


class _Figures:
    """Figures of one sample, read through narwhals, which speaks to every library alike."""

    def __init__(self, sample: Sample, exact: Extremes | None) -> None:
        self._is_whole = sample.is_whole
        self._exact = exact
        self._series = narwhals_series(sample)
        self._count = len(self._series)
        self._nulls = int(self._series.null_count())
        self._objects = str(self._series.dtype) == "Object"
        self._is_text = str(self._series.dtype).startswith(("String", "Categorical", "Enum"))
        self._is_flat = not self._series.dtype.is_nested() and not self._objects

    def summary(self, name: str, dtype: str, known_nulls: int | None, row_count: int) -> ColumnSummary:
        low, middle, high = attempt(self._range, ("", "", ""))
        distinct = attempt(self._distinct, None)
        return ColumnSummary(
            name=name,
            dtype=dtype + attempt(self._types, "") if self._objects else dtype,
            nulls=self._null_text(known_nulls, row_count),
            unique="" if distinct is None else f"{distinct}" if self._is_whole else f">={distinct}",
            low=low,
            middle=middle,
            high=high,
            commonest=attempt(lambda: self._commonest(distinct), ""),
        )

    def _null_text(self, known: int | None, row_count: int) -> str:
        if self._exact is not None:
            text = _null_text(self._exact.null_count, row_count)
            return text + (f" +{self._exact.nan_count} NaN" if self._exact.nan_count else "")
        if known is not None:
            text = _null_text(known, row_count)
        elif self._is_whole:
            text = _null_text(self._nulls, self._count)
        else:
            text = f"~{share(self._nulls, self._count)}"
        return text + attempt(self._nan_text, "")

    def _nan_text(self) -> str:
        """NaN where the library tells it from a missing value."""
        if not self._series.dtype.is_float() or self._series.implementation.is_pandas_like():
            return ""
        count = int(self._series.is_nan().sum())
        if not count:
            return ""
        return f" +{count} NaN" if self._is_whole else f" +~{share(count, self._count)} NaN"

    def _range(self) -> tuple[str, str, str]:
        dtype = self._series.dtype
        if dtype.is_numeric():
            middle = attempt(lambda: self._value(self._series.median()), "")
        elif dtype.is_temporal():
            middle = ""
        else:
            return self._date_range() if self._is_text else ("", "", "")
        if self._exact is not None:
            return self._value(self._exact.low, ""), middle, self._value(self._exact.high, "")
        return self._value(self._series.min()), middle, self._value(self._series.max())

    def _date_range(self) -> tuple[str, str, str]:
        """Of dates that are kept as text; what is none of them sorts before or after, mostly."""
        texts = self._series.drop_nulls()
        low, high = texts.min(), texts.max()
        if not _are_dates([low, high, *texts.head(_LOOKED_AT).to_list()]):
            return "", "", ""
        mark = "" if self._is_whole else "~"
        return mark + one_line(low, _MAX_DATE_CHARS), "", mark + one_line(high, _MAX_DATE_CHARS)

    def _distinct(self) -> int | None:
        if self._objects and not self._is_hashable():
            return None
        if not (self._is_flat or self._objects) or self._has_heavy_texts():
            return None
        return int(self._series.n_unique()) - (1 if self._nulls else 0)

    def _has_heavy_texts(self) -> bool:
        """Whether texts are too long to be told apart in good time, as few of them can be."""
        if not self._is_text:
            return False
        native = self._series.to_native()
        if str(getattr(native, "dtype", "")) == "object":
            return sum(len(text) for text in native if type(text) is str) > _MAX_HASHED_CHARS
        size = native.estimated_size() if hasattr(native, "estimated_size") else native.nbytes
        return int(size) > _MAX_HASHED_BYTES

    def _is_hashable(self) -> bool:
        """Whether counting objects is cheap: texts and numbers, and not too much text."""
        chars = 0
        for value in self._series.to_list():
            if type(value) not in _COUNTED_TYPES:
                return False
            chars += len(value) if isinstance(value, (str, bytes)) else 0
        return chars <= _MAX_HASHED_CHARS

    def _types(self) -> str:
        """The Python types in a column of objects: `[str 90%, int 10%]`."""
        counts = collections.Counter(map(type_name, self._series.drop_nulls().to_list()))
        total = sum(counts.values())
        if len(counts) <= 1:
            return f"[{one_line(next(iter(counts), ''), 24)}]" if counts else ""
        shares = [f"{one_line(name, 24)} {share(n, total)}" for name, n in counts.most_common(4)]
        more = [f"{len(counts) - 4} more types"] if len(counts) > 4 else []
        return f"{'' if self._is_whole else '~'}[{', '.join(shares + more)}]"

    def _commonest(self, distinct: int | None) -> str:
        is_boolean = str(self._series.dtype) == "Boolean"
        if not (self._is_text or is_boolean or self._objects) or not distinct:
            return ""
        filled = self._count - self._nulls
        if distinct > max(filled // 2, _COMMONEST):
            return ""
        pairs = self._series.drop_nulls().value_counts(sort=True).head(_COMMONEST).rows()
        return ", ".join(
            f"{self._value(value, '')} {count if self._is_whole else '~' + share(count, filled)}"
            for value, count in pairs
            if count
        )

    def _value(self, value: object, mark: str | None = None) -> str:
        if value is None or value != value:  # noqa: PLR0124
            return ""
        prefix = ("" if self._is_whole else "~") if mark is None else mark
        if isinstance(value, float):
            is_count = self._series.dtype.is_integer() and value.is_integer() and abs(value) < _INEXACT
            return prefix + (f"{value:.0f}" if is_count else number(value))
        if isinstance(value, str):
            return prefix + (one_line(value, _MAX_VALUE_CHARS) or "''")
        text = leaf(value, _MAX_VALUE_CHARS)[0] if isinstance(value, (int, bytes)) else str(value)
        return prefix + one_line(text.removesuffix(" 00:00:00"), 32)


def _are_dates(texts: Sequence[str]) -> bool:
    """Whether all of `texts` are dates or times that are written alike."""
    found = [_DATE.fullmatch(text) for text in texts]
    forms = {
        (one["mark"], bool(one["day"]), bool(one["time"]), _ZERO.sub("Z", one["zone"] or "")) if one else None
        for one in found
    }
    return len(forms) == 1 and None not in forms


_COUNTED_TYPES = (str, int, float, bool, bytes, type(None))
