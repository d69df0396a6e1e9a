"""`%agent` and `%%agent`: the session in a cell.

The cell lends the kernel's main thread to the run, which lives on the background loop. Where the
shell can await, the cell is awaited; elsewhere (inside `%%time`, autoawait off) it drains a queue.
"""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from pi_notebook.agent.events import Notice
from pi_notebook.errors import InternalError, PiNotebookError, UsageError
from pi_notebook.kernel import AwaitedCellExecutor, BlockingCellExecutor, is_awaited
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.arguments import CellOptions, parse_cell_line
from pi_notebook.ui.cell_run import CellRun
from pi_notebook.ui.commands import run_command
from pi_notebook.ui.tables import Report

logger = logging.getLogger(__name__)

OFFLINE_NOTICE = (
    "Model: offline, which explores data by rule, without a key. "
    "A language model: -m openai/NAME, or %agent model openai/NAME."
)


@magics_class
class AgentMagics(Magics):  # type: ignore[misc]  # IPython's base is untyped
    """The magics of one shell. The session is built when one of them is first used."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._folder = Path.cwd()
        self._runtime: AgentSessionRuntime | None = None
        self._told_offline: set[str] = set()

    @property
    def runtime(self) -> AgentSessionRuntime:
        """The sessions of this kernel."""
        if self._runtime is None:
            self._runtime = AgentSessionRuntime(
                self._folder, lambda folder: build_services(folder, shell=self.shell)
            )
        return self._runtime

    def close(self) -> None:
        """Stop the run and let go of the session's file."""
        if self._runtime is not None:
            self._runtime.close()

    @line_cell_magic  # type: ignore[untyped-decorator]
    def agent(self, line: str, cell: str | None = None) -> Coroutine[Any, Any, None] | None:
        """Ask the agent in this kernel (%%agent), or look at its state (%agent). %agent help lists more."""
        with _plain_errors():
            if cell is None:
                display(*map(_line, self.runtime.take_diagnostics()), run_command(self.runtime, line))
                return None
            run = self._cell_run(parse_cell_line(line), cell)
        if is_awaited(self.shell):
            return self._awaited(run)
        self._blocking(run)
        return None

    async def _awaited(self, run: CellRun) -> None:
        with _plain_errors(), run:
            executor = AwaitedCellExecutor(self.shell, on_interrupt=run.session.abort)
            run.conclude(await executor.lend(run.submit(executor, self._notices(run.session))))

    def _blocking(self, run: CellRun) -> None:
        with _plain_errors(), run:
            executor = BlockingCellExecutor(self.shell, on_interrupt=run.session.abort)
            run.conclude(executor.lend(run.submit(executor, self._notices(run.session))))

    def _cell_run(self, options: CellOptions, prompt: str) -> CellRun:
        if not prompt.strip():
            raise UsageError("There is no prompt. Write it on the lines below %%agent.")
        if options.session == "new":
            session = self.runtime.new()
        elif options.session is not None:
            session = self.runtime.resume(options.session)
        else:
            session = self.runtime.session
        return CellRun(self.shell, session, options, prompt.strip("\n"))

    def _notices(self, session: AgentSession) -> list[Notice]:
        notices = [Notice(diagnostic.text, "warning") for diagnostic in self.runtime.take_diagnostics()]
        is_unchosen = session.model.name == "offline" and session.settings.source("model") == "default"
        if is_unchosen and session.id not in self._told_offline:
            self._told_offline.add(session.id)
            notices.append(Notice(OFFLINE_NOTICE))
        return notices


def _line(diagnostic: Diagnostic) -> Report:
    return Report(lines=(diagnostic.text,))


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Errors as one line: ours show as their message, and a fault of ours as one that says so."""
    try:
        yield
    except PiNotebookError:
        raise
    except Exception as error:
        logger.exception("a magic failed")
        raise InternalError(
            f"pi-notebook failed: {type(error).__name__}: {error}. The session is kept; please report this."
        ) from error
