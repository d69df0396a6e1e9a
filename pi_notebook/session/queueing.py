"""What a person says to a run that is under way, from any thread.

A message is taken out of its queue only once it is in the conversation. What a run leaves, because it
was stopped or failed, waits: it goes before the next prompt, or is said when the run is continued.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

from pi_notebook.agent.agent import Agent
from pi_notebook.agent.events import Notice
from pi_notebook.agent.messages import Message, UserMessage, text_of, user_message
from pi_notebook.agent.queues import MessageQueue
from pi_notebook.errors import UsageError
from pi_notebook.session.attached_cells import cells_attachment
from pi_notebook.session.branch import Branch
from pi_notebook.session.recorded import QUEUED_TYPE
from pi_notebook.session.typed_prompt import TypedPrompt

_SHOWN_CHARS = 200


class QueuedMessages:
    """The queues of one session's agent; open from the beginning of a run until it would end.

    What was typed is recorded on `branch` when it is said, where the model gets something else.
    """

    def __init__(self, agent: Agent, branch: Branch) -> None:
        self._agent = agent
        self._branch = branch
        self._typed: list[tuple[UserMessage, TypedPrompt]] = []
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

    def steer(self, prompt: TypedPrompt) -> None:
        """Say it before the run's next request; `UsageError` when no run is on."""
        self._add(self._agent.steering, prompt, "before the model's next request")

    def follow_up(self, prompt: TypedPrompt) -> None:
        """Say it when the run would end; `UsageError` when no run is on."""
        self._add(self._agent.follow_ups, prompt, "when the run would end")

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
        with self._lock:
            self._typed.clear()
            return (*self._agent.steering.clear(), *self._agent.follow_ups.clear())

    async def record(self, message: UserMessage) -> Sequence[Message]:
        """A `before_queued` hook: write down that `message` begins no run, and what was typed for it.

        Gives the cells that go with it.
        """
        with self._lock:
            typed = [prompt for said, prompt in self._typed if said is message]
            self._typed = [one for one in self._typed if one[0] is not message]
        self._branch.add_record(QUEUED_TYPE, {})
        for prompt in typed:
            prompt.record(self._branch)
        return [one for prompt in typed for one in cells_attachment(prompt.cells, self._agent.resources)]

    def _add(self, queue: MessageQueue, prompt: TypedPrompt, when: str) -> None:
        message = user_message(prompt.content)
        if not text_of(message).strip() and isinstance(prompt.content, str):
            raise UsageError("There is nothing to say. Write it behind the command.")
        with self._lock:
            if self._loop is None:
                raise UsageError("No run is on that could be told. Send it as a prompt.")
            queue.add(message)
            self._typed.append((message, prompt))
            asyncio.run_coroutine_threadsafe(self._tell(message, when), self._loop)

    async def _tell(self, message: UserMessage, when: str) -> None:
        await self._agent.tell_queues()
        if message in self.waiting:
            await self._agent.emit(Notice(f"Will be said {when}: “{_shown(message)}”", of_queue=True))


def _shown(message: UserMessage) -> str:
    text = " ".join(text_of(message).split())
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"
