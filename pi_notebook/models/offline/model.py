"""The offline model behind the `Model` protocol: one step of the course a request, streamed."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from dataclasses import replace

from pi_notebook.agent.events import ModelDone, ModelEvent, TextDelta, ToolCallDelta
from pi_notebook.agent.messages import (
    NO_USAGE,
    AssistantContent,
    AssistantMessage,
    Message,
    TextContent,
    ToolCall,
    now_ms,
)
from pi_notebook.agent.protocols import ModelInfo, ModelRequest
from pi_notebook.models.offline.conversation import Conversation, read_conversation
from pi_notebook.models.offline.course import Call, Result
from pi_notebook.models.offline.explore import explore

_INFO = ModelInfo(
    provider="offline", id="offline", api="offline", context_window=32_768, max_output_tokens=8_192
)


class OfflineModel:
    """Explores data by rule; needs no key and no network, and is not a language model.

    Each request is answered from its messages alone, so that a session can be resumed, forked and
    replayed like any other.
    """

    def __init__(self, *, context_window: int | None = None) -> None:
        window = context_window or _INFO.context_window
        reply = min(_INFO.max_output_tokens or window, window)
        self.info: ModelInfo = replace(_INFO, context_window=window, max_output_tokens=reply)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """The next tool call or the answer, in small pieces."""
        conversation = read_conversation(request.messages)
        step = decide(conversation, frozenset(tool.name for tool in request.tools))
        text = step if isinstance(step, str) else step.note
        for piece in _pieces(text):
            yield TextDelta(piece)
            await asyncio.sleep(0)
        content: list[AssistantContent] = [TextContent(text=text)]
        if isinstance(step, Call):
            call = ToolCall(
                id=_call_id(conversation, request.messages), name=step.tool, arguments=step.arguments
            )
            yield ToolCallDelta(index=0, id=call.id, name=call.name, arguments=json.dumps(call.arguments))
            content.append(call)
        yield ModelDone(_message(content, is_call=isinstance(step, Call)))


def decide(conversation: Conversation, tools: frozenset[str]) -> Call | str:
    """The next call, or the answer: the course run again over the results there are."""
    course = explore(conversation, tools)
    try:
        step = next(course)
        for done in conversation.steps:
            step = course.send(Result(done.result.text, done.result.is_error))
    except StopIteration as end:
        return str(end.value)
    return step


def _pieces(text: str) -> list[str]:
    """The text in words; a Chinese sentence in runs of eight signs."""
    return re.findall(r"\s*[^\s]{1,8}", text) + re.findall(r"\s+\Z", text)


def _call_id(conversation: Conversation, messages: tuple[Message, ...]) -> str:
    """An id that no call of the request has, the same each time the request is sent."""
    used = {
        call.id
        for message in messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    }
    number = len(conversation.steps) + 1
    while f"offline_{conversation.prompted_at}_{number}" in used:
        number += 1
    return f"offline_{conversation.prompted_at}_{number}"


def _message(content: list[AssistantContent], *, is_call: bool) -> AssistantMessage:
    return AssistantMessage(
        content=content,
        api=_INFO.api,
        provider=_INFO.provider,
        model=_INFO.id,
        usage=NO_USAGE,
        stop_reason="toolUse" if is_call else "stop",
        timestamp=now_ms(),
    )
