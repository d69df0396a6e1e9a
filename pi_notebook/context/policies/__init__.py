"""Context policies by the names a person types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pi_notebook._nearest import did_you_mean
from pi_notebook.context.policies.notebook import NotebookPolicy
from pi_notebook.context.policies.own_numbers import own_numbers
from pi_notebook.context.policies.pi import PiPolicy
from pi_notebook.context.policies.policy import ContextPolicy
from pi_notebook.errors import UsageError

POLICIES: dict[str, type[NotebookPolicy] | type[PiPolicy]] = {"notebook": NotebookPolicy, "pi": PiPolicy}

POLICY_MEANINGS = {
    "notebook": "old results are shortened first; then older messages are summarised, what is in use is kept",
    "pi": "as Pi does it: nothing is shortened, older messages are summarised near the limit",
}
"""One line for a person on each."""


def get_policy(name: str, value: Callable[[str], Any] | None = None) -> ContextPolicy:
    """The policy called `name`; a `UsageError` names the nearest when there is none.

    `value` gives what is set for a number, by its dotted name: `notebook.prune_at_percent`. Without
    it the numbers are those each policy has of its own.
    """
    if name not in POLICIES:
        hint = did_you_mean(name, POLICIES)
        raise UsageError(f"There is no policy {name!r}.{hint} Policies: {', '.join(POLICIES)}.")
    kind = POLICIES[name]
    numbers = own_numbers(kind) if value is not None else ()
    return kind(**{item.name: value(f"{name}.{item.name}") for item in numbers} if value else {})
