"""What `%agent` and `%%agent` do: the session in a cell.

The cell lends the kernel's main thread to the run, which lives on the background loop. Where the
shell can await, the cell is awaited; elsewhere (inside `%%time`, autoawait off) it drains a queue.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from IPython.display import display

from pi_notebook.agent.events import Notice
from pi_notebook.errors import InternalError, PiNotebookError, UsageError
from pi_notebook.kernel.await_magic import is_awaited
from pi_notebook.kernel.awaited import AwaitedCellExecutor
from pi_notebook.kernel.blocking import BlockingCellExecutor
from pi_notebook.session.background import background
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services, warm_previews
from pi_notebook.ui.arguments import CellOptions, parse_cell_line
from pi_notebook.ui.cell_run import CellRun
from pi_notebook.ui.commands import run_command
from pi_notebook.ui.tables import Report

logger = logging.getLogger(__name__)

OFFLINE_NOTICE = (
    "Model: offline, which explores data by rule, without a key. "
    "A language model: -m openai/NAME, or %agent model openai/NAME."
)


class AgentCells:
    """The sessions of one shell, and the cells that use them."""

    def __init__(self, shell: Any, folder: Path) -> None:
        self.shell = shell
        self.runtime = AgentSessionRuntime(folder, lambda target: build_services(target, shell=shell))
        self._told_offline: set[str] = set()
        self._warming = threading.Thread(target=warm_previews, name="pi_notebook-previews", daemon=True)

    def close(self) -> None:
        """Stop the run and let go of the session's file."""
        background.run(self.runtime.session.settle())
        self.runtime.close()

    def line(self, line: str) -> None:
        """`%agent`: show what the command gives."""
        with _plain_errors():
            display(*map(_line, self.runtime.take_diagnostics()), run_command(self.runtime, line))

    def cell(self, line: str, prompt: str) -> Coroutine[Any, Any, None] | None:
        """`%%agent`: run the prompt; a coroutine where the cell awaits it."""
        with _plain_errors():
            run = self._cell_run(parse_cell_line(line), prompt)
        if self._warming.ident is None:  # not begun yet
            self._warming.start()
        if is_awaited(self.shell):
            return self._awaited(run)
        self._blocking(run)
        return None

    async def _awaited(self, run: CellRun) -> None:
        with _plain_errors(), run:
            executor = AwaitedCellExecutor(self.shell, on_interrupt=run.session.abort)
            run.conclude(await executor.lend(run.submit(executor, self._notices(run))))

    def _blocking(self, run: CellRun) -> None:
        with _plain_errors(), run:
            executor = BlockingCellExecutor(self.shell, on_interrupt=run.session.abort)
            run.conclude(executor.lend(run.submit(executor, self._notices(run))))

    def _cell_run(self, options: CellOptions, prompt: str) -> CellRun:
        if not prompt.strip():
            raise UsageError("There is no prompt. Write it on the lines below %%agent.")
        if options.session == "new":
            session = background.run(self.runtime.new())
        elif options.session is not None:
            session = background.run(self.runtime.resume(options.session))
        else:
            session = self.runtime.session
        return CellRun(self.shell, session, options, prompt.strip("\n"))

    def _notices(self, run: CellRun) -> list[Notice]:
        session = run.session
        notices = [Notice(diagnostic.text, "warning") for diagnostic in self.runtime.take_diagnostics()]
        is_unchosen = not run.chooses_model and session.settings.source("model") == "default"
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
