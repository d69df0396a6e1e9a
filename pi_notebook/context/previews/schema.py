"""The columns of a table in words: every figure of each, or their names by type, or only that."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from dataclasses import dataclass

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import fits, largest
from pi_notebook.context.previews.columns import (
    ColumnSummary,
    load_narwhals,
    mention,
    sample_rows,
    summarize,
    summary_lines,
)
from pi_notebook.context.previews.extremes import Allowance
from pi_notebook.context.previews.names import name_runs
from pi_notebook.context.previews.tables import Table

MAX_NAMES = 1000
_MAX_SUMMARIES = 100
_LEAST_TOKENS_PER_SUMMARY = 8
_MAX_COUNTED_CELLS = 20_000_000
_MAX_TYPES = 4


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The columns in words."""

    text: str
    positions: Sequence[int]
    """The columns that are named in it."""
    objects: frozenset[int]
    """The columns that hold Python objects."""
    is_whole: bool


def describe_columns(table: Table, max_tokens: int) -> Schema:
    """All figures of all columns where they fit; else names by type, as many as fit."""
    count = table.column_count
    if not count:
        return Schema(text="", positions=(), objects=frozenset(), is_whole=True)
    if count <= min(_MAX_SUMMARIES, max_tokens // _LEAST_TOKENS_PER_SUMMARY):
        load_narwhals()
        size, allowance = sample_rows(count), Allowance()
        found = {position: summarize(table, position, size, allowance) for position in range(count)}
        text = _full_text(found, size)
        if fits(text, max_tokens):
            return _schema(text, range(count), found, is_whole=True)
        return _names_by_type(table, found, max_tokens)
    return list_columns(table, max_tokens)


def list_columns(table: Table, max_tokens: int) -> Schema:
    """The names of the columns by type, as many as fit."""
    shown = outer(table.column_count, MAX_NAMES)
    has_time = table.row_count * len(shown) <= _MAX_COUNTED_CELLS
    found = {position: mention(table, position, has_nulls=has_time) for position in shown}
    return _names_by_type(table, found, max_tokens)


def outer(count: int, limit: int) -> Sequence[int]:
    """The first and last of `count` positions, `limit` in all and two thirds of them first."""
    if count <= limit:
        return range(count)
    tail = limit // 3
    return [*range(limit - tail), *range(count - tail, count)]


def gap_place(positions: Sequence[int]) -> int:
    """The place in `positions` before which some are missing."""
    return next((i for i, position in enumerate(positions) if position != i), len(positions))


def _full_text(found: dict[int, ColumnSummary], size: int) -> str:
    is_sampled = any("~" in item.nulls + item.low or ">=" in item.unique for item in found.values())
    note = f"~ and >=: from an even sample of at most {size:,} rows; figures without a mark are exact"
    return "\n".join([*([note] if is_sampled else []), *summary_lines(found.values())])


def _schema(
    text: str, positions: Sequence[int], found: dict[int, ColumnSummary], *, is_whole: bool
) -> Schema:
    objects = frozenset(position for position in positions if found[position].is_mixed)
    return Schema(text=text, positions=positions, objects=objects, is_whole=is_whole)


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """Columns that are one item of the list of names: one column, or a run of numbered ones."""

    dtype: str
    text: str
    positions: Sequence[int]


def _names_by_type(table: Table, found: dict[int, ColumnSummary], max_tokens: int) -> Schema:
    place = gap_place(list(found))
    positions = list(found)
    head, tail = _entries(found, positions[:place]), _entries(found, positions[place:])
    types = _types(table)

    def text(size: int) -> str:
        return _listed(types, table.column_count, *_ends(head, tail, size))

    best = largest(lambda n: fits(text(n), max_tokens), len(head) + len(tail)) or 1
    shown = sorted(
        position for part in _ends(head, tail, best) for entry in part for position in entry.positions
    )
    return _schema(text(best), shown, found, is_whole=False)


def _entries(found: dict[int, ColumnSummary], positions: Sequence[int]) -> list[_Entry]:
    """The columns at `positions`, those of a type together."""
    by_type: dict[str, list[int]] = {}
    for position in positions:
        by_type.setdefault(found[position].dtype, []).append(position)
    entries = []
    for dtype, group in by_type.items():
        for run in name_runs([found[position].mention for position in group]):
            places = group[run.start : run.start + run.count]
            entries.append(_Entry(dtype=dtype, text=run.text, positions=places))
    return entries


def _ends(head: list[_Entry], tail: list[_Entry], size: int) -> tuple[list[_Entry], list[_Entry]]:
    """The first and the last entries, `size` in all; `tail` stands behind columns that are not looked at."""
    if size >= len(head) + len(tail):
        return head, tail
    last = min(size // 3, len(tail) or size)
    rest = tail or head
    return head[: size - last], rest[len(rest) - last :]


def _listed(types: str, count: int, head: list[_Entry], tail: list[_Entry]) -> str:
    """The names by type; a column with missing values says so, and so do columns that are left out."""
    omitted = count - sum(len(entry.positions) for entry in (*head, *tail))
    if not omitted:
        return "\n".join(_lines([*head, *tail]))
    gap = f"… {count_of(omitted, 'more column')} …"
    return "\n".join([f"{count_of(count, 'column')} ({types}):", *_lines(head), gap, *_lines(tail)])


def _lines(entries: Sequence[_Entry]) -> list[str]:
    by_type: dict[str, list[str]] = {}
    for entry in entries:
        by_type.setdefault(entry.dtype, []).append(entry.text)
    return [f"{dtype}: {', '.join(names)}" for dtype, names in by_type.items()]


def _types(table: Table) -> str:
    counts = collections.Counter(table.dtype(position) for position in range(table.column_count))
    shown = [f"{count:,} {dtype}" for dtype, count in counts.most_common(_MAX_TYPES)]
    return ", ".join(shown + (["others"] if len(counts) > _MAX_TYPES else []))
