"""The session that the panels of a kernel show, followed while one of them is open.

Owns what is told of it: the conversation as it grows, the status, a snapshot of both. Which panels
there are, and what they ask for, is `panels`'. Everything is on the background loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, Literal

from pi_notebook.agent.events import (
    AgentEnd,
    AgentEvent,
    AgentStart,
    CompactionEnd,
    CompactionStart,
    QueueUpdate,
    SessionChanged,
    TurnEnd,
)
from pi_notebook.agent.messages import text_of, without_surrogates
from pi_notebook.session.background import background
from pi_notebook.session.listing import file_of
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.panel.conversation import Conversation
from pi_notebook.ui.panel.cost import SessionCost, is_counted
from pi_notebook.ui.panel.kept_segments import MAX_IMAGE_CHARS
from pi_notebook.ui.panel.outbox import Outbox
from pi_notebook.ui.panel.pictures import small_pictures
from pi_notebook.ui.protocol.events import QueuedPrompt, StatusEvent
from pi_notebook.ui.protocol.messages import KernelMessage, SnapshotMessage

logger = logging.getLogger(__name__)

_STATUS_SECONDS = 2.0
"""How often a run's status is told while it goes on; its context is counted anew for each."""
_MAX_QUEUED_CHARS = 2_000
_TELLING = (AgentStart, AgentEnd, CompactionStart, CompactionEnd, QueueUpdate, SessionChanged)
"""Events after which the session stands otherwise."""


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
    waiting
        The prompts of panels whose turn has not come.
    """

    def __init__(
        self,
        runtime: Callable[[], AgentSessionRuntime],
        send: Callable[[KernelMessage], None],
        is_answering: Callable[[], bool],
        waiting: Callable[[], Sequence[str]],
    ) -> None:
        self.session: AgentSession | None = None
        """The session that is followed; None while no panel is open."""
        self.told_error: Exception | None = None
        """What ended the newest run, which the conversation tells."""
        self._runtime = runtime
        self._send = send
        self._is_answering = is_answering
        self._waiting = waiting
        self._outbox = Outbox(send)
        self._conversation: Conversation | None = None
        self._cost: SessionCost | None = None
        self._unsubscribe: Callable[[], None] = _nothing
        self._is_bound = False
        self._status_at = 0.0
        self._tasks: set[asyncio.Task[None]] = set()

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
            self._tell_again(session)
            self._unsubscribe = session.subscribe(self._on_event)
            self._spawn(self._count_cost(session))
        return session

    def take_hint(self, session_id: str) -> None:
        """Let a resume without an id look for this session first."""
        if session_id:
            self._runtime().session_hint = session_id

    def forget(self) -> None:
        """Follow nothing: it costs nothing while nobody looks."""
        self._unsubscribe()
        self._unsubscribe = _nothing
        self.session = self._conversation = self._cost = None
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
        assert self._conversation is not None
        if not self._conversation.is_current:
            self._tell_again(session)
        segments, is_shortened = self._conversation.segments()
        return SnapshotMessage(status=self._status(session), segments=segments, is_shortened=is_shortened)

    def _tell_again(self, session: AgentSession) -> None:
        """Take the conversation from what is recorded."""
        self._conversation = Conversation(session.store, is_running=session.agent.is_running)
        self._show_pictures(self._conversation)

    def _status(self, session: AgentSession) -> StatusEvent:
        self._status_at = asyncio.get_running_loop().time()
        usage = session.upkeep.usage
        is_followed_running = self._conversation is not None and self._conversation.is_running
        is_running = self._is_answering() or is_followed_running
        return StatusEvent(
            session_id=session.id,
            last_session="" if is_running else self._last_session(session),
            session_name=session.store.name,
            model=session.model.name,
            mode=session.mode,
            policy=session.policy.name,
            is_running=is_running,
            is_compacting=session.upkeep.is_compacting,
            can_continue=not is_running and session.agent.can_resume,
            context_tokens=usage.tokens,
            context_window=usage.context_window,
            context_trigger=session.upkeep.trigger,
            is_estimate=usage.is_estimate,
            cost_usd=None if self._cost is None else self._cost.usd,
            queued=[*_queued(session), *(_prompt("follow_up", text) for text in self._waiting())],
        )

    def _last_session(self, session: AgentSession) -> str:
        """What the notebook says it had last, while the kernel is new and that is still kept."""
        runtime = self._runtime()
        hint, services = runtime.session_hint, runtime.services
        if session.id != runtime.first_id or hint in ("", session.id):
            return ""
        return hint if file_of(hint, folder=services.folder, home=services.home) else ""

    async def _count_cost(self, session: AgentSession) -> None:
        """Look up what the session has cost so far; until then it is not known."""
        cost = SessionCost(session.store)
        await asyncio.to_thread(cost.count)
        if self.session is session:
            self._cost = cost
            self.tell_status()

    def _show_pictures(self, conversation: Conversation) -> None:
        """Let the pictures of segments follow, once they are small."""
        if conversation.unshown:
            pictures, conversation.unshown = conversation.unshown, {}
            self._spawn(self._made_small(conversation, pictures))

    async def _made_small(self, conversation: Conversation, pictures: Any) -> None:
        room = MAX_IMAGE_CHARS
        for segment_id, images in reversed([*pictures.items()]):
            small = await asyncio.to_thread(small_pictures, images)
            room -= sum(len(image.data) for image in small)
            if room < 0 or conversation is not self._conversation:
                return
            for event in conversation.show_pictures(segment_id, small):
                self._outbox.add(event)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_replaced(self, session: AgentSession) -> None:
        """From whatever thread replaced it."""
        background.submit(self._replaced())

    async def _replaced(self) -> None:
        if self.session is not None:
            self._send(self.snapshot())

    def _on_event(self, event: AgentEvent) -> None:
        try:
            self._follow_event(event)
        except Exception:  # a panel's fault must not end the run it shows
            logger.exception("an event could not be shown")

    def _follow_event(self, event: AgentEvent) -> None:
        conversation = self._conversation
        if conversation is None:
            return
        if isinstance(event, SessionChanged) and event.has_moved and self.session is not None:
            self._tell_again(self.session)
            self._send(self.snapshot())
            return
        if isinstance(event, AgentStart) and not conversation.is_current:
            self._send(self.snapshot())
        for told in conversation.add(event):
            self._outbox.add(told)
        self._show_pictures(conversation)
        if isinstance(event, AgentEnd):
            self.told_error = event.error
        if self._cost is not None and is_counted(event):
            self._cost.count()
        if isinstance(event, _TELLING) or self._is_status_due(event):
            self.tell_status()

    def _is_status_due(self, event: AgentEvent) -> bool:
        age = asyncio.get_running_loop().time() - self._status_at
        return isinstance(event, TurnEnd) and age > _STATUS_SECONDS


def _queued(session: AgentSession) -> Iterator[QueuedPrompt]:
    """What was said to the run and waits; it stands in the order it will be said."""
    for message in session.agent.steering.messages:
        yield _prompt("steer", text_of(message))
    for message in session.agent.follow_ups.messages:
        yield _prompt("follow_up", text_of(message))


def _prompt(delivery: Literal["steer", "follow_up"], text: str) -> QueuedPrompt:
    kept = without_surrogates(text[:_MAX_QUEUED_CHARS])
    return QueuedPrompt(delivery=delivery, text=f"{kept}…" if len(text) > _MAX_QUEUED_CHARS else kept)


def _nothing() -> None:
    """What stands for an unsubscription while nothing is followed."""
