"""`preview_data`: one variable looked at, or some rows of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.previews import Preview, preview
from pi_notebook.context.previews.foreign import type_name
from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.previews.kinds import ASKED_TOKENS
from pi_notebook.context.previews.parquet import FrameSpill
from pi_notebook.context.previews.preview import ASKED_ROWS
from pi_notebook.context.previews.references import ReferenceProblem, Variables, resolve
from pi_notebook.context.previews.rows import RowRange, preview_rows
from pi_notebook.errors import CodeTimeoutError
from pi_notebook.kernel.executor import CodeExecutor

_SECONDS = 10.0
_NOTICE_TOKENS = 200


@dataclass(frozen=True, kw_only=True)
class _Look:
    """What was seen on the main thread."""

    shown: Preview
    spill: FrameSpill | None = None


@tool(risk="read", sequential=True, needs=(CodeExecutor, Variables))
async def preview_data(
    context: ToolContext,
    name: Annotated[str, 'Variable or path: df, result.params, d["x"]'],
    rows: Annotated[str | int | None, 'E.g. "head 20", "tail 5", "100:120"'] = None,
) -> ToolResult:
    """Look at a variable: shape, types, nulls, ranges, and some rows of both ends.

    With rows: only those.
    """
    asked = None if rows is None else RowRange.parse(rows)
    if rows is not None and asked is None:
        raise ToolError(f'rows={rows!r} is not understood. Use "head 20", "tail 5", "100:120" or a number.')
    variables = context.need(Variables)
    spills: FrameSpills | None = context.resources.get(FrameSpills)

    def look() -> _Look:
        return _look(resolve(name, variables), name, asked, spills)

    try:
        seen = await context.need(CodeExecutor).call(look, timeout_seconds=_SECONDS)
    except ReferenceProblem as problem:
        raise ToolError(str(problem)) from None
    except CodeTimeoutError:
        raise ToolError(
            f"Looking at {name} took longer than {_SECONDS:g} s and was stopped. "
            "Use run_code to look at a part of it."
        ) from None
    return _result(seen, name)


def _look(value: object, name: str, asked: RowRange | None, spills: FrameSpills | None) -> _Look:
    room = ASKED_TOKENS - _NOTICE_TOKENS
    if asked is not None:
        shown = preview_rows(value, asked, max_tokens=room, name=name)
        if shown is None:
            raise ToolError(f"{name} ({type_name(value)}) has no rows to choose. Leave rows out.")
        return _Look(shown=shown)
    shown = preview(value, max_tokens=room, rows=ASKED_ROWS, name=name)
    return _Look(shown=shown, spill=spills.keep(value, name, shown) if spills is not None else None)


def _result(seen: _Look, name: str) -> ToolResult:
    notice = _notice(seen.shown, name)
    text = f"{seen.shown.text}\n[{notice}]" if notice else seen.shown.text
    details: dict[str, Any] = {
        "kind": seen.shown.kind,
        "isComplete": seen.shown.is_complete,
        **seen.shown.details,
    }
    if seen.spill is not None:
        details["spill"] = seen.spill.details()
    return ToolResult.of_text(text, details=details)


def _notice(shown: Preview, name: str) -> str:
    """How to get what is not shown, where the tool's description does not say it."""
    if shown.is_complete:
        return ""
    if shown.kind == "rows":
        return f'rows="{shown.details["stop"]}:{shown.details["asked_stop"]}" goes on.'
    if shown.kind in ("array", "container", "text"):
        return f'More: rows="0:50", or a part by its path, as in {name}[0].'
    return ""
