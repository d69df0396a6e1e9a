"""Code that panels are asked to execute: which panel each request went to, and what became of it.

A panel announces that it takes a request and is told to proceed, so that no code runs twice when
several are open, and none runs that is no longer wanted. A page that was closed or reloaded says
nothing, so what is not taken soon is offered to the other panels.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.kernel.frontend import EndStatus, RunRequest
from pi_notebook.ui.protocol.messages import KernelMessage, ProceedMessage, RunMessage, WithdrawnMessage
from pi_notebook.ui.protocol.requests import AnnouncedRequest, RanRequest


class PanelExecutor(CodeExecutor, Protocol):
    """An executor that has its code run by a front end, and is told what the front end does."""

    def announced(self, request_id: str, cell_id: str | None) -> None:
        """The front end is about to execute the request, as the cell with that id."""
        ...

    def ended(self, request_id: str, status: EndStatus) -> None:
        """How it ended, as the front end saw it; `refused` when it could not be run."""
        ...

    def close(self) -> None:
        """The run is over; whatever waits ends."""
        ...


class Recipient(Protocol):
    """An open panel."""

    def send(self, message: KernelMessage) -> None:
        """Send it, or notice that the panel is gone."""
        ...


OFFER_SECONDS = 2.0
"""How long the panel that is nearest has a request to itself."""
GIVE_UP_SECONDS = 120.0
"""How long all of them have; a kernel without subshells hears nothing while the person's cell runs."""


@dataclass
class _Open:
    message: RunMessage
    offered_to: list[Recipient]
    timer: asyncio.TimerHandle
    taken_by: Recipient | None = None


class RunRequests:
    """The open requests of a run, and of those before it that the kernel may still come to.

    Parameters
    ----------
    panels
        Gives the open panels, as they come and go.
    executor
        Makes what waits for the requests' outcomes, from the function that it sends them with.
    """

    def __init__(
        self,
        panels: Callable[[], Sequence[Recipient]],
        executor: Callable[[Callable[[RunRequest], None]], PanelExecutor],
    ) -> None:
        self.executor = executor(self.offer)
        self._panels = panels
        self._origin: Recipient | None = None
        self._open: dict[str, _Open] = {}

    @property
    def is_drained(self) -> bool:
        """True when no panel has code in the kernel's queue any more."""
        return not self._open

    def begin(self, origin: Recipient) -> None:
        """A run begins in the panel `origin`, in whose notebook the code belongs."""
        self._origin = origin

    def finish(self) -> None:
        """The run is over: what no panel has taken is withdrawn.

        What one has taken may be waiting behind a cell of the person's. The executor must be there
        when the kernel comes to it, to see that nothing of it runs.
        """
        for request_id, found in list(self._open.items()):
            if found.taken_by is None:
                found.timer.cancel()
                del self._open[request_id]
            for panel in found.offered_to:
                panel.send(WithdrawnMessage(request_id=request_id))

    def offer(self, request: RunRequest) -> None:
        """Ask a panel to execute `request`; it ends as refused when none is open."""
        self._offer(
            RunMessage(
                request_id=request.id,
                code=without_surrogates(request.code),
                is_hidden=request.is_hidden,
                cell_id=request.cell_id,
            )
        )

    def announced(self, panel: Recipient, request: AnnouncedRequest) -> None:
        """A panel takes a request: the first one may proceed."""
        found = self._open.get(request.request_id)
        if found is None or found.taken_by is not None:
            panel.send(WithdrawnMessage(request_id=request.request_id))
            return
        found.timer.cancel()
        found.taken_by = self._origin = panel
        self.executor.announced(request.request_id, request.cell_id)
        panel.send(ProceedMessage(request_id=request.request_id))

    def ran(self, panel: Recipient, request: RanRequest) -> None:
        """A panel tells how a request that it took, or cannot take, ended."""
        found = self._open.get(request.request_id)
        if found is not None and panel in ([found.taken_by] if found.taken_by else found.offered_to):
            self._end(request.request_id, request.status)

    def joined(self, panel: Recipient) -> None:
        """A panel was opened, or was away: what nobody has taken is offered to it too.

        That it may proceed with what it has taken may be lost; it does so once, however often it is told.
        """
        for request_id, found in self._open.items():
            if found.taken_by is None:
                _send(found, panel)
            elif found.taken_by is panel:
                panel.send(ProceedMessage(request_id=request_id))

    def left(self, panel: Recipient) -> None:
        """A panel is gone: what it had begun is over, what it had not is offered to another."""
        for found in list(self._open.values()):
            if found.taken_by is panel:
                self._end(found.message.request_id, "aborted")
            elif found.taken_by is None and found.offered_to == [panel]:
                found.timer.cancel()
                self._offer(found.message)

    def close(self) -> None:
        """Nothing is executed any more."""
        self.finish()
        self._open.clear()
        self.executor.close()

    def _offer(self, message: RunMessage) -> None:
        panels = self._panels()
        if not panels:
            self._end(message.request_id, "refused")
            return
        timer = asyncio.get_running_loop().call_later(OFFER_SECONDS, self._offer_to_all, message.request_id)
        found = self._open[message.request_id] = _Open(message, [], timer)
        nearest = next((panel for panel in panels if panel is self._origin), panels[-1])
        _send(found, nearest)

    def _offer_to_all(self, request_id: str) -> None:
        found = self._open[request_id]
        found.timer = asyncio.get_running_loop().call_later(GIVE_UP_SECONDS, self._end, request_id, "refused")
        for panel in self._panels():
            if panel not in found.offered_to:
                _send(found, panel)

    def _end(self, request_id: str, status: EndStatus) -> None:
        found = self._open.pop(request_id, None)
        if found is not None:
            found.timer.cancel()
        self.executor.ended(request_id, status)


def _send(found: _Open, panel: Recipient) -> None:
    if panel not in found.offered_to:
        found.offered_to.append(panel)
    panel.send(found.message)
