"""One prompt while it is being answered: what stops it, and who waits for its end."""

from __future__ import annotations

import asyncio
import concurrent.futures

from pi_notebook.agent.abort import AbortSignal

_SETTLE_SECONDS = 5.0
"""How long a run that was stopped is waited for before its session is let go."""


class RunScope:
    """Made on the loop that the prompt is awaited on; stopped and waited for from anywhere."""

    def __init__(self) -> None:
        self.signal = AbortSignal()
        """Stops what the prompt waits for besides the agent's own run."""
        self._ended: concurrent.futures.Future[None] = concurrent.futures.Future()

    @property
    def is_stopped(self) -> bool:
        return self.signal.is_set

    def stop(self) -> None:
        """Stop the prompt, also before its run has begun."""
        self.signal.set()

    def end(self) -> None:
        """Tell those who wait."""
        self._ended.set_result(None)

    async def wait(self) -> None:
        """Return when the prompt is answered, or after a few seconds."""
        await asyncio.wait({asyncio.wrap_future(self._ended)}, timeout=_SETTLE_SECONDS)
