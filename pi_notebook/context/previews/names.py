"""Lists of names in which those numbered one after the other are told by their ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_LEAST_RUN = 4
_NUMBERED = re.compile(r"(.*?)(\d{1,15})(\D*)")


@dataclass(frozen=True, kw_only=True)
class NameRun:
    """One name, or several as `sensor_0 … sensor_299`."""

    text: str
    start: int
    """The place of the first in the list."""
    count: int = 1


def name_runs(names: Sequence[str]) -> Iterator[NameRun]:
    """`names` in their order, runs of at least four as one."""
    start = 0
    while start < len(names):
        stop = start + 1
        while stop < len(names) and names[stop] == _following(names[stop - 1]):
            stop += 1
        if stop - start < _LEAST_RUN:
            yield from (NameRun(text=names[i], start=i) for i in range(start, stop))
        else:
            yield NameRun(text=f"{names[start]} … {names[stop - 1]}", start=start, count=stop - start)
        start = stop


def _following(name: str) -> str | None:
    """`x_10` for `x_9`, `x_010` for `x_009`."""
    found = _NUMBERED.fullmatch(name)
    if found is None:
        return None
    number = str(int(found[2]) + 1).zfill(len(found[2]))
    return f"{found[1]}{number}{found[3]}"
