"""Reading one delta of a stream: fields of records that may be objects, mappings or something else.

What is not of the kind that belongs in a field counts as nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def texts(delta: Any) -> Iterator[tuple[str, str]]:
    """The pieces of thinking and text in a delta; content may be a list of typed parts."""
    thinking = field_of(delta, "reasoning_content") or field_of(delta, "reasoning")
    if isinstance(thinking, str) and thinking:
        yield "thinking", thinking
    content = field_of(delta, "content") or field_of(delta, "refusal")
    for part in content if isinstance(content, list) else [content]:
        if field_of(part, "type") == "thinking":
            yield "thinking", words_of(field_of(part, "thinking"))
        elif words := words_of(part):
            yield "text", words


def words_of(part: Any) -> str:
    """The text of `part`: text itself, a record that has some, or several of either; else nothing."""
    if isinstance(part, list):
        return "".join(map(words_of, part))
    words = part if isinstance(part, str) else field_of(part, "text")
    return words if isinstance(words, str) else ""


def records(delta: Any, name: str) -> list[Any]:
    """The records that a field lists; a few servers number them as the keys of an object."""
    found = field_of(delta, name)
    if isinstance(found, dict):
        found = list(found.values())
    return [one for one in found if _is_record(one)] if isinstance(found, list) else []


def _is_record(value: Any) -> bool:
    return value is not None and not isinstance(value, (str, int, float, list))


SIGNATURE_IN_ID = "__thought__"
"""Where litellm hides Gemini's signature of a call, for clients that keep nothing but ids."""


def thought_signature(*holders: Any) -> str:
    """Gemini's signature of a call, where litellm puts it."""
    for holder in holders:
        extra = field_of(holder, "provider_specific_fields") or {}
        if signature := field_of(extra, "thought_signature"):
            return str(signature)
    return ""


def json_text(arguments: Any) -> str:
    """Arguments as the JSON text they should be; a few servers send the object itself."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def told(record: Any, name: str) -> str:
    """A field that is text; some servers number their calls."""
    value = field_of(record, name)
    return "" if value is None else str(value)


def field_of(record: Any, name: str) -> Any:
    """A field of a mapping or an object; None where there is none."""
    return record.get(name) if isinstance(record, dict) else getattr(record, name, None)
