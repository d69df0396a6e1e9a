"""Answers about how two things hang together: groups compared, correlations, trends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pi_notebook.models.offline.answers.figures import code, number, table
from pi_notebook.models.offline.answers.finding import Finding
from pi_notebook.models.offline.schema import Column, as_number


def compare(found: Finding) -> list[str]:
    query = found.query
    assert query.pair is not None
    rows = sorted(found.output.rows, key=lambda row: -abs(as_number(row.get("standardised")) or 0))
    first, second = (code(found.label(value)) for value in query.pair)
    body = [_compared(found, row) for row in rows]
    mean = found.say("mean")
    headers = [found.say("column"), f"{mean} {first}", f"{mean} {second}"]
    headers += [found.say("difference"), found.say("standardised"), "n"]
    return [_compared_head(found, rows, first, second), table(headers, body), found.say("compare_note")]


def _compared(found: Finding, row: Mapping[str, Any]) -> list[str]:
    keys = ("mean a", "mean b", "difference", "standardised")
    return [code(row["column"]), *(found.number(row[key]) for key in keys), f"{row['n a']} / {row['n b']}"]


def _compared_head(found: Finding, rows: Sequence[Mapping[str, Any]], first: str, second: str) -> str:
    names = {"first": first, "second": second, "where": found.where, "column": code(rows[0]["column"])}
    if len(rows) > 1:
        return found.say("compare_many", group=code(found.query.groups[0].name), **names)
    keys = {"a": "mean a", "b": "mean b", "gap": "difference"}
    values = {name: found.number(rows[0][key]) for name, key in keys.items()}
    return found.say("compare_one", **names, **values)


def correlation(found: Finding) -> list[str]:
    query, rows = found.query, found.output.rows
    if len(query.columns) == 2:
        value = found.output.number("correlation")
        columns = [column.name for column in query.columns]
        rows = () if value is None else ({"x": columns[0], "y": columns[1], "correlation": value},)
    if not rows:
        return [found.say("correlation_none")]
    best = rows[0]
    key = "correlation_two" if len(query.columns) == 2 else "correlation_many"
    names = {"x": code(best["x"]), "y": code(best["y"]), "method": query.method, "where": found.where}
    pairs = number(found.output.number("rows used"))
    head = found.say(key, r=coefficient(found, best["correlation"]), rows=pairs, **names)
    body = [[f"{code(row['x'])}, {code(row['y'])}", coefficient(found, row["correlation"])] for row in rows]
    more = [table([found.say("column"), found.say("correlation")], body)] if len(rows) > 1 else []
    return [head, *more, found.say("not_cause")]


def coefficient(found: Finding, value: object) -> str:
    return number(value, 3 if found.query.decimals is None else found.query.decimals)


def trend(found: Finding) -> list[str]:
    rows, facts = found.output.rows, found.output
    if len(rows) < 3:
        return [found.say("trend_short", count=number(len(rows)))]
    period = found.say(facts.facts.get("period", "month"))
    slope = {"count": number(facts.number("periods")), "slope": found.number(facts.number("slope"))}
    line = found.say("trend_slope", period=period, r=number(facts.number("correlation"), 3), **slope)
    body = [
        [found.label(row["group"]), found.number(row["value"]), number(row["count"])]
        for row in _ends(rows, 8)
    ]
    headers = [period, found.say(found.query.measures[0]), found.say("count")]
    return [_direction(found), line, table(headers, body)]


def _direction(found: Finding) -> str:
    """Up, down or neither, from the first period to the last."""
    time: Column = found.query.groups[0].column
    first, last = found.output.rows[0], found.output.rows[-1]
    r = found.output.number("correlation")
    key = "trend_flat" if r is None or abs(r) < 0.3 else "trend_up" if r > 0 else "trend_down"
    return found.say(
        key,
        column=code(found.column.name),
        when=code(time.name),
        measure=found.say(found.query.measures[0]),
        first=found.number(first["value"]),
        start=found.label(first["group"]),
        last=found.number(last["value"]),
        end=found.label(last["group"]),
        where=found.where,
    )


def _ends(rows: Sequence[Mapping[str, Any]], count: int) -> Sequence[Mapping[str, Any]]:
    return rows if len(rows) <= 2 * count else [*rows[:count], *rows[-count:]]
