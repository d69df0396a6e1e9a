"""A model that takes any session on: it answers shortly, and refuses what a strict provider would."""

from __future__ import annotations

from pi_notebook.agent.messages import AssistantMessage
from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.models.conversion import chat_messages
from pi_notebook.models.scripted import ScriptedModel
from tests.request_rules import find_problems
from tests.session.context_world import request_tokens


class StrictReader(ScriptedModel):
    """Every request is valid and fits the window, else this raises."""

    def __init__(self, window: int) -> None:
        super().__init__(context_window=window)

    def _next_message(self, request: ModelRequest) -> AssistantMessage:
        assert find_problems({"model": "m", "messages": chat_messages(request, self.info)}) == []
        assert request_tokens(request) + (request.max_output_tokens or 0) <= self.info.context_window
        return self._message("yes" if request.tools else "## Goal\nto go on")
