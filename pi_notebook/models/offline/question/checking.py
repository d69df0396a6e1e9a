"""The rules for missing values, repeated rows, outliers, and the shape of a frame."""

from __future__ import annotations

from pi_notebook.models.offline.query import Group, Query
from pi_notebook.models.offline.question.needs import need_no_groups, take_quantities
from pi_notebook.models.offline.question.reading import Reading, unclear


def missing(reading: Reading) -> Query:
    reading.take("intent", "missing", "shape", "counts")
    reading.take("measure", "count", "sum")
    reading.take("share")
    if any(tag.value != 1 for tag in reading.tags if tag.kind == "number"):
        raise unclear("unsupported", [tag.text for tag in reading.tags if tag.kind == "number"])
    reading.take("op", ">=")
    reading.take("number", 1)
    columns = [reading.settle(tag) for tag in reading.take("column")]
    need_no_groups(reading)
    end = reading.take_one("end")
    if end is not None and columns:
        raise unclear("unsupported", [end.text])
    return Query(kind="missing", columns=tuple(columns))


def duplicates(reading: Reading) -> Query:
    reading.take("intent", "duplicates", "shape", "counts")
    reading.take("measure", "count")
    need_no_groups(reading)
    return Query(kind="duplicates", columns=tuple(reading.settle(tag) for tag in reading.take("column")))


def outliers(reading: Reading) -> Query:
    reading.take("intent", "outliers", "overview", "shape")
    reading.take("measure", "count")
    need_no_groups(reading)
    return Query(kind="outliers", columns=take_quantities(reading))


def shape(reading: Reading) -> Query:
    reading.take("intent", "shape")
    reading.take("measure", "count")
    reading.take("intent", "overview")
    need_no_groups(reading)
    if reading.filters:
        return Query(kind="counts")
    return Query(kind="shape")


def describe(reading: Reading) -> Query:
    reading.take("intent", "overview")
    if reading.groups and not reading.has("column"):
        return Query(kind="counts", groups=tuple(reading.groups))
    columns = tuple(reading.settle(tag) for tag in reading.take("column"))
    if not columns:
        return Query(kind="counts" if reading.filters else "overview")
    if len(columns) != 1 or reading.groups:
        raise unclear("unsupported", [column.name for column in columns])
    if not columns[0].is_numeric and not columns[0].is_date:
        return Query(kind="counts", groups=(Group(column=columns[0]),))
    return Query(kind="describe", columns=columns)
