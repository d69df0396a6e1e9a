"""The stream that litellm gives back, read for what the provider itself sent.

litellm's wrapper adds to a stream: a finish reason where the connection broke, an estimate where
no usage was reported. Where the provider speaks OpenAI's form, its own chunks lie under the
wrapper and are read instead. That also costs a third, and spares a reply that repeats one piece
a hundred times, at which the wrapper gives up.
"""

from __future__ import annotations

import contextlib
from typing import Any

from pi_notebook.agent.events import ModelEvent
from pi_notebook.agent.messages import AssistantContent
from pi_notebook.models.assembly import Assembly
from pi_notebook.models.whole_reply import whole_reply

_END = object()


class Response:
    """A reply that is arriving."""

    def __init__(self, wrapper: Any) -> None:
        self._wrapper = wrapper
        own = getattr(wrapper, "completion_stream", None)
        self._is_own = type(own).__module__.startswith("openai") and hasattr(own, "__anext__")
        self._chunks: Any = own if self._is_own else wrapper
        self._has_begun = False
        self._assembly = Assembly()
        self._finish: str | None = None
        self._usage: Any = None
        self.id: str | None = None

    async def read(self) -> list[ModelEvent] | None:
        """What the next chunk adds; None at the end.

        Every chunk counts: calls and usage may follow the finish reason.
        """
        chunk = await self._next()
        if chunk is _END:
            return None
        self._usage = getattr(chunk, "usage", None) or self._usage
        self.id = self.id or getattr(chunk, "id", None)
        events: list[ModelEvent] = []
        choices = getattr(chunk, "choices", None)
        for choice in choices[:1] if isinstance(choices, list) else []:
            events += self._assembly.add(self._said(choice))
            self._finish = str(getattr(choice, "finish_reason", None) or "") or self._finish
        return events

    def _said(self, choice: Any) -> Any:
        """The delta; where nothing came before it, a few servers send all as a message at the end."""
        message = getattr(choice, "message", None)
        return message if message and not self.content else getattr(choice, "delta", None)

    async def _next(self) -> Any:
        """The next chunk, which may be anything; `_END` at the end. A reply that came whole is one chunk."""
        if self._is_own and not self._has_begun:
            self._has_begun = True
            if (whole := await whole_reply(self._chunks)) is not None:
                return whole
        return await anext(self._chunks, _END)

    @property
    def content(self) -> list[AssistantContent]:
        return self._assembly.content()

    @property
    def finish(self) -> str | None:
        """The provider's finish reason; None when it sent none."""
        if not self._is_own and getattr(self._wrapper, "received_finish_reason", "") is None:
            return None
        return self._finish

    @property
    def usage(self) -> Any:
        """The usage as the provider reported it; None when it reported none."""
        kept = getattr(self._wrapper, "chunks", None) or []
        if not self._is_own and not any(getattr(chunk, "usage", None) for chunk in kept):
            return None
        return self._usage

    async def close(self) -> None:
        """Close the connection, unless the reply was read to its end."""
        with contextlib.suppress(Exception):
            await self._wrapper.aclose()
