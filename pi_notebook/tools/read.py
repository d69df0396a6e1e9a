"""`read`: text, pictures, notebooks, tables and PDFs, a part at a time."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from pi_notebook.agent.messages import TextContent
from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.amounts import count_of
from pi_notebook.context.cleaning import show_controls
from pi_notebook.context.images import image_type
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.truncation import OutputLimits, TextSize, Truncation, format_bytes, truncate_head
from pi_notebook.tools import csv_file
from pi_notebook.tools.binary import SNIFFED_BYTES, describe_binary, is_binary_head
from pi_notebook.tools.encoding import decode_text
from pi_notebook.tools.files import read_blocks, read_whole
from pi_notebook.tools.json_filter import JsonFilter
from pi_notebook.tools.ls import ls
from pi_notebook.tools.needs import QueryEngine, WorkingFolder
from pi_notebook.tools.notebook_file import GAP, OUTPUT_LIMITS, NotebookText, fitting_cells, read_notebook
from pi_notebook.tools.parquet_file import FIRST_ROWS, describe_parquet
from pi_notebook.tools.paths import resolve_path, shown_path
from pi_notebook.tools.pdf_file import read_pdf
from pi_notebook.tools.picture import image_block
from pi_notebook.tools.text_file import TextBlocks, scan_lines

_MOST_LINES = 2000
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson", ".geojson", ".topojson")
_MAX_PICTURE_BYTES = 64 * 1024 * 1024
_MAX_NOTEBOOK_BYTES = 128 * 1024 * 1024
_GLANCE_BYTES = 4096
"""Shown of a line too long for the limit, and of text that does not decode."""
_SKILL = "skill.md"
_FEW_CELLS = 3
"""Asked for so few, a notebook's outputs are shown at length."""
_LONG_OUTPUT_LIMITS = OutputLimits(max_lines=200, max_bytes=12_000)


@tool(risk="read", needs=(WorkingFolder, OutputLimits))
async def read(
    context: ToolContext,
    path: Annotated[str, "File to read"],
    offset: Annotated[int, msgspec.Meta(description="First line, cell, page or row, from 1", ge=0)] = 1,
    limit: Annotated[int, msgspec.Meta(description="Most of them", ge=1)] = _MOST_LINES,
) -> ToolResult:
    """Read a file: text, an image, a notebook by cell, a PDF by page; of a large table its columns and first
    rows. Gives up to 2000 lines or 50 KB; offset pages.
    """
    folder = context.need(WorkingFolder).path
    if os.path.isdir(resolve_path(path, folder)):
        return await ls.execute(context, ls.parse({"path": path}))
    request = _Request(
        path=resolve_path(path, folder),
        folder=folder,
        offset=max(1, offset),
        limit=limit,
        limits=Bounds.of(context.resources).read,
        has_json_filter=JsonFilter in context.resources,
        has_query_engine=QueryEngine in context.resources,
    )
    return await asyncio.to_thread(_read, request, lambda: context.abort.is_set)


class _Request(msgspec.Struct, frozen=True, kw_only=True):
    path: Path
    folder: Path
    offset: int
    limit: int
    limits: OutputLimits
    has_json_filter: bool
    has_query_engine: bool

    @property
    def shown(self) -> str:
        return shown_path(self.path, self.folder)

    @property
    def query(self) -> str:
        """How else a table is looked into; nothing where it cannot be."""
        is_reachable = self.has_query_engine and self.path.is_relative_to(self.folder)
        return f", or query it with query_data: FROM '{self.shown}'" if is_reachable else ""


def _read(request: _Request, should_stop: Callable[[], bool]) -> ToolResult:
    with contextlib.closing(read_blocks(request.path, request.folder)) as opened:
        wanted = itertools.takewhile(lambda _: not should_stop(), opened)
        return _read_opened(request, wanted, should_stop)


