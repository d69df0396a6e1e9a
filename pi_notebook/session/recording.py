"""Writing a run down: what is told of it is on the disk before anything follows from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from pi_notebook.agent.events import AgentEnd, AgentEvent, AgentStart, MessageEnd, Notice, TurnEnd
from pi_notebook.agent.protocols import ModelInfo
from pi_notebook.session.branch import Branch


class Recording:
    """The first subscriber of a session's agent.

    Parameters
    ----------
    branch
        Where it is written.
    model
        Gives the model that is asked now.
    emit
        Tells the person what is wrong with the session's file.
    """

    def __init__(
        self, branch: Branch, *, model: Callable[[], ModelInfo], emit: Callable[[AgentEvent], Awaitable[None]]
    ) -> None:
        self._branch = branch
        self._model = model
        self._emit = emit
        self._told_reason = ""

    async def on_event(self, event: AgentEvent) -> None:
        """Return when what `event` tells is durable."""
        if isinstance(event, AgentStart):
            self._branch.add_model(self._model())
        elif isinstance(event, MessageEnd):
            self._branch.add_message(event.message)
        elif isinstance(event, (TurnEnd, AgentEnd)):
            self._branch.store.sync()
        for text in self._problems():
            await self._emit(Notice(text, "warning"))

    def _problems(self) -> list[str]:
        """What is wrong with the session's file and has not been told yet."""
        store = self._branch.store
        reason, told = store.memory_reason, self._told_reason
        self._told_reason = reason
        return [*([reason] if reason != told else []), *store.take_notices()]
