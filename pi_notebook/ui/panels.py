"""The open side panels of a kernel and the session they show; everything here is on the background loop.

Owns what a panel's request does: the run it begins, the stop, the answers to questions. How the
conversation looks is `conversation`'s, who executes code `run_requests`'.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Protocol

from pi_notebook._version import __version__
from pi_notebook.agent.events import AgentEnd, AgentEvent, AgentStart, TurnEnd
from pi_notebook.errors import PiNotebookError, SessionBusyError, UsageError
from pi_notebook.session.background import background
from pi_notebook.session.permissions import MODES
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.conversation import Conversation
from pi_notebook.ui.outbox import Outbox
from pi_notebook.ui.protocol import (
    PROTOCOL_VERSION,
    AnnouncedRequest,
    ApproveRequest,
    ErrorMessage,
    HelloMessage,
    HelloRequest,
    KernelMessage,
    PanelRequest,
    PromptRequest,
    RanRequest,
    SetModelRequest,
    SetModeRequest,
    SnapshotMessage,
    SnapshotRequest,
    StatusEvent,
    StopRequest,
)
from pi_notebook.ui.questions import PanelApprover
from pi_notebook.ui.run_requests import PanelExecutor, Recipient, RunRequests

logger = logging.getLogger(__name__)

MAX_PANELS = 6
"""A page that is reloaded says no goodbye: beyond these, the oldest is sent nothing until it speaks."""
_STATUS_SECONDS = 2.0


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
        self._runtime = runtime
        self._executor = executor
        self._panels: list[Panel] = []
        self._outbox = Outbox(self._broadcast)
        self._approver = PanelApprover(self._tell)
        self._session: AgentSession | None = None
        self._conversation = Conversation()
        self._unsubscribe: Callable[[], None] = _nothing
        self._is_bound = False
        self._requests: RunRequests | None = None
        self._run: asyncio.Future[None] | None = None
        self._shown_error: Exception | None = None
        self._status_at = 0.0
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
        if not self._panels:
            self._approver.leave()
            self._forget()

    async def close(self) -> None:
        """Let every panel go and stop the run that one of them began."""
        self._end_run()
        for panel in list(self._panels):
            await self.leave(panel)
            panel.close()

    def _hello(self, panel: Panel, request: HelloRequest) -> None:
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
        self._outbox.flush()
        self._panels = [*(other for other in self._panels if other is not panel), panel][-MAX_PANELS:]
        self._snapshot(panel)
        for question in self._approver.questions:
            panel.send(question)
        if self._requests is not None:
            self._requests.joined(panel)

    def _snapshot(self, panel: Panel, request: SnapshotRequest | None = None) -> None:
        self._follow()
        self._outbox.flush()
        panel.send(self._now())

    def _prompt(self, panel: Panel, request: PromptRequest) -> None:
        text = request.text.strip()
        if not text:
            raise UsageError("There is no prompt. Write what you want to know or have done.")
        session = self._follow()
        if self._run is not None or session.is_running:
            raise SessionBusyError("The agent is answering already. Stop it first, or wait until it is done.")
        self._run = asyncio.ensure_future(self._answer(panel, session, text))

    async def _answer(self, panel: Panel, session: AgentSession, text: str) -> None:
        """One run that a panel began; its code is executed by the panel."""
        requests = self._requests = RunRequests(lambda: self._panels, panel)
        requests.executor = self._executor(send=requests.offer, on_interrupt=session.abort)
        self._status()
        try:
            await session.prompt(text, executor=requests.executor, approver=self._approver)
        except PiNotebookError as error:
            if error is not self._shown_error:
                panel.send(ErrorMessage(text=str(error)))
        except Exception as error:
            logger.exception("a run failed")
            panel.send(ErrorMessage(text=_fault(error)))
        finally:
            self._requests = self._run = None
            requests.close()
            self._status()

    def _stop(self, panel: Panel, request: StopRequest) -> None:
        self._follow()
        self._end_run()

    def _end_run(self) -> None:
        if self._session is not None and self._session.is_running:
            self._session.abort()
        elif self._run is not None:
            self._run.cancel()  # it has not come as far as the agent

    def _announced(self, panel: Panel, request: AnnouncedRequest) -> None:
        requests = self._requests or RunRequests(lambda: self._panels, panel)
        requests.announced(panel, request)

    def _ran(self, panel: Panel, request: RanRequest) -> None:
        if self._requests is not None:
            self._requests.ran(panel, request)

    def _approve(self, panel: Panel, request: ApproveRequest) -> None:
        problem = self._approver.answer(request)
        if problem is not None:
            logger.warning("an answer of a panel was ignored: %s", problem)

    def _set_mode(self, panel: Panel, request: SetModeRequest) -> None:
        self._follow().set_value("mode", request.mode)
        self._status()

    def _set_model(self, panel: Panel, request: SetModelRequest) -> None:
        self._follow().set_value("model", request.model)
        self._status()

    def _follow(self) -> AgentSession:
        """The current session, with its conversation followed from now on."""
        runtime = self._runtime()
        if not self._is_bound:
            self._is_bound = True
            runtime.on_replaced(self._on_replaced)
        session = runtime.session
        if session is not self._session:
            self._forget()
            self._session = session
            self._conversation = Conversation(session.messages, is_running=session.is_running)
            self._unsubscribe = session.subscribe(self._on_event)
        return session

    def _on_replaced(self, session: AgentSession) -> None:
        """From whatever thread replaced it."""
        background.submit(self._replaced())

    async def _replaced(self) -> None:
        if self._panels:
            self._follow()
            self._tell(self._now())

    def _forget(self) -> None:
        self._unsubscribe()
        self._unsubscribe = _nothing
        self._session = None
        self._conversation = Conversation()
        self._outbox.clear()

    def _on_event(self, event: AgentEvent) -> None:
        try:
            for told in self._conversation.add(event):
                self._outbox.add(told)
            if isinstance(event, AgentEnd):
                self._shown_error = event.error
            if isinstance(event, (AgentStart, AgentEnd)) or self._is_status_due(event):
                self._status()
        except Exception:  # a panel's fault must not end the run it shows
            logger.exception("an event could not be shown")

    def _is_status_due(self, event: AgentEvent) -> bool:
        age = asyncio.get_running_loop().time() - self._status_at
        return isinstance(event, TurnEnd) and age > _STATUS_SECONDS

    def _status(self) -> None:
        if self._session is not None:
            self._outbox.add(self._status_of(self._session))

    def _status_of(self, session: AgentSession) -> StatusEvent:
        self._status_at = asyncio.get_running_loop().time()
        usage = session.context_usage()
        return StatusEvent(
            session_id=session.id,
            model=session.model.name,
            mode=session.mode,
            is_running=self._run is not None or self._conversation.is_running,
            context_tokens=usage.tokens,
            context_window=usage.context_window,
        )

    def _now(self) -> SnapshotMessage:
        """All that a panel shows, which must be following a session."""
        assert self._session is not None
        segments, is_shortened = self._conversation.segments()
        return SnapshotMessage(
            status=self._status_of(self._session), segments=segments, is_shortened=is_shortened
        )

    def _tell(self, message: KernelMessage) -> bool:
        """Send what cannot wait, after what happened before it; False when no panel is open."""
        self._outbox.flush()
        self._broadcast(message)
        return bool(self._panels)

    def _broadcast(self, message: KernelMessage) -> None:
        for panel in tuple(self._panels):
            panel.send(message)


def _nothing() -> None:
    """What stands for an unsubscription while nothing is followed."""


def _fault(error: Exception) -> str:
    return f"pi-notebook failed: {type(error).__name__}: {error}. The session is kept; please report this."
