"""`run_code`: the kernel as a tool."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

from pi_notebook.agent.abort import GRACE_SECONDS
from pi_notebook.agent.messages import ImageContent, TextContent, UserContent
from pi_notebook.agent.secrets import provider_keys, without_secrets
from pi_notebook.agent.tools import ToolContext, ToolResult, tool
from pi_notebook.context.accumulator import CapturedOutput, OutputAccumulator
from pi_notebook.context.cleaning import clean
from pi_notebook.context.displays import DisplayRecord, joined
from pi_notebook.context.late_output import late_output_text
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.previews import preview
from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.spill import SpillFolder
from pi_notebook.errors import CodeTimeoutError, KernelError
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.kernel.outputs import CellResult, OutputSink
from pi_notebook.kernel.values import TOO_SLOW
from pi_notebook.tools.kept_frame import KeptFrame, kept_frame

MAX_IMAGES = 4
MAX_IMAGE_CHARS = 1_500_000
"""Of base64; a larger picture is named, not sent."""
_NAME_TOKENS = 30
_MAX_NAME_CHARS = 60
_PREVIEW_SECONDS = 3.0
_SHORT_PREVIEW_SECONDS = 0.5
"""For a value that took too long before."""
_GLANCE_SECONDS = 0.2


class Execute(Protocol):
    """Runs code, as `CodeExecutor.run_code` does."""

    def __call__(
        self, code: str, sink: OutputSink, *, timeout_seconds: float | None = None
    ) -> Coroutine[Any, Any, CellResult]: ...


@dataclass(frozen=True, kw_only=True)
class CodeLimits:
    """How long one piece of code may run; None is without limit."""

    timeout_seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class _Value:
    """The last value as the model reads it."""

    text: str = ""
    kept: KeptFrame = field(default_factory=KeptFrame)
    """The file with all rows of a frame of which the text leaves some out."""
    way_back: str = ""
    """Where what the text leaves out is, when the variable's name alone does not say it."""

    @property
    def block(self) -> str:
        return f"{self.text}\n[{self.way_back}]" if self.way_back else self.text


@tool(risk="execute", sequential=True, needs=(CodeExecutor,))
async def run_code(context: ToolContext, code: Annotated[str, "Python"]) -> ToolResult:
    """Run Python in the person's kernel, as a notebook cell.

    Gives output and the last expression's value; of a frame types, nulls, ranges, first and last rows:
    no need for info(), describe(), head(). Of long output the end, and a file with all of it.
    """
    executor = context.need(CodeExecutor)
    return await result_of(context, code, executor.run_code)


async def result_of(context: ToolContext, code: str, execute: Execute) -> ToolResult:
    """What `execute` does with `code`, as the model reads it: output, value, how it ended."""
    executor, bounds = context.need(CodeExecutor), Bounds.of(context.resources)
    output = OutputAccumulator(
        limits=bounds.output, spill_folder=context.need(SpillFolder), prefix="run_code"
    )
    glances = asyncio.ensure_future(_show(output, context))
    try:
        result = await _run(execute, code, output, context)
        value = await _value(
            executor, result, _last_name(code), context.resources.get(FrameSpills), bounds.value_tokens
        )
    finally:
        glances.cancel()
    try:
        captured = output.result(keep=bounds.error_keep if result.error else "tail")
    finally:
        output.close()
    return _tool_result(result, captured, value)


async def _run(execute: Execute, code: str, output: OutputAccumulator, context: ToolContext) -> CellResult:
    """How the code ended; when the person stops it, soon enough for what it printed to be told."""
    limits = context.need(CodeLimits)
    run = asyncio.ensure_future(execute(code, output, timeout_seconds=limits.timeout_seconds))
    try:
        return await asyncio.shield(run)
    except asyncio.CancelledError:
        if not context.abort.is_set:
            run.cancel()
            raise
        await asyncio.wait({run}, timeout=GRACE_SECONDS * 0.5)  # an interrupt has reached the code itself
        if not run.done():
            run.cancel()  # a stop from the panel has not
        return run.result() if run.done() and not run.cancelled() else CellResult(status="interrupted")


