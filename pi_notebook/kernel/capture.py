"""Everything that running code puts out, into a sink, while it is put out.

Owns what stands in place of the standard streams, descriptors 1 and 2, the display publisher and
the pager for the time of one call. The value of the last expression and exceptions are `runner`'s.

Texts are not published into the cell, since whoever runs code draws it from the sink; with
`forward` they are, at a limited rate. Displays are published as they come, up to a number a call.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from pi_notebook.kernel import forks
from pi_notebook.kernel.calls import Call, current_call
from pi_notebook.kernel.descriptors import DescriptorTap
from pi_notebook.kernel.displays import DisplayTap
from pi_notebook.kernel.late import EndedCall
from pi_notebook.kernel.left_running import late_watch, pending_tasks, watch_threads
from pi_notebook.kernel.outputs import OutputSink, StreamName
from pi_notebook.kernel.rates import RateLimit
from pi_notebook.kernel.streams import DESCRIPTORS, STREAMS, CapturedStream
from pi_notebook.kernel.swaps import Swaps

FORWARD_BYTES_PER_SECOND = 128_000
"""For each stream, so that the front end gets no more than 256 kB a second."""


class Capture:
    """While open, what the code in this context puts out goes into `sink`. Use on the main thread.

    Where `code` is given, what it puts out later is told as its own for a while (`late`).
    """

    def __init__(
        self, shell: Any, sink: OutputSink, *, forward: bool = False, code: str | None = None
    ) -> None:
        self._code = code
        self._shell = shell
        self._sink = sink
        self._forward = forward
        self._swaps = Swaps()
        self.notes: list[str] = []
        """What had to be mended; complete when the capture is closed."""

    def __enter__(self) -> Capture:
        late_watch.suspend()
        self._limits: dict[StreamName, RateLimit] = {}
        self._outer = {name: stream.call for name, stream in STREAMS.items()}
        self._beneath = {name: getattr(sys, name, None) for name in STREAMS}
        for stream in self._beneath.values():
            _flush(stream)
        self._call = Call(self._sink, forward=self._pass_on if self._forward else None)
        self._tap = DescriptorTap(self._call.take, tick=self._call.give_all, tell_late=self._call.tell_late)
        self._call.settle = self._tap.settle
        self._token = current_call.set(self._call)
        self._displays = DisplayTap(self._shell, self._call, settle=self._settle)
        self._call.is_batched = self._tap.open()
        for name, stream in STREAMS.items():
            self._put_in_place(name, stream)
        self._displays.open(self._swaps)
        watch_threads(self._swaps)
        self._older_tasks = pending_tasks()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.mend()
        for name, stream in STREAMS.items():
            if self._beneath[name] is not stream:
                _flush(self._beneath[name])
        if self._code is not None:
            self._call.ended = EndedCall(self._code)
        self._call.notes.extend(self._tap.close())
        self._call.is_batched = False
        self._call.give_all()
        self._displays.close()
        self._swaps.restore()
        for name, stream in STREAMS.items():
            self._tell_dropped(name)
            stream.begin(self._outer[name], self._beneath[name])
        current_call.reset(self._token)
        self.notes = self._call.notes
        if not any(self._outer.values()):
            late_watch.resume(pending_tasks() - self._older_tasks, self._beneath.values())

    def mend(self) -> None:
        """Put the streams back that the code has replaced: a thread cannot be made without `sys.stderr`."""
        for name, stream in STREAMS.items():
            if getattr(sys, name, None) is not stream:
                setattr(sys, name, stream)
                self._call.note(f"sys.{name} was replaced by the code; put back.")
            if stream.mend():
                self._call.note(f"Methods of sys.{name} were replaced by the code; put back.")

    def _put_in_place(self, name: StreamName, stream: CapturedStream) -> None:
        beneath = self._beneath[name]
        is_on_descriptor = _descriptor(beneath) in DESCRIPTORS.values()
        past = functools.partial(self._tap.write_past, name) if is_on_descriptor else None
        stream.begin(self._call, beneath, past)
        self._swaps.set(sys, name, stream)
        if beneath is None or beneath is stream:
            return
        if self._forward:
            self._limits[name] = RateLimit(FORWARD_BYTES_PER_SECOND)
        # Whoever kept the kernel's stream, such as a logging handler, is captured too.
        self._swaps.set(beneath, "write", stream.write)
        self._swaps.set(beneath, "close", stream.close)

    def _settle(self) -> None:
        for name in STREAMS:
            self._tap.settle(name)

    def _pass_on(self, name: StreamName, text: str) -> None:
        limit = self._limits.get(name)
        if limit is not None and (passed := limit.take(text)):
            STREAMS[name].write_beneath(passed)

    def _tell_dropped(self, name: StreamName) -> None:
        limit = self._limits.get(name)
        if limit is not None and limit.dropped_characters:
            STREAMS[name].write_beneath(f"\n[{limit.dropped_characters} characters not shown here]\n")


def _flush(stream: Any) -> None:
    """Flush a stream of the kernel or the terminal, if it can be."""
    flush: Callable[[], Any] | None = getattr(stream, "flush", None)
    try:
        if flush is not None:
            flush()
    except (ValueError, OSError):
        return


def _descriptor(stream: Any) -> int | None:
    """The descriptor that a terminal's stream writes to; the kernel's own writes to none of ours."""
    try:
        return int(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None


for _stream in STREAMS.values():
    forks.release_in_child(_stream.enter_child)
