"""`find`: files by name."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import msgspec

from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.amounts import count_of
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.tools.globs import glob_filter
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.paths import missing_error, resolve_path, shown_path
from pi_notebook.tools.rows import limit_notice, rows_result
from pi_notebook.tools.tree import list_files


@tool(risk="read", needs=(WorkingFolder, OutputLimits))
async def find(
    context: ToolContext,
    pattern: Annotated[str, "Glob: *.csv at any depth, or data/**/*.csv"],
    path: Annotated[str, "Folder to search"] = ".",
    limit: Annotated[int, msgspec.Meta(description="Most files", ge=1)] = 1000,
) -> ToolResult:
    """Find files, not folders, by name. Skips what .gitignore names. Gives paths, sorted."""
    folder = context.need(WorkingFolder).path
    target = resolve_path(path, folder)
    matches = glob_filter(pattern, target)
    await asyncio.to_thread(check_folder, target, folder)
    files = await asyncio.to_thread(list_files, target, should_stop=lambda: context.abort.is_set)
    rows = [shown_path(target / name, folder) for name in files.names if matches(name)]
    return rows_result(
        rows[:limit],
        context.need(OutputLimits),
        notices=[*limit_notice(min(limit, len(rows)), len(rows), "files"), *files.notices],
        empty=f"(no match in {count_of(len(files.names), 'file')})",
    )


def check_folder(target: Path, folder: Path) -> None:
    """Raise `ToolError` unless `target` is a folder."""
    if os.path.isdir(target):
        return
    if os.path.exists(target):
        raise ToolError(f"{shown_path(target, folder)} is no folder. Give the folder it is in as `path`.")
    raise missing_error(target, folder)
