"""The inspector within a panel: what it asks, `ui/inspection` answers; here it is told when to ask again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.inspection.inspection import Inspection
from pi_notebook.ui.inspection.watch import SessionWatch
from pi_notebook.ui.panel.area import Answering, Doing
from pi_notebook.ui.panel.open_panels import OpenPanels, Panel
from pi_notebook.ui.protocol.inspection import (
    InspectionChangedMessage,
    InspectorMessage,
    InspectorRequest,
    InspectOverviewRequest,
)


class PanelInspector:
    """Answers the inspectors of the open panels."""

    def __init__(self, runtime: Callable[[], AgentSessionRuntime], panels: OpenPanels) -> None:
        self._runtime = runtime
        self._panels = panels
        self._inspection = Inspection(runtime)
        self._looking: list[Panel] = []
        self._watch: SessionWatch | None = None
        self.does: dict[type, Doing] = {}
        self.answers: dict[type, Answering] = dict.fromkeys(get_args(InspectorRequest), self._answer)

    async def _answer(self, panel: Panel, request: Any) -> InspectorMessage:
        if isinstance(request, InspectOverviewRequest) and panel not in self._looking:
            self._looking.append(panel)
            self._watch = self._watch or SessionWatch(self._runtime(), self._tell)
        return await self._inspection.answer(request)

    def _tell(self) -> bool:
        """Tell the panels that look; False when there is none left."""
        self._looking = [panel for panel in self._looking if panel in self._panels]
        for panel in self._looking:
            panel.send(InspectionChangedMessage())
        if not self._looking:
            self._watch = None
        return bool(self._looking)
