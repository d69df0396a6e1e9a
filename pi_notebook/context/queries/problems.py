"""What is wrong with a query, in words that say how to go on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pi_notebook._nearest import did_you_mean
from pi_notebook.context.previews.foreign import type_name
from pi_notebook.context.previews.wording import csv_field, label, one_line

_MAX_CHARS = 600
_NEAR = 5
_MOST_NAMES = 20
_MISSING_COLUMN = (
    re.compile(r'Referenced column "((?:[^"]|"")*)" (?:was )?not found'),
    re.compile(r'does not have a column named "((?:[^"]|"")*)"'),
    re.compile(r"no such column: (\S+)"),
)
_POINTER = re.compile(r"\s*\n+LINE \d+:.*", re.DOTALL)


class QueryProblem(Exception):
    """A query that cannot be answered; the text says why and what to write instead."""


class QueryStopped(QueryProblem):
    """A query that was interrupted."""


def like(name: str, names: Iterable[object]) -> str:
    """Which of `names` may have been meant by `name`, to stand behind a sentence."""
    return did_you_mean(name, (label(other) for other in names), count=_NEAR)


def listed(names: Sequence[object]) -> str:
    """`names` in one line, the first of many."""
    shown = ", ".join(csv_field(label(name)) for name in names[:_MOST_NAMES])
    return f"{shown}, … ({len(names):,} in all)" if len(names) > _MOST_NAMES else shown


def said(error: BaseException) -> str:
    """What a library says of its failure, on one bounded line and without the picture of the query."""
    text = _POINTER.sub("", str(error)) or type_name(error)
    return one_line(" ".join(text.split()), _MAX_CHARS)


def missing_column(error: BaseException) -> str | None:
    """The name of the column that an error says is not there."""
    found = next((match for rule in _MISSING_COLUMN if (match := rule.search(str(error)))), None)
    return found[1].replace('""', '"') if found else None


def column_hint(name: str, tables: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The columns `name` may have meant, and those of each table."""
    near = like(name.rpartition(".")[2], [column for _, columns in tables for column in columns])
    has = "".join(f" {table} has: {listed(columns)}." for table, columns in tables[:3])
    return f"{near}{has}".lstrip()
