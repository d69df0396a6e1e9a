"""`preview_data`: one variable looked at, or some rows of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.previews import Preview, preview
from pi_notebook.context.previews.foreign import is_a, type_name
from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.previews.kinds import ASKED_TOKENS
from pi_notebook.context.previews.preview import ASKED_ROWS
from pi_notebook.context.previews.references import ReferenceProblem, Variables, resolve
from pi_notebook.context.previews.rows import RowRange, preview_rows
from pi_notebook.context.previews.single_cell import preview_cell
from pi_notebook.context.previews.wording import label
from pi_notebook.errors import CodeTimeoutError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.tools.kept_frame import KeptFrame, kept_frame

_SECONDS = 10.0
_ROOM = ASKED_TOKENS - 200
"""In tokens; the rest is for the notice."""


@dataclass(frozen=True, kw_only=True)
class _Look:
    """What was seen on the main thread."""

    value: object
    shown: Preview
    part: str = ""
    """An expression that reaches an item of a container."""


@tool(risk="read", sequential=True, needs=(CodeExecutor, Variables))
async def preview_data(
    context: ToolContext,
    name: Annotated[str, 'Variable or path: df, result.params, d["x"]'],
    rows: Annotated[str | int | None, 'Only these: "tail 5", "100:120"'] = None,
    cell: Annotated[list[int | str] | None, "[row, column]"] = None,
) -> ToolResult:
    """Look at a variable: shape, types, nulls, ranges, some rows of both ends."""
    asked = None if rows is None else RowRange.parse(rows)
    if rows is not None and asked is None:
        raise ToolError(f'rows={rows!r} is not understood. Use "head 20", "tail 5", "100:120" or a number.')
    variables = context.need(Variables)

    def look() -> _Look:
        value = resolve(name, variables)
        if cell is not None:
            return _Look(value=None, shown=preview_cell(value, cell, asked, max_tokens=_ROOM, name=name))
        return _look(value, name, asked)

    executor = context.need(CodeExecutor)
    try:
        seen = await executor.call(look, timeout_seconds=_SECONDS)
    except ReferenceProblem as problem:
        raise ToolError(str(problem)) from None
    except CodeTimeoutError:
        raise ToolError(
            f"Looking at {name} took longer than {_SECONDS:g} s and was stopped. "
            "Use run_code to look at a part of it."
        ) from None
    spill = await kept_frame(executor, seen.value, name, seen.shown, context.resources.get(FrameSpills))
    return _result(seen, spill)


def _look(value: object, name: str, asked: RowRange | None) -> _Look:
    if asked is not None:
        shown = preview_rows(value, asked, max_tokens=_ROOM, name=name)
        if shown is None:
            raise ToolError(f"{name} ({type_name(value)}) has no rows to choose. Leave rows out.")
        return _Look(value=None, shown=shown)
    shown = preview(value, max_tokens=_ROOM, rows=ASKED_ROWS, name=name)
    return _Look(value=value, shown=shown, part=_part(value, name))


def _part(value: object, name: str) -> str:
    if not is_a(value, dict):
        return f"{name}[0]"
    key = next(iter(list(dict.keys(value))[:1]), "")
    return f"{name}[{label(key) if type(key) is not str else json.dumps(key[:60], ensure_ascii=False)}]"


def _result(seen: _Look, spill: KeptFrame) -> ToolResult:
    notice = " ".join(part for part in (_notice(seen), spill.problem) if part)
    text = f"{seen.shown.text}\n[{notice}]" if notice else seen.shown.text
    details: dict[str, Any] = {
        "kind": seen.shown.kind,
        "isComplete": seen.shown.is_complete,
        **seen.shown.details,
    }
    details |= spill.details("spill")
    return ToolResult.of_text(text, details=details)


def _notice(seen: _Look) -> str:
    """How to get what is not shown, where the tool's description does not say it."""
    shown = seen.shown
    if shown.is_complete:
        return ""
    said = []
    if shown.kind == "rows" and shown.details["stop"] < shown.details["asked_stop"]:
        said.append(f'rows="{shown.details["stop"]}:{shown.details["asked_stop"]}" goes on.')
    if cell := shown.details.get("shortened_cell"):
        said.append(f"A shortened cell whole: cell={cell}.")
    if shown.kind in ("array", "text"):
        said.append(f'More: rows="0:50", or a part by its path, as in {seen.part}.')
    if shown.kind == "container":
        rows = 'rows="0:50", ' if seen.part.endswith("[0]") else ""
        said.append(f"More: {rows}a part by its path, as in {seen.part}, or query_json.")
    return " ".join(said)
