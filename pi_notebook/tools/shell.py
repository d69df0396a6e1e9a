"""One shell command as a process group of its own: drained as it prints, ended as a whole.

Everything here blocks, and runs on a worker thread; `stop` may come from any other.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

try:
    import fcntl
except ImportError:  # Windows; no shell is found there, so nothing here is called
    _PIPE_SIZE_COMMAND = None
else:
    _PIPE_SIZE_COMMAND = getattr(fcntl, "F_SETPIPE_SZ", None)

_PIPE_BYTES = 1024 * 1024
_READ_BYTES = 256 * 1024
_TICK_SECONDS = 0.05
_GLANCE_SECONDS = 0.2
_KILL_AFTER_SECONDS = 0.3
"""Between asking the group to end and ending it."""
_IDLE_SECONDS = 0.15
"""How long nothing must come, once the shell is gone, before what else holds its output is left alone."""
_DRAIN_SECONDS = 2.0

_QUIET = {"TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "NO_COLOR": "1"}
"""Nobody is there to page, to answer or to see colours."""
_LOUD = frozenset({"FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"})
"""A kernel sets them for its own children."""

Ending = Literal["exited", "timeout", "stopped"]


@dataclass(frozen=True, kw_only=True)
class ShellOutcome:
    """How a command ended."""

    ending: Ending
    exit_code: int
    """As a shell reports it: 128 and the signal when one ended it."""
    left_running: bool = False
    """True when processes it started in the background still held its output."""


class ShellCommand:
    """A command line that is run once."""

    def __init__(
        self, command: str, *, shell: str, folder: Path, environ: Mapping[str, str] | None = None
    ) -> None:
        self._arguments = [shell, "-c", command]
        self._folder = folder
        self._environ = child_environment(os.environ if environ is None else environ)
        self._is_stopped = False

    def stop(self) -> None:
        """End the command and all it started; `run` returns soon after."""
        self._is_stopped = True

    def run(
        self, take: Callable[[bytes], None], *, timeout_seconds: float, glance: Callable[[], None]
    ) -> ShellOutcome:
        """Run to the end, giving all output to `take`; `glance` is called now and then meanwhile.

        Raises `OSError` or `ValueError` when it cannot be started.
        """
        reading, writing = os.pipe()
        try:
            _widen(reading)
            process = self._start(writing)
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        try:
            return _Drain(process, reading, take, glance).run(
                time.monotonic() + timeout_seconds, lambda: self._is_stopped
            )
        finally:
            os.close(reading)

    def _start(self, writing: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._arguments,
            cwd=self._folder,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The kernel's environment without what makes sense in the kernel alone."""
    kept = {name: value for name, value in environ.items() if name not in _LOUD}
    if kept.get("MPLBACKEND", "").startswith("module://"):
        # The notebook's own backend: another Python may lack it, and it can show nothing there.
        kept["MPLBACKEND"] = "agg"
    return {**kept, **_QUIET}


class _Drain:
    """Reads a process's output until it ends, or until it is made to."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        reading: int,
        take: Callable[[bytes], None],
        glance: Callable[[], None],
    ) -> None:
        self._process = process
        self._reading = reading
        self._take = take
        self._glance = glance
        self._poller = select.poll()
        self._poller.register(reading, select.POLLIN | select.POLLHUP)
        self._is_open = True
        self._last_data = time.monotonic()
        self._last_glance = 0.0

    def run(self, deadline: float, is_stopped: Callable[[], bool]) -> ShellOutcome:
        while self._is_open and self._process.poll() is None:
            ending: Ending | None = "stopped" if is_stopped() else None
            if ending is None and time.monotonic() >= deadline:
                ending = "timeout"
            if ending is not None:
                self._kill_group()
                return self._outcome(ending)
            self._read_some()
        if self._is_open:
            self._drain_rest()
        return self._wait(deadline, is_stopped)

    def _read_some(self) -> None:
        if self._poller.poll(_TICK_SECONDS * 1000):
            data = os.read(self._reading, _READ_BYTES)
            self._is_open = bool(data)
            self._last_data = time.monotonic()
            self._take(data)
        if (now := time.monotonic()) - self._last_glance >= _GLANCE_SECONDS:
            self._last_glance = now
            self._glance()

    def _drain_rest(self) -> None:
        """Take what is still in the pipe, without waiting for those who keep it open."""
        until = time.monotonic() + _DRAIN_SECONDS
        self._last_data = time.monotonic()
        while self._is_open and (now := time.monotonic()) < until and now - self._last_data < _IDLE_SECONDS:
            self._read_some()

    def _wait(self, deadline: float, is_stopped: Callable[[], bool]) -> ShellOutcome:
        """The outcome of a shell that has ended, or has closed its output and goes on."""
        while self._process.poll() is None:
            if is_stopped() or time.monotonic() >= deadline:
                self._kill_group()
                return self._outcome("stopped" if is_stopped() else "timeout")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_TICK_SECONDS)
        return self._outcome("exited")

    def _kill_group(self) -> None:
        self._signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_KILL_AFTER_SECONDS)
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._drain_rest()

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _outcome(self, ending: Ending) -> ShellOutcome:
        code = self._process.wait()
        return ShellOutcome(
            ending=ending, exit_code=code if code >= 0 else 128 - code, left_running=self._is_open
        )


def _widen(pipe: int) -> None:
    """Let the writer run further ahead; where that is refused, it is only slower."""
    if _PIPE_SIZE_COMMAND is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, _PIPE_SIZE_COMMAND, _PIPE_BYTES)
