"""What a panel may ask for, area by area, and the doing of it: each question has exactly one answer.

An area says in two tables what it does with which requests. What goes wrong is told to the panel that
asked, in one sentence.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Protocol, Union

from pi_notebook.agent.abort import Aborted
from pi_notebook.errors import PiNotebookError
from pi_notebook.ui.panel.open_panels import Panel
from pi_notebook.ui.protocol.inspection import DoneReply, FailedReply
from pi_notebook.ui.protocol.messages import ErrorMessage, KernelMessage
from pi_notebook.ui.protocol.requests import PanelRequest

logger = logging.getLogger(__name__)

Doing = Callable[[Panel, Any], Union[Awaitable[None], None]]
Answering = Callable[[Panel, Any], Union[Awaitable[Union[KernelMessage, str]], KernelMessage, str]]
"""Gives the reply, or the text of one that says no more than that it was done."""


class Area(Protocol):
    """Requests that belong together."""

    @property
    def does(self) -> Mapping[type, Doing]:
        """By type, those that are not answered."""
        ...

    @property
    def answers(self) -> Mapping[type, Answering]:
        """By type, those that carry a `request_id` and are answered by one reply with it."""
        ...


class Areas:
    """All that panels may ask for."""

    def __init__(self, areas: Iterable[Area]) -> None:
        self._does: dict[type, Doing] = {}
        self._answers: dict[type, Answering] = {}
        for area in areas:
            self._does |= area.does
            self._answers |= area.answers

    async def carry_out(self, panel: Panel, request: PanelRequest) -> None:
        """Do what `request` asks; nothing is raised."""
        answering = self._answers.get(type(request))
        if answering is not None:
            panel.send(await _reply(answering, panel, request))
            return
        try:
            outcome = self._does[type(request)](panel, request)
            if inspect.isawaitable(outcome):
                await outcome
        except Exception as error:
            panel.send(ErrorMessage(text=told(error)))


async def _reply(answering: Answering, panel: Panel, request: Any) -> KernelMessage:
    try:
        given = answering(panel, request)
        reply = await given if inspect.isawaitable(given) else given
    except Exception as error:
        return FailedReply(request_id=request.request_id, text=told(error))
    if isinstance(reply, str):
        return DoneReply(request_id=request.request_id, text=reply, path="")
    return reply


def told(error: Exception) -> str:
    """What a person is told of `error`; a fault of ours is logged."""
    if isinstance(error, PiNotebookError):
        return str(error)
    if isinstance(error, Aborted):
        return "It was stopped."
    logger.error("a request of a panel failed", exc_info=error)
    kind = type(error).__name__
    return f"pi-notebook failed: {kind}: {error}. The session is kept; please report this."
