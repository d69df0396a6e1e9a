"""`edit`: parts of a file replaced, all of them or none."""

from __future__ import annotations

import asyncio
import difflib
from pathlib import Path
from typing import Annotated, Any

import msgspec

from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.amounts import count_of
from pi_notebook.tools.encoding import UTF16_MARKS, guess_encoding, is_guessed
from pi_notebook.tools.files import exclusive, read_whole, replace_file
from pi_notebook.tools.live_notebook import check_not_open
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.paths import resolve_path, shown_path
from pi_notebook.tools.replacements import Replacement, lines_of, replace_all

_MAX_FILE_BYTES = 20 * 1024 * 1024
_MAX_DIFF_CHARACTERS = 20_000
_SAMPLE_BYTES = 32 * 1024
_NOTEBOOK_ADVICE = "\nA notebook is JSON: change its cells with run_code and nbformat."


# Without a docstring: the schema that is sent with every request would carry it.
class TextEdit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    old_text: Annotated[str, msgspec.Meta(description="Exact text, found once in the file")]
    new_text: Annotated[str, msgspec.Meta(description="What takes its place")]


@tool(risk="edit", needs=(WorkingFolder,))
async def edit(
    context: ToolContext,
    path: Annotated[str, "File to change"],
    edits: Annotated[list[TextEdit], "Each against the file as it is now, not overlapping"],
) -> ToolResult:
    """Replace exact pieces of a text file. Each old_text must be unique: take in more around it if not."""
    folder = context.need(WorkingFolder).path
    target = resolve_path(path, folder)
    await check_not_open(context, target, folder)
    return await asyncio.to_thread(_edit, target, edits, folder)


def _edit(target: Path, edits: list[TextEdit], folder: Path) -> ToolResult:
    shown = shown_path(target, folder)
    with exclusive(target) as real:
        data = read_whole(
            target, folder, max_bytes=_MAX_FILE_BYTES, advice="Change it with run_code or bash."
        )
        try:
            before = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ToolError(_encoding_failure(shown, data, error.start)) from None
        wanted = [Replacement(old=one.old_text, new=one.new_text) for one in edits]
        try:
            after, places = replace_all(before, wanted, shown)
        except ToolError as error:
            raise ToolError(f"{error}{_NOTEBOOK_ADVICE if target.suffix == '.ipynb' else ''}") from None
        replace_file(real, after.encode("utf-8"), folder)
    return ToolResult.of_text(
        f"Edited {shown}: {count_of(len(places), 'replacement')}, at {lines_of(places)}.",
        details=_details(target, before, after),
    )


def _encoding_failure(shown: str, data: bytes, at: int) -> str:
    encoding = guess_encoding(data[max(0, at - _SAMPLE_BYTES) : at + _SAMPLE_BYTES])
    likely = f", probably {encoding}" if is_guessed(encoding) else ""
    if data.startswith(UTF16_MARKS):
        likely = ", utf-16"
    return f"{shown} is not UTF-8 (byte {at:,}). Change it with run_code, naming its encoding{likely}."


def _details(target: Path, before: str, after: str) -> dict[str, Any]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3)
    diff = "\n".join(list(lines)[2:])
    return {"path": str(target), "diff": diff[:_MAX_DIFF_CHARACTERS]}
