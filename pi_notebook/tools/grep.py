"""`grep`: lines by what they say."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec

from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.amounts import count_of
from pi_notebook.context.cleaning import show_controls
from pi_notebook.context.truncation import OutputLimits, format_bytes
from pi_notebook.tools.files import open_plain
from pi_notebook.tools.globs import glob_filter
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.paths import resolve_path, shown_path
from pi_notebook.tools.rows import rows_result
from pi_notebook.tools.search import Query, Row, Search, find_ripgrep
from pi_notebook.tools.searched_files import MAX_LINELESS_BYTES
from pi_notebook.tools.tree import FileList, list_files

TIMEOUT_SECONDS = 60.0
_MAX_LINE_CHARACTERS = 500
_BEFORE_MATCH_CHARACTERS = 100
_MAX_PATTERN_CHARACTERS = 10_000
"""It is an argument of a process, which systems bound."""
_MOST_NAMES = 8
_OTHERS_SECONDS = 2.0
"""How long other files with a match are looked for, once the limit is reached."""


@tool(risk="read", needs=(WorkingFolder, OutputLimits))
async def grep(
    call: ToolContext,
    pattern: Annotated[str, "Regular expression, matched within a line"],
    path: Annotated[str, "File or folder"] = ".",
    glob: Annotated[str, "Only files like *.py"] = "",
    ignore_case: Annotated[bool, "Upper and lower case alike"] = False,
    literal: Annotated[bool, "Plain text pattern"] = False,
    context: Annotated[int, msgspec.Meta(description="Lines around a match", ge=0, le=50)] = 0,
    limit: Annotated[int, msgspec.Meta(description="Most matches", ge=1)] = 100,
) -> ToolResult:
    """Search files for a pattern. Skips what .gitignore names.

    Rows are path:line: text; in a notebook path, cell N: text.
    """
    if not pattern or "\n" in pattern:
        raise ToolError("pattern must be one line that is not empty; a match never spans lines.")
    if len(pattern) > _MAX_PATTERN_CHARACTERS:
        raise ToolError(f"pattern is too long: {_MAX_PATTERN_CHARACTERS:,} characters at most.")
    folder = call.need(WorkingFolder).path
    target = resolve_path(path, folder)
    base, files = await asyncio.to_thread(_files, target, folder, glob, lambda: call.abort.is_set)
    query = Query(pattern=pattern, ignore_case=ignore_case, literal=literal, context=context)
    search = await asyncio.to_thread(Search, query, folder=base, ripgrep=find_ripgrep())
    found = await find_matches(search, files.names, limit=limit)
    notices = [
        *limit_notices(found, limit, base, folder),
        *found.notices,
        *files.notices,
        *file_notices(search, found.rows, base, folder),
    ]
    return rows_result(
        shown_rows(found.rows, base, folder, has_context=context > 0),
        call.need(OutputLimits),
        notices=notices,
        empty="(no match so far)" if found.notices else _nothing_found(search, len(files.names)),
    )


@dataclass(frozen=True, kw_only=True)
class Matches:
    """What a search found."""

    rows: Sequence[Row]
    has_more: bool = False
    others: Sequence[str] = ()
    """Files behind the last row that have a match too, as many as were found in time."""
    notices: Sequence[str] = ()


async def find_matches(
    search: Search, names: Sequence[str], *, limit: int, timeout_seconds: float = TIMEOUT_SECONDS
) -> Matches:
    """The first `limit` matches in the files of `names`."""
    rows: list[Row] = []
    work = asyncio.ensure_future(asyncio.to_thread(_collect, search, names, rows, limit))
    try:
        done, _ = await asyncio.wait({work}, timeout=timeout_seconds)
    finally:
        search.stop()
    others = await work
    if not done:
        stopped = f"Stopped after {count_of(timeout_seconds, 'second')}; narrow it by path or glob."
        return Matches(rows=rows, notices=[stopped])
    return Matches(rows=rows, has_more=others is not None, others=others or ())


def limit_notices(found: Matches, limit: int, base: Path, folder: Path) -> list[str]:
    """Says that there are more matches, and in which files."""
    if not found.has_more:
        return []
    files = len({row.path for row in found.rows})
    said = f"{count_of(limit, 'match', 'matches')} shown, from {count_of(files, 'file')}, there are more"
    if found.others:
        said += f", also in {_listed(found.others, base, folder)}"
    return [f"{said}; use limit={2 * limit} or narrow it."]


def file_notices(search: Search, rows: Sequence[Row], base: Path, folder: Path) -> list[str]:
    """What was not searched, or not as it may have been meant; of each kind a few names."""
    with_rows = {row.path for row in rows}
    is_beyond_ascii = not search.query.pattern.isascii()
    files = search.files
    guessed = [name for name in files.guessed if name in with_rows or (is_beyond_ascii and not rows)]
    undecoded = [name for name in sorted(files.undecoded) if name in with_rows or is_beyond_ascii]
    notices = []
    if guessed:
        encodings = " or ".join(sorted({files.guessed[name] for name in guessed}))
        is_not = _are_not_utf8(len(guessed))
        notices.append(f"{is_not}, searched as {encodings}: {_listed(guessed, base, folder)}.")
    if undecoded:
        is_not = _are_not_utf8(len(undecoded))
        names = _listed(undecoded, base, folder)
        notices.append(f"{is_not}, so letters beyond ASCII may be missed: {names}.")
    if files.lineless:
        size = format_bytes(MAX_LINELESS_BYTES)
        names = _listed(files.lineless, base, folder)
        notices.append(f"Not searched, as one line larger than {size}: {names}; use bash.")
    return notices


def shown_rows(rows: Sequence[Row], base: Path, folder: Path, *, has_context: bool) -> list[str]:
    """`path:line: text` for a match, `path-line- text` beside it, `--` where lines are left out.

    In a notebook `path, cell N: text` and `path, cell N- text`.
    """
    shown: list[str] = []
    before: Row | None = None
    for row in rows:
        here = (row.path, row.cell, row.line)
        follows = before is not None and (before.path, before.cell, before.line + 1) == here
        if has_context and before is not None and not follows:
            shown.append("--")
        mark = ":" if row.is_match else "-"
        place = f", {row.cell}" if row.cell else f"{mark}{row.line}"
        shown.append(f"{shown_path(base / row.path, folder)}{place}{mark} {_shown_text(row)}")
        before = row
    return shown


def _files(target: Path, folder: Path, glob: str, should_stop: Callable[[], bool]) -> tuple[Path, FileList]:
    """A folder, and the files to search in it."""
    if not os.path.isdir(target):
        os.close(open_plain(target, folder))
        return target.parent, FileList(names=[target.name], is_whole=True)
    matches = glob_filter(glob or "*", target)
    files = list_files(target, should_stop=should_stop)
    return target, replace(files, names=[name for name in files.names if matches(name)])


def _collect(search: Search, names: Sequence[str], rows: list[Row], limit: int) -> list[str] | None:
    """Take rows until there are `limit` matches and what follows the last.

    Gives the other files that have matches, when there are more; else None.
    """
    matches = 0
    for row in search.rows(names):
        matches += row.is_match
        if matches > limit:
            return _others(search, names, rows[-1].path)
        rows.append(row)
    return None


def _others(search: Search, names: Sequence[str], last: str) -> list[str]:
    """The files behind `last` that have a match, as many as are found in a moment."""
    timer = threading.Timer(_OTHERS_SECONDS, search.stop)
    timer.start()
    try:
        return list(search.paths(names[names.index(last) + 1 :]))
    finally:
        timer.cancel()


def _shown_text(row: Row) -> str:
    """The line, or what is around its match where it is long."""
    if len(row.text) <= _MAX_LINE_CHARACTERS:
        return show_controls(row.text)
    start = max(0, row.start - _BEFORE_MATCH_CHARACTERS)
    piece = show_controls(row.text[start : start + _MAX_LINE_CHARACTERS])
    return f"{'... ' if start else ''}{piece} ... [of {len(row.text):,} characters]"


def _nothing_found(search: Search, count: int) -> str:
    binary = len(search.files.binary)
    rest = f"; {count_of(binary, 'binary file')} not searched" if binary else ""
    return f"(no match in {count_of(count - binary, 'file')}{rest})"


def _listed(names: Sequence[str], base: Path, folder: Path) -> str:
    shown = ", ".join(shown_path(base / name, folder) for name in names[:_MOST_NAMES])
    rest = len(names) - _MOST_NAMES
    return f"{shown} and {count_of(rest, 'more file')}" if rest > 0 else shown


def _are_not_utf8(count: int) -> str:
    return f"{count_of(count, 'file')} {'is' if count == 1 else 'are'} not UTF-8"
