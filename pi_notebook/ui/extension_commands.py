"""Commands of extensions behind `%agent`: found after ours, and told in one line when they fail."""

from __future__ import annotations

import inspect
from typing import Any

from pi_notebook.errors import PiNotebookError, UsageError
from pi_notebook.session.background import background
from pi_notebook.session.extensions import ExtensionCommand
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.tables import Report

_MAX_ERROR_CHARS = 300


def run_extension_command(runtime: AgentSessionRuntime, command: ExtensionCommand, rest: str) -> Report:
    """What the command gives, as text; `UsageError` when it fails."""
    try:
        given = command.function(runtime.session, rest)
        if inspect.isawaitable(given):
            given = background.run(_awaited(given))
    except PiNotebookError:
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}"[:_MAX_ERROR_CHARS]
        raise UsageError(f"%agent {command.name}, of {command.path}, failed: {what}") from error
    return Report(lines=tuple(str(given).splitlines()) if given is not None else ())


async def _awaited(given: Any) -> Any:
    return await given
