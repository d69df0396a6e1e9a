"""Where a run is drawn while it goes on: updated displays in a rich front end, printed text elsewhere.

Displays listen to a session on the background loop; what they send appears under the cell that asked.
What cannot be drawn ends no run: code may have broken the publisher or the stream, and a renderer may
fail on what a tool gave.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import uuid
from typing import Any, Protocol, TextIO

from pi_notebook.agent.events import AgentEnd, AgentEvent
from pi_notebook.ui.given import given
from pi_notebook.ui.render import Bundle, heading, indented, output_text, render
from pi_notebook.ui.transcript import CallSegment, NoticeSegment, Segment, TextSegment, Transcript

logger = logging.getLogger(__name__)

MAX_TEXT_CHARS = 200_000
"""What a run may leave in the notebook; beyond it only headings are added."""


class RunDisplay(Protocol):
    """Draws one run."""

    transcript: Transcript

    def on_event(self, event: AgentEvent) -> None:
        """Draw what `event` changes, at once or a moment later. Nothing is raised."""
        ...

    def finish(self) -> None:
        """Draw whatever has not been drawn yet, and say when something could not be. Nothing is raised."""
        ...


def display_for(shell: Any, *, stream: bool) -> RunDisplay:
    """The display that suits the front end of `shell`."""
    if getattr(shell, "kernel", None) is not None:
        return RichDisplay(shell, stream=stream)
    return PlainDisplay(sys.stdout, stream=stream)


class RichDisplay:
    """One display a segment, updated in place, ten times a second at most and slower the longer it is.

    What could not be drawn is tried again with what comes next, and at the end.
    """

    def __init__(self, shell: Any, *, stream: bool) -> None:
        self.transcript = Transcript()
        self._publisher = shell.display_pub
        self._stream = stream
        self._ids: dict[int, str] = {}
        self._changed: dict[int, Segment] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._chars = 0
        self._failure = _Failure()

    def on_event(self, event: AgentEvent) -> None:
        """Note what changed; it is drawn at the next tick."""
        segment = self.transcript.add(event)
        if segment is not None and (self._stream or not _is_growing(segment)):
            self._changed[id(segment)] = segment
            self._draw_soon(segment)
        if isinstance(event, AgentEnd):
            self._draw_waiting()

    def finish(self) -> None:
        """Draw what is waiting."""
        self._draw_waiting()
        if self._changed:
            self._failure.tell()

    def _draw_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for key, segment in list(self._changed.items()):
            try:
                self._draw(segment)
            except Exception as error:  # a publisher that code has broken, or a library that renders
                self._failure.note(error)
            else:
                self._changed.pop(key, None)

    def _draw_soon(self, segment: Segment) -> None:
        if id(segment) not in self._ids or not _is_growing(segment):
            self._draw_waiting()
        elif self._timer is None:
            delay = _TICK_SECONDS + _size(segment) / _CHARS_PER_SECOND
            self._timer = asyncio.get_running_loop().call_later(delay, self._draw_waiting)

    def _draw(self, segment: Segment) -> None:
        is_new = id(segment) not in self._ids
        display_id = self._ids.get(id(segment)) or f"pi_notebook-{uuid.uuid4().hex}"
        bundle = self._bounded(segment)
        self._publisher.publish(
            data=bundle, metadata={}, transient={"display_id": display_id}, update=not is_new
        )
        self._ids[id(segment)] = display_id

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


class _Failure:
    """The first that could not be drawn in a run: logged when it is met, told at the end, each once."""

    def __init__(self) -> None:
        self._error: Exception | None = None
        self._is_told = False

    def note(self, error: Exception) -> None:
        if self._error is None:
            self._error = error
            logger.error("a run could not be drawn", exc_info=error)

    def tell(self) -> None:
        if self._error is None or self._is_told:
            return
        self._is_told = True
        kind = type(self._error).__name__
        try:
            sys.stderr.write(_UNDRAWN.format(kind=kind))
        except Exception as error:  # nothing is left to tell it by
            logger.error("that a run could not be drawn could not be told", exc_info=error)


_UNDRAWN = "Part of this run could not be shown here ({kind}). It went on, and the session has all of it.\n"


class PlainDisplay:
    """Prints the run as it goes on: text piece by piece, a tool call when it begins and when it ends."""

    def __init__(self, stream_to: TextIO, *, stream: bool) -> None:
        self.transcript = Transcript()
        self._out = stream_to
        self._stream = stream
        self._printed: dict[int, int] = {}
        self._begun: set[int] = set()
        self._failure = _Failure()

    def on_event(self, event: AgentEvent) -> None:
        """Print what is new."""
        segment = self.transcript.add(event)
        try:
            self._show(segment)
        except Exception as error:  # a stream that code has closed
            self._failure.note(error)

    def finish(self) -> None:
        """Everything has been printed already."""
        try:
            self._out.flush()
        except Exception as error:
            self._failure.note(error)
        self._failure.tell()

    def _show(self, segment: Segment | None) -> None:
        if isinstance(segment, TextSegment):
            self._text(segment)
        elif isinstance(segment, CallSegment):
            self._call(segment)
        elif isinstance(segment, NoticeSegment):
            self._print(f"{segment.text}\n")

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
        self._out.write(text.translate(_PICTURES))  # what a model writes must not drive the terminal
        self._out.flush()


_PICTURES = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n\r"},
    0x7F: 0x2421,
    **dict.fromkeys(range(0x80, 0xA0), 0xFFFD),
}
"""A sign for each control character; a terminal takes those above 0x80 for escapes too."""
