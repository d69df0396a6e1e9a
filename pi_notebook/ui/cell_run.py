"""One `%%agent` or `%agent continue` cell: the run it begins, how it is drawn, and how the cell ends."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from pi_notebook.agent.events import AgentEnd, Notice
from pi_notebook.agent.protocols import Model
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.session.background import background
from pi_notebook.session.origin import Origin
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.approval import InputApprover
from pi_notebook.ui.arguments import CellOptions
from pi_notebook.ui.displays import display_for


class RunStopped(KeyboardInterrupt):
    """The person stopped the run. It ends the cell, and the cells queued behind it, in one line."""

    def _render_traceback_(self) -> list[str]:
        return ["Stopped."]


class CellRun:
    """Draws a session's run below the cell for as long as it is entered; without a prompt it goes on."""

    def __init__(
        self,
        shell: Any,
        session: AgentSession,
        options: CellOptions,
        prompt: str | None,
        *,
        origin: Origin | None = None,
        notices: Sequence[Notice] = (),
    ) -> None:
        self.session = session
        self._shell = shell
        self._options = options
        self._prompt = prompt
        self._origin = origin
        self._notices = notices
        stream = session.settings.get("stream") if options.stream is None else options.stream
        self._display = display_for(shell, stream=stream)

    def __enter__(self) -> CellRun:
        self._unsubscribe = self.session.subscribe(self._display.on_event)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, frames: TracebackType | None
    ) -> None:
        self._unsubscribe()
        self._display.finish()
        if isinstance(error, KeyboardInterrupt) and not isinstance(error, RunStopped):
            raise RunStopped from None

    def submit(self, executor: CodeExecutor) -> concurrent.futures.Future[AgentEnd]:
        """Begin the run on the background loop."""
        for notice in self._notices:
            self._display.on_event(notice)
        common: dict[str, Any] = {
            "executor": executor,
            "approver": InputApprover(executor),
            "model": self._model(),
            "mode": self._options.mode,
            "policy": self._options.policy,
            "max_turns": self._options.max_turns,
        }
        if self._prompt is None:
            return background.submit(self.session.continue_(**common))
        asked = self.session.prompt(self._prompt, attach=self._options.attach, origin=self._origin, **common)
        return background.submit(asked)

    def _model(self) -> Model | None:
        """The one the cell names; None when it names none. An empty name is one, and wrong."""
        name = self._options.model
        if name is None:
            return None
        settings = self.session.settings.with_values({"model": name}, source="session")
        return self.session.services.model(settings)

    def conclude(self, end: AgentEnd) -> None:
        """Keep the answer where the person wants it; raises `RunStopped` when they stopped the run."""
        if self._options.output:
            self._shell.user_ns[self._options.output] = self._display.transcript.answer
        if end.reason == "aborted":
            raise RunStopped
