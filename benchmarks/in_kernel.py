"""What the measurements run inside a kernel; imported there."""

from __future__ import annotations

import gc
import json
import resource
import time

from IPython.core.getipython import get_ipython

from pi_notebook.agent.events import ToolExecutionEnd, ToolExecutionStart
from pi_notebook.agent.messages import ToolCall
from pi_notebook.kernel.awaited import AwaitedCellExecutor
from pi_notebook.models.scripted import ScriptedModel
from pi_notebook.session.background import background
from pi_notebook.ui.displays import display_for
from pi_notebook.ui.extension import current_session

_ENDLESS = 10**9
"""Tokens: no session becomes so long that it is summarised, which would ask the model once more."""

begun = previous = 0.0
"""When the running cell and the one before it began, by the clock all processes of a machine share."""


def watch_cells() -> None:
    """Note from now on when each cell begins."""

    def note(*_: object) -> None:
        global begun, previous
        previous, begun = begun, time.monotonic()

    get_ipython().events.register("pre_run_cell", note)


async def run_codes(codes: list[str]) -> str:
    """Let the agent run each code as one call; what each took, and the growth of memory in bytes, as JSON.

    `seconds` are by the clock; `cpu_seconds` are those that this process computed, whatever others did.
    """
    session = current_session()
    seconds: dict[str, float] = {}
    computed: dict[str, float] = {}

    def note(event: object) -> None:
        if isinstance(event, ToolExecutionStart):
            seconds[event.call.id] = time.perf_counter()
            computed[event.call.id] = time.process_time()
        elif isinstance(event, ToolExecutionEnd):
            seconds[event.call.id] = time.perf_counter() - seconds[event.call.id]
            computed[event.call.id] = time.process_time() - computed[event.call.id]

    replies = [*(ToolCall(id="", name="run_code", arguments={"code": code}) for code in codes), "done"]
    model = ScriptedModel(replies, context_window=_ENDLESS)
    executor = AwaitedCellExecutor(get_ipython(), on_interrupt=session.abort)
    drawn = display_for(get_ipython(), stream=True)
    unsubscribe = [session.subscribe(note), session.subscribe(drawn.on_event)]
    before = peak_bytes()
    run = session.prompt("go", executor=executor, model=model, mode="auto")
    await executor.lend(background.submit(run))
    for end in unsubscribe:
        end()
    return json.dumps(
        {
            "seconds": list(seconds.values()),
            "cpu_seconds": list(computed.values()),
            "growth": peak_bytes() - before,
        }
    )


def held() -> str:
    """What this process holds once garbage is collected, as JSON."""
    import psutil

    gc.collect()
    me = psutil.Process()
    return json.dumps(
        {"memory": me.memory_info().rss, "descriptors": me.num_fds(), "threads": me.num_threads()}
    )


def peak_bytes() -> int:
    """The most memory this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
