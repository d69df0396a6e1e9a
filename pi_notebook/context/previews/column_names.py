"""Naming one column of a table, and finding it by that name."""

from __future__ import annotations

from pi_notebook._nearest import did_you_mean
from pi_notebook.context.previews.foreign import attempt
from pi_notebook.context.previews.references import ReferenceProblem
from pi_notebook.context.previews.tables import MAX_LABEL_CHARS, Table
from pi_notebook.context.previews.wording import label, one_line

_MAX_NAMES = 10_000


def column_reference(table: Table, position: int) -> str:
    """What finds the column again: its name as JSON where that is its own, else its position."""
    name = attempt(lambda: table.name(position), "")
    is_own = name.isprintable() and attempt(lambda: find_column(table, name, ""), -1) == position
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"' if is_own else str(position)


def find_column(table: Table, column: int | str, owner: str) -> int:
    """The position of the first column called `column`; of a number that is no name, the number.

    `ReferenceProblem` names the likeliest where there is none; `owner` is what the table is called.
    """
    names = [table.name(at) for at in range(min(table.column_count, _MAX_NAMES))]
    for spelled in (str(column), repr(column), label(column, MAX_LABEL_CHARS)):
        if spelled in names:
            return names.index(spelled)
    place = attempt(lambda: int(column), None)
    if place is not None and -table.column_count <= place < table.column_count:
        return place % table.column_count
    hint = did_you_mean(str(column), names, count=5) or f" It has: {', '.join(names[:5])}."
    raise ReferenceProblem(f"{owner} has no column {one_line(repr(column), 80)}.{hint}")
