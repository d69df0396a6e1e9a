"""Messages and tools in the form that chat providers take, the OpenAI form that litellm translates further.

Everything here is pure and the same for the same input, so that the start of a request stays byte
for byte the same while a conversation grows; `growing` remembers what was made of it. Messages should
arrive paired; where they do not, the result is valid all the same: a call without a result is answered
with an error, a result without its call is left out. Sending is left to `litellm_model`.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from pi_notebook.agent.messages import (
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    text_of,
    without_surrogates,
)
from pi_notebook.agent.protocols import ModelInfo, ModelRequest, ToolDefinition
from pi_notebook.models.images import data_url

NO_OUTPUT = "(no output)"
NO_TEXT = "(empty message)"
NO_RESULT = "Error: this call has no recorded result. It may have been stopped before it ended."
IMAGE_UNSEEN = "[an image that this model cannot see was left out]"
IMAGE_BROKEN = "[an image that is broken, or of a kind that no model takes, was left out]"
IMAGE_FOLLOWS = "[image: see the next message]"
_UNSEEN = "this model sees no images"
_NAMED_IMAGE = re.compile(r"\[image/[\w.+-]+[^\]\n]{0,60}\]")
"""A line of a tool's result that stands for an image."""
COMPACTION_PREFACE = "The conversation before this point was compacted into this summary:"
BRANCH_PREFACE = "Another branch of this conversation was tried and left. What it had reached:"

