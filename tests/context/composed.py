"""What one request is made of, added up by itself: the measure of what is added up as a session grows."""

from __future__ import annotations

from pi_notebook.agent.protocols import ModelRequest
from pi_notebook.context.composition import Composition, RunningShares, composition_of, head_shares


def compose(request: ModelRequest) -> Composition:
    """What `request` is made of."""
    running = RunningShares()
    for message in request.messages:
        running.add(message)
    head = head_shares({"": request.system_prompt}, request.tools)
    return composition_of([*head, *running.shares])
