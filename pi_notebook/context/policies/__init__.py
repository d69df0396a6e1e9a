"""Context policies by the names a person types."""

from __future__ import annotations

from difflib import get_close_matches

from pi_notebook.agent.protocols import ContextPolicy
from pi_notebook.context.policies.notebook import NotebookPolicy
from pi_notebook.errors import UsageError

POLICIES: dict[str, type[NotebookPolicy]] = {"notebook": NotebookPolicy}

POLICY_MEANINGS = {"notebook": "sends the whole conversation; every result is bounded before it enters"}
"""One line for a person on each."""


def get_policy(name: str) -> ContextPolicy:
    """The policy called `name`; a `UsageError` names the nearest when there is none."""
    if name not in POLICIES:
        near = get_close_matches(name, POLICIES, n=1, cutoff=0.0)
        raise UsageError(
            f"There is no policy {name!r}. Did you mean {near[0]}? Policies: {', '.join(POLICIES)}."
        )
    return POLICIES[name]()
