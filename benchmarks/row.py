"""One measurement: what was found, what it is compared with, and what it should be."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, kw_only=True)
class Row:
    """`ratio` is value / baseline; `ok` says whether the value keeps its target (`<= 30`, `>= 250`)."""

    name: str
    value: float
    unit: str
    target: str
    baseline: float | None = None

    @property
    def ok(self) -> bool:
        sign, _, bound = self.target.partition(" ")
        return self.value <= float(bound) if sign == "<=" else self.value >= float(bound)

    def line(self) -> str:
        ratio = round(self.value / self.baseline, 3) if self.baseline else None
        fields = asdict(self) | {"value": round(self.value, 3), "ratio": ratio, "ok": self.ok}
        order = ("name", "value", "unit", "baseline", "ratio", "target", "ok")
        return json.dumps({key: fields[key] for key in order})


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` of all are not above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
