"""The inspector as a widget of a cell: the views of the side panel in every front end that shows widgets.

Importing this loads the widget libraries; only who shows a widget does. Where nobody could look at
one, as under `nbconvert`, the static page stands alone; it is always there for a notebook that is read
without a kernel.
"""

from __future__ import annotations

import contextvars
import logging
from collections.abc import Callable
from typing import Any

import anywidget
import msgspec

from pi_notebook.session.background import background
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.inspection.inspection import Inspection
from pi_notebook.ui.inspection.watch import SessionWatch
from pi_notebook.ui.inspector import BUILT
from pi_notebook.ui.protocol.inspection import (
    InspectCompositionRequest,
    InspectionChangedMessage,
    InspectorMessage,
    InspectorRequest,
    InspectOverviewRequest,
)
from pi_notebook.ui.protocol.messages import encode_message

logger = logging.getLogger(__name__)

_DECODER = msgspec.json.Decoder(InspectorRequest)


class InspectorWidget(anywidget.AnyWidget):  # type: ignore[misc]  # traitlets are untyped
    """The inspector of the session that `runtime` has, whichever that is."""

    _esm = BUILT / "inspector.js"
    _css = BUILT / "inspector.css"

    def __init__(self, runtime: Callable[[], AgentSessionRuntime]) -> None:
        super().__init__()
        self._inspection = Inspection(runtime)
        self._context = contextvars.copy_context()
        self._is_shown = False
        self.on_msg(self._on_message)
        SessionWatch(runtime(), self._tell)

    def _on_message(self, _: Any, content: object, buffers: object) -> None:
        """On whatever thread the kernel hears its widgets."""
        self._is_shown = True
        try:
            request = _DECODER.decode(msgspec.json.encode(content))
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
            logger.warning("a message of the inspector was ignored: %s", error)
            return
        background.submit(self._answer(request))

    async def _answer(self, request: InspectorRequest) -> None:
        self._say(await self._inspection.answer(request))

    def _tell(self) -> bool:
        """Show how the session stands, unasked: while a cell runs, a kernel may not hear the front end."""
        if self.comm is None:
            return False
        if self._is_shown:
            self._say(InspectionChangedMessage())
            background.submit(self._answer(InspectOverviewRequest(request_id="")))
            background.submit(self._answer(InspectCompositionRequest(request_id="", number=None)))
        return True

    def _say(self, message: InspectorMessage) -> None:
        # As from the cell that made the widget: what a front end shows of it is told where it came from.
        try:
            self._context.copy().run(self.send, encode_message(message))
        except Exception:  # a front end that is gone
            logger.exception("the inspector's comm failed")
