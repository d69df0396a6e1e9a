"""What the body of a provider's failure says in words, whichever shape it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEYS = ("error", "message", "detail", "msg")
"""Under which servers put their words, or what holds them."""
_MAX_DEPTH = 6
_MAX_CHARS = 4_000


def error_words(body: Any) -> str:
    """The words in `body`, decoded JSON or text; empty when there are none, as in a page of HTML."""
    for _ in range(_MAX_DEPTH):
        if isinstance(body, list) and body:
            body = body[0]
        elif isinstance(body, Mapping):
            body = next((body[key] for key in _KEYS if body.get(key)), None)
    is_text = isinstance(body, str) and not body.lstrip().startswith("<")
    return body[:_MAX_CHARS].strip() if is_text else ""
