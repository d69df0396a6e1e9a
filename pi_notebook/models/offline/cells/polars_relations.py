"""Polars cells for how two things hang together: trends, groups compared, correlations."""

from __future__ import annotations

from pi_notebook.models.offline.cells.common import MAX_ROWS_SAMPLED, Fresh, correlated_columns, literal
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
from pi_notebook.models.offline.query import Query
from pi_notebook.models.offline.schema import Schema, labels_of


def trend(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    table, column = fresh("by_period"), numbers(query.columns[0])
    period, more = _period(query, frame, fresh)
    ends = f'pl.concat([{table}.head(20), {table}.tail(20)]).unique("group", maintain_order=True)'
    return [
        *lines,
        *more,
        f'{table} = {frame}.group_by({period}.alias("group")).agg(',
        f'    {column}.{STATISTICS[query.measures[0]]}.alias("value"),',
        f'    {column}.count().alias("count"),',
        ').filter(pl.col("group").is_not_null() & (pl.col("count") > 0)).sort("group")',
        f"{table} = {table}.with_columns(place=pl.int_range(pl.len()).cast(pl.Float64))",
        f'print("periods:", len({table}))',
        f'print("slope:", {table}.select(pl.cov("place", "value") / pl.col("place").var()).item())',
        f'print("correlation:", {table}.select(pl.corr("place", "value")).item())',
        *print_rows(f'{ends}.drop("place")', fresh),
    ]


def _period(query: Query, frame: str, fresh: Fresh) -> tuple[str, list[str]]:
    """The periods as an expression, and the lines before it."""
    time = query.groups[0]
    if time.column.is_year and not time.column.is_date:
        return ref(time.column), ['print("period: year")']
    if time.part:
        return group(time), [f'print("period: {time.part}")']
    when, days, unit = map(fresh, ("when", "days", "unit"))
    forms = '{"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}'
    lines = [
        f"{when} = {frame}.select({dates(time.column)}.cast(pl.Date)).to_series()",
        f"{days} = ({when}.max() - {when}.min()).days",
        f'{unit} = "year" if {days} > 1826 else "month" if {days} > 62 else "day"',
        f'print("period:", {unit})',
    ]
    return f"{dates(time.column)}.dt.strftime({forms}[{unit}])", lines


def compare(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    assert query.pair is not None
    frame, lines = select(schema.frame, query.filters, fresh)
    function, values, row, key = map(fresh, ("compare_groups", "values", "row", "key"))
    first, second = map(literal, query.pair)
    return [
        *lines,
        f"def {function}(a, b):",
        "    a, b = a.drop_nulls(), b.drop_nulls()",
        "    weighted = (len(a) - 1) * (a.var() or 0) + (len(b) - 1) * (b.var() or 0)",
        "    pooled = (weighted / max(len(a) + len(b) - 2, 1)) ** 0.5",
        "    gap = a.mean() - b.mean() if len(a) and len(b) else None",
        "    standardised = gap / pooled if gap is not None and pooled > 0 else None",
        '    found = {"mean a": a.mean(), "mean b": b.mean(), "n a": len(a), "n b": len(b)}',
        '    return found | {"difference": gap, "standardised": standardised}',
        "",
        "",
        f"{key} = {frame}[{literal(query.groups[0].column.name)}]",
        f"for {values} in {number_frame(frame, query.columns)}:",
        f"    {row} = {function}({values}.filter({key} == {first}), {values}.filter({key} == {second}))",
        f'    print(json.dumps({{"column": {values}.name}} | {row}, default=str, ensure_ascii=False))',
    ]


def correlation(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    table = fresh("pairs" if len(query.columns) == 2 else "numbers")
    if len(query.columns) != 2:
        columns = correlated_columns(query, schema)
        first = labels_of(columns)[0] if query.columns else None
        lines += [f"{table} = {number_frame(frame, columns)}"]
        return [*lines, *ranked_correlations(table, schema, query.method, fresh, 10, first)]
    x, y = map(literal, labels_of(query.columns))
    return [
        *lines,
        f"{table} = {number_frame(frame, query.columns)}.drop_nulls()",
        *_sampled(table, schema),
        f'print("rows used:", len({table}))',
        f'print("correlation:", {table}.select(pl.corr({x}, {y}, method="{query.method}")).item())',
    ]


def _sampled(table: str, schema: Schema) -> list[str]:
    """The line that takes a sample, where the frame is large."""
    if schema.rows <= MAX_ROWS_SAMPLED:
        return []
    return [f"{table} = {table}.sample(min(len({table}), {MAX_ROWS_SAMPLED:_}), seed=0)"]


def ranked_correlations(
    table: str, schema: Schema, method: str, fresh: Fresh, shown: int, first: str | None = None
) -> list[str]:
    """Lines that print the strongest correlations between the columns of `table`, or with `first`."""
    ranked, pair = fresh("correlations"), fresh("pair")
    pairs = f"itertools.combinations({table}.columns, 2)"
    if first is not None:
        pairs = f"itertools.product([{literal(first)}], {table}.columns[1:])"
    return [
        *_sampled(table, schema),
        f"{ranked} = [",
        f'    {{"x": {pair}[0], "y": {pair}[1], "correlation": {table}.select({pair}).drop_nulls()',
        f'     .select(pl.corr(*{pair}, method="{method}")).item()}}',
        f"    for {pair} in {pairs}",
        "]",
        f'{ranked} = pl.DataFrame({ranked}, {{"x": pl.String, "y": pl.String, "correlation": pl.Float64}})',
        f'{ranked} = {ranked}.filter(pl.col("correlation").is_finite())',
        f'{ranked} = {ranked}.sort(pl.col("correlation").abs(), descending=True).head({shown})',
        *print_rows(ranked, fresh),
        f'print("rows used:", len({table}))',
    ]
