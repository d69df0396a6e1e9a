"""What stands for a session inside the kernel under test: a background loop, a sink, and two magics.

Loaded into the kernel with `import tests.kernel.driver as driver`.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import json
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from IPython.core.getipython import get_ipython

from pi_notebook.kernel import AwaitedCellExecutor, BlockingCellExecutor, CellResult, DisplayOutput


class ListSink:
    """Keeps everything, in order, with text of the same stream joined."""

    def __init__(self, show: Callable[[str], None] | None = None) -> None:
        self.items: list[list[Any]] = []
        self.show = show

    def write(self, stream: str, text: str) -> None:
        if self.items and self.items[-1][0] == stream:
            self.items[-1][1] += text
        else:
            self.items.append([stream, text])
        if self.show is not None:
            self.show(text)

    def display(self, output: DisplayOutput) -> None:
        data = {mime: part if len(str(part)) < 200 else "..." for mime, part in output.data.items()}
        self.items.append(["display", data, output.display_id, output.is_update])

    def text(self, stream: str = "stdout") -> str:
        return "".join(item[1] for item in self.items if item[0] == stream)


class Background:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, name="background", daemon=True).start()

    def submit(self, coroutine: Coroutine[Any, Any, Any]) -> concurrent.futures.Future[Any]:
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop)


background = Background()
interrupts: list[str] = []
task: asyncio.Task[Any] | None = None
keeps_going = False
"""Whether the run ignores an interrupt."""


def on_interrupt() -> None:
    interrupts.append("interrupt")
    if not keeps_going and task is not None:
        background.loop.call_soon_threadsafe(task.cancel)


async def _tracked(coroutine: Coroutine[Any, Any, Any]) -> Any:
    global task
    task = asyncio.current_task()
    return await coroutine


Session = Callable[[Any], Coroutine[Any, Any, Any]]


async def awaited(session: Session) -> Any:
    executor = AwaitedCellExecutor(get_ipython(), on_interrupt=on_interrupt)
    interrupts.clear()
    return await executor.lend(background.submit(_tracked(session(executor))))


def blocking(session: Session) -> Any:
    executor = BlockingCellExecutor(get_ipython(), on_interrupt=on_interrupt)
    interrupts.clear()
    return executor.lend(background.submit(_tracked(session(executor))))


def report(result: CellResult, sink: ListSink) -> dict[str, Any]:
    return {
        "status": result.status,
        "value_data": dict(result.value_data),
        "error": None if result.error is None else vars(result.error),
        "notes": list(result.notes),
        "items": sink.items,
        "stdout": sink.text(),
        "stderr": sink.text("stderr"),
        "seconds": result.duration_seconds,
        "interrupts": len(interrupts),
    }


def code_session(code: str, timeout_seconds: float | None = None, *, live: bool = False) -> Session:
    """A session that runs one piece of code and reports as JSON on the kernel's own stdout."""
    out, context = sys.stdout, contextvars.copy_context()

    def show(text: str) -> None:
        contextvars.Context.run(context.copy(), sys.__stdout__.write, "")
        if live:
            started.set()

    started = threading.Event()

    async def session(executor: Any) -> dict[str, Any]:
        sink = ListSink(show if live else None)
        job = asyncio.ensure_future(executor.run_code(code, sink, timeout_seconds=timeout_seconds))
        if live:
            while not started.is_set():
                await asyncio.sleep(0.01)
            out.write("LIVE\n")
            out.flush()
        try:
            result = await asyncio.shield(job)
        except asyncio.CancelledError:
            result = await job
        return report(result, sink)

    return session


def tell(outcome: Any) -> None:
    sys.stdout.write("\nREPORT" + json.dumps(outcome, default=repr) + "\n")
