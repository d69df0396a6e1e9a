"""Pandas cells that give numbers: an overview, measures, counts, shares, the top rows.

Every cell prints JSON rows and `key: value` facts, as `schema.read_output` reads them.
"""

from __future__ import annotations

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
from pi_notebook.models.offline.cells.pandas_code import (
    dates,
    group,
    number_frame,
    numbers,
    print_rows,
    ref,
    select,
)
from pi_notebook.models.offline.cells.pandas_relations import ranked_correlations
from pi_notebook.models.offline.query import Group, Query
from pi_notebook.models.offline.schema import Column, Schema, labels_of


def overview(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    """Numbers in one glance, by the best category, and the strongest correlation."""
    columns = overview_columns(query, schema)
    table, summary = fresh("numbers"), fresh("summary")
    lines = [
        f"{table} = {number_frame(schema.frame, columns)}",
        f'{summary} = {table}.agg(["mean", "std", "min", "median", "max"]).T',
        *print_rows(f'{summary}.rename_axis("column").reset_index()', fresh),
    ]
    category = schema.best_category
    if category is not None:
        key, by = ref(schema.frame, category), fresh(f"by_{identifier(category.name)}")
        lines += [
            "",
            f"{by} = {table}.groupby({key}, observed=True).mean()",
            f'{by}.insert(0, "count", {key}.value_counts())',
            *print_rows(f'{by}.rename_axis("group").reset_index()', fresh),
        ]
    if len(columns) > 1:
        lines += ["", *ranked_correlations(table, schema, "pearson", fresh, 1)]
    return lines


def describe(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    column = query.columns[0]
    frame, lines = select(schema.frame, query.filters, fresh)
    values = fresh("values")
    is_date = column.is_date and not column.is_numeric
    lines += [
        f"{values} = {dates(frame, column) if is_date else numbers(frame, column)}",
        f'print("rows:", len({values}))',
        f'print("values:", {values}.count())',
    ]
    if is_date:
        return [*lines, f'print("first:", {values}.min())', f'print("last:", {values}.max())']
    quartiles = (("q1", 0.25), ("median", 0.5), ("q3", 0.75))
    return [
        *lines,
        *_unread(frame, column, values),
        *(f'print("{name}:", {values}.{name}())' for name in ("mean", "std", "min")),
        *(f'print("{name}:", {values}.quantile({place}))' for name, place in quartiles),
        f'print("max:", {values}.max())',
    ]


def _unread(frame: str, column: Column, values: str) -> list[str]:
    """The line that counts what did not read as a number."""
    if not column.is_text_number:
        return []
    return [f'print("unread:", {ref(frame, column)}.notna().sum() - {values}.notna().sum())']


def aggregate(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    if query.groups:
        return [*lines, *_grouped(query, frame, fresh)]
    if len(query.columns) > 1:
        table, wanted = fresh("summary"), [*query.measures, "count"]
        return [
            *lines,
            f"{table} = {number_frame(frame, query.columns)}.agg({literals(wanted)}).T",
            *print_rows(f'{table}.rename_axis("column").reset_index()', fresh),
            f'print("rows:", len({frame}))',
        ]
    return [*lines, *_measured(query, frame, fresh)]


def _measured(query: Query, frame: str, fresh: Fresh) -> list[str]:
    column, values = query.columns[0], fresh("values")
    is_distinct = query.measures == ("distinct",)
    series = ref(frame, column) + (".astype(str)" if column.is_nested else "")
    methods = {name: "nunique" if name == "distinct" else name for name in query.measures if name != "count"}
    return [
        f"{values} = {series if is_distinct else numbers(frame, column)}",
        f'print("rows:", len({values}))',
        f'print("values:", {values}.count())',
        *([] if is_distinct else _unread(frame, column, values)),
        *(f'print("{name}:", {values}.{method}())' for name, method in methods.items()),
    ]


def _grouped(query: Query, frame: str, fresh: Fresh) -> list[str]:
    names = '"group"' if len(query.groups) == 1 else '["group", "group 2"]'
    table = fresh(grouped_name(query))
    if len(query.columns) > 1:
        how, order = f".{query.measures[0]}()", labels_of(query.columns)[0]
    else:
        how, order = f".agg({literals(dict.fromkeys([*query.measures, 'count']))})", query.measures[0]
    lines = [f"{table} = {_groupby(query, frame)}{how}"]
    if query.wants or not query.groups[0].part:
        lines.append(f"{table} = {table}.sort_values({literal(order)}, ascending={query.wants == 'lowest'})")
    return [*lines, *_print_groups(table, names, fresh)]


def _groupby(query: Query, frame: str) -> str:
    """The grouping as one writes it by hand, where plain columns allow it."""
    columns = query.columns
    if (
        not _clashes(query)
        and all(map(_is_plain, query.groups))
        and all(c.label is not None and c.role == "number" for c in columns)
    ):
        keys = [group.column.label for group in query.groups]
        values = [column.label for column in columns]
        key = literal(keys[0]) if len(keys) == 1 else literals(keys)
        value = literal(values[0]) if len(values) == 1 else literals(values)
        return f"{frame}.groupby({key}, observed=True)[{value}]"
    source = numbers(frame, columns[0]) if len(columns) == 1 else number_frame(frame, columns)
    return f"{source}.groupby({_keys(query, frame)}, observed=True)"


def _clashes(query: Query) -> bool:
    """True when a group is called what a measure is called."""
    return any(by.column.name in (*query.measures, "count") for by in query.groups)


def _is_plain(by: Group) -> bool:
    return by.part is None and by.column.label is not None and not by.column.is_nested


def _keys(query: Query, frame: str) -> str:
    keys = [group(frame, by) + (".rename(None)" if _clashes(query) else "") for by in query.groups]
    return keys[0] if len(keys) == 1 else f"[{', '.join(keys)}]"


def _print_groups(table: str, names: str, fresh: Fresh) -> list[str]:
    shown = f"{table}.head({MAX_GROUPS}).rename_axis({names}).reset_index()"
    return [f'print("groups:", len({table}))', *print_rows(shown, fresh)]


def counts(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    lines += [f'print("rows:", len({frame}))', f'print("all rows:", len({schema.frame}))']
    if not query.groups:
        return lines
    table = fresh(f"counts_{grouped_name(query)}")
    is_timeline = bool(query.groups[0].part) and not query.wants
    order = "sort_index()" if is_timeline else f"sort_values(ascending={query.wants == 'lowest'})"
    if len(query.groups) == 1:
        made, names = f"{_keys(query, frame)}.value_counts(dropna=False)", '"group"'
    else:
        made = f"{frame}.groupby({_keys(query, frame)}, observed=True, dropna=False).size()"
        names = '["group", "group 2"]'
    return [*lines, f'{table} = {made}.{order}.rename("count")', *_print_groups(table, names, fresh)]


def share(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    columns = dict.fromkeys(item.column for item in query.filters)
    known = " & ".join(f"{ref(schema.frame, column)}.notna()" for column in columns)
    return [
        *lines,
        f'print("matching:", len({frame}))',
        f'print("all rows:", len({schema.frame}))',
        f'print("known:", ({known}).sum())',
    ]


def top(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    column, shown = query.columns[0], shown_columns(query, schema)
    values, table, order = fresh("values"), fresh("top"), fresh("order")
    pick, end = ("nlargest", "max") if query.wants == "highest" else ("nsmallest", "min")
    return [
        *lines,
        f"{values} = {numbers(frame, column)}.reset_index(drop=True)",
        f"{order} = {values}.{pick}({query.count}).index",
        f"{table} = {frame}.iloc[{order}, {[item.position for item in shown]}]",
        f"{table}.columns = {literals(labels_of(shown))}",
        *print_rows(table, fresh),
        *_unread(frame, column, values),
        f'print("rows:", {values}.count())',
        f'print("ties:", ({values} == {values}.{end}()).sum())',
    ]


def shape(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    return [f'print("rows:", {schema.frame}.shape[0])', f'print("columns:", {schema.frame}.shape[1])']
