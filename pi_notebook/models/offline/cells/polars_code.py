"""Polars expressions for columns, filters and groups, and the cells that load and profile a frame."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.models.offline.cells.common import MAX_COLUMNS, MAX_ROWS_SAMPLED, Fresh, literal, literals
from pi_notebook.models.offline.query import Filter, Group
from pi_notebook.models.offline.schema import Column, labels_of


def print_rows(table: str, fresh: Fresh) -> list[str]:
    row = fresh("row")
    return [
        f"for {row} in {table}.to_dicts():",
        f"    print(json.dumps({row}, default=str, ensure_ascii=False))",
    ]


def ref(column: Column) -> str:
    """The column as an expression."""
    return f"pl.col({literal(column.name)})"


def numbers(column: Column) -> str:
    """The column as an expression of numbers, NaN counted as missing."""
    if column.is_text_number:
        plain = f'{ref(column)}.cast(pl.String).str.replace_all(r"[,$€£¥%\\s]", "")'
        return f"{plain}.cast(pl.Float64, strict=False)"
    if column.role == "bool":
        return f"{ref(column)}.cast(pl.Float64)"
    return f"{ref(column)}.fill_nan(None)" if column.dtype.startswith("Float") else ref(column)


STATISTICS = {
    "mean": "mean()",
    "median": "median()",
    "sum": "sum()",
    "min": "min()",
    "max": "max()",
    "std": "std()",
    "count": "count()",
    "distinct": "drop_nulls().n_unique()",
    "q1": 'quantile(0.25, "linear")',
    "q3": 'quantile(0.75, "linear")',
}
"""What each measure is called in polars."""


def number_frame(frame: str, columns: Sequence[Column]) -> str:
    """The columns as a frame of numbers, NaN counted as missing, under the keys of `labels_of`."""
    labels = labels_of(columns)
    if all(
        column.name == label and column.role == "number"
        for column, label in zip(columns, labels, strict=True)
    ):
        has_floats = any(column.dtype.startswith("Float") for column in columns)
        return f"{frame}.select({', '.join(map(literal, labels))})" + (
            ".fill_nan(None)" if has_floats else ""
        )
    pairs = [
        f"{numbers(column)}.alias({literal(label)})" for column, label in zip(columns, labels, strict=True)
    ]
    return f"{frame}.select({', '.join(pairs)})"


def dates(column: Column) -> str:
    """The column as an expression of dates."""
    if column.role == "date":
        return ref(column)
    form = column.date_format
    if form == "%Y-%m":
        return f'({ref(column)} + "-01").str.to_date("%Y-%m-%d", strict=False)'
    kind = "to_datetime" if form is not None and "%H" in form else "to_date"
    return f'{ref(column)}.str.{kind}("{form}", strict=False)'


def condition(item: Filter) -> str:
    """The rows a filter keeps."""
    subject = ref(item.column) if item.part is None else f"{dates(item.column)}.dt.{item.part}()"
    if item.op == "in":
        return f"{subject}.is_in({literals(item.value)})"
    if item.op == "between":
        return f"{subject}.is_between({item.value[0]!r}, {item.value[1]!r})"
    return f"({subject} {item.op} {literal(item.value)})"


def select(frame: str, filters: Sequence[Filter], fresh: Fresh) -> tuple[str, list[str]]:
    """The name of the frame with the filters applied, and the lines that make it."""
    if not filters:
        return frame, []
    name = fresh("selected")
    conditions = ", ".join(item[1:-1] if item.startswith("(") else item for item in map(condition, filters))
    return name, [f"{name} = {frame}.filter({conditions})"]


_FORMS = {"year": "%Y", "month": "%Y-%m", "week": "%G-W%V", "day": "%Y-%m-%d"}


def group(by: Group) -> str:
    """What rows are grouped by, as an expression."""
    if by.part is None:
        return ref(by.column)
    when = dates(by.column)
    if by.part == "month number":
        return f"{when}.dt.month()"
    if by.part == "quarter":
        return f'pl.format("{{}}-Q{{}}", {when}.dt.year(), {when}.dt.quarter())'
    return f'{when}.dt.strftime("{_FORMS[by.part]}")'


def load_line(path: str, name: str, *, separator: str | None = None) -> str:
    """Read the file into `name`."""
    suffix = path.rsplit(".", 1)[-1].casefold()
    source = literal(path)
    readers = {
        "tsv": f'pl.read_csv({source}, separator="\\t", try_parse_dates=True)',
        "parquet": f"pl.read_parquet({source})",
        "jsonl": f"pl.read_ndjson({source})",
        "ndjson": f"pl.read_ndjson({source})",
    }
    option = "" if separator is None else f", separator={literal(separator)}"
    plain = f"pl.read_csv({source}{option}, try_parse_dates=True, infer_schema_length=10_000)"
    return f"{name} = {readers.get(suffix, plain)}"


def profile_lines(frame: str, fresh: Fresh) -> list[str]:
    """A JSON line a column: type, missing values, distinct values and what they are."""
    function = fresh("profile_columns")
    most = f"{MAX_ROWS_SAMPLED:_}"
    return [
        f"def {function}(frame):",
        f"    sample = frame.sample({most}, seed=0) if len(frame) > {most} else frame",
        f"    for name in frame.columns[:{MAX_COLUMNS}]:",
        '        kind, column = frame[name].dtype, sample[name].alias("value")',
        '        row = {"column": name, "dtype": str(kind), "missing": frame[name].null_count()}',
        "        if kind.is_float():",
        '            row["missing"] += int(frame[name].is_nan().sum())',
        "            column = column.fill_nan(None)",
        "        if kind.is_nested() or kind in (pl.Object, pl.Binary, pl.Null):",
        '            row |= {"nested": True, "distinct": 0, "values": []}',
        "        else:",
        "            counts = column.drop_nulls().value_counts(sort=True)",
        '            shown = counts["value"][: 20 if len(counts) <= 20 else 5]',
        "            shown = [v if isinstance(v, (int, float, bool)) else str(v)[:80] for v in shown]",
        '            row |= {"distinct": len(counts), "values": shown}',
        "        print(json.dumps(row, ensure_ascii=False))",
        '    print("rows:", len(frame))',
        '    print("columns:", frame.width)',
        f"    if len(frame) > {most}:",
        '        print("sampled:", len(sample))',
        "",
        "",
        f"{function}({frame})",
    ]
