"""`grep`: lines by what they say."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec

from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.cleaning import show_controls
from pi_notebook.context.truncation import OutputLimits, format_bytes
from pi_notebook.tools.files import open_plain
from pi_notebook.tools.globs import glob_filter
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.paths import resolve_path, shown_path
from pi_notebook.tools.rows import rows_result
from pi_notebook.tools.search import MAX_LINELESS_BYTES, Query, Row, Search, find_ripgrep
from pi_notebook.tools.tree import FileList, list_files

TIMEOUT_SECONDS = 60.0
_MAX_LINE_CHARACTERS = 500
_BEFORE_MATCH_CHARACTERS = 100


@tool(risk="read", needs=(WorkingFolder, OutputLimits))
async def grep(
    call: ToolContext,
    pattern: Annotated[str, "Regular expression, matched within a line"],
    path: Annotated[str, "File or folder; default the working folder"] = ".",
    glob: Annotated[str, "Only files like *.py"] = "",
    ignore_case: Annotated[bool, "Upper and lower case alike"] = False,
    literal: Annotated[bool, "Plain text pattern"] = False,
    context: Annotated[int, msgspec.Meta(description="Lines around a match", ge=0, le=50)] = 0,
    limit: Annotated[int, msgspec.Meta(description="Most matches", ge=1)] = 100,
) -> ToolResult:
    """Search files for a pattern, those that .gitignore names left out. Rows are path:line: text."""
    if not pattern or "\n" in pattern:
        raise ToolError("pattern must be one line that is not empty; a match never spans lines.")
    folder = call.need(WorkingFolder).path
    target = resolve_path(path, folder)
    base, files = await asyncio.to_thread(_files, target, folder, glob, lambda: call.abort.is_set)
    query = Query(pattern=pattern, ignore_case=ignore_case, literal=literal, context=context)
    search = await asyncio.to_thread(Search, query, folder=base, ripgrep=find_ripgrep())
    found = await find_matches(search, files.names, limit=limit)
    notices = [
        *found.notices,
        *files.notices,
        *_skipped_notice([shown_path(base / name, folder) for name in search.skipped]),
    ]
    return rows_result(
        shown_rows(found.rows, base, folder, has_context=context > 0),
        call.need(OutputLimits),
        notices=notices,
        empty=f"(no match in {len(files.names):,} file{'' if len(files.names) == 1 else 's'})",
    )


@dataclass(frozen=True, kw_only=True)
class Matches:
    """What a search found."""

    rows: Sequence[Row]
    notices: Sequence[str] = ()


async def find_matches(
    search: Search, names: Sequence[str], *, limit: int, timeout_seconds: float = TIMEOUT_SECONDS
) -> Matches:
    """The first `limit` matches in the files of `names`."""
    rows: list[Row] = []
    work = asyncio.ensure_future(asyncio.to_thread(_collect, search.rows(names), rows, limit))
    try:
        done, _ = await asyncio.wait({work}, timeout=timeout_seconds)
    finally:
        search.stop()
    has_more = await work
    if not done:
        return Matches(
            rows=rows, notices=[f"Stopped after {timeout_seconds:g} s; narrow it by path or glob."]
        )
    more = f"{limit:,} matches shown, there are more; use limit={2 * limit} or narrow it."
    return Matches(rows=rows, notices=[more] if has_more else [])


def shown_rows(rows: Sequence[Row], base: Path, folder: Path, *, has_context: bool) -> list[str]:
    """`path:line: text` for a match, `path-line- text` beside it, `--` where lines are left out."""
    shown: list[str] = []
    before: Row | None = None
    for row in rows:
        follows = before is not None and (before.path, before.line + 1) == (row.path, row.line)
        if has_context and before is not None and not follows:
            shown.append("--")
        mark = ":" if row.is_match else "-"
        shown.append(f"{shown_path(base / row.path, folder)}{mark}{row.line}{mark} {_shown_text(row)}")
        before = row
    return shown


def _files(target: Path, folder: Path, glob: str, should_stop: Callable[[], bool]) -> tuple[Path, FileList]:
    """A folder, and the files to search in it."""
    if not target.is_dir():
        os.close(open_plain(target, folder))
        return target.parent, FileList(names=[target.name], is_whole=True)
    matches = glob_filter(glob or "*", target)
    files = list_files(target, should_stop=should_stop)
    return target, replace(files, names=[name for name in files.names if matches(name)])


def _collect(found: Iterable[Row], rows: list[Row], limit: int) -> bool:
    """Take rows until there are `limit` matches and what follows the last; true when there are more."""
    matches = 0
    for row in found:
        matches += row.is_match
        if matches > limit:
            return True
        rows.append(row)
    return False


def _shown_text(row: Row) -> str:
    """The line, or what is around its match where it is long."""
    if len(row.text) <= _MAX_LINE_CHARACTERS:
        return show_controls(row.text)
    start = max(0, row.start - _BEFORE_MATCH_CHARACTERS)
    piece = show_controls(row.text[start : start + _MAX_LINE_CHARACTERS])
    return f"{'... ' if start else ''}{piece} ... [of {len(row.text):,} characters]"


def _skipped_notice(skipped: Sequence[str]) -> list[str]:
    if not skipped:
        return []
    size = format_bytes(MAX_LINELESS_BYTES)
    names = ", ".join(skipped[:3]) + (", ..." if len(skipped) > 3 else "")
    return [f"Not searched, as one line larger than {size}: {names}; use bash."]
