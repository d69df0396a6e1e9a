"""What a session works with now: the services of its folder and what was chosen, which all its parts follow.

Which model, mode and settings hold is `choices`' word; here it reaches those that use them.
"""

from __future__ import annotations

from dataclasses import replace

from pi_notebook.context.live_cells import NotebookCells
from pi_notebook.session.guidance import prompt_limits
from pi_notebook.session.hook_registry import PROCESS_HOOKS
from pi_notebook.session.parts import SessionParts
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.store import SessionStore
from pi_notebook.session.stored_prompt import has_tool

_NOTEBOOK_TOOL = "read_cells"
"""A session whose requests had it keeps the tools for a notebook."""


class Equipment:
    """The parts of the session over `store`, and the services that they work with."""

    def __init__(self, store: SessionStore, services: AgentSessionServices) -> None:
        self._store = store
        self.services = self._fitting(services)
        self.parts = SessionParts(store, lambda: self.services)
        self._prompt_limits = prompt_limits(services.settings)
        self.apply()

    def use(self, services: AgentSessionServices) -> None:
        """Work with `services`, built anew for the same folder."""
        parts = self.parts
        parts.hooks.put_below(PROCESS_HOOKS, services.extensions.hooks)
        self.services = self._fitting(services)
        parts.choices.use(self.services)
        parts.upkeep.use(self.services, context_window=parts.choices.model.info.context_window)
        parts.agent.tools = {tool.name: tool for tool in self.services.tools}
        self.apply()

    def offer_tools_of(self, notebook: NotebookCells | None) -> None:
        """Offer the tools for a notebook, once there is one; they stay, so that requests begin alike."""
        services = self.services.with_notebook()
        if notebook is not None and services is not self.services:
            parts = self.parts
            more = services.tools[len(self.services.tools) :]
            parts.agent.tools |= {tool.name: tool for tool in more}
            self.services = services
            parts.choices.offer(services)
            parts.upkeep.use(services, context_window=parts.upkeep.info.context_window)
            parts.gate.rules = parts.choices.rules

    def apply(self) -> None:
        """Let what was chosen hold from the next request on; a run keeps the model and mode it was given."""
        parts, settings = self.parts, self.parts.choices.settings
        if parts.runs.line.current is None:
            parts.agent.model, parts.gate.mode = parts.choices.model, parts.choices.mode
        self._store.sync_policy = settings.get("session.sync")
        parts.agent.execution = settings.get("tools.execution")
        parts.gate.rules = parts.choices.rules
        parts.agent.resources.update(self.services.resources(self._store.id, settings))
        parts.requests.bound_texts()
        if (limits := prompt_limits(settings)) != self._prompt_limits:
            self._prompt_limits = limits
            services = replace(self.services, settings=settings)
            parts.upkeep.use(services, context_window=parts.choices.model.info.context_window)

    def _fitting(self, services: AgentSessionServices) -> AgentSessionServices:
        return services.with_notebook() if has_tool(self._store, _NOTEBOOK_TOOL) else services
