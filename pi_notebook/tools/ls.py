"""`ls`: what a folder holds."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Annotated

import msgspec

from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.truncation import OutputLimits, format_bytes
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.paths import missing_error, one_line, os_error, resolve_path, shown_path
from pi_notebook.tools.rows import limit_notice, rows_result


@tool(risk="read", needs=(WorkingFolder, OutputLimits))
async def ls(
    context: ToolContext,
    path: Annotated[str, "Folder"] = ".",
    limit: Annotated[int, msgspec.Meta(description="Most entries", ge=1)] = 500,
) -> ToolResult:
    """List a folder, hidden entries too: folders with a slash, files with their size."""
    folder = context.need(WorkingFolder).path
    target = resolve_path(path, folder)
    rows = await asyncio.to_thread(_rows, target, folder)
    shown = rows[:limit]
    return rows_result(
        shown,
        context.need(OutputLimits),
        notices=limit_notice(len(shown), len(rows), "entries"),
        empty=f"({shown_path(target, folder)} is empty)",
    )


def _rows(target: Path, folder: Path) -> list[str]:
    shown = shown_path(target, folder)
    try:
        with os.scandir(target) as found:
            entries = sorted(found, key=lambda entry: (entry.name.casefold(), entry.name))
    except FileNotFoundError:
        raise missing_error(target, folder) from None
    except NotADirectoryError:
        raise ToolError(f"{shown} is a file, not a folder. Use `read` to see it.") from None
    except OSError as error:
        raise os_error(error, "listed", shown) from error
    return [_row(entry) for entry in entries]


def _row(entry: os.DirEntry[str]) -> str:
    name = one_line(entry.name)
    try:
        if entry.is_symlink():
            return f"{name}{'/' if entry.is_dir() else ''} -> {one_line(os.readlink(entry.path))}"
        if entry.is_dir():
            return f"{name}/"
        return (
            f"{name}  {format_bytes(entry.stat().st_size)}" if entry.is_file() else f"{name}  (no plain file)"
        )
    except OSError:
        return name
