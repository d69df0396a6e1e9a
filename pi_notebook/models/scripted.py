"""A model that gives replies set down in advance, for tests and for trying tools without a provider."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any, Union

import msgspec

from pi_notebook.agent.events import ModelDone, ModelEvent, TextDelta, ThinkingDelta, ToolCallDelta
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantContent,
    AssistantMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    Usage,
    now_ms,
)
from pi_notebook.agent.protocols import ModelInfo, ModelRequest

Answer = Union[str, ToolCall, Sequence[Union[str, ToolCall]], AssistantMessage, Exception]
Reply = Union[Answer, Callable[[ModelRequest], Answer]]


def call(name: str, /, **arguments: Any) -> ToolCall:
    """A tool call to put into a reply; its id is given when it is sent."""
    return ToolCall(id="", name=name, arguments=arguments)


class ScriptedModel:
    """A model that gives `replies` one after the other.

    A reply is text, a tool call, a list of both, a whole message, an exception to raise, or a
    function of the request that gives one of these. `requests` holds what the model was sent.
    """

    def __init__(
        self,
        replies: Iterable[Reply] = (),
        *,
        context_window: int = 100_000,
        sees_images: bool = False,
        usage: Usage = NO_USAGE,
        piece_chars: int = 8,
    ) -> None:
        self.info = ModelInfo(
            provider="scripted",
            id="scripted",
            api="scripted",
            context_window=context_window,
            max_output_tokens=4_096,
            sees_images=sees_images,
        )
        self.requests: list[ModelRequest] = []
        self._replies = list(replies)
        self._usage = usage
        self._piece_chars = piece_chars
        self._calls = 0

    def add(self, *replies: Reply) -> None:
        """Put more replies behind those that are left."""
        self._replies.extend(replies)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Give the next reply in pieces; between two of them other tasks run, and a stop takes effect."""
        self.requests.append(request)
        message = self._next_message(request)
        for event in self._pieces(message):
            await asyncio.sleep(0)
            yield event
        await asyncio.sleep(0)
        yield ModelDone(message)

    def _next_message(self, request: ModelRequest) -> AssistantMessage:
        if not self._replies:
            raise AssertionError(f"The script has no reply to request {len(self.requests)}.")
        reply = self._replies.pop(0)
        answer = reply(request) if callable(reply) else reply
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, AssistantMessage) else self._message(answer)

    def _message(self, answer: str | ToolCall | Sequence[str | ToolCall]) -> AssistantMessage:
        parts = [answer] if isinstance(answer, (str, ToolCall)) else list(answer)
        content = [TextContent(text=part) if isinstance(part, str) else self._with_id(part) for part in parts]
        return AssistantMessage(
            content=list[AssistantContent](content),
            api=self.info.api,
            provider=self.info.provider,
            model=self.info.id,
            usage=self._usage,
            stop_reason="toolUse" if any(isinstance(part, ToolCall) for part in parts) else "stop",
            timestamp=now_ms(),
        )

    def _with_id(self, made: ToolCall) -> ToolCall:
        if made.id:
            return made
        self._calls += 1
        return msgspec.structs.replace(made, id=f"call_{self._calls}")

    def _pieces(self, message: AssistantMessage) -> Iterable[ModelEvent]:
        index = 0
        for block in message.content:
            if isinstance(block, TextContent):
                yield from (TextDelta(piece) for piece in self._cut(block.text))
            elif isinstance(block, ThinkingContent):
                yield from (ThinkingDelta(piece) for piece in self._cut(block.thinking))
            else:
                text = block.malformed_arguments or json.dumps(block.arguments)
                for piece in self._cut(text):
                    yield ToolCallDelta(index, block.id, block.name, piece)
                index += 1

    def _cut(self, text: str) -> list[str]:
        size = self._piece_chars
        return [text[start : start + size] for start in range(0, len(text), size)]
