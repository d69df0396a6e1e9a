"""The notebook that the person has open, as the agent asks for it: its cells, and what may become of them.

What stands in the file is the editor's affair: nothing here touches it. How the front end is asked is
`ui/panel/notebook_requests`'.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

CellType = Literal["code", "markdown", "raw"]

_ID_CHARS = 8


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
    """The cells of the open notebook. Methods raise `ToolError` for what could not be done.

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
