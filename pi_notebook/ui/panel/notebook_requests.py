"""Cells that panels are asked to read and to change: which panel is asked, and what it answered.

A page that was closed or reloaded says nothing. So a question that only looks is soon put to the other
panels too; whoever answers it first has the notebook, and is asked alone for a change: a change is
made once or not at all.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, MutableMapping, Sequence
from pathlib import Path
from typing import Literal

from pi_notebook.agent.messages import without_surrogates
from pi_notebook.agent.tools import ToolError
from pi_notebook.context.live_cells import CellsFound, CellType, LiveCell
from pi_notebook.session.origin import notebook_file
from pi_notebook.ui.panel.run_requests import OFFER_SECONDS, Recipient
from pi_notebook.ui.protocol.messages import NotebookMessage, WithdrawnMessage
from pi_notebook.ui.protocol.requests import CellOutcome, NotebookDoneRequest

ANSWER_SECONDS = 30.0
MAX_SEEN_CELLS = 2_000
_NO_PANEL = (
    "No panel is open any more, so the notebook cannot be reached. Nothing was done; tell the person to open "
    "the agent's panel beside the notebook."
)
_SILENT = (
    "The notebook did not answer within {seconds:.0f} s: its page is asleep or closed. Whether {what} is not "
    "known; read the cells before you go on, or tell the person to bring the notebook to the front."
)
_GONE = (
    "The notebook was closed or its page reloaded before it answered. Whether {what} is not known: read the "
    "cells before you go on."
)
_LOOKS = ("look", "read")

Action = Literal["look", "read", "insert", "edit", "delete", "move"]


class _Open:
    """A question, the panels it was put to, and who waits for the answer."""

    def __init__(self, message: NotebookMessage) -> None:
        self.message = message
        self.asked: list[Recipient] = []
        self.answer: asyncio.Future[NotebookDoneRequest] = asyncio.get_running_loop().create_future()

    def put_to(self, panel: Recipient) -> None:
        if panel not in self.asked:
            self.asked.append(panel)
        panel.send(self.message)


class NotebookRequests:
    """A `NotebookCells` that asks the panels. On the loop of the run, as they are.

    Parameters
    ----------
    panels
        Gives the open panels, the one that came last at the end.
    started_as
        Gives the path that the notebook had when the kernel began, as far as the kernel was told.
    answer_seconds
        How long an answer is waited for.
    """

    def __init__(
        self,
        panels: Callable[[], Sequence[Recipient]],
        *,
        started_as: Callable[[], str | None] = lambda: None,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self.seen: MutableMapping[str, str] = _Seen()
        self._panels = panels
        self._started_as = started_as
        self._answer_seconds = answer_seconds
        self._origin: Recipient | None = None
        self._open: dict[str, _Open] = {}

    def begin(self, origin: Recipient) -> None:
        """A run begins in the panel `origin`, whose notebook it is."""
        self._origin = origin

    def done(self, panel: Recipient, request: NotebookDoneRequest) -> None:
        """A panel answers; the first answer counts."""
        found = self._open.get(request.request_id)
        if found is not None and panel in found.asked and not found.answer.done():
            self._origin = panel
            found.answer.set_result(request)

    def joined(self, panel: Recipient) -> None:
        """A panel was opened: it is asked what only looks."""
        for found in self._open.values():
            if found.message.action in _LOOKS:
                found.put_to(panel)

    def left(self, panel: Recipient) -> None:
        """A panel is gone: what it alone was asked is put to another, or has failed."""
        for found in self._open.values():
            if found.asked != [panel] or found.answer.done():
                continue
            others = [other for other in self._panels() if other is not panel]
            if found.message.action in _LOOKS and others:
                found.put_to(others[-1])
            else:
                found.answer.set_exception(ToolError(_GONE.format(what=_what(found.message))))

    async def file(self) -> Path | None:
        """See `NotebookCells`."""
        answer = await self._ask(_message("look"))
        return await asyncio.to_thread(notebook_file, answer.path, self._started_as())

    async def read(self, cell_id: str = "") -> CellsFound:
        """See `NotebookCells`."""
        answer = await self._ask(_message("read", cell_id))
        return CellsFound(cells=[_cell(one) for one in answer.cells], count=answer.cell_count)

    async def insert(self, source: str, *, cell_type: CellType, after: str) -> LiveCell:
        """See `NotebookCells`."""
        message = _message("insert", after, cell_type=cell_type, source=source)
        return _cell(await self._changed(message))

    async def edit(self, cell_id: str, source: str, *, expected: str) -> LiveCell:
        """See `NotebookCells`."""
        return _cell(await self._changed(_message("edit", cell_id, source=source, expected=expected)))

    async def delete(self, cell_id: str, *, expected: str) -> None:
        """See `NotebookCells`."""
        await self._changed(_message("delete", cell_id, expected=expected))

    async def move(self, cell_id: str, index: int) -> LiveCell:
        """See `NotebookCells`."""
        return _cell(await self._changed(_message("move", cell_id, index=index)))

    async def _changed(self, message: NotebookMessage) -> CellOutcome:
        """The cell after a change, which the panel that has the notebook now makes."""
        await self._ask(_message("look"))
        answer = await self._ask(message)
        if not answer.cells:
            raise ToolError("The panel did not say what became of the cell: read the cells before you go on.")
        return answer.cells[0]

    async def _ask(self, message: NotebookMessage) -> NotebookDoneRequest:
        panels = self._panels()
        if not panels:
            raise ToolError(_NO_PANEL)
        found = self._open[message.request_id] = _Open(message)
        try:
            found.put_to(next((panel for panel in panels if panel is self._origin), panels[-1]))
            answer = await self._answer(found)
        finally:
            del self._open[message.request_id]
            if not found.answer.done() or found.answer.cancelled():
                for panel in found.asked:
                    panel.send(WithdrawnMessage(request_id=message.request_id))
        if answer.problem:
            raise ToolError(answer.problem)
        return answer

    async def _answer(self, found: _Open) -> NotebookDoneRequest:
        message = found.message
        seconds = self._answer_seconds
        if message.action in _LOOKS:
            patience = min(OFFER_SECONDS, seconds)
            await asyncio.wait({found.answer}, timeout=patience)
            if not found.answer.done():
                for panel in self._panels():
                    if panel not in found.asked:
                        found.put_to(panel)
            seconds -= patience
        await asyncio.wait({found.answer}, timeout=seconds)
        if not found.answer.done():
            text = _SILENT.format(seconds=self._answer_seconds, what=_what(message))
            raise ToolError(text)
        return found.answer.result()


class _Seen(dict[str, str]):
    """The newest cells only: a kernel may live for long."""

    def __setitem__(self, cell_id: str, source: str) -> None:
        self.pop(cell_id, None)
        super().__setitem__(cell_id, source)
        if len(self) > MAX_SEEN_CELLS:
            del self[next(iter(self))]

    def update(self, sources: dict[str, str]) -> None:  # type: ignore[override]  # dict's own passes by the bound
        for cell_id, source in sources.items():
            self[cell_id] = source


def _cell(outcome: CellOutcome) -> LiveCell:
    return LiveCell(
        id=outcome.cell_id,
        index=outcome.index,
        cell_type=outcome.cell_type,
        source=outcome.source,
        execution_count=outcome.execution_count,
        outputs=outcome.outputs,
    )


def _message(
    action: Action,
    cell_id: str = "",
    *,
    index: int = 0,
    cell_type: CellType = "code",
    source: str = "",
    expected: str | None = None,
) -> NotebookMessage:
    return NotebookMessage(
        request_id=uuid.uuid4().hex,
        action=action,
        cell_id=without_surrogates(cell_id),
        index=index,
        cell_type=cell_type,
        source=source,
        expected=expected,
    )


def _what(message: NotebookMessage) -> str:
    return "the cells could be read" if message.action in _LOOKS else f"the {message.action} was done"
