"""Pandas expressions for columns, filters and groups, and the cells that load and profile a frame.

Columns are selected by name where the name selects one, else by position.
"""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.models.offline.cells.common import MAX_COLUMNS, MAX_ROWS_SAMPLED, Fresh, literal, literals
from pi_notebook.models.offline.query import Filter, Group
from pi_notebook.models.offline.schema import Column, labels_of


def print_rows(table: str, fresh: Fresh) -> list[str]:
    """Lines that print each row of the table as JSON."""
    row = fresh("row")
    return [
        f'for {row} in {table}.to_dict("records"):',
        f"    print(json.dumps({row}, default=str, ensure_ascii=False))",
    ]


def ref(frame: str, column: Column) -> str:
    """The column as a series."""
    by_position = f"{frame}.iloc[:, {column.position}]"
    return by_position if column.label is None else f"{frame}[{literal(column.label)}]"


def numbers(frame: str, column: Column) -> str:
    """The column as a series of numbers."""
    series = ref(frame, column)
    if column.is_text_number:
        plain = f'{series}.astype(str).str.replace(r"[,$€£¥%\\s]", "", regex=True)'
        return f'pd.to_numeric({plain}, errors="coerce")'
    return f"{series}.astype(float)" if column.role == "bool" else series


def dates(frame: str, column: Column) -> str:
    """The column as a series of timestamps."""
    series = ref(frame, column)
    if column.role == "date":
        return series
    return f'pd.to_datetime({series}, format="{column.date_format}", errors="coerce")'


def number_frame(frame: str, columns: Sequence[Column]) -> str:
    """The columns as a frame of numbers, under the keys of `labels_of`."""
    labels = labels_of(columns)
    if all(
        column.label == label and column.role == "number"
        for column, label in zip(columns, labels, strict=True)
    ):
        return f"{frame}[{literals(labels)}]"
    pairs = [
        f"{literal(label)}: {numbers(frame, column)}" for column, label in zip(columns, labels, strict=True)
    ]
    return f"pd.DataFrame({{{', '.join(pairs)}}})"


def mask(frame: str, condition: Filter) -> str:
    """The rows a filter keeps."""
    series = ref(frame, condition.column)
    if condition.part:
        series = f"{dates(frame, condition.column)}.dt.{condition.part}"
    if condition.op == "in":
        return f"{series}.isin({literals(condition.value)})"
    if condition.op == "between":
        return f"{series}.between({condition.value[0]!r}, {condition.value[1]!r})"
    return f"({series} {condition.op} {literal(condition.value)})"


def select(frame: str, filters: Sequence[Filter], fresh: Fresh) -> tuple[str, list[str]]:
    """The name of the frame with the filters applied, and the lines that make it."""
    if not filters:
        return frame, []
    name = fresh("selected")
    condition = " & ".join(mask(frame, item) for item in filters)
    is_single = len(filters) == 1 and condition.startswith("(")
    return name, [f"{name} = {frame}[{condition[1:-1] if is_single else condition}]"]


_FORMS = {"year": "%Y", "month": "%Y-%m", "week": "%G-W%V", "day": "%Y-%m-%d"}


def group(frame: str, by: Group) -> str:
    """What rows are grouped by, as a series."""
    if by.part is None:
        series = ref(frame, by.column)
        return f"{series}.astype(str)" if by.column.is_nested else series
    series = dates(frame, by.column)
    if by.part == "month number":
        return f"{series}.dt.month"
    if by.part == "quarter":
        quarter = f'(({series}.dt.month + 2) // 3).astype("Int64").astype(str)'
        return f'{series}.dt.strftime("%Y-Q") + {quarter}'
    return f'{series}.dt.strftime("{_FORMS[by.part]}")'


def load_line(path: str, name: str, *, separator: str | None = None) -> str:
    """Read the file into `name`."""
    suffix = path.rsplit(".", 1)[-1].casefold()
    source = literal(path)
    readers = {
        "tsv": f'pd.read_csv({source}, sep="\\t")',
        "parquet": f"pd.read_parquet({source})",
        "jsonl": f"pd.read_json({source}, lines=True)",
        "ndjson": f"pd.read_json({source}, lines=True)",
    }
    option = "" if separator is None else f", sep={literal(separator)}"
    return f"{name} = {readers.get(suffix, f'pd.read_csv({source}{option})')}"


def profile_lines(frame: str, fresh: Fresh) -> list[str]:
    """A JSON line a column: type, missing values, distinct values and what they are."""
    function = fresh("profile_columns")
    most = f"{MAX_ROWS_SAMPLED:_}"
    return [
        f"def {function}(frame):",
        f"    sample = frame.sample({most}, random_state=0) if len(frame) > {most} else frame",
        f"    for i, name in enumerate(frame.columns[:{MAX_COLUMNS}]):",
        "        column = sample.iloc[:, i].dropna()",
        "        name = name if type(name) in (str, int) else [str(name)]",
        '        row = {"column": name, "dtype": str(column.dtype)}',
        '        row["missing"] = int(frame.iloc[:, i].isna().sum())',
        "        if column.dtype == object and not column.map(pd.api.types.is_hashable).all():",
        '            column, row["nested"] = column.astype(str), True  # lists and the like',
        "        counts = column.value_counts()",
        "        values = counts.index[counts.to_numpy() > 0]",
        "        shown = values[: 20 if len(values) <= 20 else 5].tolist()",
        "        shown = [v if isinstance(v, (int, float, bool)) else str(v)[:80] for v in shown]",
        '        row |= {"distinct": len(values), "values": shown}',
        "        print(json.dumps(row, ensure_ascii=False))",
        '    print("rows:", len(frame))',
        '    print("columns:", frame.shape[1])',
        f"    if len(frame) > {most}:",
        '        print("sampled:", len(sample))',
        "",
        "",
        f"{function}({frame})",
    ]
