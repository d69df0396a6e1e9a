"""Context policies by the names a person types."""

from __future__ import annotations

from pi_notebook._nearest import did_you_mean
from pi_notebook.agent.protocols import ContextPolicy
from pi_notebook.context.policies.notebook import NotebookPolicy
from pi_notebook.errors import UsageError

POLICIES: dict[str, type[NotebookPolicy]] = {"notebook": NotebookPolicy}

POLICY_MEANINGS = {"notebook": "sends the whole conversation; every result is bounded before it enters"}
"""One line for a person on each."""


def get_policy(name: str) -> ContextPolicy:
    """The policy called `name`; a `UsageError` names the nearest when there is none."""
    if name not in POLICIES:
        hint = did_you_mean(name, POLICIES)
        raise UsageError(f"There is no policy {name!r}.{hint} Policies: {', '.join(POLICIES)}.")
    return POLICIES[name]()
