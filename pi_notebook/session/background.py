"""The one background thread with an event loop, on which every run and all model traffic live.

A tool that blocks the kernel's main thread never stalls a stream, a stop or the panel.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """An event loop on a daemon thread, started when first used and made anew in a forked child."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0

    def submit(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Run `work` on the loop; the caller's context variables go along.

        ipykernel keeps the cell that output belongs to in one of them, so what the run displays
        lands under the cell that asked.
        """
        return asyncio.run_coroutine_threadsafe(work, self._running())

    def run(self, work: Coroutine[Any, Any, T], *, timeout_seconds: float | None = None) -> T:
        """Run `work` on the loop and wait for it on this thread."""
        return self.submit(work).result(timeout_seconds)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._pid = os.getpid()
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="pi_notebook", daemon=True).start()
            return self._loop


background = BackgroundLoop()
