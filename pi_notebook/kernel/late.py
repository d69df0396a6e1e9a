"""What calls put out after they have ended, kept until somebody tells the model of it.

Owns how much is kept. Whose output it is, and how it is come by, is `left_running`'s; the text itself
has gone where it always goes, to the cell the person looks at.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass

from pi_notebook.kernel.shield import shielded

LATE_SECONDS = 30.0
"""How long after its call output is still told as the call's."""
MAX_LATE_CHARS = 8_000
"""Kept of one call: the end."""
MAX_LATE_CALLS = 20


@dataclass(frozen=True, kw_only=True)
class LateOutput:
    """What one call has put out since it ended."""

    code: str
    """The call's code."""
    text: str
    """The end of it, both streams as they came."""
    chars: int
    """Of all there was."""


class EndedCall:
    """A call that has ended, for as long as its output is still told as its own."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._until = time.monotonic() + LATE_SECONDS
        self._pieces: deque[str] = deque()
        self._kept = 0
        self._chars = 0
        self._lock = threading.Lock()

    @property
    def is_past(self) -> bool:
        """Whether what comes now is told as anybody's."""
        return time.monotonic() > self._until

    @shielded
    def add(self, text: str) -> None:
        """Keep `text`, and let go of the oldest that is too much."""
        if not text or self.is_past:
            return
        with self._lock:
            if not self._chars:
                _waiting.append(self)
            self._chars += len(text)
            self._pieces.append(text[-MAX_LATE_CHARS:])
            self._kept += len(self._pieces[-1])
            while self._kept - len(self._pieces[0]) >= MAX_LATE_CHARS:
                self._kept -= len(self._pieces.popleft())

    def take(self) -> LateOutput:
        """What has come since this was asked last."""
        with self._lock:
            text, chars = "".join(self._pieces)[-MAX_LATE_CHARS:], self._chars
            self._pieces.clear()
            self._kept = self._chars = 0
        return LateOutput(code=self.code, text=text, chars=chars)


_waiting: deque[EndedCall] = deque(maxlen=MAX_LATE_CALLS)
"""Those of whose output has not been told yet."""


def take_late_output() -> list[LateOutput]:
    """What calls have put out after their end since this was asked last, in the order it began."""
    return [_waiting.popleft().take() for _ in range(len(_waiting))]
