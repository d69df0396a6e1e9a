"""Polars cells that give numbers; they print what the pandas cells print."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.models.offline.cells.common import (
    MAX_GROUPS,
    Fresh,
    grouped_name,
    identifier,
    literal,
    literals,
    overview_columns,
    shown_columns,
)
from pi_notebook.models.offline.cells.polars_code import (
    STATISTICS,
    dates,
    group,
    number_frame,
    numbers,
    print_rows,
    ref,
    select,
)
from pi_notebook.models.offline.cells.polars_relations import ranked_correlations
from pi_notebook.models.offline.query import Query
from pi_notebook.models.offline.schema import Column, Schema, labels_of


def overview(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    """Numbers in one glance, by the best category, and the strongest correlation."""
    columns, table = overview_columns(query, schema), fresh("numbers")
    lines = [
        f"{table} = {number_frame(schema.frame, columns)}",
        *_summaries(table, ("mean", "std", "min", "median", "max"), fresh),
    ]
    category = schema.best_category
    if category is not None:
        by = fresh(f"by_{identifier(category.name)}")
        lines += [
            "",
            f'{by} = {table}.with_columns({schema.frame}[{literal(category.name)}].alias("group"))',
            f'{by} = {by}.group_by("group").agg(pl.len().alias("count"), pl.exclude("group").mean())',
            f'{by} = {by}.filter(pl.col("group").is_not_null()).sort("group")',
            *print_rows(by, fresh),
        ]
    if len(columns) > 1:
        lines += ["", *ranked_correlations(table, schema, "pearson", fresh, 1)]
    return lines


def _summaries(table: str, names: Sequence[str], fresh: Fresh) -> list[str]:
    """Lines that print the statistics of every column of `table`."""
    values = fresh("values")
    return [
        f"for {values} in {table}:",
        f'    print(json.dumps({{"column": {values}.name,',
        *(f'        "{name}": {values}.{STATISTICS[name]},' for name in names),
        "    }, default=str, ensure_ascii=False))",
    ]


def describe(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    column, values = query.columns[0], fresh("values")
    frame, lines = select(schema.frame, query.filters, fresh)
    is_date = column.is_date and not column.is_numeric
    names = ("mean", "std", "min", "q1", "median", "q3", "max")
    facts = {name: STATISTICS[name] for name in names}
    return [
        *lines,
        f"{values} = {frame}.select({dates(column) if is_date else numbers(column)}).to_series()",
        f'print("rows:", len({values}))',
        f'print("values:", {values}.count())',
        *([] if is_date else _unread(frame, column, values)),
        *(
            f'print("{name}:", {values}.{call})'
            for name, call in ({"first": "min()", "last": "max()"} if is_date else facts).items()
        ),
    ]


def _unread(frame: str, column: Column, values: str) -> list[str]:
    """The line that counts what did not read as a number."""
    if not column.is_text_number:
        return []
    return [f'print("unread:", {frame}[{literal(column.name)}].count() - {values}.count())']


def aggregate(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    if query.groups:
        return [*lines, *_grouped(query, frame, fresh)]
    if len(query.columns) > 1:
        table = fresh("numbers")
        return [
            *lines,
            f"{table} = {number_frame(frame, query.columns)}",
            *_summaries(table, [*query.measures, "count"], fresh),
            f'print("rows:", len({frame}))',
        ]
    return [*lines, *_measured(query, frame, fresh)]


def _measured(query: Query, frame: str, fresh: Fresh) -> list[str]:
    column, values = query.columns[0], fresh("values")
    is_distinct = query.measures == ("distinct",)
    return [
        f"{values} = {frame}.select({ref(column) if is_distinct else numbers(column)}).to_series()",
        f'print("rows:", len({values}))',
        f'print("values:", {values}.count())',
        *([] if is_distinct else _unread(frame, column, values)),
        *(f'print("{name}:", {values}.{STATISTICS[name]})' for name in query.measures if name != "count"),
    ]


def _grouped(query: Query, frame: str, fresh: Fresh) -> list[str]:
    table, names = fresh(grouped_name(query)), dict.fromkeys([*query.measures, "count"])
    wanted = [f'{numbers(query.columns[0])}.{STATISTICS[name]}.alias("{name}")' for name in names]
    order = query.measures[0]
    if len(query.columns) > 1:
        labels = labels_of(query.columns)
        call, order = STATISTICS[query.measures[0]], labels[0]
        wanted = [
            f"{numbers(c)}.{call}.alias({literal(label)})"
            for c, label in zip(query.columns, labels, strict=True)
        ]
    is_timeline = bool(query.groups[0].part) and not query.wants
    sort = f"{literal(order)}, descending={query.wants != 'lowest'}, nulls_last=True"
    return [
        f"{table} = {frame}.group_by({_keys(query)}).agg(",
        *(f"    {item}," for item in wanted),
        f').filter(pl.col("group").is_not_null()).sort({_GROUPS if is_timeline else sort})',
        *_print_groups(table, fresh),
    ]


_GROUPS = '"group"'


def _keys(query: Query) -> str:
    names = ("group", "group 2")
    return ", ".join(
        f'{group(item)}.alias("{name}")' for item, name in zip(query.groups, names, strict=False)
    )


def _print_groups(table: str, fresh: Fresh) -> list[str]:
    return [f'print("groups:", len({table}))', *print_rows(f"{table}.head({MAX_GROUPS})", fresh)]


def counts(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    lines += [f'print("rows:", len({frame}))', f'print("all rows:", len({schema.frame}))']
    if not query.groups:
        return lines
    table = fresh(f"counts_{grouped_name(query)}")
    is_timeline = bool(query.groups[0].part) and not query.wants
    order = _GROUPS if is_timeline else f'"count", descending={query.wants != "lowest"}'
    return [
        *lines,
        f'{table} = {frame}.group_by({_keys(query)}).agg(pl.len().alias("count")).sort({order})',
        *_print_groups(table, fresh),
    ]


def share(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    known = ", ".join(dict.fromkeys(f"{ref(item.column)}.is_not_null()" for item in query.filters))
    return [
        *lines,
        f'print("matching:", len({frame}))',
        f'print("all rows:", len({schema.frame}))',
        f'print("known:", len({schema.frame}.filter({known})))',
    ]


def top(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    column, table, values = query.columns[0], fresh("top"), fresh("values")
    descending = query.wants == "highest"
    names = literals(item.name for item in shown_columns(query, schema))
    return [
        *lines,
        f"{values} = {frame}.select({numbers(column)}).to_series()",
        f"{table} = {frame}.filter({values}.is_not_null())",
        f"{table} = {table}.sort({numbers(column)}, descending={descending}, maintain_order=True)",
        *print_rows(f"{table}.head({query.count}).select({names})", fresh),
        *_unread(frame, column, values),
        f'print("rows:", {values}.count())',
        f'print("ties:", ({values}.rank("min", descending={descending}) == 1).sum())',
    ]


def shape(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    return [f'print("rows:", {schema.frame}.height)', f'print("columns:", {schema.frame}.width)']
