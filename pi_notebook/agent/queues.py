"""Messages that wait for their moment in a run."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Literal

from pi_notebook.agent.messages import UserMessage

QueueMode = Literal["one-at-a-time", "all"]


class MessageQueue:
    """Messages in the order they were added; one is only removed once it is in the conversation."""

    def __init__(self, mode: QueueMode = "one-at-a-time") -> None:
        self.mode = mode
        self._messages: deque[UserMessage] = deque()

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def messages(self) -> tuple[UserMessage, ...]:
        return tuple(self._messages)

    def add(self, message: UserMessage) -> None:
        self._messages.append(message)

    def due(self) -> tuple[UserMessage, ...]:
        """The messages to deliver now; they stay queued until `delivered`."""
        return self.messages[:1] if self.mode == "one-at-a-time" else self.messages

    def delivered(self, message: UserMessage) -> None:
        """`message` is in the conversation; nothing happens when it was not in the queue."""
        with suppress(ValueError):
            self._messages.remove(message)

    def clear(self) -> tuple[UserMessage, ...]:
        """Empty the queue and give back what was in it."""
        messages = self.messages
        self._messages.clear()
        return messages
