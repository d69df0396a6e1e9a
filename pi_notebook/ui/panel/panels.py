"""The open side panels of a kernel; everything here is on the background loop.

Owns what a panel's request does: the run it begins, the stop, the answers to questions. What is told
of the session is `shown_session`'s, who executes code `run_requests`'.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from pi_notebook._version import __version__
from pi_notebook.errors import PiNotebookError, SessionBusyError, UsageError
from pi_notebook.session.permissions import MODES
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.panel.questions import PanelApprover
from pi_notebook.ui.panel.run_requests import PanelExecutor, Recipient, RunRequests
from pi_notebook.ui.panel.shown_session import ShownSession
from pi_notebook.ui.protocol.messages import ErrorMessage, HelloMessage, KernelMessage, WithdrawnMessage
from pi_notebook.ui.protocol.requests import (
    PROTOCOL_VERSION,
    AnnouncedRequest,
    ApproveRequest,
    HelloRequest,
    PanelRequest,
    PromptRequest,
    RanRequest,
    SetModelRequest,
    SetModeRequest,
    SnapshotRequest,
    StopRequest,
)

logger = logging.getLogger(__name__)

MAX_PANELS = 6
"""A page that is reloaded says no goodbye: beyond these, the oldest is sent nothing until it speaks."""


class Panel(Recipient, Protocol):
    """An open panel."""

    nonce: str

    def close(self) -> None:
        """Close this end."""
        ...


ExecutorFactory = Callable[..., PanelExecutor]
"""Makes the executor of one run, from `send` and `on_interrupt`; see `kernel.frontend`."""


class Panels:
    """Every open panel of this kernel.

    Parameters
    ----------
    runtime
        Gives the kernel's sessions, which are made when they are first asked for.
    executor
        Makes what runs the code of a run that a panel began.
    """

    def __init__(self, runtime: Callable[[], AgentSessionRuntime], executor: ExecutorFactory) -> None:
        self._executor = executor
        self._panels: list[Panel] = []
        self._shown = ShownSession(runtime, self._broadcast, lambda: self._run is not None)
        self._approver = PanelApprover(self._tell)
        self._requests: RunRequests | None = None
        self._run: asyncio.Future[None] | None = None
        self._stops = 0
        self._answering: AgentSession | None = None
        self._does: dict[type, Callable[[Panel, Any], None]] = {
            HelloRequest: self._hello,
            PromptRequest: self._prompt,
            StopRequest: self._stop,
            AnnouncedRequest: self._announced,
            RanRequest: self._ran,
            ApproveRequest: self._approve,
            SnapshotRequest: self._snapshot,
            SetModeRequest: self._set_mode,
            SetModelRequest: self._set_model,
        }

    async def receive(self, panel: Panel, request: PanelRequest) -> None:
        """Do what `request` asks; what goes wrong is told to that panel in one sentence."""
        try:
            if panel not in self._panels and not isinstance(request, HelloRequest):
                self._join(panel)
            self._does[type(request)](panel, request)
        except PiNotebookError as error:
            panel.send(ErrorMessage(text=str(error)))
        except Exception as error:
            logger.exception("a request of a panel failed")
            panel.send(ErrorMessage(text=_fault(error)))

    async def leave(self, panel: Panel) -> None:
        """A panel was closed: nothing waits for it any longer."""
        if panel not in self._panels:
            return
        self._panels.remove(panel)
        if self._requests is not None:
            self._requests.left(panel)
            self._drain()
        if not self._panels:
            self._approver.leave()
            self._shown.forget()

    async def close(self) -> None:
        """Let every panel go and stop the run that one of them began."""
        self._end_run()
        for panel in list(self._panels):
            await self.leave(panel)
            panel.close()

    def _hello(self, panel: Panel, request: HelloRequest) -> None:
        self._shown.take_hint(request.session_hint)
        panel.send(
            HelloMessage(
                protocol_version=PROTOCOL_VERSION,
                version=__version__,
                nonce=panel.nonce,
                modes=list(MODES),
            )
        )
        self._join(panel)

    def _join(self, panel: Panel) -> None:
        """Let a panel follow: it is sent what is there, and what comes."""
        self._shown.flush()
        self._panels = [*(other for other in self._panels if other is not panel), panel][-MAX_PANELS:]
        self._snapshot(panel)
        for question in self._approver.questions:
            panel.send(question)
        if self._requests is not None:
            self._requests.joined(panel)

    def _snapshot(self, panel: Panel, request: SnapshotRequest | None = None) -> None:
        panel.send(self._shown.snapshot())

    def _prompt(self, panel: Panel, request: PromptRequest) -> None:
        text = request.text.strip()
        if not text:
            raise UsageError("There is no prompt. Write what you want to know or have done.")
        session = self._shown.follow()
        has_not_begun = self._run is not None and not session.is_running
        if has_not_begun or session.is_answering:
            raise SessionBusyError("The agent is answering already. Stop it first, or wait until it is done.")
        answering = self._answer(panel, session, text)
        self._run = asyncio.ensure_future(self._in_turn(answering, self._run, self._stops))

    async def _in_turn(
        self, answering: Coroutine[Any, Any, None], before: asyncio.Future[None] | None, stops: int
    ) -> None:
        """The run, once that `before` is over, as while the context is compacted; unless a stop came."""
        try:
            if before is not None:
                await asyncio.wait({before})
            if stops == self._stops:
                await answering
        finally:
            answering.close()
            if self._run is asyncio.current_task():
                self._run = None
            self._drain()
            self._shown.tell_status()

    async def _answer(self, panel: Panel, session: AgentSession, text: str) -> None:
        """One run that a panel began; its code is executed by the panel."""
        requests = self._requests = self._requests or self._new_requests()
        requests.begin(panel)
        self._answering = session
        self._shown.tell_status()
        try:
            await session.prompt(text, executor=requests.executor, approver=self._approver)
        except PiNotebookError as error:
            if error is not self._shown.told_error:
                panel.send(ErrorMessage(text=str(error)))
        except Exception as error:
            logger.exception("a run failed")
            panel.send(ErrorMessage(text=_fault(error)))
        finally:
            self._answering = None
            requests.finish()

    def _new_requests(self) -> RunRequests:
        return RunRequests(
            lambda: self._panels,
            lambda send: self._executor(send=send, on_interrupt=self._abort),
        )

    def _drain(self) -> None:
        """Let the executor of a run that is over go, once the kernel has come to all of its code."""
        if self._requests is not None and self._run is None and self._requests.is_drained:
            self._requests.close()
            self._requests = None

    def _stop(self, panel: Panel, request: StopRequest) -> None:
        self._shown.follow()
        self._end_run()

    def _abort(self) -> None:
        """From whatever thread, and from a signal handler."""
        if self._answering is not None:
            self._answering.abort()

    def _end_run(self) -> None:
        self._stops += 1
        session = self._shown.session
        if session is not None and session.is_running:
            session.abort()
        elif self._run is not None:
            self._run.cancel()  # it has not come as far as the agent

    def _announced(self, panel: Panel, request: AnnouncedRequest) -> None:
        if self._requests is None:
            panel.send(WithdrawnMessage(request_id=request.request_id))
        else:
            self._requests.announced(panel, request)

    def _ran(self, panel: Panel, request: RanRequest) -> None:
        if self._requests is not None:
            self._requests.ran(panel, request)
            self._drain()

    def _approve(self, panel: Panel, request: ApproveRequest) -> None:
        problem = self._approver.answer(request)
        if problem is not None:
            logger.warning("an answer of a panel was ignored: %s", problem)

    def _set_mode(self, panel: Panel, request: SetModeRequest) -> None:
        self._shown.follow().set_value("mode", request.mode)
        self._shown.tell_status()

    def _set_model(self, panel: Panel, request: SetModelRequest) -> None:
        self._shown.follow().set_value("model", request.model)
        self._shown.tell_status()

    def _tell(self, message: KernelMessage) -> bool:
        """Send what cannot wait, after what happened before it; False when no panel is open."""
        self._shown.flush()
        self._broadcast(message)
        return bool(self._panels)

    def _broadcast(self, message: KernelMessage) -> None:
        for panel in tuple(self._panels):
            panel.send(message)


def _fault(error: Exception) -> str:
    return f"pi-notebook failed: {type(error).__name__}: {error}. The session is kept; please report this."
