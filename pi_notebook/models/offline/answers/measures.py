"""Answers that are a number, or numbers by group: means, counts, shares, the top rows.

Every number comes from the output; nothing is computed here but shares of what was counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pi_notebook.models.offline.answers.figures import code, number, percent, table
from pi_notebook.models.offline.answers.finding import Finding
from pi_notebook.models.offline.answers.texts import listed
from pi_notebook.models.offline.schema import as_number, labels_of

MAX_SHOWN = 20
"""Rows of a table in an answer."""


def aggregate(found: Finding) -> list[str]:
    if found.query.groups:
        return _by_group(found)
    if len(found.query.columns) > 1:
        return _by_column(found)
    facts, column = found.output, code(found.column.name)
    if not facts.whole("values"):
        return [found.say("no_values", where=found.where, column=column)]
    measures = [name for name in found.query.measures if name != "count"] or ["count"]
    used = found.say("rows_used", values=number(facts.number("values")), rows=number(facts.number("rows")))
    return [" ".join(_measured(found, name, column) for name in measures), used]


def _measured(found: Finding, name: str, column: str) -> str:
    value = _figure(found, name, found.output.number("values" if name == "count" else name))
    if name in ("distinct", "count"):
        return found.say(f"{name}_is", column=column, where=found.where, value=value)
    return found.say("value_is", measure=found.say(name), column=column, where=found.where, value=value)


def _figure(found: Finding, name: str, value: object) -> str:
    return number(value) if name in ("count", "distinct") else found.number(value)


def _by_column(found: Finding) -> list[str]:
    names = [*(name for name in found.query.measures if name != "count"), "count"]
    body = [
        [code(row["column"]), *(_figure(found, name, row.get(name)) for name in names)]
        for row in found.output.rows
    ]
    return [table([found.say("column"), *map(found.say, names)], body)]


def _by_group(found: Finding) -> list[str]:
    query = found.query
    names = list(dict.fromkeys([*query.measures, "count"]))
    headers = list(map(found.say, names))
    if len(query.columns) > 1:
        names = labels_of(query.columns)
        headers = list(map(code, names))
    rows = found.output.rows[: query.count or MAX_SHOWN]
    body = [
        [_group_label(found, row), *(_figure(found, name, row.get(name)) for name in names)] for row in rows
    ]
    head = found.say(
        "by_group",
        measure=listed([found.say(name) for name in query.measures], found.language),
        column=listed([code(column.name) for column in query.columns], found.language),
        group=_group_names(found),
        where=found.where,
    )
    return [
        *_leaders(found),
        head,
        table([_group_names(found), *headers], body),
        *_group_notes(found, len(rows)),
    ]


def _group_names(found: Finding) -> str:
    names = [code(by.name) if by.part is None else found.say(by.part) for by in found.query.groups]
    return listed(names, found.language)


def _group_label(found: Finding, row: Mapping[str, Any]) -> str:
    return ", ".join(found.label(row[key]) for key in ("group", "group 2") if key in row)


def _leaders(found: Finding) -> list[str]:
    """Who stands at which end, one sentence a measure, ties named."""
    query = found.query
    if len(query.columns) != 1 or (query.groups[0].part and not query.wants):
        return []
    ends: tuple[str, ...] = (query.wants,) if query.wants else ("highest", "lowest")
    lines = []
    for name in query.measures:
        known = [(value, row) for row in found.output.rows if (value := as_number(row.get(name))) is not None]
        # The rows are sorted by the first measure; of the others only all rows tell the ends.
        is_whole = found.output.whole("groups") <= len(found.output.rows)
        if len(known) > 1 and (is_whole or (query.wants and name == query.measures[0])):
            lines.append(" ".join(_leader(found, name, end, known) for end in ends))
    return lines


def _leader(found: Finding, name: str, end: str, known: Sequence[tuple[float, Mapping[str, Any]]]) -> str:
    best = (max if end == "highest" else min)(value for value, _ in known)
    winners = [_group_label(found, row) for value, row in known if value == best]
    return found.say(
        "group_leads" if len(winners) == 1 else "group_leads_tied",
        group=listed(winners[:5], found.language),
        end=found.say(end),
        measure=found.say(name),
        column=code(found.column.name),
        value=_figure(found, name, best),
    )


def _group_notes(found: Finding, shown: int) -> list[str]:
    notes = []
    total = found.output.whole("groups")
    if total > shown:
        notes.append(found.say("more_groups", count=number(total), shown=number(shown)))
    for group in found.query.groups:
        if group.column.missing and found.query.kind != "counts" and not found.query.filters:
            missing = number(group.column.missing)
            notes.append(found.say("left_out", column=code(group.column.name), count=missing))
    return notes


def counts(found: Finding) -> list[str]:
    facts, rows = found.output, number(found.output.number("rows"))
    if found.query.groups:
        return _counts_by_group(found, rows)
    if not found.query.filters:
        return [found.say("all_rows", frame=found.frame, value=rows)]
    everything = number(facts.number("all rows"))
    return [
        found.say("row_count", value=rows, all=everything, frame=found.frame, conditions=found.conditions)
    ]


def _counts_by_group(found: Finding, total: str) -> list[str]:
    facts, wants = found.output, found.query.wants
    rows = facts.rows[: found.query.count or MAX_SHOWN]
    body = [
        [_group_label(found, row), number(row["count"]), percent(row["count"], facts.whole("rows"))]
        for row in rows
    ]
    lead = []
    if wants and facts.rows:
        best = facts.rows[0]["count"]
        winners = [_group_label(found, row) for row in facts.rows if row["count"] == best]
        group = listed(winners[:5], found.language)
        lead = [found.say("count_leads", group=group, end=found.say(wants), value=number(best))]
    head = found.say("counts_by", group=_group_names(found), where=found.where, rows=total)
    headers = [_group_names(found), found.say("rows"), "%"]
    return [*lead, head, table(headers, body), *_group_notes(found, len(rows))]


def share(found: Finding) -> list[str]:
    facts, decimals = found.output, found.query.decimals
    part, whole, known = facts.whole("matching"), facts.whole("all rows"), facts.whole("known")
    names = {"frame": found.frame, "conditions": found.conditions}
    lines = [
        found.say(
            "share", percent=percent(part, whole, decimals), part=number(part), all=number(whole), **names
        )
    ]
    if known != whole:
        lines.append(found.say("share_known", known=number(known), percent=percent(part, known, decimals)))
    return lines


def top(found: Finding) -> list[str]:
    rows, query = found.output.rows, found.query
    column = code(found.column.name)
    assert query.wants is not None
    end = found.say(query.wants)
    if not rows:
        return [found.say("no_values", where=found.where, column=column)]
    names = {"end": end, "column": column, "where": found.where}
    lines = [_top_one(found, rows[0], names)] if len(rows) == 1 else _top_many(found, names)
    if found.output.whole("ties") > (query.count or 1):
        lines.append(found.say("ties", count=number(found.output.number("ties")), end=end))
    return lines


def _top_one(found: Finding, row: Mapping[str, Any], names: Mapping[str, str]) -> str:
    ranked, *others = row
    details = [f"{code(key)} {_top_cell(found, row[key])}" for key in others]
    value = _top_figure(found, row[ranked])
    return found.say("top_one", value=value, details=listed(details, found.language) or "—", **names)


def _top_many(found: Finding, names: Mapping[str, str]) -> list[str]:
    rows = found.output.rows
    ranked, *others = rows[0]
    body = [
        [_top_figure(found, row[ranked]), *(_top_cell(found, row[key]) for key in others)]
        for row in rows[:MAX_SHOWN]
    ]
    head = found.say("top_many", count=number(len(rows)), **names)
    return [head, table([code(key) for key in (ranked, *others)], body)]


def _top_figure(found: Finding, value: object) -> str:
    """The ranked value; text that reads as a number stays as it stands in the frame."""
    return found.label(value) if isinstance(value, str) else found.number(value)


def _top_cell(found: Finding, value: object) -> str:
    """Whole numbers may be years or keys, so they are shown as they are."""
    return number(value) if isinstance(value, float) and value == value else found.label(value)


def shape(found: Finding) -> list[str]:
    names = listed([code(column.name) for column in found.schema.columns[:30]], found.language)
    facts = found.output
    return [
        found.say(
            "known",
            frame=found.frame,
            rows=number(facts.number("rows")),
            columns=number(facts.number("columns")),
            names=names,
        )
    ]


def describe(found: Finding) -> list[str]:
    facts = found.output
    keys = [
        key
        for key in ("mean", "std", "min", "q1", "median", "q3", "max", "first", "last")
        if key in facts.facts
    ]
    values = {"values": number(facts.number("values")), "rows": number(facts.number("rows"))}
    head = found.say(
        "describe", column=code(found.column.name), frame=found.frame, where=found.where, **values
    )
    is_date = "first" in keys
    body = [[found.say(key), facts.facts[key] if is_date else found.number(facts.facts[key])] for key in keys]
    return [head, table(["", code(found.column.name)], body)]
