"""Running code in a kernel that is idle: the front end is asked to send it as a request of its own.

A run that was begun in the side panel leaves the kernel free; its code runs as a cell that the
panel inserts, so that outputs, counts and tracebacks are the front end's own. While a run is on, the
shell's two ways of running a cell are ours: a request that we asked for is captured, guarded and
stoppable as in the other executors; any other passes through untouched.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import functools
import threading
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, TypeVar

from pi_notebook.errors import KernelError, NoKernelError
from pi_notebook.kernel.call_watch import CallWatch
from pi_notebook.kernel.capture import Capture
from pi_notebook.kernel.guards import Guards
from pi_notebook.kernel.interrupts import Attempt, Interrupts
from pi_notebook.kernel.lending import call_under
from pi_notebook.kernel.outputs import CellResult, OutputSink
from pi_notebook.kernel.runner import CodeRunner
from pi_notebook.kernel.showtraceback import ShortInterrupts
from pi_notebook.kernel.stepper import Stepper
from pi_notebook.kernel.swaps import Swaps

T = TypeVar("T")

EndStatus = Literal["ok", "error", "aborted", "refused"]


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """What the front end is asked to execute."""

    id: str
    code: str
    is_hidden: bool
    """True for a request that leaves no cell and no count behind."""
    cell_id: str = ""
    """The cell to run; empty when one is to be put in."""


@dataclass(kw_only=True)
class _Asked:
    """A request that was sent, and the one who waits for its outcome."""

    request: RunRequest
    work: Callable[[Attempt], Any] | None = None
    """What a hidden request does; its code is only its name."""
    sink: OutputSink | None = None
    timeout_seconds: float | None = None
    cell_id: str | None = None
    is_withdrawn: bool = False
    attempt: Attempt | None = None
    future: concurrent.futures.Future[Any] = field(default_factory=concurrent.futures.Future)


class FrontEndExecutor:
    """A `CodeExecutor` whose code the front end sends. Close it when the run is over.

    Parameters
    ----------
    shell
        The shell of the kernel that the front end is connected to.
    send
        Gives a request to the front end; called on the loop of the run.
    on_interrupt
        Called for each interrupt while code of the run is on.
    """

    def __init__(
        self, shell: Any, *, send: Callable[[RunRequest], None], on_interrupt: Callable[[], None]
    ) -> None:
        self._shell = shell
        self._send = send
        self._interrupts = Interrupts(on_interrupt)
        self._runner = CodeRunner(shell, self._interrupts)
        self._asked: dict[str, _Asked] = {}
        self._lock = threading.Lock()
        self._swaps = Swaps()
        self._is_closed = False
        self._swaps.set(shell, "run_cell", self._wrapped(shell.run_cell))
        self._swaps.set(shell, "run_cell_async", self._wrapped_async(shell.run_cell_async))

    async def run_code(
        self, code: str, sink: OutputSink, *, timeout_seconds: float | None = None
    ) -> CellResult:
        """Have `code` run as a cell of the notebook; see `CodeExecutor`."""
        return await self.run_cell("", code, sink, timeout_seconds=timeout_seconds)

    async def run_cell(
        self, cell_id: str, code: str, sink: OutputSink, *, timeout_seconds: float | None = None
    ) -> CellResult:
        """Have the cell with that id run, whose source is `code`; see `CellExecutor`."""
        request = RunRequest(id=uuid.uuid4().hex, code=code, is_hidden=False, cell_id=cell_id)
        result: CellResult = await self._outcome(
            _Asked(request=request, sink=sink, timeout_seconds=timeout_seconds)
        )
        return result

    async def call(self, function: Callable[[], T], *, timeout_seconds: float) -> T:
        """Call `function` in a hidden request; see `CodeExecutor`."""
        request_id = uuid.uuid4().hex
        # A comment: harmless should it ever reach a kernel where nobody waits for it.
        request = RunRequest(id=request_id, code=f"# pi-notebook {request_id}", is_hidden=True)
        work = functools.partial(call_under, self._shell, function, timeout_seconds=timeout_seconds)
        result: T = await self._outcome(_Asked(request=request, work=work, timeout_seconds=timeout_seconds))
        return result

    async def ask(self, prompt: str) -> str | None:
        """None: the panel has buttons."""
        return None

    def announced(self, request_id: str, cell_id: str | None) -> None:
        """The front end is about to execute the request, as the cell with that id."""
        with self._lock:
            if request_id in self._asked:
                self._asked[request_id].cell_id = cell_id

    def ended(self, request_id: str, status: EndStatus) -> None:
        """How the request ended for the front end; matters when the kernel never saw it."""
        with self._lock:
            asked = self._asked.pop(request_id, None)
        if asked is not None and asked.attempt is None:
            reason = "was not run: the kernel skipped it" if status != "refused" else "could not be run there"
            _fail(asked, KernelError(f"The code went to the notebook and {reason}."))

    def close(self) -> None:
        """Let the shell go; what still waits ends with `NoKernelError`."""
        with self._lock:
            self._is_closed = True
            left, self._asked = list(self._asked.values()), {}
        self._swaps.restore()
        for asked in left:
            if asked.attempt is not None:
                self._interrupts.stop(asked.attempt, "withdrawn")
            _fail(asked, NoKernelError("The panel's run ended before this could run."))

    async def _outcome(self, asked: _Asked) -> Any:
        with self._lock:
            if self._is_closed:
                raise NoKernelError("The panel's run is over: nothing more is run.")
            self._asked[asked.request.id] = asked
        self._send(asked.request)
        try:
            return await asyncio.wrap_future(asked.future)
        except asyncio.CancelledError:
            self._withdraw(asked)
            raise

    def _withdraw(self, asked: _Asked) -> None:
        """Stop the request; if the front end sends it later all the same, nothing of it runs."""
        asked.is_withdrawn = True
        if asked.attempt is not None:
            self._interrupts.stop(asked.attempt, "withdrawn")

    def _found(self, code: str, cell_id: str | None) -> _Asked | None:
        """The request that a cell is, if it is one of ours."""
        with self._lock:
            for asked in self._asked.values():
                is_named = asked.cell_id is not None and asked.cell_id == cell_id
                if asked.attempt is None and asked.request.code == code and (is_named or cell_id is None):
                    return asked
                if asked.attempt is None and asked.request.is_hidden and asked.request.code == code:
                    return asked
        return None

    def _wrapped(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def run_cell(raw_cell: str, *args: Any, **options: Any) -> Any:
            asked = self._found(raw_cell, options.get("cell_id"))
            if asked is None:
                return original(raw_cell, *args, **options)
            if asked.is_withdrawn or asked.work is not None:
                return self._in_place(asked, lambda: original("", store_history=False, silent=True))
            with self._native(asked) as native, native.attempt.running():
                native.result = original(raw_cell, *args, **options)
            return native.result

        return run_cell

    def _wrapped_async(self, original: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
        @functools.wraps(original)
        async def run_cell_async(raw_cell: str, *args: Any, **options: Any) -> Any:
            asked = self._found(raw_cell, options.get("cell_id"))
            if asked is None:
                return await original(raw_cell, *args, **options)
            if asked.is_withdrawn or asked.work is not None:
                return self._in_place(
                    asked, lambda: self._shell.run_cell("", store_history=False, silent=True)
                )
            with self._native(asked) as native:
                native.result = await Stepper(original(raw_cell, *args, **options), native.attempt)
                with native.attempt.running():
                    self._shell.events.trigger("post_execute")  # figures belong to the call
            return native.result

        return run_cell_async

    @contextlib.contextmanager
    def _native(self, asked: _Asked) -> Iterator[_Native]:
        with self._interrupts, self._interrupts.attempt(asked.timeout_seconds) as attempt:
            asked.attempt = attempt
            native = _Native(self._shell, self._runner, asked, attempt)
            with native:
                yield native

    def _in_place(self, asked: _Asked, nothing: Callable[[], Any]) -> Any:
        """Do the work of a hidden request, or nothing for one that was withdrawn; an empty cell's result."""
        if asked.work is not None and not asked.is_withdrawn:
            with self._interrupts, self._interrupts.attempt(asked.timeout_seconds) as asked.attempt:
                try:
                    outcome, error = asked.work(asked.attempt), None
                except Exception as raised:  # whatever the function raises is its caller's
                    outcome, error = None, raised
            _settle(asked, outcome, error)
        return nothing()


