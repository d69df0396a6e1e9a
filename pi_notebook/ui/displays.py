"""Where a run is drawn while it goes on: updated displays in a rich front end, printed text elsewhere.

Displays listen to a session on the background loop; what they send appears under the cell that asked.
"""

from __future__ import annotations

import asyncio
import sys
import uuid
from typing import Any, Protocol, TextIO

from pi_notebook.agent.events import AgentEnd, AgentEvent
from pi_notebook.ui.given import given
from pi_notebook.ui.render import Bundle, heading, indented, output_text, render
from pi_notebook.ui.transcript import CallSegment, NoticeSegment, Segment, TextSegment, Transcript

MAX_TEXT_CHARS = 200_000
"""What a run may leave in the notebook; beyond it only headings are added."""


class RunDisplay(Protocol):
    """Draws one run."""

    transcript: Transcript

    def on_event(self, event: AgentEvent) -> None:
        """Draw what `event` changes, at once or a moment later."""
        ...

    def finish(self) -> None:
        """Draw whatever has not been drawn yet."""
        ...


def display_for(shell: Any, *, stream: bool) -> RunDisplay:
    """The display that suits the front end of `shell`."""
    if getattr(shell, "kernel", None) is not None:
        return RichDisplay(shell, stream=stream)
    return PlainDisplay(sys.stdout, stream=stream)


class RichDisplay:
    """One display a segment, updated in place, ten times a second at most and slower the longer it is."""

    def __init__(self, shell: Any, *, stream: bool) -> None:
        self.transcript = Transcript()
        self._publisher = shell.display_pub
        self._stream = stream
        self._ids: dict[int, str] = {}
        self._changed: dict[int, Segment] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._chars = 0

    def on_event(self, event: AgentEvent) -> None:
        """Note what changed; it is drawn at the next tick."""
        segment = self.transcript.add(event)
        if segment is not None and (self._stream or not _is_growing(segment)):
            self._changed[id(segment)] = segment
            self._draw_soon(segment)
        if isinstance(event, AgentEnd):
            self.finish()

    def finish(self) -> None:
        """Draw what is waiting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for segment in list(self._changed.values()):
            self._draw(segment)
        self._changed.clear()

    def _draw_soon(self, segment: Segment) -> None:
        if id(segment) not in self._ids or not _is_growing(segment):
            self.finish()
        elif self._timer is None:
            delay = _TICK_SECONDS + _size(segment) / _CHARS_PER_SECOND
            self._timer = asyncio.get_running_loop().call_later(delay, self.finish)

    def _draw(self, segment: Segment) -> None:
        is_new = id(segment) not in self._ids
        display_id = self._ids.setdefault(id(segment), f"pi_notebook-{uuid.uuid4().hex}")
        bundle = self._bounded(segment)
        self._publisher.publish(
            data=bundle, metadata={}, transient={"display_id": display_id}, update=not is_new
        )

    def _bounded(self, segment: Segment) -> Bundle:
        bundle = render(segment)
        if not _is_growing(segment):
            self._chars += sum(map(len, bundle.values()))
        if self._chars <= MAX_TEXT_CHARS or isinstance(segment, NoticeSegment):
            return bundle
        short = heading(segment) if isinstance(segment, CallSegment) else segment.text[-2_000:]
        return {"text/plain": short}


_TICK_SECONDS = 0.1
_CHARS_PER_SECOND = 100_000


def _is_growing(segment: Segment) -> bool:
    if isinstance(segment, TextSegment):
        return not segment.is_whole
    return isinstance(segment, CallSegment) and segment.result is None


def _size(segment: Segment) -> int:
    return sum(map(len, segment.pieces)) if isinstance(segment, TextSegment) else 4_000


class PlainDisplay:
    """Prints the run as it goes on: text piece by piece, a tool call when it begins and when it ends."""

    def __init__(self, stream_to: TextIO, *, stream: bool) -> None:
        self.transcript = Transcript()
        self._out = stream_to
        self._stream = stream
        self._printed: dict[int, int] = {}
        self._begun: set[int] = set()

    def on_event(self, event: AgentEvent) -> None:
        """Print what is new."""
        segment = self.transcript.add(event)
        if isinstance(segment, TextSegment):
            self._text(segment)
        elif isinstance(segment, CallSegment):
            self._call(segment)
        elif isinstance(segment, NoticeSegment):
            self._print(f"{segment.text}\n")

    def finish(self) -> None:
        """Everything has been printed already."""
        self._out.flush()

    def _text(self, segment: TextSegment) -> None:
        if not (self._stream or segment.is_whole):
            return
        printed = self._printed.get(id(segment), 0)
        text = segment.text
        self._printed[id(segment)] = len(text)
        ending = (
            f"\n({segment.interrupted} here)\n" if segment.interrupted else "\n" if segment.is_whole else ""
        )
        self._print(text[printed:] + ending)

    def _call(self, segment: CallSegment) -> None:
        if id(segment) not in self._begun:
            self._begun.add(id(segment))
            what = given(segment.call, whole=True)
            self._print(f"\n[{segment.call.name}]\n" + (f"{indented(what)}\n" if what else ""))
        if segment.result is not None:
            self._print(f"[{heading(segment)}]\n{output_text(segment)}\n\n")

    def _print(self, text: str) -> None:
        self._out.write(text.replace("\x1b", "\u241b"))  # what a model writes must not drive the terminal
        self._out.flush()
