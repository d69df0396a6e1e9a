"""The open side panels of a kernel; everything here is on the background loop.

A panel comes, asks, and goes. What its requests do is decided area by area, see `area`; what is told of
the session is `shown_session`'s.
"""

from __future__ import annotations

from collections.abc import Callable

from pi_notebook._version import __version__
from pi_notebook.session.permissions import MODES
from pi_notebook.session.runtime import AgentSessionRuntime
from pi_notebook.ui.panel.area import Answering, Areas, Doing, told
from pi_notebook.ui.panel.inspector import PanelInspector
from pi_notebook.ui.panel.lookups import Lookups
from pi_notebook.ui.panel.open_panels import OpenPanels, Panel
from pi_notebook.ui.panel.run import ExecutorFactory, PanelRun
from pi_notebook.ui.panel.sessions import PanelSessions
from pi_notebook.ui.panel.settings import PanelSettings
from pi_notebook.ui.panel.shown_session import ShownSession
from pi_notebook.ui.protocol.messages import ErrorMessage, HelloMessage
from pi_notebook.ui.protocol.requests import (
    PROTOCOL_VERSION,
    HelloRequest,
    PanelRequest,
    SnapshotRequest,
)


class Panels:
    """Every open panel of this kernel.

    Parameters
    ----------
    runtime
        Gives the kernel's sessions, which are made when they are first asked for.
    executor
        Makes what runs the code of a run that a panel began.
    """

    def __init__(self, runtime: Callable[[], AgentSessionRuntime], executor: ExecutorFactory) -> None:
        self._panels = OpenPanels()
        self._shown = ShownSession(
            runtime, self._panels.send, lambda: self._run.is_on, lambda: self._run.waiting
        )
        self._run = PanelRun(self._shown, self._panels, executor)
        self.does: dict[type, Doing] = {HelloRequest: self._hello, SnapshotRequest: self._snapshot}
        self.answers: dict[type, Answering] = {}
        self._areas = Areas(
            (
                self,
                self._run,
                PanelSessions(runtime, self._shown),
                PanelSettings(self._shown),
                Lookups(runtime),
                PanelInspector(runtime, self._panels),
            )
        )

    async def receive(self, panel: Panel, request: PanelRequest) -> None:
        """Do what `request` asks; what goes wrong is told to that panel in one sentence."""
        try:
            if panel not in self._panels and not isinstance(request, HelloRequest):
                self._join(panel)
        except Exception as error:
            panel.send(ErrorMessage(text=told(error)))
        await self._areas.carry_out(panel, request)

    async def leave(self, panel: Panel) -> None:
        """A panel was closed: nothing waits for it any longer."""
        if panel not in self._panels:
            return
        self._panels.remove(panel)
        self._run.left(panel)
        if not self._panels:
            self._shown.forget()

    async def close(self) -> None:
        """Let every panel go and stop the run that one of them began."""
        self._run.stop()
        for panel in self._panels:
            await self.leave(panel)
            panel.close()

    def _hello(self, panel: Panel, request: HelloRequest) -> None:
        self._shown.take_hint(request.session_hint)
        panel.send(
            HelloMessage(
                protocol_version=PROTOCOL_VERSION,
                version=__version__,
                nonce=panel.nonce,
                modes=list(MODES),
            )
        )
        self._join(panel)

    def _join(self, panel: Panel) -> None:
        """Let a panel follow: it is sent what is there, and what comes."""
        self._shown.flush()
        self._panels.add(panel)
        panel.send(self._shown.snapshot())
        self._run.joined(panel)

    def _snapshot(self, panel: Panel, request: SnapshotRequest) -> None:
        panel.send(self._shown.snapshot())
