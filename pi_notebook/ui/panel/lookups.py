"""What a panel looks up without changing anything: completions and models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pi_notebook.context.policies import POLICY_MEANINGS
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.usable_models import usable_models
from pi_notebook.ui.panel.area import Answering, Doing
from pi_notebook.ui.panel.completions import completions
from pi_notebook.ui.panel.open_panels import Panel
from pi_notebook.ui.protocol.messages import CompletionsReply, ModelsReply
from pi_notebook.ui.protocol.requests import CompletionsRequest, ModelsRequest


class Lookups:
    """Looks things up on threads of their own: a folder may lie on a slow disk."""

    def __init__(self, runtime: Callable[[], AgentSessionRuntime]) -> None:
        self._runtime = runtime
        self.does: dict[type, Doing] = {}
        self.answers: dict[type, Answering] = {
            CompletionsRequest: self._completions,
            ModelsRequest: self._models,
        }

    async def _completions(self, panel: Panel, request: CompletionsRequest) -> CompletionsReply:
        start, items = await asyncio.to_thread(completions, request.text, self._runtime().services)
        return CompletionsReply(request_id=request.request_id, start=start, items=items)

    async def _models(self, panel: Panel, request: ModelsRequest) -> ModelsReply:
        names = await asyncio.to_thread(usable_models, self._runtime().session)
        return ModelsReply(request_id=request.request_id, models=names, policies=list(POLICY_MEANINGS))
