"""The default policy: what is sent is what the session holds, in pairs."""

from __future__ import annotations

from collections.abc import Sequence

from pi_notebook.agent.messages import Message
from pi_notebook.context.projection import repair_pairs


class NotebookPolicy:
    """Sends the branch as it stands; every result is bounded before it enters."""

    name = "notebook"

    def view(self, messages: Sequence[Message]) -> Sequence[Message]:
        """The messages of one request, pairs repaired."""
        return repair_pairs(messages)
