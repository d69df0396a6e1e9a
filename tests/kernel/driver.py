"""What stands for a session inside the kernel under test: a background loop, a sink and a magic.

Loaded into the kernel with `import tests.kernel.driver as driver`; uses nothing but the kernel layer.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import dataclasses
import json
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

from IPython.core.getipython import get_ipython

from pi_notebook.kernel.await_magic import AwaitingTransformer, is_awaited
from pi_notebook.kernel.awaited import AwaitedCellExecutor
from pi_notebook.kernel.blocking import BlockingCellExecutor
from pi_notebook.kernel.frontend import FrontEndExecutor
from pi_notebook.kernel.interrupts import Interrupts
from pi_notebook.kernel.outputs import CellResult, DisplayOutput

Session = Callable[[Any], Coroutine[Any, Any, Any]]


class ListSink:
    """Keeps everything in order; neighbouring text of one stream is joined."""

    def __init__(self) -> None:
        self.items: list[list[Any]] = []

    def write(self, stream: str, text: str) -> None:
        if self.items and self.items[-1][0] == stream:
            self.items[-1][1] += text
        else:
            self.items.append([stream, text])

    def display(self, output: DisplayOutput) -> None:
        data = {mime: part if len(str(part)) < 200 else "..." for mime, part in output.data.items()}
        self.items.append(["display", data, output.display_id, output.is_update])

    def text(self, stream: str = "stdout") -> str:
        return "".join(item[1] for item in self.items if item[0] == stream)


class Counter:
    """A sink that only counts."""

    def __init__(self) -> None:
        self.chars = 0
        self.displays = 0

    def write(self, stream: str, text: str) -> None:
        self.chars += len(text)

    def display(self, output: DisplayOutput) -> None:
        self.displays += 1


loop = asyncio.new_event_loop()
threading.Thread(target=loop.run_forever, name="background", daemon=True).start()

interrupts = 0
is_deaf = False
"""Whether the session ignores interrupts."""
_task: asyncio.Task[Any] | None = None
_interrupts: Interrupts | None = None
_last_at: float | None = None


def on_interrupt() -> None:
    """Count an interrupt, which is told more than once, and stop the session."""
    global interrupts, _last_at
    last_at = None if _interrupts is None else _interrupts.last_at
    if last_at is None or last_at != _last_at:
        interrupts, _last_at = interrupts + 1, last_at
    if not is_deaf and _task is not None:
        loop.call_soon_threadsafe(_task.cancel)


async def _as_task(coroutine: Coroutine[Any, Any, Any]) -> Any:
    global _task
    _task = asyncio.current_task()
    return await coroutine


def submit(session: Session, executor: Any) -> concurrent.futures.Future[Any]:
    global interrupts, _interrupts
    interrupts, _interrupts = 0, getattr(executor, "interrupts", None)
    return asyncio.run_coroutine_threadsafe(_as_task(session(executor)), loop)


async def awaited(session: Session) -> Any:
    executor = AwaitedCellExecutor(get_ipython(), on_interrupt=on_interrupt)
    with executor:  # before the run begins, as cells do: an interrupt may come at once
        return await executor.lend(submit(session, executor))


def blocking(session: Session) -> Any:
    executor = BlockingCellExecutor(get_ipython(), on_interrupt=on_interrupt)
    with executor:
        return executor.lend(submit(session, executor))


def codes(*pieces: str, timeout_seconds: float | None = None) -> Session:
    """A session that runs pieces of code, and reports the results even of those interrupted."""

    async def session(executor: Any) -> list[dict[str, Any]]:
        reports = []
        for code in pieces:
            sink = ListSink()
            job = asyncio.ensure_future(executor.run_code(code, sink, timeout_seconds=timeout_seconds))
            while not job.done():
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.shield(job)
            reports.append(report(job.result(), sink))
        return reports

    return session


def report(result: CellResult, sink: ListSink) -> dict[str, Any]:
    return {
        "status": result.status,
        "value": result.value if isinstance(result.value, int) else None,
        "data": dict(result.value_data),
        "error": None if result.error is None else vars(result.error),
        "notes": list(result.notes),
        "items": sink.items,
        "stdout": sink.text(),
        "stderr": sink.text("stderr"),
        "seconds": result.duration_seconds,
        "interrupts": interrupts,
        "effects": dataclasses.asdict(result.effects),
    }


def tell(outcome: Any) -> None:
    """Write the outcome where the test finds it."""
    sys.stdout.write("\nREPORT" + json.dumps(outcome, default=repr) + "\n")


async def one_piece(executor: Any, code: str) -> None:
    sink = ListSink()
    result = await executor.run_code(code, sink)
    tell([report(result, sink)])


async def count(executor: Any, code: str) -> int:
    """How many characters `code` writes."""
    counter = Counter()
    await executor.run_code(code, counter)
    return counter.chars


def demo(line: str, cell: str) -> Any:
    """A cell magic that runs its cell through the executor that fits, and tells which that was."""
    shell = get_ipython()
    if is_awaited(shell):
        return _demo_awaited(cell)
    tell(["blocking", *blocking(codes(cell))])
    return None


async def _demo_awaited(cell: str) -> None:
    tell(["awaited", *await awaited(codes(cell))])


def load_demo() -> None:
    get_ipython().register_magic_function(demo, "cell", "demo")
    AwaitingTransformer("demo").install(get_ipython())


requests: list[dict[str, Any]] = []
"""What the front end was asked to execute, for the test that plays it."""
front_end: Any = None
_outcome: concurrent.futures.Future[Any] | None = None


def begin_front_end(session: Session) -> None:
    """Begin a session whose code the front end sends; the kernel stays free."""
    global front_end, _outcome
    requests.clear()
    front_end = FrontEndExecutor(
        get_ipython(), send=lambda request: requests.append(vars(request)), on_interrupt=on_interrupt
    )
    _outcome = submit(session, front_end)


def take_requests() -> list[dict[str, Any]]:
    """Those that have come; waits a moment for one."""
    until = time.monotonic() + 5
    while not requests and time.monotonic() < until and _outcome is not None and not _outcome.done():
        time.sleep(0.01)
    taken, requests[:] = list(requests), []
    return taken


def end_front_end(seconds: float = 5) -> Any:
    """The session's outcome, once it has one; the shell is let go."""
    try:
        return _outcome.result(seconds) if _outcome is not None else None
    except BaseException as error:
        return [type(error).__name__, str(error)]
    finally:
        front_end.close()
