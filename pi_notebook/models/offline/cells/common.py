"""What the cells of both libraries share: bounds, names, and the choice of columns to show."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence

from pi_notebook.models.offline.query import Query
from pi_notebook.models.offline.schema import Column, Schema

Fresh = Callable[[str], str]
"""Gives a name for a variable that takes no one's place; the same name for the same wish."""

Writer = Callable[[Query, Schema, Fresh], list[str]]
"""The lines of a cell for a query."""

MAX_ROWS_SAMPLED = 200_000
"""Rows beyond which distinct values and correlations are found in a sample."""

MAX_COLUMNS = 100
"""Columns that are profiled."""

MAX_GROUPS = 50
"""Groups or columns that one cell prints."""

_IMPORTS = (
    ("csv.", "import csv"),
    ("itertools.", "import itertools"),
    ("json.", "import json"),
    ("statistics.", "import statistics"),
    ("plt.", "import matplotlib.pyplot as plt"),
    ("np.", "import numpy as np"),
    ("pd.", "import pandas as pd"),
    ("pl.", "import polars as pl"),
)


def cell(lines: Sequence[str]) -> str:
    """The lines as a cell, with the imports they need."""
    body = "\n".join(lines)
    imports = [line for sign, line in _IMPORTS if re.search(rf"(?<![\w.]){re.escape(sign)}", body)]
    return "\n".join([*imports, *([""] if imports else []), body])


def literal(value: object) -> str:
    """`value` as Python source, strings in double quotes."""
    if isinstance(value, str) and value.isprintable():
        return json.dumps(value, ensure_ascii=False)
    return repr(value)


def literals(values: Iterable[object]) -> str:
    """The values as a list in Python source."""
    return f"[{', '.join(map(literal, values))}]"


def identifier(name: str) -> str:
    """`name` as a part of a variable's name."""
    plain = "".join(sign if sign.isascii() and sign.isalnum() else " " for sign in name)
    return "_".join(plain.lower().split()) or "group"


def grouped_name(query: Query) -> str:
    """A name for the table of a query by groups: `by_species`."""
    return "by_" + "_and_".join(identifier(group.name) for group in query.groups)


def overview_columns(query: Query, schema: Schema) -> tuple[Column, ...]:
    """The quantities an overview looks at: those named first, eight at most."""
    named = [column for column in query.columns if column in schema.quantities]
    return tuple(dict.fromkeys([*named, *schema.quantities]))[:8]


def shown_columns(query: Query, schema: Schema) -> tuple[Column, ...]:
    """The ranked column, and the columns that tell a row from others."""
    telling = [column for column in schema.columns if column.role in ("text", "date") or column.is_year]
    return tuple(dict.fromkeys([query.columns[0], *telling, *schema.columns]))[:6]


def correlated_columns(query: Query, schema: Schema) -> tuple[Column, ...]:
    """The columns to correlate when fewer than two are named: that one first, thirty at most."""
    return tuple(dict.fromkeys([*query.columns, *schema.quantities]))[:30]
