"""Noticing that a session has changed, for whoever looks at it, and not more often than looking costs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pi_notebook.agent.events import AgentEvent
from pi_notebook.session.background import background
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.session import AgentSession

logger = logging.getLogger(__name__)

LEAST_SECONDS = 0.5
"""Between two looks."""
_SHARE = 10
"""A look that takes long is followed by a pause of so many times its length."""


class SessionWatch:
    """Calls `look`, on the background loop, after events of whatever session the runtime has.

    `look` gives False when there is nobody to look any more; the watch ends with that.
    """

    def __init__(self, runtime: AgentSessionRuntime, look: Callable[[], bool]) -> None:
        self._runtime = runtime
        self._look = look
        self._is_due = False
        self._next_at = 0.0
        self._unsubscribe: Callable[[], None] | None = None
        self._is_over = False
        runtime.on_replaced(self._on_replaced)
        self._follow(runtime.session)

    def _follow(self, session: AgentSession) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
        self._unsubscribe = session.subscribe(self._on_event)

    def _on_replaced(self, session: AgentSession) -> None:
        """From whatever thread replaced it."""
        if not self._is_over:
            self._follow(session)
            background.submit(self._changed())

    def _on_event(self, event: AgentEvent) -> None:
        self._schedule()

    async def _changed(self) -> None:
        self._schedule()

    def _schedule(self) -> None:
        if self._is_due or self._is_over:
            return
        self._is_due = True
        loop = asyncio.get_running_loop()
        loop.call_at(max(loop.time(), self._next_at), self._look_now)

    def _look_now(self) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self._is_due = False
        try:
            self._is_over = not self._look()
        except Exception:  # a fault of who looks must not end the run it looks at
            logger.exception("a session could not be looked at")
        self._next_at = loop.time() + max(LEAST_SECONDS, _SHARE * (loop.time() - begun))
        if self._is_over and self._unsubscribe is not None:
            self._unsubscribe()