class _Native:
    """One of our cells while the kernel runs it in its own way; its outcome is told at the end."""

    def __init__(self, shell: Any, runner: CodeRunner, asked: _Asked, attempt: Attempt) -> None:
        self._shell = shell
        self._runner = runner
        self._asked = asked
        self.attempt = attempt
        self.result: Any = None
        """What the shell gave: an `ExecutionResult`."""

    def __enter__(self) -> _Native:
        assert self._asked.sink is not None
        self._started = time.monotonic()
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(ShortInterrupts(self._shell))
        self._guards = self._stack.enter_context(Guards(self._shell))
        self._capture = self._stack.enter_context(
            Capture(self._shell, self._asked.sink, forward=True, code=self._asked.request.code)
        )
        self._watch = CallWatch(self._shell, self._asked.request.code)
        self._watch.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        failure = error
        if self.result is not None:
            failure = self.result.error_before_exec or self.result.error_in_exec
        self._guards.mend()
        self._watch.is_whole = failure is None
        self._watch.__exit__(kind, error, trace)
        ending = self._runner.ending(
            self.attempt, getattr(self.result, "result", None), failure, started=self._started
        )
        self._stack.close()
        notes = (*ending.notes, *self._capture.notes, *self._guards.notes)
        # The front end shows the value of a cell that it ran.
        _settle(
            self._asked,
            dataclasses.replace(ending, notes=notes, is_shown=True, effects=self._watch.effects),
            None,
        )


def _settle(asked: _Asked, outcome: Any, error: Exception | None) -> None:
    """Tell the one who waits, unless they have gone."""
    if asked.future.set_running_or_notify_cancel():
        if error is None:
            asked.future.set_result(outcome)
        else:
            asked.future.set_exception(error)


def _fail(asked: _Asked, error: Exception) -> None:
    if not asked.future.done():
        _settle(asked, None, error)
