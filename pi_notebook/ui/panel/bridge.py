"""The comm between one side panel and the kernel: the nonce, and the way onto the run's loop.

A comm's handlers may run on any thread and return at once; what a message asks for is done by
`panels` on the background loop. Nothing that stands in a notebook file is read here.
"""

from __future__ import annotations

import contextvars
import logging
import secrets
from typing import Any

from pi_notebook.session.background import background
from pi_notebook.ui.panel.panels import Panels
from pi_notebook.ui.protocol.messages import KernelMessage, encode_message
from pi_notebook.ui.protocol.requests import HelloRequest, PanelRequest, decode_request

logger = logging.getLogger(__name__)


class Bridge:
    """One open panel, as the kernel sees it."""

    def __init__(self, comm: Any, panels: Panels) -> None:
        self.nonce = secrets.token_urlsafe(16)
        self._comm = comm
        self._panels = panels
        self._is_gone = False
        # ipykernel delivers a comm's messages to where its last one was sent from, as the context
        # tells: sent from a cell's, a stop would wait until the cell has ended.
        self._context = contextvars.copy_context()
        comm.on_msg(self._on_message)
        comm.on_close(self._on_close)

    def send(self, message: KernelMessage) -> None:
        """Send `message`; a comm that fails is one whose panel is gone. On the background loop."""
        if self._is_gone:
            return
        try:
            self._context.run(self._comm.send, encode_message(message))
        except Exception:
            self._is_gone = True
            logger.warning("a panel's comm failed, so that it is let go", exc_info=True)
            background.submit(self._panels.leave(self))

    def close(self) -> None:
        """Tell the panel that this end is closed."""
        try:
            self._context.run(self._comm.close)
        except Exception:
            logger.exception("a panel's comm failed")

    def _on_message(self, message: dict[str, Any]) -> None:
        request = decode_request(message.get("content", {}).get("data"))
        problem = request if isinstance(request, str) else self._problem(request)
        if problem is not None:
            logger.warning("a message of a panel was ignored: %s", problem)
        else:
            assert not isinstance(request, str)
            background.submit(self._panels.receive(self, request))

    def _on_close(self, message: dict[str, Any]) -> None:
        self._is_gone = True
        background.submit(self._panels.leave(self))

    def _problem(self, request: PanelRequest) -> str | None:
        if isinstance(request, HelloRequest) or secrets.compare_digest(
            request.nonce.encode(), self.nonce.encode()
        ):
            return None
        return "it does not carry the nonce of this panel"
