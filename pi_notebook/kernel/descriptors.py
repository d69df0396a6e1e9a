"""Descriptors 1 and 2 while code of the agent runs: children, C code, `os.write`.

Owns a pipe in place of each and the thread that reads them. A pipe of our own for each call, not
the kernel's: a child that outlives its call keeps writing to the pipe of that call, so that its
late output is told from that of the next call. Where there are no such pipes (Windows), the
descriptors are left as they are.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import selectors
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pi_notebook.kernel.outputs import StreamName
from pi_notebook.kernel.shield import shielded

if sys.platform != "win32":
    import fcntl
    import termios


class DescriptorTap:
    """Reads what is written to descriptors 1 and 2 and gives it to `take`, until `close`.

    What comes after `close`, from children still running, is written to the descriptors as they
    are then, and so reaches the cell that is current.
    """

    def __init__(
        self,
        take: Callable[[StreamName, str], None],
        *,
        tick: Callable[[], None],
        tell_late: Callable[[str], None],
    ) -> None:
        self._take = take
        self._tell_late = tell_late
        """Called with what comes after `close`, besides its being passed on."""
        self._tick = tick
        """Called several times a second by the reader thread, until `close`."""
        self._pipes: dict[StreamName, _Pipe] = {}
        self._lock = threading.RLock()
        self._is_late = False
        self._drained = threading.Event()
        self._wake = self._wake_reader = -1

    def open(self) -> bool:
        """Put the pipes in place; False where there are none, and so no reader."""
        if sys.platform == "win32":
            return False
        _flush_libc()
        for name, descriptor in (("stdout", 1), ("stderr", 2)):
            pipe = _Pipe.put_over(descriptor)
            if pipe is not None:
                self._pipes[name] = pipe  # type: ignore[index]
        selector = self._selector()
        if selector is None:
            self._undo()
            return False
        threading.Thread(
            target=self._read, args=(selector,), name="pi-notebook-descriptors", daemon=True
        ).start()
        return True

    def _selector(self) -> selectors.BaseSelector | None:
        """What the reader waits on, made before the code can use descriptors up; None for want of them."""
        try:
            selector = selectors.DefaultSelector()
        except OSError:
            return None
        try:
            self._wake, self._wake_reader = os.pipe()
        except OSError:
            selector.close()
            return None
        selector.register(self._wake, selectors.EVENT_READ, None)
        for name, pipe in self._pipes.items():
            selector.register(pipe.reading_end, selectors.EVENT_READ, name)
        return selector

    def _undo(self) -> None:
        for pipe in self._pipes.values():
            pipe.put_back()
            pipe.close()
        self._pipes.clear()

    def close(self) -> list[str]:
        """Put the descriptors back, take what the pipes still hold, and say what had to be mended."""
        if self._wake_reader < 0:
            return []
        _flush_libc()
        mended = [
            f"Descriptor {pipe.descriptor} was closed or redirected; put back."
            for pipe in self._pipes.values()
            if not pipe.put_back()
        ]
        os.write(self._wake_reader, b"x")  # closing alone wakes nobody while a forked child has a copy
        os.close(self._wake_reader)
        self._wake_reader = -1
        self._drained.wait(_DRAIN_SECONDS)
        return mended

    def write_past(self, name: StreamName, text: str) -> None:
        """Write where the descriptor of `name` led before."""
        pipe = self._pipes.get(name)
        if pipe is not None:
            pipe.pass_on(text.encode("utf-8", "backslashreplace"))

    @shielded
    def settle(self, name: StreamName) -> None:
        """Take at once what the pipe of `name` holds, in the caller's thread."""
        pipe = self._pipes.get(name)
        if pipe is not None and not self._is_late and pipe.has_data():
            with self._lock:
                if not self._is_late:
                    self._drain(name, pipe)

    def _read(self, selector: selectors.BaseSelector) -> None:
        """The reader thread: until both pipes have ended, which is after the last child that has them."""
        with selector:
            while len(selector.get_map()):
                for key, _ in selector.select(None if self._is_late else _TICK_SECONDS):
                    if key.data is None:
                        self._end_of_call()
                        selector.unregister(key.fd)
                    elif not self._read_some(key.data):
                        selector.unregister(key.fd)
                if not self._is_late:
                    self._tick()
        os.close(self._wake)
        for pipe in self._pipes.values():
            pipe.close()

    def _read_some(self, name: StreamName) -> bool:
        """Take or pass on one chunk; False at the end of the pipe."""
        pipe = self._pipes[name]
        with self._lock:
            data = pipe.read()
            if data and self._is_late:
                pipe.pass_on(data)
                self._tell_late(pipe.decoder.decode(data))
            elif data:
                self._give(name, pipe, data)
        return data != b""

    def _end_of_call(self) -> None:
        with self._lock:
            for name, pipe in self._pipes.items():
                self._drain(name, pipe)
                self._give(name, pipe, b"")
            self._is_late = True
        self._drained.set()

    def _drain(self, name: StreamName, pipe: _Pipe) -> None:
        """Take all there is, and no more than a child that never stops can add meanwhile."""
        until = time.monotonic() + _DRAIN_SECONDS / 4
        while (data := pipe.read()) and time.monotonic() < until:
            self._give(name, pipe, data)
        if data:
            self._give(name, pipe, data)

    def _give(self, name: StreamName, pipe: _Pipe, data: bytes) -> None:
        text = pipe.decoder.decode(data, final=not data)
        if text:
            self._take(name, text)


