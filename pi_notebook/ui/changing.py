"""What a person changes of the session in a cell or a panel, told to whoever else shows it."""

from __future__ import annotations

import logging
import threading

from pi_notebook.agent.events import SessionChanged
from pi_notebook.session.background import background
from pi_notebook.session.services import warm_model
from pi_notebook.session.session import AgentSession

logger = logging.getLogger(__name__)


def choose(session: AgentSession, name: str, text: str) -> None:
    """Set it as `AgentSession.set_value` does; what a model needs is loaded while the prompt is written."""
    value = session.set_value(name, text)
    tell_changed(session)
    if name == "model":
        threading.Thread(target=_warm, args=(value,), name="pi_notebook-model", daemon=True).start()


def tell_changed(session: AgentSession, *, has_moved: bool = False) -> None:
    """Let panels and inspectors look at `session` again; `has_moved` when it goes on from elsewhere."""
    background.submit(session.agent.emit(SessionChanged(has_moved=has_moved)))


def _warm(model: str) -> None:
    try:
        warm_model(model)
    except Exception:  # a thread has nobody to tell; the first request will
        logger.exception("what %s needs could not be loaded ahead", model)
