"""`sys.stdout` and `sys.stderr` while code of the agent runs.

Owns the two stream objects. Which call a write belongs to, and how it goes on to the sink, is `calls`;
what children write is `descriptors`.

The kernel's own stream buffers 200 MB of long lines before any hook sees them and takes 25 s for
short ones; these keep a batch of writes at most.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from pi_notebook.kernel.calls import WRITE_COST, Call, current_call
from pi_notebook.kernel.left_running import tell_late
from pi_notebook.kernel.outputs import StreamName
from pi_notebook.kernel.shield import catch_up, deferred, shielded

DESCRIPTORS: dict[StreamName, int] = {"stdout": 1, "stderr": 2}


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
        self._pieces: deque[str] = deque()

    def begin(
        self, call: Call | None, beneath: Any, write_beneath: Callable[[str], Any] | None = None
    ) -> None:
        """Give what is written from now on to `call`; `beneath` is the stream that stood here.

        `write_beneath` is how to write to it, where its own way would lead back into the call.
        """
        if beneath is not self:
            self._beneath = beneath
            self._write_beneath = (
                write_beneath if write_beneath is not None else getattr(beneath, "write", _discard)
            )
        if call is not None:
            self._pieces = call.pending[self.name]
        self._call = call

    def mend(self) -> bool:
        """Take off methods that code put over ours, which would outlive it; whether there were any."""
        kept = {name: vars(self).pop(name) for name in list(vars(self)) if hasattr(type(self), name)}
        # IPython puts a method over ours for the time of a cell, and then ours over itself.
        return any(method != getattr(self, name) for name, method in kept.items())

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
        call = self._call
        if type(text) is not str:
            text = _plain(text)
        if call is None or (current_call.get() is not call and not call.owns_this_thread()):
            if call is not None:  # while none is on, those left running are listened to
                tell_late(text)
            self.write_beneath(text)
            return len(text)
        pieces = self._pieces
        if not pieces:
            call.begin_batch(self.name)
        pieces.append(text)
        call.room -= len(text) + WRITE_COST
        if call.room < 0:
            call.give(self.name)
            if deferred:
                catch_up()
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:  # type: ignore[override]
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Give the sink what is pending; flush the stream beneath when it is written to."""
        call = self._call
        if call is not None and call.owns_this_thread():
            call.begin_batch(self.name)
            call.give(self.name)
        if call is None or call.forward is not None:
            _quietly(getattr(self._beneath, "flush", bool))

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


def _plain(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"write() argument must be str, not {type(text)}")
    return "".join((text,))


def _discard(text: str) -> None:
    """Where text goes when there is no stream at all."""


def _quietly(function: Callable[[], Any]) -> None:
    with contextlib.suppress(ValueError, OSError):
        function()


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


STREAMS: dict[StreamName, CapturedStream] = {
    "stdout": CapturedStream("stdout"),
    "stderr": CapturedStream("stderr"),
}
