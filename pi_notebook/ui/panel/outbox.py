"""What waits to be sent to the panels: many events in one message, at a pace a browser keeps up with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from pi_notebook.ui.protocol.events import (
    CallOutputEvent,
    PanelEvent,
    SegmentEvent,
    StatusEvent,
    TextDeltaEvent,
)
from pi_notebook.ui.protocol.messages import EventsMessage, KernelMessage

SECONDS_BETWEEN = 0.05
BYTES_PER_SECOND = 256_000


class Outbox:
    """Gathers events and sends them; belongs to the loop it is used on.

    Parameters
    ----------
    send
        Takes one message for every open panel.
    """

    def __init__(self, send: Callable[[KernelMessage], None]) -> None:
        self._send = send
        self._pending: dict[tuple[str, str], list[PanelEvent]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._next_at = 0.0

    def add(self, event: PanelEvent) -> None:
        """Send `event` soon; one that it supersedes and that still waits is never sent."""
        place = _place(event)
        if isinstance(event, SegmentEvent):
            for kind in ("text", "output"):
                self._pending.pop((kind, event.segment.id), None)
        if isinstance(event, TextDeltaEvent):
            self._pending.setdefault(place, []).append(event)
        else:
            if not isinstance(event, SegmentEvent):
                self._pending.pop(place, None)  # the newest status stands last
            self._pending[place] = [event]
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(max(loop.time(), self._next_at), self.flush)

    def flush(self) -> None:
        """Send what waits, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._pending:
            return
        events = [_merged(waiting) for waiting in self._pending.values()]
        self._pending.clear()
        message = EventsMessage(events=events)
        self._send(message)
        pause = max(SECONDS_BETWEEN, len(msgspec.json.encode(message)) / BYTES_PER_SECOND)
        self._next_at = asyncio.get_running_loop().time() + pause

    def clear(self) -> None:
        """Forget what waits."""
        self._pending.clear()
        self.flush()


def _place(event: PanelEvent) -> tuple[str, str]:
    """Events of one place supersede or extend each other."""
    if isinstance(event, SegmentEvent):
        return "segment", event.segment.id
    if isinstance(event, TextDeltaEvent):
        return "text", event.segment_id
    if isinstance(event, CallOutputEvent):
        return "output", event.segment_id
    return ("status", "") if isinstance(event, StatusEvent) else ("ended", "")


def _merged(waiting: list[PanelEvent]) -> PanelEvent:
    first = waiting[0]
    if not isinstance(first, TextDeltaEvent) or len(waiting) == 1:
        return first
    text = "".join(event.text for event in waiting if isinstance(event, TextDeltaEvent))
    return TextDeltaEvent(segment_id=first.segment_id, text=text)
