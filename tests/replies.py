"""Replies for the loopback provider: the steps they are made of, and whole streams.

Tests take these names from `tests.provider`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Union


@dataclass(frozen=True)
class Status:
    """An answer that is no stream; the last step of its reply."""

    code: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Ping:
    """A comment that keeps the connection alive and says nothing."""


@dataclass(frozen=True)
class Hang:
    """Send nothing more until the client goes away."""


@dataclass(frozen=True)
class Wait:
    """Go on when the test sets `event`."""

    event: threading.Event


@dataclass(frozen=True)
class Fin:
    """Close the connection in the middle of the stream."""


@dataclass(frozen=True)
class Rst:
    """Break the connection off, so that the client gets a reset."""


Step = Union[dict[str, Any], bytes, Status, Sleep, Ping, Hang, Wait, Fin, Rst]
Reply = Sequence[Step]
DONE = b"data: [DONE]\n\n"
USAGE = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **extra: Any) -> dict[str, Any]:
    """One chunk of a stream; without a delta it has no choices, as the chunk with the usage."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": choices,
        **extra,
    }


def stream(*chunks: Step, finish: str | None = "stop", usage: dict[str, Any] | None = None) -> Reply:
    """A whole stream around `chunks`: role first, then finish reason and usage, each in its own chunk."""
    end: list[Step] = [chunk({}, finish)] if finish else []
    end += [chunk(usage=USAGE if usage is None else usage)] if usage != {} else []
    return [chunk({"role": "assistant", "content": ""}), *chunks, *end, DONE]


def text(content: str, *, piece_chars: int = 8, usage: dict[str, Any] | None = None) -> Reply:
    """A stream of text, in pieces."""
    pieces = [content[at : at + piece_chars] for at in range(0, len(content), piece_chars)]
    return stream(*(chunk({"content": piece}) for piece in pieces), usage=usage)


def calls(*made: tuple[str, dict[str, Any]], say: str = "", usage: dict[str, Any] | None = None) -> Reply:
    """A stream of parallel tool calls, each in three pieces that take turns with the others'."""
    said = [chunk({"content": say})] if say else []
    starts, middles, ends = [], [], []
    for index, (name, arguments) in enumerate(made):
        whole = json.dumps(arguments)
        half = len(whole) // 2
        head = {"id": f"call_{time.monotonic_ns()}_{index}", "type": "function"}
        starts.append(_piece(index, head, {"name": name, "arguments": ""}))
        middles.append(_piece(index, {}, {"arguments": whole[:half]}))
        ends.append(_piece(index, {}, {"arguments": whole[half:]}))
    return stream(*said, *starts, *middles, *ends, finish="tool_calls", usage=usage)


def _piece(index: int, head: dict[str, Any], function: dict[str, Any]) -> dict[str, Any]:
    return chunk({"tool_calls": [{"index": index, **head, "function": function}]})


def failure(
    status: int, message: str = "", *, code: str | None = None, headers: dict[str, str] | None = None
) -> Reply:
    """An error as OpenAI words it."""
    error = {"message": message, "type": "error", "param": None, "code": code}
    return [Status(status, json.dumps({"error": error}).encode(), headers or {})]
