"""`query_json`: jq over a variable or a file of JSON."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.amounts import count_of
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.previews import preview
from pi_notebook.context.previews.budget import cut_to_fit, fits, largest
from pi_notebook.context.previews.foreign import type_name
from pi_notebook.context.previews.references import ReferenceProblem, Variables, resolve
from pi_notebook.context.previews.wording import one_line
from pi_notebook.context.truncation import format_bytes
from pi_notebook.errors import CodeTimeoutError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.tools.files import open_plain
from pi_notebook.tools.json_filter import FilterAnswer, JsonFilter
from pi_notebook.tools.json_values import json_of
from pi_notebook.tools.needs import WorkingFolder
from pi_notebook.tools.paths import missing_error, resolve_path

_MAX_BYTES = 128 * 1024 * 1024
_SECONDS = 10.0
_NOTICE_TOKENS = 200
_PATH_ENDINGS = (".json", ".jsonl", ".ndjson", ".geojson", ".ipynb", ".log")


@tool(risk="read", sequential=True, needs=(WorkingFolder, CodeExecutor, Variables, JsonFilter))
async def query_json(
    context: ToolContext,
    reference: Annotated[str, 'Variable or file: data, d["x"], a.json'],
    filter: Annotated[str, "As in: .items[:5] | map(.name)"],
) -> ToolResult:
    """Apply a jq filter to JSON or nested containers."""
    folder, variables = context.need(WorkingFolder).path, context.need(Variables)
    path = _file(reference, folder, variables)
    json_filter = context.need(JsonFilter)
    if path is None:
        answer = await json_filter.apply(filter, await _variable(context, reference, variables))
    else:
        with os.fdopen(open_plain(path, folder), "rb") as file:
            _check_size(os.fstat(file.fileno()).st_size, reference)
            answer = await json_filter.apply(filter, file)
    if answer.error:
        raise ToolError(_failure(answer, reference, json_filter.timeout_seconds))
    # Parsing and rendering megabytes takes its time, which is not the loop's.
    room = Bounds.of(context.resources).asked_tokens - _NOTICE_TOKENS
    read = {"files": [str(path)]} if path is not None else {}
    return await asyncio.to_thread(_result, answer, read, room)


def _file(reference: str, folder: Path, variables: Variables) -> Path | None:
    """The file that is meant; None for a variable. A variable's plain name goes before a file's."""
    name = reference.strip().removeprefix("@")
    if _is_variable(name, variables):
        return None
    path = resolve_path(reference.strip(), folder)
    if os.path.exists(path):
        return path
    if os.sep in name or name.lower().endswith(_PATH_ENDINGS):
        if _is_variable(name.partition(".")[0], variables):
            return None
        raise missing_error(path, folder)
    return None


def _is_variable(name: str, variables: Variables) -> bool:
    try:
        variables.get(name)
    except KeyError:
        return False
    return True


async def _variable(context: ToolContext, reference: str, variables: Variables) -> bytes:
    def look() -> bytes:
        value = resolve(reference, variables)
        document = json_of(value)
        if document is None:
            raise ToolError(
                f"{one_line(reference, 80)} ({type_name(value)}) is no JSON and no container. "
                "Look at it with preview_data, or compute with run_code."
            )
        return document

    try:
        document = await context.need(CodeExecutor).call(look, timeout_seconds=_SECONDS)
    except ReferenceProblem as problem:
        raise ToolError(str(problem)) from None
    except (ValueError, RecursionError) as error:
        raise ToolError(
            f"{one_line(reference, 80)} cannot be written as JSON: {one_line(str(error), 160)}. Use run_code."
        ) from None
    except CodeTimeoutError:
        raise ToolError(
            f"Writing {reference} as JSON took longer than {_SECONDS:g} s. Name a part of it, "
            f"as in {reference}[0], or use run_code."
        ) from None
    _check_size(len(document), reference)
    return document


def _check_size(size: int, reference: str) -> None:
    if size > _MAX_BYTES:
        raise ToolError(
            f"{reference} is {format_bytes(size)} of JSON, more than the {format_bytes(_MAX_BYTES)} "
            "a filter is given. Use run_code."
        )


def _failure(answer: FilterAnswer, reference: str, timeout_seconds: float) -> str:
    said = one_line(answer.said.removeprefix("jq: error: ").strip(), 400)
    shown = one_line(reference, 80)
    if answer.error == "filter":
        return f"The filter is not jq: {said}"
    if answer.error == "input":
        return f"{shown} is not JSON ({said}). Look at it with read, or preview_data for a variable."
    if answer.error == "timeout":
        return (
            f"The filter ran longer than {timeout_seconds:g} s and was ended. Bound it with limit(10; …) or "
            "a slice, or use run_code."
        )
    if answer.error == "ended":
        return "The filter took more memory than it may, or ended its process. Ask for less, or use run_code."
    before = f" after {count_of(len(answer.results), 'result')}" if answer.results else ""
    return f"The filter failed{before}: {said}. The input is {one_line(answer.shape, 400)}."


def _result(answer: FilterAnswer, read: Mapping[str, list[str]], room: int) -> ToolResult:
    results = answer.results
    details = {"results": len(results), "isCut": answer.is_cut, **read}
    if not results and answer.is_cut:
        raise ToolError("The first result alone is over 4 MB. Ask for less: length, keys, .[:5].")
    if not results or set(results) == {"null"}:
        empty = "\n".join(results[:5]) or "(no results)"
        return ToolResult.of_text(f"{empty}\n[The input is {one_line(answer.shape, 400)}.]", details=details)
    count = largest(lambda n: fits("\n".join(results[:n]), room), len(results))
    if not count:
        return ToolResult.of_text(_shortened(answer, room), details=details)
    more = "" if count == len(results) and not answer.is_cut else _notice(answer, count)
    return ToolResult.of_text("\n".join(results[:count]) + more, details=details)


def _shortened(answer: FilterAnswer, room: int) -> str:
    """The first result when it is too long: its structure, with its values shortened."""
    try:
        shown = preview(json.loads(answer.results[0]), max_tokens=room).text
    except (ValueError, RecursionError):
        shown = cut_to_fit(answer.results[0], room)
    rest = "" if len(answer.results) == 1 and not answer.is_cut else _notice(answer, 1)
    return f"{shown}\n[Shortened, as Python shows it; a narrower filter gives the whole of a part.]{rest}"


def _notice(answer: FilterAnswer, count: int) -> str:
    total = f"more than {len(answer.results):,}" if answer.is_cut else f"{len(answer.results):,}"
    return f"\n[The first {count:,} of {total} results. The next: [FILTER][{count}:{count * 2}][]]"
