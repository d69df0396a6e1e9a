"""How much text may go to the front end."""

from __future__ import annotations

import time


class RateLimit:
    """So many bytes a second, with a burst of a second's worth."""

    def __init__(self, bytes_per_second: int) -> None:
        self._rate = bytes_per_second
        self._allowance = float(bytes_per_second)
        self._at = time.monotonic()
        self.dropped_characters = 0
        """What did not pass, so far."""

    def take(self, text: str) -> str:
        """The part of `text` that may pass now; the rest is counted as dropped."""
        now = time.monotonic()
        self._allowance = min(self._rate, self._allowance + (now - self._at) * self._rate)
        self._at = now
        most_bytes_a_character = 1 if text.isascii() else 4
        passed = text[: int(self._allowance // most_bytes_a_character)]
        self._allowance -= len(passed.encode())
        self.dropped_characters += len(text) - len(passed)
        return passed
