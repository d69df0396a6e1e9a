"""A notebook file as a model reads it: by cell, with its outputs as short text.

Files of format 3 and 4 are read as they are; nothing is checked that need not be, since a person may
keep a notebook that no validator takes.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.context.amounts import count_of
from pi_notebook.context.cleaning import clean, show_controls
from pi_notebook.context.displays import describe_bundle, joined
from pi_notebook.context.truncation import OutputLimits, TextSize, truncate_head, truncate_middle

OUTPUT_LIMITS = OutputLimits(max_lines=20, max_bytes=1500)
"""Of one output among others."""
GAP = " not shown ...]"
"""What the line that stands for a part left out ends in."""
SOURCE_LIMITS = OutputLimits(max_lines=400, max_bytes=16_000)
_V3_NAMES = {"png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml", "html": "text/html"}
_V3_NAMES |= {"text": "text/plain", "latex": "text/latex", "json": "application/json"}


@dataclass(frozen=True, kw_only=True)
class NotebookText:
    """A notebook in parts that can be shown one by one."""

    title: str
    cells: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class CellText:
    """All text of one cell, as it stands in the file."""

    source: str
    outputs: Sequence[str]


def read_notebook(data: bytes, *, outputs: OutputLimits = OUTPUT_LIMITS) -> NotebookText:
    """The text of every cell, within bounds. Raises `ValueError` when `data` is no notebook."""
    notebook, cells = _decoded(data)
    texts = [cell_text(number, cell, outputs) for number, cell in enumerate(cells, 1)]
    kernel = _mapping(_mapping(notebook.get("metadata")).get("kernelspec")).get("name")
    count = count_of(len(cells), "cell")
    return NotebookText(title=f"Notebook with {count}{f', kernel {kernel}' if kernel else ''}.", cells=texts)


def cell_texts(data: bytes) -> list[CellText]:
    """The text of every cell at full length. Raises `ValueError` when `data` is no notebook."""
    _, cells = _decoded(data)
    return [
        CellText(source=_source(fields), outputs=[_output_text(output) for output in _outputs(fields)])
        for fields in map(_mapping, cells)
    ]


def fitting_cells(cells: Sequence[str], limits: OutputLimits, *, rest: str) -> list[str]:
    """The first of `cells` that fit, one at least; `rest` says where more is of one that is cut itself."""
    texts: list[str] = []
    room_bytes, room_lines = limits.max_bytes, limits.max_lines
    for cell in cells:
        size = TextSize.of(cell.encode("utf-8"))
        room_bytes -= size.byte_count + 2
        room_lines -= size.line_count + 1
        if texts and (room_bytes < 0 or room_lines < 0):
            break
        texts.append(cell)
    if texts and (first := truncate_head(texts[0], limits)).is_truncated:
        texts[0] = f"{first.content}\n[{first.notice} The rest of this cell: {rest}.]"
    return texts


def _decoded(data: bytes) -> tuple[Mapping[str, Any], list[Any]]:
    """The notebook and its cells."""
    try:
        notebook = _document(data.removeprefix(codecs.BOM_UTF8))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from error
    cells = _cells(notebook)
    if cells is None:
        raise ValueError("it has no cells")
    return notebook, cells


def _document(data: bytes) -> Any:
    """The JSON of a notebook, whose own writer also puts NaN and halves of surrogate pairs into it."""
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        with suppress(ValueError):
            return json.loads(data)
        raise


def _cells(notebook: Any) -> list[Any] | None:
    if not isinstance(notebook, dict):
        return None
    cells = notebook.get("cells")
    if cells is None and isinstance(sheets := notebook.get("worksheets"), list):
        cells = [cell for sheet in sheets for cell in _mapping(sheet).get("cells") or ()]
    return cells if isinstance(cells, list) else None


def cell_text(number: int, cell: Any, limits: OutputLimits = OUTPUT_LIMITS) -> str:
    """One cell of a notebook file, within bounds; each of its outputs within `limits`."""
    fields = _mapping(cell)
    kind = joined(fields.get("cell_type", "unknown"))
    run = fields.get("execution_count", fields.get("prompt_number"))
    marks = [f"cell {number}", kind]
    if "id" in fields:
        marks.append(f"id {show_controls(joined(fields['id']))[:64]}")
    if isinstance(run, int):
        marks.append(f"run {run}")
    parts = [f"[{', '.join(marks)}]", _shortened(show_controls(_source(fields)), SOURCE_LIMITS)]
    parts += [f"[output] {_shortened(_output_text(output), limits)}" for output in _outputs(fields)]
    return without_surrogates("\n".join(part for part in parts if part))


def _source(fields: Mapping[str, Any]) -> str:
    return joined(fields.get("source", fields.get("input", "")))


def _outputs(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    outputs = fields.get("outputs")
    return [_mapping(output) for output in outputs] if isinstance(outputs, list) else []


def _output_text(output: Mapping[str, Any]) -> str:
    kind = output.get("output_type")
    if kind == "stream":
        text = clean(joined(output.get("text", ""))).strip("\n")
        return f"stderr: {text}" if output.get("name", output.get("stream")) == "stderr" else text
    if kind in ("error", "pyerr"):
        traceback = output.get("traceback")
        lines = map(joined, traceback) if isinstance(traceback, list) else ()
        return clean("\n".join(lines)) or f"{output.get('ename')}: {output.get('evalue')}"
    data = output.get("data")
    if not isinstance(data, dict):
        data = {_V3_NAMES[name]: value for name, value in output.items() if name in _V3_NAMES}
    return clean(describe_bundle(data)).strip("\n")


def _shortened(text: str, limits: OutputLimits) -> str:
    """`text` with a line in its middle that says what is left out, where it is too long."""
    return truncate_middle(text, limits).content.rstrip("\n")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
