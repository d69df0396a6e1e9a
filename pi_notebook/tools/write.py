"""`write`: a file made or replaced."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.agent.tools import ToolContext, ToolResult, tool
from pi_notebook.context.amounts import count_of
from pi_notebook.context.truncation import TextSize
from pi_notebook.tools.files import exclusive, replace_file
from pi_notebook.tools.live_notebook import check_not_open
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.paths import resolve_path, shown_path


@tool(risk="edit", needs=(WorkingFolder,))
async def write(
    context: ToolContext,
    path: Annotated[str, "Missing folders are made"],
    content: Annotated[str, "The whole new content"],
) -> ToolResult:
    """Write a file, replacing all of it. To change parts of a file use `edit`."""
    folder = context.need(WorkingFolder).path
    target = resolve_path(path, folder)
    await check_not_open(context, target, folder)
    data = without_surrogates(content).encode("utf-8")
    is_new = await asyncio.to_thread(_replace, target, data, folder)
    size = TextSize.of(data)
    shown = shown_path(target, folder)
    return ToolResult.of_text(
        f"{'Created' if is_new else 'Replaced'} {shown}: "
        f"{count_of(size.line_count, 'line')}, {count_of(size.byte_count, 'byte')}.",
        details={"path": str(target), "created": is_new, "bytes": size.byte_count},
    )


def _replace(target: Path, data: bytes, folder: Path) -> bool:
    with exclusive(target) as real:
        return replace_file(real, data, folder)
