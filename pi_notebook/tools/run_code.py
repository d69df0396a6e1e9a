"""`run_code`: the kernel as a tool."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pi_notebook.agent.messages import ImageContent, TextContent, UserContent
from pi_notebook.agent.tools import ToolContext, ToolResult, tool
from pi_notebook.context.accumulator import CapturedOutput, OutputAccumulator
from pi_notebook.context.displays import DisplayRecord, joined
from pi_notebook.context.previews import preview
from pi_notebook.context.spill import SpillFolder
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.errors import KernelError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.kernel.outputs import CellResult

MAX_IMAGES = 4
MAX_IMAGE_CHARS = 1_500_000
"""Of base64; a larger picture is named, not sent."""
VALUE_TOKENS = 1_500
_PREVIEW_SECONDS = 2.0
_GLANCE_SECONDS = 0.2


@dataclass(frozen=True, kw_only=True)
class CodeLimits:
    """How long one piece of code may run; None is without limit."""

    timeout_seconds: float | None = None


@tool(risk="execute", sequential=True, needs=(CodeExecutor,))
async def run_code(
    context: ToolContext, code: Annotated[str, "Python, as in one notebook cell"]
) -> ToolResult:
    """Run Python in the person's kernel, as a notebook cell. Variables persist, shared with the person.

    Gives what was printed and the last expression's value, a dataframe as a preview. Of output beyond
    2000 lines or 50 KB you get the end, and the path of a file with all of it.
    """
    executor = context.need(CodeExecutor)
    output = OutputAccumulator(
        limits=context.need(OutputLimits), spill_folder=context.need(SpillFolder), prefix="run_code"
    )
    glances = asyncio.ensure_future(_show(output, context))
    try:
        result = await executor.run_code(
            code, output, timeout_seconds=context.need(CodeLimits).timeout_seconds
        )
        value = await _value_text(executor, result)
    finally:
        glances.cancel()
    try:
        captured = output.result(keep="ends" if result.error else "tail")
    finally:
        output.close()
    return _tool_result(result, captured, value)


async def _show(output: OutputAccumulator, context: ToolContext) -> None:
    """Let the person see the end of the output while the code runs."""
    shown = 0
    while True:
        await asyncio.sleep(_GLANCE_SECONDS)
        if output.size.byte_count != shown:
            shown = output.size.byte_count
            context.update(output.glance())


async def _value_text(executor: CodeExecutor, result: CellResult) -> str:
    """The last value as the model reads it: what a cell shows of a scalar, a preview of anything larger."""
    plain = joined(result.value_data.get("text/plain", ""))
    if not result.value_data:
        return ""
    try:
        shown = await executor.call(
            lambda: preview(result.value, max_tokens=VALUE_TOKENS), timeout_seconds=_PREVIEW_SECONDS
        )
    except KernelError:
        return f"{plain}\n[No profile: it took over {_PREVIEW_SECONDS:g} s; preview_data gives one.]"
    return plain if shown.kind == "scalar" else shown.text


def _tool_result(result: CellResult, captured: CapturedOutput, value: str) -> ToolResult:
    parts = [captured.text.rstrip("\n"), value, *_ending(result), *_notes(result, value)]
    text = "\n".join(part for part in parts if part) or "(no output)"
    images = _images(captured.displays)
    details: dict[str, Any] = {"status": result.status, **captured.details()}
    if result.is_shown and value:
        details["shownValue"] = [text.index(value), text.index(value) + len(value)]
    return ToolResult(
        content=[TextContent(text=text), *images], details=details, is_error=result.status != "ok"
    )


def _ending(result: CellResult) -> list[str]:
    """How the code ended, when it did not end well."""
    if result.status == "timeout":
        return [f"Stopped: the code ran longer than it may ({result.duration_seconds:.0f} s)."]
    if result.status == "interrupted":
        return ["Stopped: the person interrupted the code."]
    return [result.error.traceback] if result.error is not None else []


def _notes(result: CellResult, value: str) -> list[str]:
    """What the kernel mended or refused, unless the error says it or the preview stands for it."""
    told = result.error.traceback if result.error is not None else ""

    def is_said(note: str) -> bool:
        reason = note.partition(": ")[2]
        return bool(reason) and reason in told or bool(value) and "text/plain shows" in note

    return [f"[{note}]" for note in result.notes if not is_said(note)]


def _images(displays: Sequence[DisplayRecord]) -> list[UserContent]:
    """The newest pictures that are small enough to send, in order."""
    found: list[UserContent] = []
    for record in displays:
        for mime_type in ("image/png", "image/jpeg"):
            data = "".join(joined(record.output.data.get(mime_type, "")).split())
            if data and len(data) <= MAX_IMAGE_CHARS:
                found.append(ImageContent(data=data, mime_type=mime_type))
    return found[-MAX_IMAGES:]
