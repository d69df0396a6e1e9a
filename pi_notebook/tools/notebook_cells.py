"""The cells of the open notebook as tools: `read_cells`, `insert_cell`, `edit_cell`, `delete_cell`,
`move_cell` and `run_cell`.

They need a live notebook and are offered in sessions of the side panel only. A cell that is written
over, deleted or run is one whose text the model has read as it is now: what the person has typed since
is never lost, and what runs is what was consented to.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.agent.tools import Tool, ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.amounts import count_of
from pi_notebook.context.live_cells import LiveCell, NotebookCells, short_id
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.kernel.executor import CellExecutor, CodeExecutor
from pi_notebook.tools.live_notebook import NO_NOTEBOOK, cells_in
from pi_notebook.tools.notebook_file import GAP, OUTPUT_LIMITS, cell_text, fitting_cells
from pi_notebook.tools.replacements import Replacement, replace_all
from pi_notebook.tools.run_code import result_of

_LONG_OUTPUT_LIMITS = OutputLimits(max_lines=400, max_bytes=16_000)
"""Of the outputs of one cell that was asked for alone."""
_NOTICE_BYTES = 300
_NOTICE_LINES = 4
_MAX_DIFF_CHARACTERS = 20_000
_TOP, _END = "top", "end"


@tool(risk="read", sequential=True, needs=(NotebookCells,))
async def read_cells(
    context: ToolContext, first: int = 1, last: int | None = None, cell: str | None = None
) -> ToolResult:
    """Cells of the open notebook, with ids and outputs: those numbered first to last, or one by its id."""
    cells = cells_in(context.resources)
    found = await cells.read(cell or "")
    chosen = found.cells if cell else found.cells[max(first, 1) - 1 : last]
    if not chosen:
        raise ToolError(f"There are no such cells: the notebook has {count_of(found.count, 'cell')}.")
    outputs = _LONG_OUTPUT_LIMITS if cell else OUTPUT_LIMITS
    limits = Bounds.of(context.resources).read
    room = OutputLimits(
        max_lines=max(1, limits.max_lines - _NOTICE_LINES), max_bytes=max(1, limits.max_bytes - _NOTICE_BYTES)
    )
    texts = fitting_cells([_text(one, outputs) for one in chosen], room, rest="it is too long to be shown")
    shown = chosen[: len(texts)]
    cells.seen.update({one.id: one.source for one in shown})
    notice = _notice(shown, found.count, is_cut=len(shown) < len(chosen), texts=texts)
    return ToolResult.of_text(
        "\n\n".join([*texts, *notice]), details={"cells": [one.id for one in shown], "count": found.count}
    )


async def _insert_preview(resources: Mapping[type, Any], arguments: Mapping[str, Any]) -> str:
    place = arguments.get("after", _END)
    kind = arguments.get("cell_type", "code")
    return f"new {kind} cell, {_place_text(place)}\n{_marked('+', arguments['source'])}"


@tool(risk="edit", sequential=True, needs=(NotebookCells,), preview=_insert_preview)
async def insert_cell(
    context: ToolContext,
    source: str,
    after: Annotated[str, "A cell's id, top or end"] = _END,
    cell_type: Literal["code", "markdown"] = "code",
) -> ToolResult:
    """Put a cell in; it is not run."""
    cells = cells_in(context.resources)
    behind = await _behind(cells, after)
    made = await cells.insert(without_surrogates(source), cell_type=cell_type, after=behind)
    cells.seen[made.id] = made.source
    return _changed(f"Inserted {made.name}.", "inserted", made.id, before="", after=made.source)


async def _edit_preview(resources: Mapping[type, Any], arguments: Mapping[str, Any]) -> str:
    found, source = await _edited(cells_in(resources), **arguments)
    return f"{found.name}\n{_diff(found.source, source)}"


@tool(risk="edit", sequential=True, needs=(NotebookCells,), preview=_edit_preview)
async def edit_cell(
    context: ToolContext,
    cell: str,
    old_text: Annotated[str | None, "Found once"] = None,
    new_text: str | None = None,
    source: Annotated[str | None, "Instead, for all of it"] = None,
) -> ToolResult:
    """Change a cell's source; it is not run."""
    cells = cells_in(context.resources)
    found, wanted = await _edited(cells, cell, old_text, new_text, source)
    made = await cells.edit(found.id, wanted, expected=found.source)
    cells.seen[made.id] = made.source
    return _changed(f"Edited {made.name}.", "edited", made.id, before=found.source, after=made.source)


async def _delete_preview(resources: Mapping[type, Any], arguments: Mapping[str, Any]) -> str:
    found = await _known(cells_in(resources), arguments["cell"], "deleted")
    return f"{found.name}\n{_marked('-', found.source)}"


@tool(risk="edit", sequential=True, needs=(NotebookCells,), preview=_delete_preview)
async def delete_cell(context: ToolContext, cell: str) -> ToolResult:
    """Delete a cell you have read."""
    cells = cells_in(context.resources)
    found = await _known(cells, cell, "deleted")
    await cells.delete(found.id, expected=found.source)
    cells.seen.pop(found.id, None)
    return _changed(f"Deleted {found.name}.", "deleted", found.id, before=found.source, after="")


async def _move_preview(resources: Mapping[type, Any], arguments: Mapping[str, Any]) -> str:
    found = await _one(cells_in(resources), arguments["cell"])
    return f"{found.name}, to where it is cell {arguments['position']}\n{_marked(' ', found.source)}"


