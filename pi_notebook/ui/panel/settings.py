"""What a panel sets for the session: permission mode, model, context policy."""

from __future__ import annotations

from pi_notebook.ui.changing import choose
from pi_notebook.ui.panel.area import Answering, Doing
from pi_notebook.ui.panel.shown_session import ShownSession
from pi_notebook.ui.protocol.requests import SetModelRequest, SetModeRequest, SetPolicyRequest


class PanelSettings:
    """Sets them for the session that is shown."""

    def __init__(self, shown: ShownSession) -> None:
        self._shown = shown
        self.does: dict[type, Doing] = {
            SetModeRequest: lambda panel, request: self._set("mode", request.mode),
            SetModelRequest: lambda panel, request: self._set("model", request.model),
            SetPolicyRequest: lambda panel, request: self._set("policy", request.policy),
        }
        self.answers: dict[type, Answering] = {}

    def _set(self, name: str, value: str) -> None:
        choose(self._shown.follow(), name, value)
