"""What `%agent` and `%%agent` do: the session in a cell.

The cell lends the kernel's main thread to the run, which lives on the background loop. Where the
shell can await, the cell is awaited; elsewhere (inside `%%time`, autoawait off) it drains a queue.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from IPython.display import display

from pi_notebook.agent.events import Notice
from pi_notebook.errors import InternalError, PiNotebookError, SessionError, UsageError
from pi_notebook.kernel.await_magic import is_awaited
from pi_notebook.kernel.awaited import AwaitedCellExecutor
from pi_notebook.kernel.blocking import BlockingCellExecutor
from pi_notebook.kernel.magic_text import expanded
from pi_notebook.session.background import background
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.origin import CELL_TYPE, Origin, asked_before, cell_of, notebook_of
from pi_notebook.session.replay import RecordedRun, find_recorded_run
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.services import build_services, warm_previews
from pi_notebook.session.session import AgentSession
from pi_notebook.session.typed_prompt import meant_by
from pi_notebook.ui.arguments import CellOptions, parse_cell_line, parse_continue_line
from pi_notebook.ui.cell_run import CellRun
from pi_notebook.ui.commands import COMMANDS, run_command, takes_text
from pi_notebook.ui.replay import show_recorded
from pi_notebook.ui.tables import Report

logger = logging.getLogger(__name__)

OFFLINE_NOTICE = (
    "Model: offline, which explores data by rule, without a key. "
    "A language model: -m openai/NAME, or %agent model openai/NAME."
)

RERUN_NOTICE = (
    "This cell asked before: the session goes on from before that. "
    "What followed is kept; %agent tree lists it."
)


class AgentCells:
    """The sessions of one shell, and the cells that use them."""

    def __init__(self, shell: Any, folder: Path) -> None:
        self.shell = shell
        self.runtime = AgentSessionRuntime(
            folder, lambda target: build_services(target, shell=shell, commands=tuple(COMMANDS))
        )
        self._told_offline: set[str] = set()
        self._warming = threading.Thread(target=warm_previews, name="pi_notebook-previews", daemon=True)

    def close(self) -> None:
        """Stop the run and let go of the session's file."""
        background.run(self.runtime.session.settle())
        self.runtime.close()

    def line(self, line: str) -> Coroutine[Any, Any, None] | None:
        """`%agent`: show what the command gives; a coroutine where the cell awaits what it begins."""
        line = line if takes_text(line) else expanded(self.shell, line)
        command, _, rest = line.strip().partition(" ")
        with _plain_errors():
            if command != "continue":
                display(*map(_line, self.runtime.take_diagnostics()), run_command(self.runtime, line))
                return None
            run = CellRun(self.shell, self.runtime.session, parse_continue_line(rest), None)
        return self._begun(run)

    def cell(self, line: str, prompt: str) -> Coroutine[Any, Any, None] | None:
        """`%%agent`: run the prompt; a coroutine where the cell awaits it."""
        with _plain_errors():
            options, prompt = parse_cell_line(expanded(self.shell, line)), prompt.strip("\n")
            if not prompt.strip():
                raise UsageError("There is no prompt. Write it on the lines below %%agent.")
            if self._replayed(options, prompt):
                return _nothing() if is_awaited(self.shell) else None
            run = self._cell_run(options, prompt)
        return self._begun(run)

    def _begun(self, run: CellRun) -> Coroutine[Any, Any, None] | None:
        """The run below the cell; a coroutine where the cell awaits it."""
        if self._warming.ident is None:  # not begun yet
            self._warming.start()
        if is_awaited(self.shell):
            return self._awaited(run)
        self._blocking(run)
        return None

    async def _awaited(self, run: CellRun) -> None:
        executor = AwaitedCellExecutor(self.shell, on_interrupt=run.session.abort)
        with _plain_errors(), executor, run:
            run.conclude(await executor.lend(run.submit(executor)))

    def _blocking(self, run: CellRun) -> None:
        executor = BlockingCellExecutor(self.shell, on_interrupt=run.session.abort)
        with _plain_errors(), executor, run:
            run.conclude(executor.lend(run.submit(executor)))

    def _replayed(self, options: CellOptions, prompt: str) -> bool:
        """Show what is recorded for `prompt`, if the cell asks for that and there is something."""
        if not options.replay:
            return False
        run = find_recorded_run(
            meant_by(prompt, self.runtime.services.guidance),
            current=self.runtime.session.store,
            others=self.runtime.earlier_sessions(notebook_of(self.shell)),
        )
        if run is None:
            return False
        self._go_on_with(run)
        answer = show_recorded(self.shell, run)
        if options.output:
            self.shell.user_ns[options.output] = answer
        return True

    def _go_on_with(self, run: RecordedRun) -> None:
        """Let the cells after a replayed one go on in its session, where this kernel has begun none yet."""
        if run.session_id != self.runtime.session.id and self.runtime.session.store.leaf_id is None:
            with suppress(SessionError):  # another kernel may have it, or its folder is gone
                background.run(self.runtime.resume(str(run.path)))

    def _cell_run(self, options: CellOptions, prompt: str) -> CellRun:
        if options.session == "new":
            session = background.run(self.runtime.new())
        elif options.session is not None:
            session = background.run(self.runtime.resume(options.session))
        else:
            session = self.runtime.session
        origin = Origin(notebook=notebook_of(self.shell), cell=cell_of(self.shell))
        notices = [*self._returned(session, origin), *self._notices(session, options)]
        return CellRun(self.shell, session, options, prompt, origin=origin, notices=notices)

    def _returned(self, session: AgentSession, origin: Origin) -> list[Notice]:
        """Go back to before the cell's earlier prompt when it is run again; what to tell of it."""
        if origin.cell is None or session.settings.get("cells.rerun") != "fork":
            return []
        before = asked_before(session.store.branch().of_kind(f"custom:{CELL_TYPE}"), origin.cell)
        if before is None:
            return []
        session.move(before.parent_id)
        return [Notice(RERUN_NOTICE)]

    def _notices(self, session: AgentSession, options: CellOptions) -> list[Notice]:
        notices = [Notice(diagnostic.text, "warning") for diagnostic in self.runtime.take_diagnostics()]
        is_unchosen = options.model is None and session.settings.source("model") == "default"
        if is_unchosen and session.id not in self._told_offline:
            self._told_offline.add(session.id)
            notices.append(Notice(OFFLINE_NOTICE))
        return notices


async def _nothing() -> None:
    """What a cell awaits that has been shown already."""


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
