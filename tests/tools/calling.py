"""Calling a tool as the loop does, with a session's objects on real folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.messages import ToolCall
from pi_notebook.agent.tools import Tool, ToolContext, ToolResult
from pi_notebook.context.spill import SpillFolder
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.tools.needs import Shell, WorkingFolder, find_shell


def context_for(
    folder: Path,
    *,
    name: str = "tool",
    limits: OutputLimits | None = None,
    update: Callable[[str], None] = lambda _: None,
) -> ToolContext:
    return ToolContext(
        call=ToolCall(id="call", name=name, arguments={}),
        abort=AbortSignal(),
        update=update,
        resources={
            WorkingFolder: WorkingFolder(path=folder),
            Shell: find_shell(),
            SpillFolder: SpillFolder(path=folder.parent / f"{folder.name}-spill"),
            OutputLimits: limits or OutputLimits(),
        },
    )


async def call(tool: Tool, folder: Path, limits: OutputLimits | None = None, **arguments: Any) -> ToolResult:
    """The result of one call, its arguments checked first."""
    return await tool.execute(context_for(folder, name=tool.name, limits=limits), tool.parse(arguments))


async def text_of(tool: Tool, folder: Path, limits: OutputLimits | None = None, **arguments: Any) -> str:
    """The text of the result of one call."""
    result = await call(tool, folder, limits, **arguments)
    return "".join(block.text for block in result.content if hasattr(block, "text"))
