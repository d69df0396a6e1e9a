"""Loading into an IPython shell, again and again if asked, and leaving it as it was."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.getipython import get_ipython

from pi_notebook import _loading
from pi_notebook.errors import UsageError
from pi_notebook.kernel.await_magic import AwaitingTransformer
from pi_notebook.kernel.magic_text import QuestionTransformer
from pi_notebook.kernel.person_cells import PersonCells
from pi_notebook.ui import mention_matcher
from pi_notebook.ui.magics import AgentMagics
from pi_notebook.ui.panel.comm_target import CommTarget

if TYPE_CHECKING:
    from pi_notebook.session.session import AgentSession
    from pi_notebook.ui.context import ContextReport

logger = logging.getLogger(__name__)

_ATTRIBUTE = "_pi_notebook"
_TARGET_ATTRIBUTE = "_pi_notebook_target"
_WARM_AFTER_SECONDS = 0.5
"""Long enough for the cell that loads the extension to be done."""


def load(shell: Any) -> None:
    """Register the magics and answer panels; loading twice changes nothing. Nothing is printed or written."""
    if getattr(shell, _ATTRIBUTE, None) is not None:
        return
    _loading.expect_warnings()
    magics = AgentMagics(shell)
    shell.register_magics(magics)
    AwaitingTransformer("agent", line_words=("continue",)).install(shell)
    QuestionTransformer("agent").install(shell)
    PersonCells(shell, "agent").install()
    mention_matcher.install(shell, "agent")
    if not hasattr(shell, _ATTRIBUTE):  # hooks cannot be taken away, so they are set once
        for key in ("%agent", "%%agent"):
            shell.set_hook("complete_command", _complete, str_key=key)
    target = CommTarget(shell, lambda: magics.runtime)
    target.install()
    setattr(shell, _ATTRIBUTE, magics)
    setattr(shell, _TARGET_ATTRIBUTE, target)
    timer = threading.Timer(_WARM_AFTER_SECONDS, _warm, args=(Path.cwd(),))
    timer.daemon = True
    timer.start()


def unload(shell: Any) -> None:
    """Take the magics away, and let go of the panels and the session."""
    magics: AgentMagics | None = getattr(shell, _ATTRIBUTE, None)
    if magics is None:
        return
    getattr(shell, _TARGET_ATTRIBUTE).uninstall()
    if (cells := PersonCells.of(shell)) is not None:
        cells.uninstall()
    mention_matcher.uninstall(shell)
    magics.close()
    AwaitingTransformer("agent").uninstall(shell)
    QuestionTransformer("agent").uninstall(shell)
    for table in shell.magics_manager.magics.values():
        table.pop("agent", None)
    setattr(shell, _ATTRIBUTE, None)


def current_session() -> AgentSession:
    """The session of this kernel's `%agent`; a `UsageError` where the extension is not loaded."""
    return _loaded_magics().runtime.session


def inspect_context() -> ContextReport:
    """What fills the model's context, to be displayed: a live widget where there is one, else a page.

    The widget shows every request of the session by its parts, compactions, the ledger and what was sent;
    the page, which is what a notebook keeps, shows the next request. Raises `UsageError` where the
    extension is not loaded.
    """
    magics = _loaded_magics()
    with _loading.lock, _loading.installed():
        from pi_notebook.ui.context import inspected_context
    return inspected_context(magics.runtime)


def _loaded_magics() -> AgentMagics:
    magics: AgentMagics | None = getattr(get_ipython(), _ATTRIBUTE, None)
    if magics is None:
        raise UsageError("There is no session here. Load the extension first: %load_ext pi_notebook")
    return magics


def _complete(shell: Any, event: Any) -> list[str]:
    magics: AgentMagics | None = getattr(shell, _ATTRIBUTE, None)
    return magics.complete(event.line) if magics is not None else []


def _warm(folder: Path) -> None:
    """Import what the first question will need while the person types it."""
    try:
        with _loading.lock, _loading.installed():
            from pi_notebook.session.services import warm
            from pi_notebook.ui import cells  # noqa: F401 - loaded for its own sake
            from pi_notebook.ui.panel import bridge  # noqa: F401 - loaded for its own sake
        warm(folder)
    except Exception:  # a thread has nobody to tell; the first question will
        logger.exception("what a question needs could not be loaded ahead")
