"""What a person says to a run that is under way, from any thread.

A message is taken out of its queue only once it is in the conversation. What a run leaves, because it
was stopped or failed, waits: it goes before the next prompt, or is said when the run is continued.
"""

from __future__ import annotations

import asyncio
import threading

from pi_notebook.agent.agent import Agent
from pi_notebook.agent.events import Notice
from pi_notebook.agent.messages import UserContent, UserMessage, text_of, user_message
from pi_notebook.agent.queues import MessageQueue
from pi_notebook.errors import UsageError

_SHOWN_CHARS = 200


class QueuedMessages:
    """The queues of one session's agent; open from the beginning of a run until it would end."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._loop: asyncio.AbstractEventLoop | None = None
        """Where the run lives; None while none takes messages."""
        self._lock = threading.Lock()
        self.left: tuple[UserMessage, ...] = ()
        """What the runs before this one left unsaid."""

    @property
    def waiting(self) -> tuple[UserMessage, ...]:
        """What was not delivered yet, in the order it will be."""
        return self._agent.waiting

    def open(self) -> None:
        """A run begins, on this loop."""
        with self._lock:
            self._loop, self.left = asyncio.get_running_loop(), self.waiting

    def steer(self, content: str | list[UserContent]) -> None:
        """Say it before the run's next request; `UsageError` when no run is on."""
        self._add(self._agent.steering, content, "before the model's next request")

    def follow_up(self, content: str | list[UserContent]) -> None:
        """Say it when the run would end; `UsageError` when no run is on."""
        self._add(self._agent.follow_ups, content, "when the run would end")

    def close_if_empty(self) -> bool:
        """Take no more messages, unless one came in the last moment and the run has to go on."""
        with self._lock:
            if not self.waiting:
                self._loop = None
            return self._loop is None

    def close(self) -> str:
        """Take no more messages; what to tell the person, once, of those that were not delivered."""
        with self._lock:
            was_open, self._loop = self._loop is not None, None
        if not was_open:
            return ""
        said = ", ".join(f"“{_shown(message)}”" for message in self.waiting)
        if not said:
            return ""
        return f"Not said yet: {said}. %agent continue says it; else it goes before the next prompt."

    def take(self) -> tuple[UserMessage, ...]:
        """Empty the queues and give back what was in them, to be edited or dropped."""
        return (*self._agent.steering.clear(), *self._agent.follow_ups.clear())

    def _add(self, queue: MessageQueue, content: str | list[UserContent], when: str) -> None:
        message = user_message(content)
        if not text_of(message).strip() and isinstance(content, str):
            raise UsageError("There is nothing to say. Write it behind the command.")
        with self._lock:
            if self._loop is None:
                raise UsageError("No run is on that could be told. Send it as a prompt.")
            queue.add(message)
            asyncio.run_coroutine_threadsafe(self._tell(message, when), self._loop)

    async def _tell(self, message: UserMessage, when: str) -> None:
        await self._agent.tell_queues()
        if message in self.waiting:
            await self._agent.emit(Notice(f"Will be said {when}: “{_shown(message)}”"))


def _shown(message: UserMessage) -> str:
    text = " ".join(text_of(message).split())
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"
