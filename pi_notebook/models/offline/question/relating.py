"""The rules for trends, comparisons and correlations."""

from __future__ import annotations

from pi_notebook.models.offline.query import Filter, Group, Part, Query
from pi_notebook.models.offline.question.needs import need_columns, need_no_groups, need_one, take_quantities
from pi_notebook.models.offline.question.reading import Reading, drop_dates, the_date, unclear
from pi_notebook.models.offline.schema import Column


def correlation(reading: Reading) -> Query:
    reading.take("intent", "correlation", "overview")
    reading.take("between")
    method = reading.take_one("method")
    reading.take("end", "highest")
    need_no_groups(reading)
    columns = take_quantities(reading)
    if len(columns) > 2:
        raise unclear("unsupported", [column.name for column in columns])
    return Query(kind="correlation", columns=columns, method=method.value if method else "pearson")


def trend(reading: Reading) -> Query:
    reading.take("intent", "trend", "overview")
    measure = reading.take_one("measure", "mean", "sum", "median")
    time = _time(reading)
    columns = tuple(column for column in take_quantities(reading) if column != time.column)
    if not columns and len(reading.schema.quantities) == 1:
        columns = reading.schema.quantities
    drop_dates(reading)
    measures = (measure.value if measure else "mean",)
    columns = need_one(need_columns(reading, columns))
    return Query(kind="trend", columns=columns, groups=(time,), measures=measures)


def _time(reading: Reading) -> Group:
    """The column of time, and the periods that were asked for."""
    part = reading.take_one("part")
    if any(group.part is None for group in reading.groups) or len(reading.groups) > 1:
        raise unclear("unsupported", [group.name for group in reading.groups])
    if reading.groups:
        return reading.groups[0]
    years = [column for column in reading.schema.columns if column.is_year]
    if len(years) == 1 and not reading.schema.dates:
        return Group(column=years[0])
    period: Part | None = part.value if part else None
    return Group(column=the_date(reading), part=period)


def compare(reading: Reading) -> Query:
    reading.take("intent", "compare", "overview", "counts")
    reading.take("between")
    reading.take("measure", "mean")
    columns = take_quantities(reading) or reading.schema.quantities[:6]
    if not columns:
        raise unclear("no_column")
    group, values, rest = _compared_groups(reading)
    if len(values) != 2:
        return Query(kind="aggregate", measures=("mean",), columns=columns, groups=(group,), filters=rest)
    pair = (values[0], values[1])
    return Query(kind="compare", columns=columns, groups=(group,), pair=pair, filters=rest)


def _compared_groups(reading: Reading) -> tuple[Group, tuple[object, ...], tuple[Filter, ...]]:
    """What is compared, its values when they are known, and the filters that are left."""
    named = [item for item in reading.filters if item.op == "in" and item.part is None]
    if len(named) == 1:
        rest = tuple(item for item in reading.filters if item is not named[0])
        # More than two values stay a filter: the groups among them are shown.
        kept = rest if len(named[0].value) == 2 else tuple(reading.filters)
        return Group(column=named[0].column), named[0].value, kept
    column = _compared_column(reading)
    values = column.values if column.distinct == 2 and column.has_all_values else ()
    return Group(column=column), values, tuple(reading.filters)


def _compared_column(reading: Reading) -> Column:
    tags = reading.take("column")
    named = [group.column for group in reading.groups if group.part is None]
    found = [*named, *(reading.settle(tag, lambda column: column.is_category) for tag in tags)]
    if len(found) != 1 or found[0].role == "date":
        raise unclear("no_column" if not found else "unsupported", [column.name for column in found])
    return found[0]
