"""The right names that a wrong one may have been meant to be; one rule and one wording for all of them."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterable, Sequence

_CUTOFF = 0.6
"""How much two names must have in common, from 0 to 1."""
_LEAST_WITHIN = 3
"""Characters of a name that is looked for within another."""
_MOST_NAMES = 10_000
_MOST_CHARS = 200
_MOST_ALIKE = 10


def nearest(name: str, names: Iterable[str], *, count: int = 3) -> list[str]:
    """Up to `count` of `names` that `name` may have meant, the likeliest first.

    The same in other case goes before one that it is the last part of (`max_lines` of
    `output.max_lines`) or whose letters it has in another order, then what is spelled alike, then what
    it is a part of, or has as a part.
    """
    known = list(dict.fromkeys(itertools.islice(names, _MOST_NAMES)))
    wanted = name[:_MOST_CHARS].casefold()
    if not wanted:
        return []
    folded = {other: other.casefold() for other in known}
    rules = (
        [other for other in known if folded[other] == wanted],
        [other for other in known if folded[other].rpartition(".")[2] == wanted],
        [other for other in known if sorted(folded[other]) == sorted(wanted)],
        _alike(wanted, folded),
        [other for other in known if _is_within(wanted, folded[other])],
    )
    return list(dict.fromkeys(itertools.chain(*rules)))[:count]


def did_you_mean(name: str, names: Iterable[str], *, count: int = 1) -> str:
    """` Did you mean a or b?`, to stand behind a sentence; empty when nothing is near."""
    near = nearest(name, names, count=count)
    return f" {one_of(near)}" if near else ""


def one_of(names: Sequence[str]) -> str:
    """The question which of `names` was meant."""
    *first, last = names
    return f"Did you mean {', '.join(first)} or {last}?" if first else f"Did you mean {last}?"


def _alike(wanted: str, folded: dict[str, str]) -> list[str]:
    by_spelling: dict[str, list[str]] = {}
    for other, spelling in folded.items():
        by_spelling.setdefault(spelling, []).append(other)
    close = difflib.get_close_matches(wanted, by_spelling, n=_MOST_ALIKE, cutoff=_CUTOFF)
    # Among equals the library takes the last in the alphabet first.
    likeness = {spelling: difflib.SequenceMatcher(None, spelling, wanted).ratio() for spelling in close}
    ordered = sorted((one for one in by_spelling if one in likeness), key=lambda one: -likeness[one])
    return [other for spelling in ordered for other in by_spelling[spelling]]


def _is_within(wanted: str, other: str) -> bool:
    short, long = sorted((wanted, other), key=len)
    return len(short) >= _LEAST_WITHIN and short in long
