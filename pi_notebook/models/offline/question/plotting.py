"""The rule for plots."""

from __future__ import annotations

from pi_notebook.models.offline.query import Group, PlotKind, Query
from pi_notebook.models.offline.question.needs import need_one, need_two_at_most
from pi_notebook.models.offline.question.reading import Reading, the_date, unclear
from pi_notebook.models.offline.schema import Column


def plot(reading: Reading) -> Query:
    kind = _kind(reading)
    reading.take("intent", "counts", "overview", "compare")
    reading.take("against")
    over_time = bool(reading.take("intent", "trend")) or any(group.part for group in reading.groups)
    columns = tuple(dict.fromkeys(reading.settle(tag) for tag in reading.take("column")))
    if over_time or kind == "line":
        return _line(reading, columns)
    if len(reading.groups) > 1 or not (columns or reading.groups):
        raise unclear("unsupported" if columns else "no_column", [group.name for group in reading.groups])
    return _checked(
        Query(kind="plot", plot=kind, columns=need_two_at_most(columns), groups=tuple(reading.groups))
    )


def _kind(reading: Reading) -> PlotKind:
    kinds: list[PlotKind] = [tag.value for tag in reading.take("plot") if tag.value != "auto"]
    if len(set(kinds)) > 1 or reading.has("end"):
        raise unclear("unsupported", [*kinds, *(tag.text for tag in reading.tags if tag.kind == "end")])
    if reading.take("intent", "counts") and not kinds:
        return "auto"
    return kinds[0] if kinds else "auto"


def _line(reading: Reading, columns: tuple[Column, ...]) -> Query:
    years = [column for column in columns if column.is_year and not column.is_date]
    times = [column for column in columns if column.is_date] or years or [the_date(reading)]
    numbers = need_one(tuple(column for column in columns if column not in times))
    return Query(kind="plot", plot="line", columns=numbers, groups=(Group(column=times[0]),))


def _checked(query: Query) -> Query:
    """The query, when its columns can be drawn that way."""
    columns = [*query.columns, *(group.column for group in query.groups)]
    numeric = [column for column in columns if column.is_numeric]
    needed = {"scatter": 2, "histogram": 1, "box": 1}.get(query.plot, 0)
    wrong = query.plot == "scatter" and len(columns) != 2 or query.plot == "histogram" and len(columns) != 1
    if len(numeric) < needed or wrong or len(columns) > 2:
        raise unclear("unsupported", [column.name for column in columns])
    if len(columns) == 2 and not numeric:
        raise unclear("not_numeric", [column.name for column in columns])
    return query
