"""A reply that came whole although a stream was asked for.

Gateways report failures so under status 200, and some servers cannot stream. The client would read
neither: to it, what is no event is nothing.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from pi_notebook._loading import installed
from pi_notebook.models.error_words import error_words

_KINDS = ("application/json", "text/html")
"""What says that it is no stream. With any other type a server may mean one."""
_EVENT_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")
_MAX_WORDS_CHARS = 300


async def whole_reply(stream: Any) -> Any:
    """The reply behind the client's `stream` as one chunk; None where it is a stream after all, or empty.

    Raises the error that the client raises for a failure within a stream.
    """
    response = getattr(stream, "response", None)
    kind = str(getattr(response, "headers", {}).get("content-type", "")).partition(";")[0].strip().lower()
    if response is None or kind not in _KINDS:
        return None
    body: bytes = await response.aread()
    if not body.strip() or body.lstrip().startswith(_EVENT_STARTS):
        return None  # what was read stays there for the client
    reply = _decoded(body)
    choices = reply.get("choices") if isinstance(reply, dict) else None
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        choice = SimpleNamespace(
            delta=choices[0].get("message"), finish_reason=choices[0].get("finish_reason")
        )
        return SimpleNamespace(id=reply.get("id"), usage=reply.get("usage"), choices=[choice])
    raise _failure(reply, kind, response)


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _failure(reply: Any, kind: str, response: Any) -> Exception:
    with installed():
        from openai import APIError

    if reply is None:
        return APIError(f"No answer came, but a page of {kind}.", response.request, body=None)
    words = error_words(reply) or json.dumps(reply, ensure_ascii=False)[:_MAX_WORDS_CHARS]
    body = reply.get("error", reply) if isinstance(reply, dict) else reply
    return APIError(words, response.request, body=body)
