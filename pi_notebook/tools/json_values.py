"""A value of the person's as JSON, for a filter to be applied to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.context.previews.foreign import attempt, is_a, is_instance, type_name
from pi_notebook.context.previews.structures import parts_of, record_fields
from pi_notebook.context.previews.wording import label, plain_text

_TEXT_TYPES = (str, bytes, bytearray)
_MAX_DEPTH = 200


def json_of(value: object) -> bytes | None:
    """`value` as JSON; None when it is no container and no text of JSON.

    What JSON has no type for becomes text, as do keys; a text is taken for JSON itself. Raises
    `ValueError` when it contains itself.
    """
    if is_a(value, str):
        return without_surrogates(str.__str__(value)).encode("utf-8")
    if is_a(value, bytes) or is_a(value, bytearray):
        return bytes(value)
    if parts_of(value, 0) is None:
        return None
    try:
        return msgspec.json.encode(value, enc_hook=_plain_leaf)
    except (TypeError, ValueError, RecursionError, AttributeError):
        # A key that is a tuple, a lone surrogate, an int of too many bits.
        return msgspec.json.encode(_plain(value, 0))


def _plain(value: Any, depth: int) -> object:
    """`value` made of what JSON has."""
    if depth > _MAX_DEPTH:
        raise ValueError("it contains itself, or is nested too deeply")
    cls = type(value)
    if issubclass(cls, Mapping):
        return {_key(key): _plain(item, depth + 1) for key, item in list(value.items())}
    if (names := record_fields(value)) is not None:
        return {name: _plain(_attribute(value, name), depth + 1) for name in names}
    if parts_of(value, 0) is not None:
        return [_plain(item, depth + 1) for item in list(value)]
    if cls is str:
        return without_surrogates(value)
    if value is None or cls in (bool, float):
        return value
    if cls is int and value.bit_length() < 64:
        return value
    plain = _plain_leaf(value)
    return _plain(plain, depth + 1) if type(plain) is list else plain


def _plain_leaf(value: Any) -> object:
    """A value of a library in Python's own, else as text."""
    if is_instance(value, "numpy", "generic", "ndarray"):
        plain = value.tolist()
        return plain if type(plain) in (int, float, bool, str, list) else plain_text(plain)
    if type_name(value) in ("NaTType", "NAType"):
        return None
    if isinstance(value, Mapping) or parts_of(value, 0) is not None:
        return _plain(value, 0)
    return plain_text(value) or f"<{type_name(value)}>"


def _attribute(value: object, name: str) -> object:
    return attempt(lambda: getattr(value, name), None)


def _key(key: object) -> str:
    if is_instance(key, "numpy", "generic"):
        key = key.item()  # type: ignore[attr-defined]
    return without_surrogates(key) if type(key) is str else label(key, 200)
