"""What a person attaches to a prompt by name: a variable's preview, or a file as `read` shows it.

An attachment stands before the prompt as a message of its own, within the bounds of the tool that
looks at such things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pi_notebook.agent.abort import AbortSignal
from pi_notebook.agent.messages import CustomMessage, TextContent, ToolCall, UserContent, now_ms
from pi_notebook.agent.tools import Tool, ToolContext, ToolError, ToolResult
from pi_notebook.context.previews.references import Variables
from pi_notebook.errors import UsageError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.paths import resolve_path
from pi_notebook.tools.preview_data import preview_data
from pi_notebook.tools.read import read

CUSTOM_TYPE = "pi_notebook/attachment"


async def attachments(names: Sequence[str], resources: Mapping[type, Any]) -> list[CustomMessage]:
    """A message for each name; a variable comes before a file of the same name.

    Raises `UsageError` when a name is neither, or cannot be shown, before anything is sent.
    """
    return [await _attachment(name, resources) for name in names]


async def _attachment(name: str, resources: Mapping[type, Any]) -> CustomMessage:
    if _is_variable(name, resources):
        kind, result = "variable", await _looked_at(preview_data, {"name": name}, resources)
    elif _is_path(name, resources[WorkingFolder].path):
        kind, result = "file", await _looked_at(read, {"path": name}, resources)
    else:
        raise UsageError(_unknown(name, resources))
    if result.is_error:
        raise UsageError(f"{name} cannot be attached: {result.content[0]}")
    content: list[UserContent] = [
        TextContent(text=f'<attachment {kind}="{name}">'),
        *result.content,
        TextContent(text="</attachment>"),
    ]
    return CustomMessage(
        custom_type=CUSTOM_TYPE,
        content=content,
        display=True,
        details={"name": name, "kind": kind},
        timestamp=now_ms(),
    )


def _is_variable(name: str, resources: Mapping[type, Any]) -> bool:
    variables: Variables | None = resources.get(Variables)
    if variables is None or CodeExecutor not in resources:
        return False
    head = name.replace("[", ".").split(".")[0]
    return head in variables.names()


def _is_path(name: str, folder: Path) -> bool:
    try:
        return resolve_path(name, folder).exists()
    except ToolError:
        return False


async def _looked_at(tool: Tool, arguments: dict[str, Any], resources: Mapping[type, Any]) -> ToolResult:
    context = ToolContext(
        call=ToolCall(id="attachment", name=tool.name, arguments=arguments),
        abort=AbortSignal(),
        update=lambda text: None,
        resources=resources,
    )
    try:
        return await tool.execute(context, tool.parse(arguments))
    except ToolError as error:
        raise UsageError(f"{next(iter(arguments.values()))} cannot be attached: {error}") from None


def _unknown(name: str, resources: Mapping[type, Any]) -> str:
    variables: Variables | None = resources.get(Variables)
    near = get_close_matches(name, variables.names() if variables else [], n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"There is no variable and no file {name!r} to attach.{hint}"
