"""`preview_data`: one variable looked at, or some rows of it."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.previews import Preview, preview
from pi_notebook.context.previews.deferred import is_lazy
from pi_notebook.context.previews.foreign import is_a, type_name
from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.previews.lazy_parquet import is_writable
from pi_notebook.context.previews.preview import ASKED_ROWS
from pi_notebook.context.previews.references import ReferenceProblem, Variables, resolve
from pi_notebook.context.previews.rows import RowRange, preview_rows
from pi_notebook.context.previews.single_cell import preview_cell
from pi_notebook.context.previews.wording import label
from pi_notebook.context.queries.computed_rows import has_rows, preview_computed_rows
from pi_notebook.errors import CodeTimeoutError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.tools.kept_frame import KeptFrame, asked_frame, kept_frame
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.paths import resolve_path

_SECONDS = 10.0
_COMPUTING_SECONDS = 60.0
"""Rows that are asked for may have to be computed."""
_NOTICE_TOKENS = 200
"""In tokens; the rest is for the notice."""


@dataclass(frozen=True, kw_only=True)
class _Look:
    """What was seen on the main thread."""

    value: object
    shown: Preview
    part: str = ""
    """An expression that reaches an item of a container."""
    way_to_compute: str = ""
    """How some rows of something lazy are had."""


@tool(risk="read", sequential=True, needs=(CodeExecutor, Variables))
async def preview_data(
    context: ToolContext,
    name: Annotated[str, 'Or a part: df, result.params, d["x"]'],
    rows: Annotated[str | int | None, 'Only these: "tail 5", "100:120"'] = None,
    cell: Annotated[list[int | str] | None, "[row, column]: that one whole"] = None,
    keep: Annotated[bool, "Write all to parquet"] = False,
) -> ToolResult:
    """Look at a variable: shape, types, nulls, ranges, some rows of both ends."""
    asked = None if rows is None else RowRange.parse(rows)
    if rows is not None and asked is None:
        raise ToolError(f'rows={rows!r} is not understood. Use "head 20", "tail 5", "100:120" or a number.')
    variables = context.need(Variables)
    room = Bounds.of(context.resources).asked_tokens - _NOTICE_TOKENS

    def look() -> _Look:
        value = resolve(name, variables)
        if cell is not None:
            return _Look(value=value, shown=preview_cell(value, cell, asked, max_tokens=room, name=name))
        return _look(value, name, asked, room=room, is_kept=keep)

    executor, spills = context.need(CodeExecutor), context.resources.get(FrameSpills)
    seconds = _SECONDS if asked is None else _COMPUTING_SECONDS
    try:
        seen = await executor.call(look, timeout_seconds=seconds)
    except ReferenceProblem as problem:
        raise ToolError(_of_file(context, name) or str(problem)) from None
    except CodeTimeoutError:
        raise ToolError(
            f"Looking at {name} took longer than {seconds:g} s and was stopped. "
            "Use run_code to look at a part of it."
        ) from None
    if not keep:
        return _result(seen, await kept_frame(executor, seen.value, name, seen.shown, spills))
    if spills is None:
        raise ToolError("This session keeps no files. Use run_code to write one.")
    return _result(seen, await asked_frame(executor, seen.value, name, seen.shown, spills), is_asked=True)


def _of_file(context: ToolContext, name: str) -> str:
    """What to call instead where `name` is a file; empty where it is none."""
    folder = context.resources.get(WorkingFolder)
    with suppress(OSError, ValueError):
        if folder is not None and resolve_path(name, folder.path).is_file():
            return f"{name} is a file, no variable: read shows it, query_data and query_json ask it."
    return ""


def _look(value: object, name: str, asked: RowRange | None, *, room: int, is_kept: bool) -> _Look:
    if asked is not None and is_lazy(value):
        return _Look(value=value, shown=preview_computed_rows(value, asked, max_tokens=room, name=name))
    if asked is not None:
        shown = preview_rows(value, asked, max_tokens=room, name=name)
        if shown is None:
            raise ToolError(f"{name} ({type_name(value)}) has no rows to choose. Leave rows out.")
        return _Look(value=value, shown=shown)
    shown = preview(value, max_tokens=room, rows=ASKED_ROWS, name=name)
    way = _way_to_compute(value, is_kept=is_kept)
    return _Look(value=value, shown=shown, part=_part(value, name), way_to_compute=way)


def _way_to_compute(value: object, *, is_kept: bool) -> str:
    if not is_lazy(value) or not has_rows(value):
        return ""
    written = ", all of it to parquet with keep=true" if is_writable(value) and not is_kept else ""
    return f'Some rows are computed with rows="head 5"{written}.'


def _part(value: object, name: str) -> str:
    if not is_a(value, dict):
        return f"{name}[0]"
    key = next(iter(list(dict.keys(value))[:1]), "")
    return f"{name}[{label(key) if type(key) is not str else json.dumps(key[:60], ensure_ascii=False)}]"


def _result(seen: _Look, spill: KeptFrame, *, is_asked: bool = False) -> ToolResult:
    told = spill.spill.way_back if is_asked and spill.spill is not None else spill.problem
    notice = " ".join(part for part in (_notice(seen), told) if part)
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
    if "rows_computed" in shown.details:
        return ""
    if shown.kind == "rows" and shown.details["stop"] < shown.details["asked_stop"]:
        said.append(f'rows="{shown.details["stop"]}:{shown.details["asked_stop"]}" goes on.')
    if cell := shown.details.get("shortened_cell"):
        said.append(f"A shortened cell whole: cell={cell}.")
    if seen.way_to_compute:
        said.append(seen.way_to_compute)
    if shown.kind in ("array", "text"):
        said.append(f'More: rows="0:50", or a part by its path, as in {seen.part}.')
    if shown.kind == "container":
        rows = 'rows="0:50", ' if seen.part.endswith("[0]") else ""
        said.append(f"More: {rows}a part by its path, as in {seen.part}, or query_json.")
    return " ".join(said)
