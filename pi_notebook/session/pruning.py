"""Recording a pruning: what takes the place of old results, and why."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.context.pruning import Pruning
from pi_notebook.session.branch import Branch

PRUNING_TYPE = "pi_notebook/pruning"


def prune(
    branch: Branch, batch: Sequence[Pruning], *, policy: str, tokens_before: int, freed_tokens: int
) -> None:
    """Shorten the results of `batch` for all requests to come.

    The record that says why stands before the edits it explains.
    """
    branch.add_record(
        PRUNING_TYPE,
        {
            "by": policy,
            "tokensBefore": tokens_before,
            "tokensAfter": tokens_before - freed_tokens,
            "targetIds": [pruning.entry_id for pruning in batch],
        },
    )
    for pruning in batch:
        branch.replace(pruning.entry_id, pruning.message)
