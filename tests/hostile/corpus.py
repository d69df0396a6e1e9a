"""Texts that would run, load or pretend something where they were taken for markup.

Each has a number. What it runs sets `top.pwned` to that number, what it loads is at a host that bears
it, so that whatever happens tells which text did it. The host's name ends on nobody's domain.

Most are made by rule: a few kinds of element, scheme or sequence, in every spelling that a reader of
markup may take for the plain one. The order is fixed, and with it the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.hostile import addresses, markup, plain, readers

DOMAIN = "attacker.invalid"


@dataclass(frozen=True)
class Payload:
    number: int
    family: str
    text: str

    @property
    def host(self) -> str:
        return host_of(self.number)


def host_of(number: int) -> str:
    return f"p{number}.{DOMAIN}"


@cache
def payloads() -> tuple[Payload, ...]:
    """All of them."""
    templates = [one for part in (markup, addresses, readers, plain) for one in part.templates()]
    return tuple(
        Payload(number, family, _filled(template, number))
        for number, (family, template) in enumerate(templates, start=1)
    )


def texts(family: str) -> list[str]:
    """Those of one family."""
    return [one.text for one in payloads() if one.family == family]


def batches(size: int, *families: str) -> Iterator[tuple[Payload, ...]]:
    """All payloads, or those of `families`, `size` at a time."""
    chosen = [one for one in payloads() if not families or one.family in families]
    for start in range(0, len(chosen), size):
        yield tuple(chosen[start : start + size])


def _filled(template: str, number: int) -> str:
    """`template` with its own code and address.

    `@JS@` is code, `@URL@` an address, `@HOST@` its host, `@N@` the number.
    """
    return (
        template.replace("@JS@", f"top.pwned={number}")
        .replace("@URL@", f"https://{host_of(number)}/")
        .replace("@HOST@", host_of(number))
        .replace("@N@", str(number))
    )


FAMILIES = tuple(dict.fromkeys(one.family for one in payloads()))