def _read_opened(request: _Request, blocks: Iterator[bytes], should_stop: Callable[[], bool]) -> ToolResult:
    first = next(blocks, b"")
    head = first[:SNIFFED_BYTES]
    if image_type(head):
        return _read_picture(request)
    described = _described(request, head, should_stop)
    if described is not None:
        kept = truncate_head(described, request.limits)
        text = f"{kept.content}\n[{kept.notice}]" if kept.is_truncated else described
        return ToolResult.of_text(text, details={"path": str(request.path)})
    if is_binary_head(head):
        size = format_bytes(request.path.stat().st_size)
        raise ToolError(f"{request.shown} is binary ({size}). {describe_binary(head)}")
    note = ""
    if request.path.suffix.lower() == ".ipynb":
        try:
            return _read_notebook(request)
        except ValueError as error:
            note = f"[It is no notebook ({error}) and is shown as text.]\n"
    return _read_text(request, itertools.chain([first], blocks), note)


def _described(request: _Request, head: bytes, should_stop: Callable[[], bool]) -> str | None:
    """Of a parquet file, a PDF and a large table of values what is worth reading; None of other files."""
    try:
        if head.startswith(b"PAR1"):
            return _parquet_text(request)
        if head.startswith(b"%PDF-"):
            return _pdf_text(request, should_stop)
    except ValueError as error:
        size = format_bytes(request.path.stat().st_size)
        reason = str(error).rstrip(".")
        raise ToolError(f"{request.shown} ({size}) cannot be read: {reason}. Try run_code.") from None
    is_asked_by_line = request.offset > 1 or request.limit != _MOST_LINES
    is_table = request.path.suffix.lower() in csv_file.ENDINGS and not is_binary_head(head)
    return _csv_text(request, head) if is_table and not is_asked_by_line else None


def _parquet_text(request: _Request) -> str | None:
    count = FIRST_ROWS if request.limit == _MOST_LINES else request.limit
    return describe_parquet(
        request.path, request.shown, start=request.offset - 1, count=count, also=request.query
    )


def _csv_text(request: _Request, head: bytes) -> str | None:
    size = request.path.stat().st_size
    is_wide = len(re.split(rb"[\r\n]", head, maxsplit=1)[0]) > csv_file.LONG_LINE_BYTES
    if size <= csv_file.LARGE_BYTES and not is_wide:
        return None
    with contextlib.closing(read_blocks(request.path, request.folder)) as blocks:
        return csv_file.describe_csv(request.path, request.shown, blocks, size, also=request.query)


def _pdf_text(request: _Request, should_stop: Callable[[], bool]) -> str | None:
    found = read_pdf(
        request.path,
        first=request.offset,
        count=request.limit,
        limits=request.limits,
        should_stop=should_stop,
    )
    if found is None:
        return None
    text, last, total = found
    if request.offset > total:
        pages = count_of(total, "page")
        raise ToolError(f"offset={request.offset} is behind the end of {request.shown}, which has {pages}.")
    more = f" Use offset={last + 1} to continue." if last < total else ""
    return f"{text}\n\n[Showing {_span('page', request.offset, last)} of {total:,}.{more}]"


def _read_picture(request: _Request) -> ToolResult:
    data = read_whole(
        request.path,
        request.folder,
        max_bytes=_MAX_PICTURE_BYTES,
        advice="Make a smaller copy with run_code.",
    )
    block, said = image_block(data, request.shown)
    return ToolResult(content=[TextContent(text=said), block], details={"path": str(request.path)})


def _read_text(request: _Request, blocks: Iterator[bytes], note: str) -> ToolResult:
    limits = request.limits
    limits = OutputLimits(max_lines=min(request.limit, limits.max_lines), max_bytes=limits.max_bytes)
    plain = TextBlocks(blocks)
    part = scan_lines(plain, offset=request.offset, max_bytes=limits.max_bytes + 1)
    total = part.whole.line_count
    if not part.whole.byte_count:
        return ToolResult.of_text(f"({request.shown} is empty)", details={"path": str(request.path)})
    if request.offset > total:
        raise ToolError(
            f"offset={request.offset} is behind the end of {request.shown}, "
            f"which has {count_of(total, 'line')}."
        )
    rest = total - request.offset + 1
    decoded = decode_text(part.data, plain.encoding)
    text = show_controls(decoded.removeprefix("\ufeff").replace("\r\n", "\n"))
    is_all = len(part.data) <= limits.max_bytes
    whole = None if is_all else TextSize(line_count=rest, byte_count=part.whole.byte_count)
    kept = truncate_head(text, limits, whole=whole)
    if kept.last_line_partial or _is_mostly_undecoded(kept.content):
        glance = OutputLimits(max_lines=limits.max_lines, max_bytes=min(limits.max_bytes, _GLANCE_BYTES))
        kept = truncate_head(text, glance, whole=whole)
    said = [*_text_notice(request, kept, total, is_plain=plain.is_plain), *plain.notes]
    if kept.is_truncated and request.has_json_filter and request.path.suffix.lower() in _JSON_ENDINGS:
        said.append("query_json looks into it.")
    end = "\n\n" + "\n".join(f"[{one}]" for one in said) if said else ""
    body = kept.content.removesuffix("\n") if said else kept.content
    details = {"path": str(request.path), "truncation": kept.details()}
    if request.path.name.lower() == _SKILL:  # the model follows it, a person need not read it again
        details["forPerson"] = f"read skill {request.path.parent.name}"
    return ToolResult.of_text(f"{note}{body}{end}", details=details)


