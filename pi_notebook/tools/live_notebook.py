"""The notebook that the person has open, as the tools ask for it: its cells, and what may become of them.

What stands in the file is the editor's affair: nothing here touches it. How the front end is asked is
`ui/panel/notebook_requests`'.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from pi_notebook.agent.tools import ToolContext, ToolError
from pi_notebook.tools.paths import shown_path

CellType = Literal["code", "markdown", "raw"]

_ID_CHARS = 8
NO_NOTEBOOK = (
    "There is no notebook before you in this run: it was begun in a cell, and cells are read and changed "
    "in runs of the side panel only. run_code works here."
)


@dataclass(frozen=True, kw_only=True)
class LiveCell:
    """A cell as the front end has it now."""

    id: str
    index: int
    """The first is 0."""
    cell_type: CellType
    source: str
    execution_count: int | None
    outputs: str
    """As text."""

    @property
    def name(self) -> str:
        """What the model calls it by."""
        return f"cell {self.index + 1} (id {short_id(self.id)})"


@dataclass(frozen=True, kw_only=True)
class CellsFound:
    """Cells that were asked for, and how many the notebook has."""

    cells: Sequence[LiveCell]
    count: int


class NotebookCells(Protocol):
    """The cells of the open notebook. All of it raises `ToolError` for what could not be done.

    A cell is named by its id or the beginning of it that no other has. `expected` is the source that a
    cell must still have, so that nothing is written over what the person has just typed.
    """

    seen: MutableMapping[str, str]
    """The source of each cell as the agent last read or wrote it, by id."""

    async def file(self) -> Path | None:
        """Where the notebook lies; None when that cannot be told."""
        ...

    async def read(self, cell_id: str = "") -> CellsFound:
        """One cell, or all of them."""
        ...

    async def insert(self, source: str, *, cell_type: CellType, after: str) -> LiveCell:
        """A new cell behind the one with the id `after`, or at the top."""
        ...

    async def edit(self, cell_id: str, source: str, *, expected: str) -> LiveCell:
        """Give a cell another source."""
        ...

    async def delete(self, cell_id: str, *, expected: str) -> None:
        """Take a cell away."""
        ...

    async def move(self, cell_id: str, index: int) -> LiveCell:
        """Take a cell to where it is the one with this index."""
        ...


def short_id(cell_id: str) -> str:
    """The beginning of an id, long enough to be the only one."""
    return cell_id[:_ID_CHARS]


def cells_of(context: ToolContext) -> NotebookCells:
    """The notebook of this run; a `ToolError` when it has none."""
    found: NotebookCells | None = context.resources.get(NotebookCells)
    if found is None:
        raise ToolError(NO_NOTEBOOK)
    return found


async def check_not_open(context: ToolContext, target: Path, folder: Path) -> None:
    """Raise `ToolError` when `target` is the open notebook: its file is the editor's."""
    cells: NotebookCells | None = context.resources.get(NotebookCells)
    if cells is None or target.suffix != ".ipynb":
        return
    file = await cells.file()
    if file is not None and await asyncio.to_thread(_is_same, target, file):
        raise ToolError(
            f"{shown_path(target, folder)} is open before the person: its file is the editor's. Change it "
            "with edit_cell, insert_cell, delete_cell and move_cell; the person saves it."
        )


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
