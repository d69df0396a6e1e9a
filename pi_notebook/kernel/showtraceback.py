"""Exceptions that the shell would show, kept instead.

IPython formats a traceback in colours (seconds for a deep recursion) and publishes it into the
cell. While code of the agent runs, an exception is data.
"""

from __future__ import annotations

import asyncio
import os
import sys
from types import TracebackType
from typing import Any

from pi_notebook.kernel.forks import leave_child
from pi_notebook.kernel.swaps import Swaps


class Failures:
    """While open, the shell shows no exception; the last one is kept."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._swaps = Swaps()
        self._pid = os.getpid()
        self.last: BaseException | None = None

    def __enter__(self) -> Failures:
        for name in ("showtraceback", "showsyntaxerror", "showindentationerror"):
            self._swaps.set(self._shell, name, self._keep)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._swaps.restore()

    def _keep(self, exc_tuple: Any = None, *args: Any, **keywords: Any) -> None:
        error = exc_tuple[1] if isinstance(exc_tuple, tuple) else sys.exc_info()[1]
        if error is None:
            return
        self.last = error
        if os.getpid() != self._pid:
            leave_child(error)
        # %debug in a later cell looks here.
        sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
        if sys.version_info >= (3, 12):
            sys.last_exc = error


class ShortInterrupts:
    """While open, an interrupt that the shell shows ends at the line it met, not in our signal handler."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._swaps = Swaps()

    def __enter__(self) -> ShortInterrupts:
        show = self._shell.showtraceback

        def show_shortened(exc_tuple: Any = None, *args: Any, **keywords: Any) -> None:
            kind, error, trace = exc_tuple if isinstance(exc_tuple, tuple) else sys.exc_info()
            if isinstance(error, (KeyboardInterrupt, asyncio.CancelledError)):
                _cut_our_end(trace)
            show(exc_tuple, *args, **keywords)

        self._swaps.set(self._shell, "showtraceback", show_shortened)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._swaps.restore()


def _cut_our_end(trace: TracebackType | None) -> None:
    last = None
    while trace is not None:
        if not trace.tb_frame.f_code.co_filename.startswith(_HERE):
            last = trace
        trace = trace.tb_next
    if last is not None:
        last.tb_next = None


_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
