"""`sys.stdout` and `sys.stderr` while code of the agent runs.

Owns the two stream objects and the question which call a write belongs to. Where text goes from
there is up to the sink; descriptors 1 and 2 are `descriptors`, displays are `capture`.

The kernel's own stream buffers 200 MB of long lines before any hook sees them and takes 25 s for
short ones; these hand each write on at once and keep nothing.
"""

from __future__ import annotations

import contextlib
import contextvars
import io
import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from pi_notebook.kernel.outputs import OutputSink, StreamName
from pi_notebook.kernel.shield import catch_up, deferred, shielded

DESCRIPTORS: dict[StreamName, int] = {"stdout": 1, "stderr": 2}


class Call:
    """One piece of code whose output belongs together.

    Output belongs to the call when it comes from the call's own context: its tasks, and threads that
    were told the context. A bare thread has no context; it belongs to the call in which it began.
    """

    def __init__(
        self,
        sink: OutputSink,
        *,
        settle: Callable[[StreamName], None] | None = None,
        forward: Callable[[StreamName, str], None] | None = None,
    ) -> None:
        self.sink = sink
        self.settle = settle
        """Brings in what descriptors hold, so that a write does not overtake it."""
        self.forward = forward
        self.notes: list[str] = []
        self._older = set(threading.enumerate()) - {threading.main_thread()}

    def owns_this_thread(self) -> bool:
        """Whether output made here and now belongs to this call."""
        call = current_call.get()
        if call is not None:
            return call is self
        return threading.current_thread() not in self._older

    def note(self, text: str) -> None:
        """Add a line about what was mended, once."""
        if text not in self.notes:
            self.notes.append(text)


current_call: contextvars.ContextVar[Call | None] = contextvars.ContextVar("current_call", default=None)


class CapturedStream(io.TextIOBase):
    """A standard stream that gives each write to the call it belongs to, else to the stream beneath.

    There is one for each name as long as the process lives: what keeps a reference (a logging
    handler, a thread) goes on working after the call and serves later ones.
    """

    def __init__(self, name: StreamName) -> None:
        self.name = name
        self._call: Call | None = None
        self._beneath: Any = None
        self._write_beneath: Callable[[str], Any] = _discard
        self._unsettled_writes = 0
        self._last_write_at = 0.0

    def begin(self, call: Call | None, beneath: Any) -> None:
        """Give what is written from now on to `call`; `beneath` is the stream that stood here."""
        if beneath is not self:
            self._beneath = beneath
            self._write_beneath = getattr(beneath, "write", _discard)
        self._unsettled_writes = 0
        self._call = call

    @property
    def call(self) -> Call | None:
        """The call that is on, if any."""
        return self._call

    def write_beneath(self, text: str) -> None:
        """Write to the stream that stood here before; whoever comes late must not fail for it."""
        with contextlib.suppress(ValueError, OSError):
            self._write_beneath(text)

    def enter_child(self) -> None:
        """After a fork: write to the descriptor, whose other end the parent reads."""
        if self._call is None:
            return
        self._call = None
        descriptor = DESCRIPTORS[self.name]
        self._write_beneath = lambda text: _write_all(descriptor, text.encode("utf-8", "replace"))
        self._beneath = None

    @shielded
    def write(self, text: str) -> int:
        if type(text) is not str:
            text = _plain(text)
        if not text.isascii():
            text = _without_surrogates(text)
        call = self._call
        if call is None or (current_call.get() is not call and not call.owns_this_thread()):
            self.write_beneath(text)
            return len(text)
        now = time.monotonic()
        if call.settle is not None and (
            self._unsettled_writes < _ALWAYS_SETTLED_WRITES or now - self._last_write_at > _PAUSE_SECONDS
        ):
            self._unsettled_writes += 1
            call.settle(self.name)
        self._last_write_at = now
        call.sink.write(self.name, text)
        if call.forward is not None:
            call.forward(self.name, text)
        if deferred:
            catch_up()
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:  # type: ignore[override]
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Bring in what descriptors hold; the stream beneath is flushed when it is written to."""
        call = self._call
        if call is not None and call.settle is not None and call.owns_this_thread():
            call.settle(self.name)
        if call is None or call.forward is not None:
            flush = getattr(self._beneath, "flush", None)
            if flush is not None and self._beneath is not self:
                _quietly(flush)

    def close(self) -> None:
        """Do nothing: a closed standard stream would break every later cell."""
        if self._call is not None:
            self._call.note(f"sys.{self.name}.close() was ignored; the stream stays open.")

    @property
    def closed(self) -> bool:
        return False

    def fileno(self) -> int:
        """The captured descriptor while a call is on, so that a child given it is captured too."""
        return DESCRIPTORS[self.name] if self._call is not None else int(self._beneath.fileno())

    def isatty(self) -> bool:
        return bool(getattr(self._beneath, "isatty", bool)())

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._beneath, "encoding", None) or "UTF-8"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._beneath, name)


class RateLimit:
    """How much text may pass: so many bytes a second, with a burst of a second's worth."""

    def __init__(self, bytes_per_second: int) -> None:
        self._rate = bytes_per_second
        self._allowance = float(bytes_per_second)
        self._at = time.monotonic()
        self.dropped_characters = 0
        """What did not pass, so far."""

    def take(self, text: str) -> str:
        """The part of `text` that may pass now; the rest is counted as dropped."""
        now = time.monotonic()
        self._allowance = min(self._rate, self._allowance + (now - self._at) * self._rate)
        self._at = now
        passed = text[: max(0, int(self._allowance // 4 if not text.isascii() else self._allowance))]
        spent = len(passed.encode())
        self._allowance -= spent
        if len(passed) < len(text):
            self.dropped_characters += len(text) - len(passed)
        return passed


_ALWAYS_SETTLED_WRITES = 1000
"""So many writes of a call look at the descriptors first, which costs a system call each."""

_PAUSE_SECONDS = 0.0005
"""After those, only a write that follows a pause does: no child starts and ends in less."""


def _plain(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"write() argument must be str, not {type(text)}")
    return "".join((text,))


def _without_surrogates(text: str) -> str:
    """`text` that UTF-8 can hold: half a surrogate pair is written as its escape."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def _discard(text: str) -> None:
    """Where text goes when there is no stream at all."""


def _quietly(function: Callable[[], Any]) -> None:
    try:
        function()
    except (ValueError, OSError):
        return


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


STREAMS: dict[StreamName, CapturedStream] = {
    "stdout": CapturedStream("stdout"),
    "stderr": CapturedStream("stderr"),
}