@tool(risk="edit", sequential=True, needs=(NotebookCells,), preview=_move_preview)
async def move_cell(
    context: ToolContext, cell: str, position: Annotated[int, "New number, from 1"]
) -> ToolResult:
    """Move a cell."""
    cells = cells_in(context.resources)
    found = await _one(cells, cell)
    moved = await cells.move(found.id, position - 1)
    text = f"Moved cell {found.index + 1} (id {short_id(found.id)}): it is cell {moved.index + 1} now."
    return ToolResult.of_text(text, details={"cell": moved.id, "action": "moved", "index": moved.index})


async def _run_preview(resources: Mapping[type, Any], arguments: Mapping[str, Any]) -> str:
    found = await _known(cells_in(resources), arguments["cell"], "run")
    return f"{found.name}\n{found.source}"


@tool(risk="execute", sequential=True, needs=(NotebookCells, CodeExecutor), preview=_run_preview)
async def run_cell(context: ToolContext, cell: str) -> ToolResult:
    """Run a code cell you have read; the result is run_code's."""
    executor = context.need(CodeExecutor)
    found = await _known(cells_in(context.resources), cell, "run")
    if found.cell_type != "code":
        raise ToolError(f"{found.name} is a {found.cell_type} cell: there is nothing to run.")
    if not isinstance(executor, CellExecutor):
        raise ToolError(NO_NOTEBOOK)
    result = await result_of(context, found.source, functools.partial(executor.run_cell, found.id))
    result.details.update(cell=found.id, action="ran", code=found.source)
    return result


def notebook_tools() -> tuple[Tool, ...]:
    """The tools for a live notebook, in the order a model is told of them."""
    return (read_cells, insert_cell, edit_cell, delete_cell, move_cell, run_cell)


async def _behind(cells: NotebookCells, after: str) -> str:
    """The id of the cell that a new one follows; empty for the top."""
    if after == _TOP:
        return ""
    if after == _END:
        found = (await cells.read()).cells
        return found[-1].id if found else ""
    return (await _one(cells, after)).id


async def _edited(
    cells: NotebookCells,
    cell: str,
    old_text: str | None = None,
    new_text: str | None = None,
    source: str | None = None,
) -> tuple[LiveCell, str]:
    """The cell as it is, and the source it is to have."""
    if source is not None:
        if old_text or new_text:
            raise ToolError("Give either old_text and new_text, or source.")
        return await _known(cells, cell, "changed"), without_surrogates(source)
    found = await _one(cells, cell)
    if not old_text and found.source:
        raise ToolError("old_text is empty: name the text to replace, or give the whole cell as source.")
    replacement = without_surrogates(new_text or "")
    if not old_text or not found.source:
        return found, replacement
    try:
        changed, _ = replace_all(found.source, [Replacement(old=old_text, new=replacement)], found.name)
    except ToolError as error:
        cells.seen[found.id] = found.source
        raise ToolError(f"{error}\nThe cell is now:\n{_text(found, OUTPUT_LIMITS)}") from None
    return found, changed


async def _known(cells: NotebookCells, cell: str, done: str) -> LiveCell:
    """A cell whose text the model has read as it is now; a `ToolError` with that text when it has not."""
    found = await _one(cells, cell)
    seen = cells.seen.get(found.id)
    if seen == found.source:
        return found
    cells.seen[found.id] = found.source
    why = "you have not read it" if seen is None else "the person has changed it since you read it"
    raise ToolError(
        f"{found.name} was not {done}: {why}. Look whether you still want to. The cell is now:\n"
        f"{_text(found, OUTPUT_LIMITS)}"
    )


async def _one(cells: NotebookCells, cell: str) -> LiveCell:
    if not cell.strip():
        raise ToolError("Name a cell by its id; read_cells shows the ids.")
    return (await cells.read(cell.strip())).cells[0]


def _text(cell: LiveCell, outputs: OutputLimits) -> str:
    fields: dict[str, Any] = {
        "cell_type": cell.cell_type,
        "id": short_id(cell.id),
        "execution_count": cell.execution_count,
        "source": cell.source,
    }
    if cell.outputs:
        fields["outputs"] = [{"output_type": "stream", "text": cell.outputs}]
    return cell_text(cell.index + 1, fields, outputs)


def _notice(shown: Any, count: int, *, is_cut: bool, texts: list[str]) -> list[str]:
    """What is said of cells that are not there, or not whole."""
    said = []
    first, last = shown[0].index + 1, shown[-1].index + 1
    if len(shown) < count and len(shown) > 1 or is_cut:
        more = f" Use first={last + 1} to continue." if is_cut else ""
        said.append(f"Showing cells {first}-{last} of {count}.{more}")
    if len(shown) > 1 and any(GAP in text for text in texts):
        said.append("More of a cell that is shortened: its id as cell.")
    return [f"[{' '.join(said)}]"] if said else []


def _place_text(after: str) -> str:
    return {_TOP: "at the top", _END: "at the end"}.get(after, f"after the cell {after}")


def _marked(mark: str, source: str) -> str:
    return "\n".join(f"{mark} {line}" for line in source.split("\n"))


def _diff(before: str, after: str) -> str:
    """All lines that go and come, with those around them."""
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=3)
    return "\n".join(f"{line[0]} {line[1:]}" for line in list(lines)[2:] if not line.startswith("@@"))


def _changed(text: str, action: str, cell_id: str, *, before: str, after: str) -> ToolResult:
    diff = _diff(before, after)[:_MAX_DIFF_CHARACTERS]
    return ToolResult.of_text(text, details={"cell": cell_id, "action": action, "diff": diff})
