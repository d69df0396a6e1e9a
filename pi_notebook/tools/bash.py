"""`bash`: a shell command."""

from __future__ import annotations

import asyncio
import signal
from typing import Annotated, Any

import msgspec

from pi_notebook.agent.abort import GRACE_SECONDS
from pi_notebook.agent.tools import ToolContext, ToolError, ToolResult, tool
from pi_notebook.context.accumulator import CapturedOutput, OutputAccumulator
from pi_notebook.context.amounts import count_of
from pi_notebook.context.policies.bounds import Bounds
from pi_notebook.context.spill import SpillFolder
from pi_notebook.context.truncation import OutputLimits
from pi_notebook.tools.needs import Shell, WorkingFolder
from pi_notebook.tools.shell import ShellCommand, ShellOutcome


@tool(risk="execute", needs=(Shell, WorkingFolder, SpillFolder, OutputLimits))
async def bash(
    context: ToolContext,
    command: Annotated[str, "It gets no input"],
    timeout: Annotated[float, msgspec.Meta(description="Seconds", gt=0, le=86_400)] = 120,  # noqa: ASYNC109
) -> ToolResult:
    """Run a shell command in the working folder, in a new process: its variables and `cd` do not last.

    Gives stdout and stderr as they came, and the exit code when not 0. Of output beyond 2000 lines or
    50 KB you get the end, and the path of a file with all of it.
    """
    bounds = Bounds.of(context.resources)
    output = OutputAccumulator(limits=bounds.output, spill_folder=context.need(SpillFolder), prefix="bash")
    line = ShellCommand(command, shell=context.need(Shell).path, folder=context.need(WorkingFolder).path)
    run = asyncio.ensure_future(
        asyncio.to_thread(
            line.run, output.feed, timeout_seconds=timeout, glance=lambda: _show(context, output)
        )
    )
    try:
        outcome = await _outcome(run, line, context)
        captured = output.result(keep="tail" if outcome.exit_code == 0 else bounds.error_keep)
    except (OSError, ValueError) as error:
        raise ToolError(_start_failure(error, context)) from error
    finally:
        line.stop()
        output.close()
    return _result(outcome, captured, timeout)


async def _outcome(
    run: asyncio.Future[ShellOutcome], line: ShellCommand, context: ToolContext
) -> ShellOutcome:
    """How the command ended; when the person stops it, soon enough for what it printed to be told."""
    try:
        return await asyncio.shield(run)
    except asyncio.CancelledError:
        line.stop()
        if not context.abort.is_set:
            raise
        await asyncio.wait({run}, timeout=GRACE_SECONDS * 0.7)
        return run.result() if run.done() else ShellOutcome(ending="stopped", exit_code=128 + signal.SIGTERM)


def _show(context: ToolContext, output: OutputAccumulator) -> None:
    if glance := output.glance():
        context.update(glance)


def _start_failure(error: OSError | ValueError, context: ToolContext) -> str:
    folder = context.need(WorkingFolder).path
    if not folder.is_dir():
        return f"The working folder {folder} is not there (any more). Ask the person, or use run_code."
    if isinstance(error, ValueError):
        return f"The command could not be started: {error}. It must be text without a NUL byte."
    return (
        f"The command could not be started: {error.strerror}. "
        "If it is very long, `write` it to a file and run that."
    )


def _result(outcome: ShellOutcome, captured: CapturedOutput, timeout_seconds: float) -> ToolResult:
    details: dict[str, Any] = {
        "exitCode": outcome.exit_code,
        "ending": outcome.ending,
        **captured.details(),
    }
    said = _endings(outcome, timeout_seconds)
    if "\ufffd" in captured.content:
        said.append("[\ufffd stands for bytes that are not UTF-8; `iconv -f cp1252` may read them.]")
    text = "\n\n".join(part for part in (captured.text.rstrip("\n") or "(no output)", *said) if part)
    return ToolResult.of_text(
        text, details=details, is_error=bool(outcome.exit_code) or outcome.ending != "exited"
    )


def _endings(outcome: ShellOutcome, timeout_seconds: float) -> list[str]:
    said = []
    if outcome.ending == "timeout":
        said.append(
            f"Command timed out after {count_of(timeout_seconds, 'second')} and was ended. "
            "Give a longer timeout, or start it in the background: nohup COMMAND > FILE 2>&1 &"
        )
    elif outcome.ending == "stopped":
        said.append("Command stopped by the person.")
    elif outcome.exit_code:
        said.append(f"Command exited with code {outcome.exit_code}.")
    if outcome.left_running:
        said.append(
            "[Processes it left running still hold its output, and what they print from now on is lost. "
            "Redirect it to a file.]"
        )
    return said