def _is_mostly_undecoded(text: str) -> bool:
    return text.count("\ufffd") * 10 > len(text)


def _text_notice(request: _Request, kept: Truncation, total: int, *, is_plain: bool) -> list[str]:
    """What is shown of the file and how to go on; nothing when it is all from the offset to the end."""
    if not kept.is_truncated:
        return []
    first = request.offset
    last = first + kept.output_lines - 1
    more = f" Use offset={last + 1} to continue." if last < total else ""
    if kept.last_line_partial:
        count = kept.shown[-1].byte_count
        shell = f", or bash with sed -n {last}p PATH | tail -c +{count + 1}" if is_plain else ""
        return [
            f"Line {last:,} of {total:,} is too long; its first {format_bytes(count)} are shown. "
            f"The rest: run_code{shell}.{more}"
        ]
    cause = f" ({format_bytes(kept.max_bytes)} limit)" if kept.truncated_by == "bytes" else ""
    return [f"Showing {_span('line', first, last)} of {total:,}{cause}.{more}"]


def _span(noun: str, first: int, last: int) -> str:
    return f"{noun} {first:,}" if first == last else f"{noun}s {first:,}-{last:,}"


def _read_notebook(request: _Request) -> ToolResult:
    data = read_whole(
        request.path,
        request.folder,
        max_bytes=_MAX_NOTEBOOK_BYTES,
        advice="Open it with run_code and nbformat.",
    )
    outputs = _LONG_OUTPUT_LIMITS if request.limit <= _FEW_CELLS else OUTPUT_LIMITS
    notebook = read_notebook(data, outputs=outputs)
    count = len(notebook.cells)
    if count and request.offset > count:
        raise ToolError(
            f"offset={request.offset} is behind the last cell of {request.shown}, which has {count}."
        )
    texts = _fitting_cells(notebook, request)
    last = request.offset + len(texts) - 1
    text = "\n\n".join([notebook.title, *texts])
    notices = _notebook_notices(request, last, count, has_gaps=any(GAP in one for one in texts))
    if notices:
        text += f"\n\n[{' '.join(notices)}]"
    return ToolResult.of_text(text, details={"path": str(request.path), "cells": [request.offset, last]})


def _notebook_notices(request: _Request, last: int, count: int, *, has_gaps: bool) -> list[str]:
    notices = []
    shown = _span("cell", request.offset, last)
    if last < count:
        notices.append(f"Showing {shown} of {count}. Use offset={last + 1} to continue.")
    elif request.offset > 1:
        notices.append(f"Showing {shown} of {count}.")
    if has_gaps and request.limit > _FEW_CELLS:
        notices.append("More of a cell that is shortened: its number as offset, limit=1.")
    return notices


def _fitting_cells(notebook: NotebookText, request: _Request) -> list[str]:
    """Cells from the offset on, as many as the limits allow, one at least."""
    start = request.offset - 1
    wanted = notebook.cells[start : start + request.limit]
    room = OutputLimits(
        max_lines=max(1, request.limits.max_lines - _NOTICE_LINES),
        max_bytes=max(1, request.limits.max_bytes - _NOTICE_BYTES),
    )
    return fitting_cells(wanted, room, rest="run_code and nbformat")


_NOTICE_BYTES = 300
_NOTICE_LINES = 4
"""For what is said before and after the cells."""