_TAKES_IMAGES_IN_RESULTS = {"anthropic"}
_WANTS_THINKING_BACK = {"anthropic", "bedrock", "vertex_ai"}
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""What every provider takes; Anthropic's alphabet, OpenAI's length."""
_FOREIGN_CHARACTER = re.compile(r"[^A-Za-z0-9_-]")
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def chat_tools(tools: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
    """The tools as function definitions."""
    return [
        {
            "type": "function",
            "function": {"name": item.name, "description": item.description, "parameters": item.parameters},
        }
        for item in tools
    ]


def chat_messages(request: ModelRequest, info: ModelInfo) -> list[dict[str, Any]]:
    """The system prompt and the messages of `request`, as the model `info` describes takes them."""
    writer = Writer(info)
    sent = system_messages(request)
    for reply, rest in exchanges(request.messages):
        sent.extend(writer.exchange(reply, rest))
    return sent


def system_messages(request: ModelRequest) -> list[dict[str, Any]]:
    """The system prompt; nothing when it says nothing."""
    prompt = without_surrogates(request.system_prompt)
    return [{"role": "system", "content": prompt}] if prompt.strip() else []


def exchanges(
    messages: Sequence[Message],
) -> Iterator[tuple[AssistantMessage | None, list[Message]]]:
    """Each reply that is sent, with all up to the next one; None stands before the first."""
    reply: AssistantMessage | None = None
    rest: list[Message] = []
    for message in messages:
        if not isinstance(message, AssistantMessage):
            rest.append(message)
        elif is_sent(message):
            yield reply, rest
            reply, rest = message, []
    yield reply, rest


def is_sent(message: AssistantMessage) -> bool:
    """A failed or stopped reply is kept for people only; providers reject an empty one."""
    if message.stop_reason in ("error", "aborted"):
        return False
    return bool(message.text.strip() or message.tool_calls)


class Writer:
    """Writes one request; it remembers the ids it has given out."""

    def __init__(self, info: ModelInfo) -> None:
        self._info = info
        self._uses: Counter[str] = Counter()
        self._taken: set[str] = set()

    def copy(self) -> Writer:
        """A writer that has given out the same ids."""
        copied = Writer(self._info)
        copied._uses, copied._taken = self._uses.copy(), self._taken.copy()
        return copied

    def exchange(self, reply: AssistantMessage | None, rest: list[Message]) -> Iterator[dict[str, Any]]:
        """A reply, the results of its calls in call order, and then the other messages."""
        if reply is not None:
            ids = [self._wire_id(call.id) for call in reply.tool_calls]
            yield self._reply(reply, ids)
            yield from self._results(reply.tool_calls, ids, rest)
        for message in rest:
            if not isinstance(message, ToolResultMessage):
                yield {"role": "user", "content": self._user_content(message)}

    def _reply(self, reply: AssistantMessage, ids: list[str]) -> dict[str, Any]:
        text = without_surrogates(reply.text)
        sent: dict[str, Any] = {"role": "assistant", "content": text if text.strip() else None}
        if ids:
            own = self._is_own(reply)
            sent["tool_calls"] = [
                _call(call, wire_id, with_signature=own)
                for call, wire_id in zip(reply.tool_calls, ids, strict=True)
            ]
        if self._info.provider in _WANTS_THINKING_BACK and self._is_own(reply):
            blocks = [block for item in reply.content if (block := _thinking_block(item))]
            sent |= {"thinking_blocks": blocks} if blocks else {}
        return sent

    def _results(
        self, calls: list[ToolCall], ids: list[str], rest: list[Message]
    ) -> Iterator[dict[str, Any]]:
        waiting: defaultdict[str, list[ToolResultMessage]] = defaultdict(list)
        for message in rest:
            if isinstance(message, ToolResultMessage):
                waiting[message.tool_call_id].append(message)
        images: list[dict[str, Any]] = []
        for call, wire_id in zip(calls, ids, strict=True):
            queue = waiting[call.id]
            content = self._result_content(queue.pop(0), images) if queue else NO_RESULT
            yield {"role": "tool", "tool_call_id": wire_id, "content": content}
        if images:
            # Chat providers take images from users only, and every call must be answered first.
            yield {"role": "user", "content": [_text_part("Images from the tool results above:"), *images]}

    def _result_content(
        self, message: ToolResultMessage, later_images: list[dict[str, Any]]
    ) -> str | list[dict[str, Any]]:
        """The content of a result; images it cannot hold itself are added to `later_images`."""
        if self._info.sees_images and self._info.provider in _TAKES_IMAGES_IN_RESULTS:
            parts = self._parts(message.content)
            return parts if any(part["type"] == "image_url" for part in parts) else _joined(parts)
        images = [item for item in message.content if isinstance(item, ImageContent)]
        later_images += [_image_part(item) for item in images if self._info.sees_images]
        said = "\n".join(item.text for item in message.content if isinstance(item, TextContent))
        text = without_surrogates(_with_images_told(said, len(images), sees_images=self._info.sees_images))
        return text if text.strip() else NO_OUTPUT

    def _user_content(self, message: Message) -> str | list[dict[str, Any]]:
        if isinstance(message, CompactionSummaryMessage):
            return _summary(COMPACTION_PREFACE, message.summary)
        if isinstance(message, BranchSummaryMessage):
            return _summary(BRANCH_PREFACE, message.summary)
        if isinstance(message.content, list) and self._info.sees_images:
            return self._parts(message.content)
        pieces = [text_of(message)]
        if isinstance(message.content, list):
            pieces += [IMAGE_UNSEEN] * sum(isinstance(item, ImageContent) for item in message.content)
        text = without_surrogates("\n".join(pieces))
        return text if text.strip() else NO_TEXT

    def _parts(self, content: Sequence[Any]) -> list[dict[str, Any]]:
        """Parts of text and images, none of them blank."""
        parts = [
            _image_part(item) if isinstance(item, ImageContent) else _text_part(item.text)
            for item in content
            if isinstance(item, ImageContent) or item.text.strip()
        ]
        return parts or [_text_part(NO_TEXT)]

    def _is_own(self, reply: AssistantMessage) -> bool:
        return (reply.provider, reply.model) == (self._info.provider, self._info.id)

    def _wire_id(self, call_id: str) -> str:
        """`call_id` as every provider takes it, and as no other call of this request has it."""
        plain = call_id
        if not _PLAIN_ID.fullmatch(call_id):
            digest = hashlib.sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()
            plain = f"call_{digest[:24]}"
        wire_id = plain
        while wire_id in self._taken:
            self._uses[plain] += 1
            wire_id = f"{plain[:32]}_{self._uses[plain]}"
        self._taken.add(wire_id)
        return wire_id


def _with_images_told(text: str, count: int, *, sees_images: bool) -> str:
    """`text`, which tells where the `count` images of its result are: at the lines that name them, if any."""
    follows, alone = ("see the next message", IMAGE_FOLLOWS) if sees_images else (_UNSEEN, IMAGE_UNSEEN)
    named = list(_NAMED_IMAGE.finditer(text))[-count:] if count else []
    for found in reversed(named):
        text = f"{text[: found.end() - 1]}: {follows}{text[found.end() - 1 :]}"
    return "\n".join([*([text] if text else []), *[alone] * (count - len(named))])


def _call(call: ToolCall, wire_id: str, *, with_signature: bool) -> dict[str, Any]:
    arguments = _encode(_strict(call.arguments))
    name = _FOREIGN_CHARACTER.sub("_", call.name)[:64] or "unknown"
    sent: dict[str, Any] = {
        "id": wire_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }
    if with_signature and call.thought_signature:
        sent["provider_specific_fields"] = {"thought_signature": call.thought_signature}
    return sent


def _strict(value: Any) -> Any:
    """`value` as JSON that every parser takes: no NaN, no infinity, no lone surrogates."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(str(key)): _strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _thinking_block(item: object) -> dict[str, Any] | None:
    if not isinstance(item, ThinkingContent) or not item.thinking_signature:
        return None
    if item.redacted:
        return {"type": "redacted_thinking", "data": item.thinking_signature}
    return {"type": "thinking", "thinking": item.thinking, "signature": item.thinking_signature}


def _summary(preface: str, summary: str) -> str:
    return f"{preface}\n\n<summary>\n{without_surrogates(summary)}\n</summary>"


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": without_surrogates(text)}


def _image_part(image: ImageContent) -> dict[str, Any]:
    url = data_url(image)
    return {"type": "image_url", "image_url": {"url": url}} if url else _text_part(IMAGE_BROKEN)


def _joined(parts: list[dict[str, Any]]) -> str:
    text = "\n".join(part["text"] for part in parts)
    return NO_OUTPUT if text == NO_TEXT else text
