"""When what was appended is put on the disk: the policies, and when a disk is too slow for the first.

`full` syncs each entry before it counts, `turn` once a turn, `off` leaves it to the system. What is
not synced survives the end of the process but not of the machine.
"""

from __future__ import annotations

from collections import deque
from typing import Literal, get_args

SyncPolicy = Literal["full", "turn", "off"]
SYNC_POLICIES: tuple[SyncPolicy, ...] = get_args(SyncPolicy)

_SAMPLES = 20
_NOT_OVER = 19
"""Of the samples; the one behind is the 95th percentile."""
_SLOW_SECONDS = 0.05

SLOW_DISK_TEXT = (
    "The disk takes {milliseconds} ms to make an entry safe. From here on this session is made safe once a "
    "turn: if the machine itself fails, the turn it is in may be lost."
)


class SyncPace:
    """How long the last syncs took."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=_SAMPLES)

    def add(self, seconds: float) -> None:
        """Count one more sync."""
        self._seconds.append(seconds)

    @property
    def p95_seconds(self) -> float:
        """The 95th percentile of the last syncs; 0 while there are too few to tell."""
        if len(self._seconds) < _SAMPLES:
            return 0.0
        return sorted(self._seconds)[_NOT_OVER - 1]

    @property
    def is_slow(self) -> bool:
        """True when waiting for each entry would be felt."""
        return self.p95_seconds > _SLOW_SECONDS
