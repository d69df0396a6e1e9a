"""Polars cells that check the data: missing values, repeated rows, outliers."""

from __future__ import annotations

from pi_notebook.models.offline.cells.common import MAX_GROUPS, Fresh, literals
from pi_notebook.models.offline.cells.polars_code import number_frame, print_rows, select
from pi_notebook.models.offline.query import Query
from pi_notebook.models.offline.schema import Schema


def missing(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    blank, table = fresh("blank"), fresh("missing")
    return [
        *lines,
        f"{blank} = {_part(query, frame)}.fill_nan(None).select(pl.all().is_null())",
        f'print("rows:", len({blank}))',
        f'print("missing:", sum(column.sum() for column in {blank}))',
        f'print("incomplete rows:", {blank}.select(pl.any_horizontal(pl.all())).to_series().sum())',
        f"{table} = pl.DataFrame({{",
        f'    "column": {blank}.columns, "missing": [column.sum() for column in {blank}]',
        '}).filter(pl.col("missing") > 0).sort("missing", descending=True)',
        f'print("columns with missing:", len({table}))',
        *print_rows(f"{table}.head({MAX_GROUPS})", fresh),
    ]


def _part(query: Query, frame: str) -> str:
    names = literals(column.name for column in query.columns)
    return f"{frame}.select({names})" if query.columns else frame


def duplicates(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    compared = fresh("compared")
    return [
        *lines,
        f"{compared} = {_part(query, frame)}",
        f'print("rows:", len({compared}))',
        f'print("repeated:", len({compared}) - len({compared}.unique()))',
        f'print("involved:", {compared}.is_duplicated().sum())',
        f"{frame}.filter({compared}.is_duplicated()).head(10)",
    ]


def outliers(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    columns = query.columns or schema.quantities[:12]
    function, values, row = map(fresh, ("find_outliers", "values", "row"))
    return [
        *lines,
        f"def {function}(values):",
        '    q1, q3 = values.quantile(0.25, "linear"), values.quantile(0.75, "linear")',
        "    low, high = q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1)",
        "    rows = ((values < low) | (values > high)).arg_true()",
        '    found = {"values": values.count(), "low": low, "high": high, "outliers": len(rows)}',
        '    return found | {"rows": rows[:10].to_list(), "examples": values[rows[:10]].to_list()}',
        "",
        "",
        f"for {values} in {number_frame(frame, columns)}:",
        f"    if {values}.count():",
        f'        {row} = {{"column": {values}.name}} | {function}({values})',
        f"        print(json.dumps({row}, default=str, ensure_ascii=False))",
    ]
