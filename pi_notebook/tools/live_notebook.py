"""The notebook that is open before the person: found for its tools, kept from those for files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pi_notebook.agent.tools import ToolContext, ToolError
from pi_notebook.context.live_cells import NotebookCells
from pi_notebook.tools.paths import shown_path

NO_NOTEBOOK = (
    "There is no notebook before you in this run: it was begun in a cell, and cells are read and changed "
    "in runs of the side panel only. run_code works here."
)


def cells_in(resources: Mapping[type, Any]) -> NotebookCells:
    """The notebook of a run with these objects; a `ToolError` when it has none."""
    found: NotebookCells | None = resources.get(NotebookCells)
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
