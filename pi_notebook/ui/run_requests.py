"""Code that panels are asked to execute: which panel each request went to, and what became of it.

A panel announces that it takes a request and is told to proceed, so that no code runs twice when
several are open, and none runs that is no longer wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.kernel.executor import CodeExecutor
from pi_notebook.kernel.frontend import EndStatus, RunRequest
from pi_notebook.ui.protocol import (
    AnnouncedRequest,
    KernelMessage,
    ProceedMessage,
    RanRequest,
    RunMessage,
    WithdrawnMessage,
)


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


@dataclass
class _Open:
    message: RunMessage
    offered_to: Recipient
    taken_by: Recipient | None = None


class RunRequests:
    """The open requests of one run.

    Parameters
    ----------
    panels
        Gives the open panels, as they come and go.
    origin
        The panel that began the run; its notebook is where the code belongs.
    """

    def __init__(self, panels: Callable[[], Sequence[Recipient]], origin: Recipient) -> None:
        self.executor: PanelExecutor | None = None
        self._panels = panels
        self._origin = origin
        self._open: dict[str, _Open] = {}

    def offer(self, request: RunRequest) -> None:
        """Ask a panel to execute `request`; it ends as refused when none is open."""
        message = RunMessage(
            request_id=request.id, code=without_surrogates(request.code), is_hidden=request.is_hidden
        )
        self._offer(message)

    def announced(self, panel: Recipient, request: AnnouncedRequest) -> None:
        """A panel takes a request: the first one may proceed."""
        found = self._open.get(request.request_id)
        if found is None or found.taken_by is not None or self.executor is None:
            panel.send(WithdrawnMessage(request_id=request.request_id))
            return
        found.taken_by = panel
        self.executor.announced(request.request_id, request.cell_id)
        panel.send(ProceedMessage(request_id=request.request_id))

    def ran(self, panel: Recipient, request: RanRequest) -> None:
        """A panel tells how a request that is its own ended."""
        found = self._open.get(request.request_id)
        if found is not None and panel is (found.taken_by or found.offered_to):
            self._end(request.request_id, request.status)

    def joined(self, panel: Recipient) -> None:
        """A panel was opened: what nobody has taken is offered to it too."""
        for found in self._open.values():
            if found.taken_by is None:
                found.offered_to = panel
                panel.send(found.message)

    def left(self, panel: Recipient) -> None:
        """A panel is gone: what it had begun is over, what it had not is offered to another."""
        for found in list(self._open.values()):
            if found.taken_by is panel:
                self._end(found.message.request_id, "aborted")
            elif found.taken_by is None and found.offered_to is panel:
                del self._open[found.message.request_id]
                self._offer(found.message)

    def close(self) -> None:
        """The run is over: nothing may be executed for it any more."""
        for found in self._open.values():
            (found.taken_by or found.offered_to).send(WithdrawnMessage(request_id=found.message.request_id))
        self._open.clear()
        if self.executor is not None:
            self.executor.close()

    def _offer(self, message: RunMessage) -> None:
        panels = self._panels()
        panel = self._origin if self._origin in panels else next(iter(panels), None)
        if panel is None:
            self._end(message.request_id, "refused")
        else:
            self._open[message.request_id] = _Open(message, panel)
            panel.send(message)

    def _end(self, request_id: str, status: EndStatus) -> None:
        self._open.pop(request_id, None)
        if self.executor is not None:
            self.executor.ended(request_id, status)