@dataclass(kw_only=True)
class _Pipe:
    """A pipe that stands in place of a descriptor."""

    descriptor: int
    saved: int
    reading_end: int
    identity: tuple[int, int]
    decoder: Any = field(default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace"))

    @classmethod
    def put_over(cls, descriptor: int) -> _Pipe | None:
        """A pipe over `descriptor`, or None where it is not open, or no descriptor is left for a pipe."""
        try:
            saved = os.dup(descriptor)
        except OSError:
            return None
        try:
            reading_end, writing_end = os.pipe()
        except OSError:
            os.close(saved)
            return None
        os.set_blocking(reading_end, False)
        with contextlib.suppress(OSError, AttributeError):
            # C code that prints while it holds the interpreter lock hangs when the pipe is full.
            fcntl.fcntl(writing_end, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        os.dup2(writing_end, descriptor)
        os.close(writing_end)
        identity = _identity(descriptor)
        return cls(descriptor=descriptor, saved=saved, reading_end=reading_end, identity=identity)

    def put_back(self) -> bool:
        """Restore the descriptor; False when it was no longer this pipe."""
        was_in_place = _identity(self.descriptor) == self.identity
        _dup2(self.saved, self.descriptor)
        return was_in_place

    def pass_on(self, data: bytes) -> None:
        """Write where the descriptor led before, past this pipe and that of a call that may be on."""
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(self.saved, data) :]

    def close(self) -> None:
        """Let go of the pipe and of what it stood in place of."""
        os.close(self.reading_end)
        os.close(self.saved)

    def has_data(self) -> bool:
        try:
            return fcntl.ioctl(self.reading_end, termios.FIONREAD, b"\0\0\0\0") != b"\0\0\0\0"
        except OSError:
            return False

    def read(self) -> bytes | None:
        """What there is now: None when nothing is, empty at the end."""
        try:
            return os.read(self.reading_end, _READ_BYTES)
        except BlockingIOError:
            return None
        except OSError:
            return b""


_PIPE_BYTES = 1 << 20
_READ_BYTES = 1 << 16
_DRAIN_SECONDS = 1.0
_TICK_SECONDS = 0.05
_DUP_TRIES = 100
_DUP_PAUSE_SECONDS = 0.001


def _dup2(descriptor: int, target: int) -> None:
    """`os.dup2`, again while another thread is opening a file that gets the number of `target`."""
    for _ in range(_DUP_TRIES):
        try:
            os.dup2(descriptor, target)
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            time.sleep(_DUP_PAUSE_SECONDS)
        else:
            return


def _identity(descriptor: int) -> tuple[int, int]:
    try:
        status = os.fstat(descriptor)
    except OSError:
        return (-1, -1)
    return (status.st_dev, status.st_ino)


def _flush_libc() -> None:
    """Write out what C code printed: into a pipe, C's `stdout` is buffered until it is full.

    Only that stream; flushing all of them can wait for one another thread is reading from.
    """
    import ctypes

    try:
        libc = ctypes.CDLL(None)
        name = "__stdoutp" if sys.platform == "darwin" else "stdout"
        libc.fflush(ctypes.c_void_p.in_dll(libc, name))
    except (OSError, ValueError, AttributeError):
        return
