"""The session that the panels of a kernel show, followed while one of them is open.

Owns what is told of it: the conversation as it grows, the status, a snapshot of both. Which panels
there are, and what they ask for, is `panels`'. Everything is on the background loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pi_notebook.agent.events import AgentEnd, AgentEvent, AgentStart, TurnEnd
from pi_notebook.session.background import background
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.panel.conversation import Conversation
from pi_notebook.ui.panel.outbox import Outbox
from pi_notebook.ui.protocol.events import StatusEvent
from pi_notebook.ui.protocol.messages import KernelMessage, SnapshotMessage

logger = logging.getLogger(__name__)

_HISTORY_MESSAGES = 2000
"""What a panel that opens is shown at most."""
_STATUS_SECONDS = 2.0
"""How often a run's status is told while it goes on; its context is counted anew for each."""


class ShownSession:
    """Follows the current session of a runtime.

    Parameters
    ----------
    runtime
        Gives the kernel's sessions, which are made when they are first asked for.
    send
        Takes a message for every open panel.
    is_answering
        Whether a panel's prompt is being answered; it is so before and after the agent itself runs.
    """

    def __init__(
        self,
        runtime: Callable[[], AgentSessionRuntime],
        send: Callable[[KernelMessage], None],
        is_answering: Callable[[], bool],
    ) -> None:
        self.session: AgentSession | None = None
        """The session that is followed; None while no panel is open."""
        self.told_error: Exception | None = None
        """What ended the newest run, which the conversation tells."""
        self._runtime = runtime
        self._send = send
        self._is_answering = is_answering
        self._outbox = Outbox(send)
        self._conversation = Conversation()
        self._unsubscribe: Callable[[], None] = _nothing
        self._is_bound = False
        self._status_at = 0.0

    def follow(self) -> AgentSession:
        """The current session, with its conversation followed from now on."""
        runtime = self._runtime()
        if not self._is_bound:
            self._is_bound = True
            runtime.on_replaced(self._on_replaced)
        session = runtime.session
        if session is not self.session:
            self.forget()
            self.session = session
            history = session.branch.history(limit=_HISTORY_MESSAGES)
            self._conversation = Conversation(history, is_running=session.is_running)
            self._unsubscribe = session.subscribe(self._on_event)
        return session

    def take_hint(self, session_id: str) -> None:
        """Let a resume without an id look for this session first."""
        if session_id:
            self._runtime().session_hint = session_id

    def forget(self) -> None:
        """Follow nothing: it costs nothing while nobody looks."""
        self._unsubscribe()
        self._unsubscribe = _nothing
        self.session = None
        self._conversation = Conversation()
        self._outbox.clear()

    def flush(self) -> None:
        """Tell what has happened so far."""
        self._outbox.flush()

    def tell_status(self) -> None:
        """Tell how the session stands now."""
        if self.session is not None:
            self._outbox.add(self._status(self.session))

    def snapshot(self) -> SnapshotMessage:
        """All there is to show; what happened before has been told to those who were there."""
        session = self.follow()
        self.flush()
        segments, is_shortened = self._conversation.segments()
        return SnapshotMessage(status=self._status(session), segments=segments, is_shortened=is_shortened)

    def _status(self, session: AgentSession) -> StatusEvent:
        self._status_at = asyncio.get_running_loop().time()
        usage = session.upkeep.usage
        return StatusEvent(
            session_id=session.id,
            session_name="",
            model=session.model.name,
            mode=session.mode,
            policy=session.policy.name,
            is_running=self._is_answering() or self._conversation.is_running,
            is_compacting=session.upkeep.is_compacting,
            can_continue=False,
            context_tokens=usage.tokens,
            context_window=usage.context_window,
            context_trigger=session.upkeep.trigger,
            is_estimate=usage.is_estimate,
            cost_usd=None,
            queued=[],
        )

    def _on_replaced(self, session: AgentSession) -> None:
        """From whatever thread replaced it."""
        background.submit(self._replaced())

    async def _replaced(self) -> None:
        if self.session is not None:
            self._send(self.snapshot())

    def _on_event(self, event: AgentEvent) -> None:
        try:
            for told in self._conversation.add(event):
                self._outbox.add(told)
            if isinstance(event, AgentEnd):
                self.told_error = event.error
            if isinstance(event, (AgentStart, AgentEnd)) or self._is_status_due(event):
                self.tell_status()
        except Exception:  # a panel's fault must not end the run it shows
            logger.exception("an event could not be shown")

    def _is_status_due(self, event: AgentEvent) -> bool:
        age = asyncio.get_running_loop().time() - self._status_at
        return isinstance(event, TurnEnd) and age > _STATUS_SECONDS


def _nothing() -> None:
    """What stands for an unsubscription while nothing is followed."""
