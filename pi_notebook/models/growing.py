"""The messages of one request after another of a growing conversation, each made once.

What is made of a message, and how, is `conversion`'s. Here is remembered what was made of the messages
that a request shares with the one before it, so that one more request costs what is new in it. What is
given out is the caller's: providers' clients change what they are handed.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from operator import is_
from typing import Any

from pi_notebook.agent.messages import AssistantMessage, Message
from pi_notebook.agent.protocols import ModelInfo, ModelRequest
from pi_notebook.models.conversion import Writer, exchanges, is_sent, system_messages


class GrowingConversation:
    """Writes requests as `chat_messages` does; one that goes on from the last costs what is new in it."""

    def __init__(self, info: ModelInfo) -> None:
        self._writer = Writer(info)
        self._info = info
        self._settled: tuple[Message, ...] = ()
        """The messages of whole exchanges: what follows cannot change what is made of them."""
        self._made: list[dict[str, Any]] = []
        self._mutex = threading.Lock()

    def messages(self, request: ModelRequest) -> list[dict[str, Any]]:
        """The same as `chat_messages` of `request`."""
        with self._mutex:
            self._settle(request.messages)
            sent = system_messages(request)
            sent += [_copy(message) for message in self._made]
            for reply, rest in exchanges(request.messages[len(self._settled) :]):
                sent.extend(self._writer.copy().exchange(reply, rest))
            return sent

    def _settle(self, messages: tuple[Message, ...]) -> None:
        """Take in all exchanges of `messages` but the last, which may still grow."""
        if not self._is_start_of(messages):
            self._writer, self._settled, self._made = Writer(self._info), (), []
        end = max(len(self._settled), _last_reply(messages))
        for reply, rest in exchanges(messages[len(self._settled) : end]):
            self._made.extend(self._writer.exchange(reply, rest))
        self._settled = messages[:end]

    def _is_start_of(self, messages: tuple[Message, ...]) -> bool:
        return len(self._settled) <= len(messages) and all(map(is_, self._settled, messages))


def _last_reply(messages: Sequence[Message]) -> int:
    """The place of the last reply that is sent; 0 when there is none."""
    for place in range(len(messages) - 1, 0, -1):
        message = messages[place]
        if isinstance(message, AssistantMessage) and is_sent(message):
            return place
    return 0


def _copy(value: Any) -> Any:
    if type(value) is dict:
        return {key: item if type(item) is str else _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if type(value) is list else value
