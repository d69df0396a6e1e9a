"""What to do when the model failed: wait and ask again, make room, or give up. Decided, not done, here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Union

from pi_notebook.errors import ContextOverflowError, ModelUnavailableError
from pi_notebook.session.settings import Settings


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Ask again after a pause."""

    seconds: float
    attempt: int
    attempts: int


Step = Union[Wait, Literal["compact", "give up"]]


class Recovery:
    """The attempts of one run. A good reply gives it all of them again.

    Only a provider that cannot be reached, is overloaded or asks for patience is worth waiting for; a
    wrong key, a used-up quota or a refused request is not. A full context is compacted once.
    """

    def __init__(self, settings: Settings) -> None:
        self._attempts: int = settings.get("retry.max_retries") if settings.get("retry.enabled") else 0
        self._base_seconds: float = settings.get("retry.base_delay_seconds")
        self._max_seconds: float = settings.get("retry.max_delay_seconds")
        self._may_compact: bool = settings.get("compaction.enabled")
        self._failed = 0
        self._has_compacted = False

    def succeeded(self) -> None:
        """The model has answered."""
        self._failed = 0
        self._has_compacted = False

    def step(self, error: Exception) -> Step:
        """What to do about `error`."""
        if isinstance(error, ContextOverflowError):
            if self._has_compacted or not self._may_compact:
                return "give up"
            self._has_compacted = True
            return "compact"
        if not isinstance(error, ModelUnavailableError) or self._failed >= self._attempts:
            return "give up"
        wanted = error.retry_after_seconds
        if wanted is not None and wanted > self._max_seconds:
            return "give up"
        self._failed += 1
        pause = min(self._base_seconds * 2 ** (self._failed - 1), self._max_seconds)
        return Wait(seconds=max(pause, wanted or 0.0), attempt=self._failed, attempts=self._attempts)
