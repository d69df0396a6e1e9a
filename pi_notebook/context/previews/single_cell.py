"""One cell of a table that a model asks to see whole, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import count_tokens, fits, largest
from pi_notebook.context.previews.column_names import find_column
from pi_notebook.context.previews.foreign import is_a, is_instance, type_name
from pi_notebook.context.previews.kinds import preview
from pi_notebook.context.previews.preview import ASKED_ROWS, Preview
from pi_notebook.context.previews.references import ReferenceProblem
from pi_notebook.context.previews.rows import RowRange, preview_rows
from pi_notebook.context.previews.tables import Table, find_table
from pi_notebook.context.previews.wording import label, printable


def preview_cell(
    value: object, cell: Sequence[int | str], page: RowRange | None, *, max_tokens: int, name: str
) -> Preview:
    """The cell at `[row, column]` of `value`, a table; the row by position, the column by name or position.

    Of a text `page` counts characters, of else what rows count. `ReferenceProblem` where there is no
    such cell.
    """
    table = find_table(value)
    if table is None:
        raise ReferenceProblem(f"{name} ({type_name(value)}) has no cells. Leave cell out.")
    row, position = _place(table, cell, name)
    title = f"{label(name)}, row {row}, {label(table.name(position))}: "
    found = _plain(table.rows(row, row + 1, [position])[0][-1])
    room = max_tokens - count_tokens(title)
    if is_a(found, str):
        shown = _preview_text(str.__str__(found), page, room)
    else:
        shown = (page and preview_rows(found, page, max_tokens=room)) or preview(
            found, max_tokens=room, rows=ASKED_ROWS
        )
    return replace(shown, text=(title + shown.text).encode("utf-8", "backslashreplace").decode())


def _plain(cell: Any) -> object:
    """A list as Python's own: as a series or an array it would be summed up."""
    if is_instance(cell, "pyarrow", "Array"):
        return cell.to_pylist()
    if is_instance(cell, "polars", "Series"):
        return cell.to_list()
    if is_instance(cell, "numpy", "ndarray"):
        cell = cell.tolist()
    if type(cell) is dict:
        return {key: _plain(item) for key, item in cell.items()}
    return [_plain(item) for item in cell] if type(cell) is list else cell


def _place(table: Table, cell: Sequence[int | str], name: str) -> tuple[int, int]:
    if len(cell) not in (1, 2) or (len(cell) == 1 and table.column_count != 1):
        raise ReferenceProblem('A cell is [row, column], as in [12, "text"]: a position and a name.')
    try:
        row = int(cell[0])
    except ValueError:
        raise ReferenceProblem(f"The row {cell[0]!r} is no position, counted from 0.") from None
    if not -table.row_count <= row < table.row_count:
        raise ReferenceProblem(f"{name} has {count_of(table.row_count, 'row')}, none at {row}.")
    return row % table.row_count, find_column(table, cell[1], name) if len(cell) == 2 else 0


def _preview_text(text: str, page: RowRange | None, max_tokens: int) -> Preview:
    """The characters of `page`, as many from its first as fit."""
    start, stop = page.within(len(text)) if page is not None else (0, len(text))

    def draft(count: int) -> str:
        shown = printable(text[start : start + count])
        if count == len(text):
            return f"{count_of(count, 'character')}\n{shown}"
        return f"characters {start:,}:{start + count:,} of {len(text):,}\n{shown}"

    count = largest(lambda n: fits(draft(n), max_tokens), stop - start)
    details = {"start": start, "stop": start + count, "total": len(text), "asked_stop": stop}
    return Preview(text=draft(count), kind="rows", is_complete=start + count == stop, details=details)
