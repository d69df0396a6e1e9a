"""The overview of a frame: the headline first, then columns, numbers and groups, then what to ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_notebook.models.offline.answers.figures import code, number, table
from pi_notebook.models.offline.answers.finding import Finding
from pi_notebook.models.offline.cells.common import overview_columns
from pi_notebook.models.offline.query import Query
from pi_notebook.models.offline.schema import as_number

MAX_SHOWN = 20
"""Columns that an overview lists."""


def overview(found: Finding) -> list[str]:
    """The headline first, then columns, numbers and groups, then what to ask."""
    return [*_headline(found), *_columns(found), *_numbers(found), *_groups(found), *_next(found)]


def strongest_pair(found: Finding) -> Mapping[str, Any] | None:
    """The row of the strongest correlation."""
    return next((row for row in found.output.rows if "correlation" in row), None)


def _headline(found: Finding) -> list[str]:
    schema = found.schema
    shape = found.say(
        "head_shape", frame=found.frame, rows=number(schema.rows), columns=number(schema.column_count)
    )
    gaps = [column for column in schema.columns if column.missing]
    most = max(gaps, key=lambda column: column.missing, default=None)
    missing = found.say("head_complete") if schema.columns else ""
    if most is not None:
        missing = found.say(
            "head_missing", count=number(len(gaps)), column=code(most.name), missing=number(most.missing)
        )
    lines = [line for line in (_correlated(found), _differing(found)) if line]
    return [*lines[:1], " ".join([*lines[1:], shape, missing]).strip()]


def _correlated(found: Finding) -> str:
    pair = strongest_pair(found)
    value = as_number(pair["correlation"]) if pair else None
    if pair is None or value is None or abs(value) < 0.3:
        return ""
    key = "head_rise" if value > 0 else "head_oppose"
    return found.say(key, x=code(pair["x"]), y=code(pair["y"]), r=number(value, 3))


def _group_rows(found: Finding) -> list[Mapping[str, Any]]:
    return [row for row in found.output.rows if "group" in row]


def _differing(found: Finding) -> str:
    """The column whose means by group lie furthest apart, in its standard deviations."""
    rows, category = _group_rows(found), found.schema.best_category
    spreads = {row["column"]: as_number(row.get("std")) for row in found.output.rows if "std" in row}
    best: tuple[float, str] | None = None
    for key, spread in spreads.items():
        values = [value for row in rows if (value := as_number(row.get(key))) is not None]
        if spread and len(values) > 1 and (best is None or (max(values) - min(values)) / spread > best[0]):
            best = ((max(values) - min(values)) / spread, key)
    if best is None or category is None or best[0] < 0.3:
        return ""
    ordered = sorted(
        (row for row in rows if as_number(row.get(best[1])) is not None), key=lambda row: row[best[1]]
    )
    low, high = ordered[0], ordered[-1]
    return found.say(
        "head_group",
        column=code(best[1]),
        group=code(category.name),
        low=number(low[best[1]]),
        low_group=found.label(low["group"]),
        high=number(high[best[1]]),
        high_group=found.label(high["group"]),
    )


def _columns(found: Finding) -> list[str]:
    columns = found.schema.columns
    if not columns:
        return []
    body = [
        [
            code(column.name),
            column.dtype,
            number(column.missing),
            "—" if column.is_nested else number(column.distinct),
        ]
        for column in columns[:MAX_SHOWN]
    ]
    headers = [found.say(key) for key in ("column", "type", "missing", "distinct")]
    hidden = found.schema.column_count - len(body)
    more = [found.say("more_columns", count=number(hidden))] if hidden > 0 else []
    return [found.say("section_columns"), table(headers, body), *more]


def _numbers(found: Finding) -> list[str]:
    rows = [row for row in found.output.rows if "median" in row]
    keys = ("mean", "std", "min", "median", "max")
    body = [[code(row["column"]), *(number(row.get(key)) for key in keys)] for row in rows]
    if not body:
        return []
    return [found.say("section_numbers"), table([found.say("column"), *map(found.say, keys)], body)]


def _groups(found: Finding) -> list[str]:
    rows, category = _group_rows(found), found.schema.best_category
    if not rows or category is None:
        return []
    keys = [key for key in rows[0] if key not in ("group", "count")][:5]
    body = [
        [found.label(row["group"]), number(row["count"]), *(number(row.get(key)) for key in keys)]
        for row in rows
    ]
    headers = [code(category.name), found.say("rows"), *map(code, keys)]
    return [found.say("section_groups", group=code(category.name)), table(headers, body)]


def _next(found: Finding) -> list[str]:
    """Questions that the rules can answer about this frame."""
    schema, questions = found.schema, []
    quantities, category = overview_columns(found.query, schema), schema.best_category
    if quantities and category:
        questions.append(found.say("ask_mean", column=code(quantities[-1].name), group=code(category.name)))
    if quantities:
        questions.append(found.say("ask_outliers", column=code(quantities[0].name)))
    if quantities and len(schema.dates) == 1:
        questions.append(found.say("ask_trend", column=code(quantities[0].name)))
    if len(quantities) > 1:
        questions.append(found.say("ask_plot", x=code(quantities[0].name), y=code(quantities[1].name)))
    if not questions and schema.columns:
        questions.append(found.say("ask_missing"))
    return [found.say("section_next"), "\n".join(f"- {text}" for text in questions)] if questions else []


def overview_plot(found: Finding) -> Query | None:
    """The plot of an overview: the strongest pair, else one column."""
    schema, pair = found.schema, strongest_pair(found)
    by_name = {column.name: column for column in overview_columns(found.query, schema)}
    if pair is not None and pair["x"] in by_name and pair["y"] in by_name:
        return Query(kind="plot", plot="scatter", columns=(by_name[pair["x"]], by_name[pair["y"]]))
    if by_name:
        return Query(kind="plot", plot="histogram", columns=tuple(by_name.values())[:1])
    category = schema.best_category
    return Query(kind="plot", plot="bar", columns=(category,)) if category else None
