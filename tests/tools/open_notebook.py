"""A notebook that is open before the person, without a front end."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pi_notebook.agent.tools import ToolError
from pi_notebook.context.live_cells import CellsFound, CellType, LiveCell


class OpenNotebook:
    """A `NotebookCells` that holds its cells itself; `type_in` is the person."""

    def __init__(self, *sources: str, path: Path | None = None) -> None:
        self.seen: dict[str, str] = {}
        self.path = path
        self.cells: list[LiveCell] = []
        self._count = 0
        for source in sources:
            self._put(len(self.cells), source, "code")

    @property
    def sources(self) -> list[str]:
        return [cell.source for cell in self.cells]

    def type_in(self, index: int, source: str) -> None:
        self.cells[index] = replace(self.cells[index], source=source)

    async def file(self) -> Path | None:
        return self.path

    async def read(self, cell_id: str = "") -> CellsFound:
        cells = [self._found(cell_id)] if cell_id else self.cells
        return CellsFound(cells=cells, count=len(self.cells))

    async def insert(self, source: str, *, cell_type: CellType, after: str) -> LiveCell:
        return self._put(self._found(after).index + 1 if after else 0, source, cell_type)

    async def edit(self, cell_id: str, source: str, *, expected: str) -> LiveCell:
        cell = self._found(cell_id)
        assert cell.source == expected
        self.type_in(cell.index, source)
        return self.cells[cell.index]

    async def delete(self, cell_id: str, *, expected: str) -> None:
        cell = self._found(cell_id)
        assert cell.source == expected
        del self.cells[cell.index]
        self._number()

    async def move(self, cell_id: str, index: int) -> LiveCell:
        cell = self.cells.pop(self._found(cell_id).index)
        self.cells.insert(index, cell)
        self._number()
        return self._found(cell_id)

    def _found(self, cell_id: str) -> LiveCell:
        found = [cell for cell in self.cells if cell.id.startswith(cell_id)]
        if len(found) != 1:
            raise ToolError(f"No cell has the id {cell_id!r}.")
        return found[0]

    def _put(self, index: int, source: str, cell_type: CellType) -> LiveCell:
        self._count += 1
        cell = LiveCell(
            id=f"{self._count:08d}-long",
            index=index,
            cell_type=cell_type,
            source=source,
            execution_count=None,
            outputs="",
        )
        self.cells.insert(index, cell)
        self._number()
        return self.cells[index]

    def _number(self) -> None:
        self.cells = [replace(cell, index=index) for index, cell in enumerate(self.cells)]
