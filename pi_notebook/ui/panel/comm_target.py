"""What answers when a side panel opens a comm to this kernel. Loaded with the extension, it loads little."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pi_notebook import _loading

if TYPE_CHECKING:
    from pi_notebook.session.runtime import AgentSessionRuntime
    from pi_notebook.ui.panel.panels import Panels

TARGET = "pi_notebook"
_CLOSE_SECONDS = 5.0


class CommTarget:
    """The comm target of one shell.

    Parameters
    ----------
    shell
        Its kernel has the comms; a shell in a terminal has none, and nothing is done there.
    runtime
        Gives the kernel's sessions, which are made when they are first asked for.
    """

    def __init__(self, shell: Any, runtime: Callable[[], AgentSessionRuntime]) -> None:
        self._shell = shell
        self._runtime = runtime
        self._manager = getattr(getattr(shell, "kernel", None), "comm_manager", None)
        self._panels: Panels | None = None

    def install(self) -> None:
        """Answer from now on."""
        if self._manager is not None:
            self._manager.register_target(TARGET, self._on_open)

    def uninstall(self) -> None:
        """Let the panels go and answer no more."""
        if self._manager is not None:
            self._manager.unregister_target(TARGET, self._on_open)
        if self._panels is not None:
            with _loading.lock, _loading.installed():
                from pi_notebook.session.background import background
            background.run(self._panels.close(), timeout_seconds=_CLOSE_SECONDS)

    def _on_open(self, comm: Any, message: dict[str, Any]) -> None:
        with _loading.lock, _loading.installed():
            from pi_notebook.ui.panel.bridge import Bridge
        Bridge(comm, self._found_panels())

    def _found_panels(self) -> Panels:
        """The panels of this kernel; comms may be opened on several threads at once."""
        with _loading.lock:
            if self._panels is None:
                with _loading.installed():
                    from pi_notebook.kernel.frontend import FrontEndExecutor
                    from pi_notebook.ui.panel.panels import Panels

                self._panels = Panels(self._runtime, partial(FrontEndExecutor, self._shell))
            return self._panels
