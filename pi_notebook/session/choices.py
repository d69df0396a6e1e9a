"""What the person chose for a session: its settings and its model, recorded and read back."""

from __future__ import annotations

from typing import Any

from pi_notebook.agent.protocols import Model
from pi_notebook.context.policies import get_policy
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.session.branch import Branch
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.gate import tool_rules
from pi_notebook.session.permissions import Mode, Verdict
from pi_notebook.session.services import AgentSessionServices
from pi_notebook.session.settings import Settings

_OF_MODEL = ("model", "fallback_models", "context_window", "thinking")
"""Settings that a model is made with."""

POLICY_TYPE = "pi_notebook/policy"
"""The record of a policy that was chosen for one run."""


class Choices:
    """The choices of one session, as its branch has them."""

    settings: Settings
    model: Model
    policy: ContextPolicy
    diagnostics: tuple[Diagnostic, ...]
    """What was wrong with the recorded choices."""

    def __init__(self, branch: Branch, services: AgentSessionServices) -> None:
        self._branch = branch
        self._services = services
        self.look()

    @property
    def rules(self) -> dict[str, Verdict]:
        """The person's word on single tools."""
        return tool_rules(self.settings, self._services.tools)

    @property
    def mode(self) -> Mode:
        """What runs without asking, as set for the session."""
        mode: Mode = self.settings.get("mode")
        return mode

    def use(self, services: AgentSessionServices) -> None:
        """Go by the settings of `services` from now on."""
        self._services = services
        self.look()

    def offer(self, services: AgentSessionServices) -> None:
        """The same services with more tools; settings and model stay as they are."""
        self._services = services

    def look(self) -> None:
        """Read them from the branch as it is now."""
        self.settings = self._services.settings.with_session_values(self._branch.values)
        self.model, self.diagnostics = self._services.model_or_offline(self.settings)
        self.policy = self.policy_named(self.settings.get("policy"))

    def policy_named(self, name: str) -> ContextPolicy:
        """The policy of that name with the numbers set for it; a `UsageError` when there is none."""
        return get_policy(name, self.settings.get)

    def record_policy_of_run(self, policy: ContextPolicy) -> None:
        """Record that `policy` holds for the run that begins."""
        self._branch.add_record(POLICY_TYPE, {"name": policy.name})

    def set(self, name: str, text: str) -> Any:
        """Set a setting from what the person typed, and record it; the value as understood.

        Raises `SettingsError`, `UsageError` or `ModelError`, with nothing changed, when name or value
        is wrong.
        """
        value = self.settings.parse(name, text)
        settings = self._services.settings.with_session_values(self._branch.values | {name: value})
        if name in _OF_MODEL:
            self.model = self._services.model(settings)
        self.settings = settings
        self.policy = self.policy_named(settings.get("policy"))
        self._branch.add_setting(name, value)
        return value
