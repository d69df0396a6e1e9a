"""Running code on the kernel's main thread for someone on another thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

from pi_notebook.errors import KernelError
from pi_notebook.kernel.outputs import CellResult, OutputSink

T = TypeVar("T")


class CodeExecutor(Protocol):
    """Lends the kernel's main thread. Called on the loop of the run, which is another thread's.

    Jobs run one at a time, in the order asked for. When the caller is cancelled, a job that has not
    begun never runs, and one that has is interrupted. Raises `NoKernelError` when the main thread
    is not lent (any more).
    """

    async def run_code(
        self, code: str, sink: OutputSink, *, timeout_seconds: float | None = None
    ) -> CellResult:
        """Run `code` as a cell would be: magics, top-level await, plots, the person's variables.

        Whatever the code does is in the result; nothing is raised for it.
        """
        ...

    async def call(self, function: Callable[[], T], *, timeout_seconds: float) -> T:
        """Call `function` on the main thread, interrupted at the deadline with `CodeTimeoutError`.

        For whatever touches the person's objects. What `function` raises is raised here.
        """
        ...

    async def ask(self, prompt: str) -> str | None:
        """The line the person types at the kernel's input prompt; None where nobody can be asked."""
        ...


@runtime_checkable
class CellExecutor(Protocol):
    """A `CodeExecutor` that can run a cell of the notebook where it stands."""

    async def run_cell(
        self, cell_id: str, code: str, sink: OutputSink, *, timeout_seconds: float | None = None
    ) -> CellResult:
        """Run the cell with that id, whose source is `code`; otherwise as `run_code`."""
        ...


async def call_if_free(
    executor: CodeExecutor, function: Callable[[], T], *, timeout_seconds: float
) -> T | None:
    """What `function` gives on the main thread; None when that is busy, as with a cell of the person's.

    The call's own deadline begins when the kernel comes to it, which may be after a long cell.
    """
    calling = asyncio.ensure_future(executor.call(function, timeout_seconds=timeout_seconds))
    try:
        await asyncio.wait({calling}, timeout=2 * timeout_seconds)
    finally:
        if not calling.done():
            calling.cancel()
    try:
        return calling.result() if calling.done() and not calling.cancelled() else None
    except KernelError:
        return None
