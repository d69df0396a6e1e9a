"""Pandas cells that check the data: missing values, repeated rows, outliers."""

from __future__ import annotations

from pi_notebook.models.offline.cells.common import MAX_GROUPS, Fresh
from pi_notebook.models.offline.cells.pandas_code import number_frame, print_rows, select
from pi_notebook.models.offline.query import Query
from pi_notebook.models.offline.schema import Schema


def missing(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    blank, table = fresh("blank"), fresh("missing")
    return [
        *lines,
        f"{blank} = {_part(query, frame)}.isna()",
        f'print("rows:", len({blank}))',
        f'print("missing:", int({blank}.sum().sum()))',
        f'print("incomplete rows:", int({blank}.any(axis=1).sum()))',
        f"{table} = {blank}.sum()",
        f"{table}.index = {table}.index.map(str)",
        f'{table} = {table}[{table} > 0].sort_values(ascending=False).rename("missing")',
        f'print("columns with missing:", len({table}))',
        *print_rows(f'{table}.head({MAX_GROUPS}).rename_axis("column").reset_index()', fresh),
    ]


def _part(query: Query, frame: str) -> str:
    positions = [column.position for column in query.columns]
    return f"{frame}.iloc[:, {positions}]" if positions else frame


def duplicates(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    compared = fresh("compared")
    as_text = ".astype(str)" if any(column.is_nested for column in schema.columns) else ""
    return [
        *lines,
        f"{compared} = {_part(query, frame)}{as_text}",
        f'print("rows:", len({compared}))',
        f'print("repeated:", {compared}.duplicated().sum())',
        f'print("involved:", {compared}.duplicated(keep=False).sum())',
        f"{frame}[{compared}.duplicated(keep=False).to_numpy()].head(10)",
    ]


def outliers(query: Query, schema: Schema, fresh: Fresh) -> list[str]:
    frame, lines = select(schema.frame, query.filters, fresh)
    columns = query.columns or schema.quantities[:12]
    function, name, values, row = map(fresh, ("find_outliers", "name", "values", "row"))
    return [
        *lines,
        f"def {function}(values):",
        "    q1, q3 = values.quantile(0.25), values.quantile(0.75)",
        "    low, high = float(q1 - 1.5 * (q3 - q1)), float(q3 + 1.5 * (q3 - q1))",
        "    outside = values[(values < low) | (values > high)]",
        '    found = {"values": len(values), "low": low, "high": high, "outliers": len(outside)}',
        '    return found | {"rows": outside.index[:10].tolist(), "examples": outside[:10].tolist()}',
        "",
        "",
        f"for {name}, {values} in {number_frame(frame, columns)}.items():",
        f'    {row} = {{"column": {name}}} | {function}({values}.dropna())',
        f"    print(json.dumps({row}, default=str, ensure_ascii=False))",
    ]
