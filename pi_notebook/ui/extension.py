"""Loading into an IPython shell, again and again if asked, and leaving it as it was."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from IPython.core.getipython import get_ipython

from pi_notebook.errors import UsageError
from pi_notebook.kernel import AwaitingTransformer
from pi_notebook.session.services import warm
from pi_notebook.session.session import AgentSession
from pi_notebook.ui import completion
from pi_notebook.ui.magics import AgentMagics

_ATTRIBUTE = "_pi_notebook"


def load(shell: Any) -> None:
    """Register the magics; loading twice changes nothing. Prints nothing, writes nothing."""
    if getattr(shell, _ATTRIBUTE, None) is not None:
        return
    magics = AgentMagics(shell)
    shell.register_magics(magics)
    AwaitingTransformer("agent").install(shell)
    completion.install(shell, magics)
    setattr(shell, _ATTRIBUTE, magics)
    threading.Thread(target=warm, args=(Path.cwd(),), name="pi_notebook-warm", daemon=True).start()


def unload(shell: Any) -> None:
    """Take the magics away and let go of the session."""
    magics: AgentMagics | None = getattr(shell, _ATTRIBUTE, None)
    if magics is None:
        return
    magics.close()
    AwaitingTransformer("agent").uninstall(shell)
    for table in shell.magics_manager.magics.values():
        table.pop("agent", None)
    setattr(shell, _ATTRIBUTE, None)


def current_session() -> AgentSession:
    """The session of this kernel's `%agent`; a `UsageError` where the extension is not loaded."""
    magics: AgentMagics | None = getattr(get_ipython(), _ATTRIBUTE, None)
    if magics is None:
        raise UsageError("There is no session here. Load the extension first: %load_ext pi_notebook")
    return magics.runtime.session
