"""Pandas cells for how two things hang together: trends, groups compared, correlations."""

from __future__ import annotations

from pi_notebook.models.offline.cells.common import MAX_ROWS_SAMPLED, Fresh, correlated_columns, literal
from pi_notebook.models.offline.cells.pandas_code import (
    dates,
    group,
    number_frame,
    numbers,
    print_rows,
    ref,
    select,
)
from pi_notebook.models.offline.query import Query
from pi_notebook.models.offline.schema import Schema, labels_of


def trend(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    values, period, table, place = map(fresh, ("values", "period", "by_period", "place"))
    measure = query.measures[0]
    ends = f"pd.concat([{table}.head(20), {table}.tail(20)])"
    return [
        *lines,
        f"{values} = {numbers(frame, query.columns[0])}",
        *_periods(query, frame, fresh),
        f'{table} = {values}.groupby({period}).agg(["{measure}", "count"])',
        f'{table} = {table}[{table}["count"] > 0].rename_axis("group").reset_index()',
        f'{table} = {table}.rename(columns={{"{measure}": "value"}})',
        f"{place} = pd.Series(range(len({table})), dtype=float)",
        f'print("periods:", len({table}))',
        f'print("slope:", {place}.cov({table}["value"]) / {place}.var())',
        f'print("correlation:", {place}.corr({table}["value"]))',
        *print_rows(f'{ends}.drop_duplicates("group")', fresh),
    ]


def _periods(query: Query, frame: str, fresh: Fresh) -> list[str]:
    """Lines that cut the time into periods, by the span of the dates when the question names none."""
    time, period = query.groups[0], fresh("period")
    if time.column.is_year and not time.column.is_date:
        return [f"{period} = {ref(frame, time.column)}", 'print("period: year")']
    if time.part:
        return [f"{period} = {group(frame, time)}", f'print("period: {time.part}")']
    when, days, unit = map(fresh, ("when", "days", "unit"))
    return [
        f"{when} = {dates(frame, time.column)}",
        f"{days} = ({when}.max() - {when}.min()).days",
        f'{unit} = "year" if {days} > 1826 else "month" if {days} > 62 else "day"',
        f'print("period:", {unit})',
        f'{period} = {when}.dt.strftime({{"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}}[{unit}])',
    ]


def compare(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    assert query.pair is not None
    frame, lines = select(schema.frame, query.filters, fresh)
    function, name, values, key, row = map(fresh, ("compare_groups", "name", "values", "key", "row"))
    first, second = map(literal, query.pair)
    return [
        *lines,
        f"def {function}(a, b):",
        "    a, b = a.dropna().astype(float), b.dropna().astype(float)",
        "    weighted = (len(a) - 1) * a.var() + (len(b) - 1) * b.var()",
        "    pooled = (weighted / max(len(a) + len(b) - 2, 1)) ** 0.5",
        "    gap = a.mean() - b.mean()",
        '    found = {"mean a": a.mean(), "mean b": b.mean(), "n a": len(a), "n b": len(b)}',
        '    return found | {"difference": gap, "standardised": gap / pooled if pooled > 0 else None}',
        "",
        "",
        f"{key} = {ref(frame, query.groups[0].column)}",
        f"for {name}, {values} in {number_frame(frame, query.columns)}.items():",
        f"    {row} = {function}({values}[{key} == {first}], {values}[{key} == {second}])",
        f'    print(json.dumps({{"column": {name}}} | {row}, default=str, ensure_ascii=False))',
    ]


def correlation(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    if len(query.columns) != 2:
        return [*lines, *_correlations(query, schema, frame, fresh)]
    table = fresh("pairs")
    x, y = map(literal, labels_of(query.columns))
    return [
        *lines,
        f"{table} = {number_frame(frame, query.columns)}.dropna()",
        *_sampled(table, schema),
        *([f"{table} = {table}.rank()"] if query.method == "spearman" else []),
        f'print("rows used:", len({table}))',
        f'print("correlation:", {table}[{x}].corr({table}[{y}]))',
    ]


def _sampled(table: str, schema: Schema) -> list[str]:
    """The line that takes a sample, where the frame is large."""
    if schema.rows <= MAX_ROWS_SAMPLED:
        return []
    return [f"{table} = {table}.sample(min(len({table}), {MAX_ROWS_SAMPLED:_}), random_state=0)"]


def _correlations(query: Query, schema: Schema, frame: str, fresh: Fresh) -> list[str]:
    """The strongest pairs, of one column or of all."""
    columns = correlated_columns(query, schema)
    table, ranked = fresh("numbers"), fresh("correlations")
    lines = [f"{table} = {number_frame(frame, columns)}"]
    if not query.columns:
        return [*lines, *ranked_correlations(table, schema, query.method, fresh, 10)]
    label = literal(labels_of(columns)[0])
    return [
        *lines,
        *_sampled(table, schema),
        f'{ranked} = {table}.corr(method="{query.method}", min_periods=3)[{label}].drop({label}).dropna()',
        f"{ranked} = {ranked}.sort_values(key=abs, ascending=False).head(10)",
        f'{ranked} = {ranked}.rename("correlation").rename_axis("y").reset_index().assign(x={label})',
        *print_rows(ranked, fresh),
        f'print("rows used:", len({table}))',
    ]


def ranked_correlations(table: str, schema: Schema, method: str, fresh: Fresh, shown: int) -> list[str]:
    """Lines that print the strongest correlations between the columns of `table`."""
    ranked = fresh("correlations")
    return [
        *_sampled(table, schema),
        f'{ranked} = {table}.corr(method="{method}", min_periods=3)',
        f'{ranked} = {ranked}.rename_axis("x").rename_axis("y", axis=1)',
        f"{ranked} = {ranked}.where(np.triu(np.ones({ranked}.shape, dtype=bool), 1)).stack().dropna()",
        f"{ranked} = {ranked}.sort_values(key=abs, ascending=False).head({shown})",
        *print_rows(f'{ranked}.reset_index(name="correlation")', fresh),
        f'print("rows used:", len({table}))',
    ]
