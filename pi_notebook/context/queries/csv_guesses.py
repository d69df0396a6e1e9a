"""What DuckDB took a CSV file for that it was only given the name of, where that may surprise.

It guesses which lines are no part of the table, what parts the cells and whether the first row has the
names. A guess that leaves something out or makes something up is told beside the result, with the call
that says otherwise.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.foreign import attempt
from pi_notebook.context.previews.wording import one_line

_ENDINGS = (".csv", ".tsv")
_MOST_FILES = 3
_MADE_UP = re.compile(r"column\d+")
_LINES = 50
_LINE_CHARS = 10_000
_SEPARATORS = ";\t|,"


@dataclass(frozen=True, kw_only=True)
class _Guess:
    """How one file is read."""

    name: str
    """As the query has it."""
    path: str
    skipped: int
    has_header: bool
    names: list[str]
    has_only_text: bool


def csv_guesses(paths: Mapping[str, str], connection: Any) -> list[str]:
    """A sentence or two for each file that is not read as a plain table with names.

    `paths` are the real ones by the names that a query has for them.
    """
    tables = [(name, path) for name, path in paths.items() if path.lower().endswith(_ENDINGS)]
    guesses = (attempt(functools.partial(_guess, *table, connection), None) for table in tables[:_MOST_FILES])
    return [said for guess in guesses if guess is not None for said in _said(guess, connection)]


def _guess(name: str, path: str, connection: Any) -> _Guess | None:
    """None of a table so wide that guessing again would take as long as the query."""
    if any(len(line) >= _LINE_CHARS for line in _first_lines(path)[:1]):
        return None
    sql = "SELECT SkipRows, HasHeader, Columns FROM sniff_csv(?)"
    skipped, has_header, columns = connection.execute(sql, [path]).fetchall()[0]
    return _Guess(
        name=one_line(name, 200),
        path=path,
        skipped=skipped,
        has_header=has_header,
        names=[column["name"] for column in columns],
        has_only_text=all(column["type"] == "VARCHAR" for column in columns),
    )


def _said(guess: _Guess, connection: Any) -> list[str]:
    name, said = guess.name, []
    if guess.skipped:
        said.append(
            f"The first {count_of(guess.skipped, 'line')} of {name} were left out, as no part of the table; "
            f"rows of different lengths are kept by read_csv('{name}', null_padding=true)."
        )
    if not guess.has_header:
        said.append(
            f"{name} has no names in its first row, as it seems: {guess.names[0]} and so on are made up."
        )
    elif sum(_MADE_UP.fullmatch(item) is not None for item in guess.names) * 2 > len(guess.names):
        said.append(
            f"Most columns of {name} have no name in its first row. Names that stand further down: "
            f"read_csv('{name}', skip=3)."
        )
    elif guess.has_only_text and _is_repeated(guess, connection):
        said.append(
            f"The first row of {name} was taken for names; it is a row with read_csv('{name}', header=false)."
        )
    if len(guess.names) == 1 and (separator := _separator(guess.path)):
        said.append(
            f"{name} was read as one column, though most of its lines have {separator!r}: look at them with "
            f"read, then read_csv('{name}', delim={separator!r}, skip=3, null_padding=true)."
        )
    return said


def _is_repeated(guess: _Guess, connection: Any) -> bool:
    """Whether the row after the names has one of them for a value, as no column of names would."""
    rows = connection.execute("SELECT * FROM read_csv(?) LIMIT 1", [guess.path]).fetchall()
    return any(name == value for row in rows for name, value in zip(guess.names, row, strict=True))


def _separator(path: str) -> str:
    """What most of the first lines have in them, and may be parted by; empty where nothing is."""
    lines = [line for line in _first_lines(path) if line.strip()]
    counts = {sign: sum(sign in line for line in lines) for sign in _SEPARATORS}
    best = max(counts, key=lambda sign: counts[sign])
    return best if counts[best] * 2 > len(lines) else ""


def _first_lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        return list(itertools.islice(iter(lambda: file.readline(_LINE_CHARS), ""), _LINES))
