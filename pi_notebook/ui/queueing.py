"""`%agent continue`, `steer` and `follow`: going on after a stop, and words for a run that is on."""

from __future__ import annotations

from pi_notebook.agent.messages import text_of
from pi_notebook.errors import UsageError
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.session.session import AgentSession
from pi_notebook.ui.tables import Report


def continue_(runtime: AgentSessionRuntime, _: str) -> Report:
    """Go on; the cell itself does it, since the run needs its thread."""
    raise UsageError("%agent continue runs in a cell of its own.")


def steer(runtime: AgentSessionRuntime, text: str) -> Report:
    """Say something to the run that is on, before its next request; without text, what waits."""
    if not text:
        return _waiting(runtime.session)
    runtime.session.steer(text)
    return Report(lines=("The model is told before its next answer.",))


def follow(runtime: AgentSessionRuntime, text: str) -> Report:
    """Say something when the run that is on would end; without text, what waits."""
    if not text:
        return _waiting(runtime.session)
    runtime.session.follow_up(text)
    return Report(lines=("The model is told when it is done with what it does now.",))


def _waiting(session: AgentSession) -> Report:
    waiting = session.queue.waiting
    if not waiting:
        return Report(lines=("Nothing waits to be said.",))
    return Report(lines=("Waits to be said:", *(f"- {text_of(message)}" for message in waiting)))
