"""Messages of the kernel with a hostile text in every place for one; made from the protocol's own types.

So a field or a message that is added to the protocol is covered from then on.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import inspect

from pi_notebook.ui.protocol.messages import KernelMessage
from pi_notebook.ui.protocol.segments import Segment

_IDS = itertools.count()


def message(tag: str, texts: Sequence[str], **known: Any) -> dict[str, Any]:
    """One message of that type; its lists have an item for each of `texts`, and each form of it."""
    found = {kind.cls.__struct_config__.tag: kind for kind in _members(inspect.type_info(KernelMessage))}
    return next(_records(found[tag], texts)) | known


def messages(texts: Sequence[str], tag: str) -> list[dict[str, Any]]:
    """A message of that type for each text."""
    return [message(tag, [text]) for text in texts]


def segments(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Each kind of segment for each text."""
    kinds = _members(inspect.type_info(Segment))
    return [one for text in texts for kind in kinds for one in _records(kind, [text])]


def _members(kind: inspect.Type) -> list[Any]:
    return list(kind.types) if isinstance(kind, inspect.UnionType) else [kind]


def _records(kind: inspect.StructType, texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """As many records as it takes to have each choice of each field once."""
    config = kind.cls.__struct_config__
    choices = {
        field.encode_name: _identity(texts) if _is_id(field) else list(_values(field.type, texts))
        for field in kind.fields
    }
    for number in range(max(map(len, choices.values()), default=1)):
        record = {name: values[number % len(values)] for name, values in choices.items()}
        yield record | ({config.tag_field: config.tag} if config.tag_field else {})


def _is_id(field: inspect.Field) -> bool:
    return field.encode_name == "id" or field.encode_name.endswith(("_id", "key"))


def _identity(texts: Sequence[str]) -> list[str]:
    return [f"{next(_IDS)} {texts[0][:200]}"]


def _values(kind: inspect.Type, texts: Sequence[str]) -> Iterator[Any]:
    if isinstance(kind, inspect.ListType):
        yield [value for text in texts for value in _values(kind.item_type, [text])]
    elif isinstance(kind, inspect.UnionType):
        yield from (value for member in kind.types for value in _values(member, texts))
    elif isinstance(kind, inspect.StructType):
        yield from _records(kind, texts)
    elif isinstance(kind, inspect.LiteralType):
        yield from kind.values
    else:
        yield from _PLAIN.get(type(kind), texts[:1])


_PLAIN: dict[type, tuple[Any, ...]] = {
    inspect.NoneType: (None,),
    inspect.BoolType: (True, False),
    inspect.IntType: (3,),
    inspect.FloatType: (0.5,),
}
