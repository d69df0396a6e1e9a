"""The overview of a CSV file with nothing but Python's own modules."""

from __future__ import annotations

from pi_notebook.models.offline.cells.common import MAX_COLUMNS, Fresh, literal


def load_lines(path: str, name: str, *, separator: str | None = None) -> list[str]:
    """Read the file into a list of dictionaries."""
    option = "" if separator is None else f", delimiter={literal(separator)}"
    return [
        f'with open({literal(path)}, newline="", encoding="utf-8-sig") as {name}_file:',
        f"    {name} = list(csv.DictReader({name}_file{option}))",
    ]


def profile_lines(name: str, fresh: Fresh) -> list[str]:
    """A JSON line a column, as the pandas profile prints it, and one more with the numbers of it."""
    function = fresh("profile_columns")
    return [
        f"def {function}(records):",
        '    blank = ("", "NA", "N/A", "NaN", "nan", "null", "None", None)',
        "    names = list(records[0]) if records else []",
        f"    for name in names[:{MAX_COLUMNS}]:",
        "        cells = [record[name] for record in records if record[name] not in blank]",
        "        try:",
        "            numbers = [float(text) for text in cells]",
        "        except (TypeError, ValueError):",
        "            numbers = []",
        "        values = list(dict.fromkeys(map(str, cells)))",
        '        row = {"column": str(name), "dtype": "float" if numbers else "str"}',
        '        row |= {"missing": len(records) - len(cells), "distinct": len(values)}',
        '        row["values"] = [value[:80] for value in values[: 20 if len(values) <= 20 else 5]]',
        "        print(json.dumps(row, ensure_ascii=False))",
        "        if numbers:",
        '            row = {"summary": str(name), "mean": statistics.fmean(numbers)}',
        '            row |= {"min": min(numbers), "max": max(numbers)}',
        '            row["std"] = statistics.stdev(numbers) if len(numbers) > 1 else None',
        '            row["median"] = statistics.median(numbers)',
        "            print(json.dumps(row, ensure_ascii=False))",
        '    print("rows:", len(records))',
        '    print("columns:", len(names))',
        "",
        "",
        f"{function}({name})",
    ]
