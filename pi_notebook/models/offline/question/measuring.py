"""The rules for measures, counts, shares and the largest and smallest."""

from __future__ import annotations

import itertools

from pi_notebook.models.offline.query import End, Group, Query
from pi_notebook.models.offline.question.needs import need_columns, need_list, need_no_groups, take_quantities
from pi_notebook.models.offline.question.reading import Reading, drop_dates, group_of, unclear
from pi_notebook.models.offline.question.tags import Tag
from pi_notebook.models.offline.schema import Column


def share(reading: Reading) -> Query:
    reading.take("share")
    reading.take("measure", "count")
    if not reading.filters:
        group = reading.groups or [group_of(reading, tag) for tag in reading.take("column")]
        if len(group) == 1:
            return Query(kind="counts", groups=tuple(group))
        raise unclear("unsupported", [tag.text for tag in reading.tags if tag.kind == "column"])
    need_no_groups(reading)
    if len(reading.filters) > 1:
        # "What fraction of Gentoo are male" is of Gentoo: of which rows a share is taken is not guessed.
        raise unclear("unsupported", [item.text for item in reading.filters])
    return Query(kind="share")


def aggregate(reading: Reading) -> Query:
    measures = tuple(dict.fromkeys(tag.value for tag in reading.take("measure")))
    if set(measures) == {"sum", "count"} and not reading.has("column"):
        measures = ("count",)  # "the total number of"
    reading.take("intent", "overview")
    end = reading.take_one("end")
    groups = reading.groups or (asked_group(reading) if end else [])
    groups = groups or loose_part(reading)
    if "distinct" in measures or measures == ("count",):
        return _count(reading, measures, groups, end)
    need_list(reading)
    columns = need_columns(reading, take_quantities(reading))
    groups = groups or _named_groups(reading)
    if (
        (len(columns) > 1 and len(measures) > 1)
        or (end and (not groups or len(columns) > 1))
        or len(groups) > 2
    ):
        raise unclear("unsupported", [column.name for column in columns])
    limit = reading.take_one("number") if end else None
    return Query(
        kind="aggregate",
        measures=measures,
        columns=columns,
        groups=tuple(groups),
        wants=end.value if end else None,
        count=limit.value if limit else None,
    )


def _named_groups(reading: Reading) -> list[Group]:
    """Values of one column named side by side: a figure for each is meant."""
    return [Group(column=item.column) for item in reading.filters if item.op == "in" and item.part is None]


def asked_group(reading: Reading) -> list[Group]:
    """The column after "which", or the only text column named: "which species has the highest ..."."""
    part = reading.take_one("part")
    if part is not None:
        group = [group_of(reading, part)]
        drop_dates(reading)
        return group
    tags = [tag for tag in reading.tags if tag.kind == "column"]
    asked = [b for a, b in itertools.pairwise(reading.tags) if a.kind == "ask" and b.kind == "column"]
    texts = [tag for tag in tags if not any(column.is_numeric for column in tag.columns)]
    years = [tag for tag in asked if all(c.is_year or c.is_category for c in tag.columns)]
    chosen = (years or texts)[:1] if len(tags) > 1 else texts
    for tag in chosen:
        reading.tags.remove(tag)
    return [group_of(reading, tag) for tag in chosen]


def loose_part(reading: Reading) -> list[Group]:
    part = reading.take_one("part")
    if part is None:
        return []
    group = [group_of(reading, part)]
    drop_dates(reading)
    return group


def _count(reading: Reading, measures: tuple[str, ...], groups: list[Group], end: Tag | None) -> Query:
    columns = tuple(reading.settle(tag) for tag in reading.take("column"))
    wants = end.value if end else None
    if "distinct" in measures or (columns and not groups and not reading.filters and measures == ("count",)):
        # "How many survived" counts rows, not the values of a column of yes and no.
        is_odd = measures == ("count",) and any(c.role != "text" or c.distinct <= 2 for c in columns)
        if len(columns) != 1 or groups or wants or is_odd:
            raise unclear("unsupported", [column.name for column in columns])
        return Query(kind="aggregate", measures=("distinct",), columns=columns)
    if columns:
        raise unclear("unsupported", [column.name for column in columns])
    return Query(kind="counts", groups=tuple(groups), wants=wants)


def counts(reading: Reading) -> Query:
    common = any(tag.text.casefold() in ("most common", "最常见") for tag in reading.take("intent", "counts"))
    reading.take("intent", "overview")
    reading.take("measure", "count")
    end = reading.take_one("end") or (Tag("end", "highest", "") if common else None)
    if reading.groups and not reading.has("column"):
        return Query(kind="counts", groups=tuple(reading.groups), wants=end.value if end else None)
    columns = tuple(reading.settle(tag) for tag in reading.take("column"))
    if len(columns) != 1 or reading.groups:
        raise unclear("no_column" if not columns else "unsupported", [column.name for column in columns])
    if columns[0].is_numeric and not columns[0].is_category and end is None:
        return Query(kind="describe", columns=columns)
    return Query(kind="counts", groups=(Group(column=columns[0]),), wants=end.value if end else None)


def extreme(reading: Reading) -> Query:
    """The largest or smallest of something: rows, or groups."""
    end = reading.take_one("end")
    assert end is not None
    limit = reading.take_one("number")
    part = reading.take_one("part", "day")
    if part is None and reading.has("part"):
        raise unclear("unsupported", [tag.text for tag in reading.tags if tag.kind == "part"])
    ranked = [group.column for group in reading.groups if group.column.is_numeric and group.part is None]
    columns = take_quantities(reading) or tuple(ranked)
    groups = [group for group in reading.groups if group.column not in columns]
    texts = tuple(reading.settle(tag) for tag in reading.take("column"))
    return _extreme_of(reading, end, limit, columns, [*groups, *(Group(column=c) for c in texts)])


_MOST = frozenset({"most", "fewest", "least", "最多", "最少"})
"""Words that count rows where no quantity is named."""


def _extreme_of(
    reading: Reading, tag: Tag, limit: Tag | None, columns: tuple[Column, ...], groups: list[Group]
) -> Query:
    wants: End = tag.value
    if not columns and len(groups) == 1 and tag.text.casefold() in _MOST:
        count = limit.value if limit else None
        return Query(kind="counts", groups=tuple(groups), wants=wants, count=count)
    if len(columns) != 1 or len(groups) > 1:
        raise unclear("no_column" if not columns else "unsupported", [column.name for column in columns])
    if not groups or _names_rows(groups[0].column, reading):
        return Query(kind="top", columns=columns, count=limit.value if limit else 1, wants=wants)
    if limit:
        raise unclear("unsupported", [limit.text, groups[0].name])
    # "Which species has the highest mass" may mean the mean or one single row: both are given.
    measures = ("mean", "max" if wants == "highest" else "min")
    return Query(kind="aggregate", measures=measures, columns=columns, groups=tuple(groups), wants=wants)


def _names_rows(column: Column, reading: Reading) -> bool:
    """True for a date, and for a column that has another value in each row."""
    is_unique = column.distinct + column.missing >= reading.schema.rows and not reading.schema.is_sampled
    return column.is_date or is_unique