async def _show(output: OutputAccumulator, context: ToolContext) -> None:
    """Let the person see the end of the output while the code runs."""
    shown = 0
    while True:
        await asyncio.sleep(_GLANCE_SECONDS)
        if output.size.byte_count != shown:
            shown = output.size.byte_count
            context.update(output.glance())


def _last_name(code: str) -> str:
    """The variable that the last line of `code` names; empty when it is anything else."""
    line = code.rstrip().rpartition("\n")[2].strip()
    return line if line.isidentifier() else ""


async def _value(
    executor: CodeExecutor, result: CellResult, name: str, spills: FrameSpills | None, max_tokens: int
) -> _Value:
    """What a cell shows of a scalar, a preview of anything larger; a frame's rows are kept on disk."""
    plain = joined(result.value_data.get("text/plain", ""))
    if not result.value_data:
        return _Value()
    if type(result.value) in (bool, int, float):
        return _Value(text=plain)
    seconds = _SHORT_PREVIEW_SECONDS if TOO_SLOW in result.notes else _PREVIEW_SECONDS
    try:
        shown = await executor.call(
            lambda: preview(result.value, max_tokens=max_tokens - _NAME_TOKENS),
            timeout_seconds=seconds,
        )
    except CodeTimeoutError:
        return _Value(text=f"{plain}\n[No profile: it took over {seconds:g} s; preview_data gives one.]")
    except KernelError:  # the value ended even that, as an interrupt would
        return _Value(text=plain)
    if shown.kind not in ("frame", "series"):
        way_back = _container_way_back(shown, name)
        return _Value(text=plain if shown.kind == "scalar" else shown.text, way_back=way_back)
    text = f"{name} = {shown.text}" if name and len(name) <= _MAX_NAME_CHARS else shown.text
    kept = await kept_frame(executor, result.value, name or "value", shown, spills)
    if not name:
        return _Value(text=text, kept=kept, way_back=kept.spill.way_back if kept.spill else kept.problem)
    cell = shown.details.get("shortened_cell")
    return _Value(
        text=text, kept=kept, way_back=f"A shortened cell whole: preview_data, cell={cell}." if cell else ""
    )


def _container_way_back(shown: Preview, name: str) -> str:
    if shown.kind != "container" or shown.is_complete:
        return ""
    return f"Shortened; query_json or preview_data looks into {name or 'it once a variable holds it'}."


def _tool_result(result: CellResult, captured: CapturedOutput, value: _Value) -> ToolResult:
    # Without keys from here on, so that what the details say of places in it holds.
    keys = provider_keys()
    shown = without_secrets(value.block, keys)
    parts = [captured.text.rstrip("\n"), *_ending(result), *_notes(result, value.text)]
    printed, *others = [without_secrets(part, keys) for part in parts]
    own = "\n".join(part for part in (printed, shown, *others) if part) or "(no output)"
    late = late_output_text()
    text = f"{own}\n{late}" if late else own
    images = _images(captured.displays)
    details: dict[str, Any] = {"status": result.status, **captured.details()}
    details |= value.kept.details("valueSpill")
    if result.is_shown and value.text:
        start = text.index(shown)
        details["shownValue"] = [start, start + len(shown)]
    return ToolResult(
        content=[TextContent(text=text), *images], details=details, is_error=result.status != "ok"
    )


def _ending(result: CellResult) -> list[str]:
    """How the code ended, when it did not end well."""
    if result.status == "timeout":
        return [f"Stopped: the code ran longer than it may ({result.duration_seconds:.0f} s)."]
    if result.status == "interrupted":
        return ["Stopped: the person interrupted the code."]
    return [clean(result.error.traceback)] if result.error is not None else []


def _notes(result: CellResult, value: str) -> list[str]:
    """What the kernel mended or refused, unless the error says it or the preview stands for it."""
    told = result.error.traceback if result.error is not None else value

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
