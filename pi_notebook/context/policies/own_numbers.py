"""The numbers of a policy: fields of its class, which a person sets under the policy's name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, kw_only=True)
class OwnNumber:
    """A number, or a choice of yes and no, that belongs to one policy."""

    name: str
    default: Any
    minimum: int
    meaning: str


def own(default: Any, meaning: str, *, minimum: int = 0) -> Any:
    """A field of a policy that a person may set."""
    return field(default=default, metadata={"meaning": meaning, "minimum": minimum})


def own_numbers(policy: type) -> Iterator[OwnNumber]:
    """The numbers of a policy's class, in the order they are written there."""
    for item in fields(policy):
        yield OwnNumber(name=item.name, default=item.default, **item.metadata)
