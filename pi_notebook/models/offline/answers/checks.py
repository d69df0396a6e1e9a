"""Answers about the state of the data: missing values, repeated rows, outliers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_notebook.models.offline.answers.figures import code, number, percent, table
from pi_notebook.models.offline.answers.finding import Finding
from pi_notebook.models.offline.answers.texts import listed


def missing(found: Finding) -> list[str]:
    facts, rows = found.output, found.output.whole("rows")
    names = [code(column.name) for column in found.query.columns]
    subject = listed(names, found.language) or found.frame
    if not facts.whole("missing"):
        return [found.say("missing_none", subject=subject, where=found.where, rows=number(rows))]
    head = found.say(
        "missing_some",
        rows_missing=number(facts.number("incomplete rows")),
        percent=percent(facts.whole("incomplete rows"), rows, found.query.decimals),
        rows=number(rows),
        cells=number(facts.number("missing")),
        subject=subject,
        where=found.where,
    )
    decimals = found.query.decimals
    body = [
        [code(row["column"]), number(row["missing"]), percent(row["missing"], rows, decimals)]
        for row in facts.rows[:20]
    ]
    hidden = facts.whole("columns with missing") - len(body)
    more = [found.say("more_columns", count=number(hidden))] if hidden > 0 else []
    return [head, table([found.say("column"), found.say("missing"), "%"], body), *more]


def duplicates(found: Finding) -> list[str]:
    facts = found.output
    names = [code(column.name) for column in found.query.columns]
    values = {"rows": number(facts.number("rows")), "subject": listed(names, found.language) or found.frame}
    if not facts.whole("repeated"):
        return [found.say("duplicates_none", **values)]
    repeated, involved = number(facts.number("repeated")), number(facts.number("involved"))
    return [found.say("duplicates_some", repeated=repeated, involved=involved, **values)]


def outliers(found: Finding) -> list[str]:
    rows = [row for row in found.output.rows if row.get("outliers")]
    body = [
        [
            code(row["column"]),
            number(row["outliers"]),
            number(row["values"]),
            f"{found.number(row['low'])} – {found.number(row['high'])}",
        ]
        for row in (found.output.rows if found.query.columns else rows)
        if row.get("low") is not None
    ]
    headers = [found.say(key) for key in ("column", "outliers", "values", "range")]
    lines = [found.say("outliers_some" if rows else "outliers_none", where=found.where)]
    lines += [table(headers, body)] if body else []
    return [*lines, "\n".join(f"- {_outlier_rows(found, row)}" for row in rows[:5])] if rows else lines


def _outlier_rows(found: Finding, row: Mapping[str, Any]) -> str:
    hidden = row["outliers"] - len(row["rows"])
    return found.say(
        "outlier_rows",
        column=code(row["column"]),
        rows=", ".join(map(str, row["rows"])),
        values=", ".join(map(found.number, row["examples"])),
        more=found.say("and_more", count=number(hidden)) if hidden > 0 else "",
    )
