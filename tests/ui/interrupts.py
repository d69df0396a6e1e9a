"""Runs interrupted at a moment of a phase, for the matrix in `make test` and its long version."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kernel.client import Kernel
from tests.provider import Hang, Provider, Sleep, calls, chunk, stream, text

PROMPT_SECONDS = 1.0
OWN_SECONDS = 0.2
"""The same where no code of the person's or the agent's must be ended first."""


@dataclass(frozen=True, kw_only=True)
class Phase:
    """Where in a run an interrupt comes."""

    script: tuple[Any, ...]
    """What the provider sends."""
    cue: str
    """The type of a message of the cell, or a part of its content, that shows that the phase is on."""
    after_seconds: tuple[float, float] = (0.0, 0.3)
    """How long after it the interrupt is sent, at least and at most."""
    repeats: int = 0
    """How many further interrupts follow within as long each."""
    is_own: bool = False
    """Whether none but our own code runs then."""
    asks: bool = False
    """Whether somebody could answer a prompt."""
    is_close: bool = False
    """Whether the interrupt comes so near to the run's beginning or end that the kernel sends it itself:
    later or earlier it would meet ipykernel's own code, which then sends half a reply or none."""
    is_endless: bool = False
    """Whether a run that one comes close to cannot be over before it comes."""


def _code(source: str) -> tuple[Any, ...]:
    # In pieces: the code itself is shown too, before it runs.
    return calls(("run_code", {"code": f"display('be' + 'gun')\n{source}"})), text("never")


_CODE_CUE = "'begun'"
_SLOW_ANSWER = stream(*[step for n in range(500) for step in (chunk({"content": f"{n} "}), Sleep(0.02))])
_SWALLOWED = "import time\nfor _ in range(3):\n    try: time.sleep(60)\n    except BaseException: pass"

PHASES = {
    "before the request": Phase(
        script=(text("done"),), cue="pre_run_cell", after_seconds=(0, 0.03), is_own=True, is_close=True
    ),
    "connecting": Phase(
        # On a busy machine the cell itself begins long after its message.
        script=([Hang()],),
        cue="pre_run_cell",
        after_seconds=(0.1, 0.5),
        is_own=True,
        is_close=True,
        is_endless=True,
    ),
    "in the stream": Phase(script=(_SLOW_ANSWER,), cue="text/markdown", is_own=True),
    "awaiting approval": Phase(
        script=(calls(("run_code", {"code": "1"})), text("never")),
        cue="input_request",
        is_own=True,
        asks=True,
    ),
    "in a Python loop": Phase(script=_code("while True: pass"), cue=_CODE_CUE),
    "in an await": Phase(script=_code("import asyncio; await asyncio.sleep(60)"), cue=_CODE_CUE),
    "in a flood of output": Phase(script=_code("while True: print('x' * 70)"), cue=_CODE_CUE),
    "in a C call": Phase(
        # It keeps the interpreter to itself: the cue must have gone out before.
        script=_code("import re, time; time.sleep(0.3); re.match(r'(a+)+$', 'a' * 64 + 'b')"),
        cue=_CODE_CUE,
        after_seconds=(0.2, 0.7),
    ),
    "at refused input": Phase(
        script=_code("while True:\n    try: input()\n    except Exception: pass"), cue=_CODE_CUE
    ),
    "waiting for a lock": Phase(
        script=_code("import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()"),
        cue=_CODE_CUE,
    ),
    "in a child process": Phase(
        script=_code("import subprocess; subprocess.run(['sleep', '60'])"), cue=_CODE_CUE
    ),
    "in a shell command": Phase(
        script=(calls(("bash", {"command": "sleep 60"})), text("never")), cue="sleep 60"
    ),
    "writing the session": Phase(
        script=(calls(("run_code", {"code": "1"})),), cue="display_data", after_seconds=(0, 0.6)
    ),
    "at the end": Phase(
        script=(text("fine"),), cue="text/markdown", after_seconds=(0, 0.03), is_own=True, is_close=True
    ),
    # The second one ends the code: a third could meet ipykernel's own, which then sends no reply.
    "again and again": Phase(script=_code(_SWALLOWED), cue=_CODE_CUE, repeats=1),
}

CELLS = ("%%agent", "%%time\n%%agent")
"""A cell that awaits its run, and one that cannot."""


def check_interrupts(
    kernel: Kernel, provider: Provider, name: str, *, runs: int, moments: random.Random
) -> None:
    """Interrupt `runs` runs in the phase `name`; the prompt is back in time, and nothing is left of them."""
    seconds = sorted(_interrupted_run(kernel, provider, name, moments) for _ in range(runs))
    wait = _wait_for_a_core()
    assert seconds[-1] < wait * PROMPT_SECONDS, (name, wait, seconds)
    if PHASES[name].is_own:
        # One of the file system's pauses is no fault.
        assert seconds[runs // 2] < wait * OWN_SECONDS, (name, wait, seconds)
    kernel.check_health()


def _wait_for_a_core() -> float:
    """How many times longer everything takes now since others want the cores too; 1 when nobody does."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _interrupted_run(kernel: Kernel, provider: Provider, name: str, moments: random.Random) -> float:
    """How long after the last interrupt the cell ended."""
    phase = PHASES[name]
    provider.script(*phase.script)
    delays = [moments.uniform(*phase.after_seconds) for _ in range(1 + phase.repeats)]
    cell = moments.choice(CELLS)
    label = f"{name}, {cell!r}, after {delays}"
    if phase.is_close:
        kernel.run(f"closely.arm({phase.cue!r}, {delays[0]})")
    interrupter = _Interrupter(kernel, phase.cue, delays)
    execution = kernel.run(
        f"{cell}{'' if phase.asks else ' --auto'}\ngo",
        timeout=15,
        answers=[] if phase.asks else None,
        on_message=None if phase.is_close else interrupter.look,
    )
    ended_at = time.monotonic()
    if phase.is_close:
        (sent_at,) = map(float, kernel.run("closely.sent_at()").values())
    else:
        sent_at = interrupter.join()
    if phase.is_endless or not phase.is_close:
        assert execution.errors == ["RunStopped: "], (label, execution.errors)
    _see_that_nothing_is_left(kernel, provider, label)
    return ended_at - sent_at


@contextlib.contextmanager
def interruptible_kernel(provider: Provider, folder: Path) -> Iterator[Kernel]:
    """A kernel with the extension loaded and the model's library warm."""
    env = provider.environment(folder / "home")
    with Kernel(env=env, cwd=folder) as kernel:
        kernel.run("%load_ext pi_notebook")
        for budget in ("same_calls", "tool_calls"):  # what is interrupted may go on for long
            kernel.run(f"%agent settings budget.{budget} none")
        for cell in CELLS:  # IPython loads %%time when it is used, and not again when that was cut short
            assert kernel.run(f"{cell}\nwarm").errors == []
        kernel.run("%xmode Minimal")  # IPython takes its time to show where an interrupt met it
        kernel.run("from tests.ui.interrupts import CloseInterrupter")
        kernel.run("closely = CloseInterrupter(get_ipython())")
        yield kernel


def _see_that_nothing_is_left(kernel: Kernel, provider: Provider, label: str) -> None:
    """No interrupt in the next three cells, and a history that a strict provider takes."""
    for number in range(3):
        undisturbed = kernel.run(f"import time; time.sleep(0.02); {number}")
        assert (undisturbed.errors, undisturbed.values()) == ([], [str(number)]), label
    provider.script(text("taken"))
    again = kernel.run("%%agent\nagain")
    assert (again.errors, again.values("text/markdown")[-1:]) == ([], ["taken"]), (label, again.errors)
    assert not [problem for exchange in provider.exchanges for problem in exchange.problems], label


class _Interrupter:
    """Interrupts a kernel some time after the cue."""

    def __init__(self, kernel: Kernel, cue: str, delays: list[float]) -> None:
        self._kernel = kernel
        self._cue = cue
        self._thread = threading.Thread(target=self._send, args=(delays,))
        self._sent_at = 0.0

    def look(self, message: dict[str, Any]) -> None:
        kind = message["msg_type"]
        is_cue = kind == self._cue or (kind != "execute_input" and self._cue in str(message["content"]))
        if is_cue and self._thread.ident is None:
            self._thread.start()

    def _send(self, delays: list[float]) -> None:
        for delay in delays:
            time.sleep(delay)
            self._sent_at = time.monotonic()
            self._kernel.interrupt()

    def join(self) -> float:
        """When the last interrupt was sent, once it has been."""
        assert self._thread.ident is not None, f"{self._cue} never came"
        self._thread.join()
        return self._sent_at


class CloseInterrupter:
    """In the kernel: interrupts a cell some time after a cue, unless the cell is over by then."""

    def __init__(self, shell: Any) -> None:
        self._armed = ("", 0.0)
        self._cue: str | None = None
        self._delay = 0.0
        self._lock = threading.Lock()
        self._is_over = False
        self._sent_at = 0.0
        self._publish = shell.display_pub.publish
        shell.display_pub.publish = self._on_publish
        shell.events.register("pre_run_cell", self._on_begin)
        shell.events.register("post_execute", self._on_end)

    def arm(self, cue: str, delay: float) -> None:
        """Interrupt the next cell `delay` seconds after the event or the first display of this type."""
        self._armed = (cue, delay)

    def sent_at(self) -> float:
        """When the interrupt was sent; else now."""
        return self._sent_at or time.monotonic()

    def _on_begin(self, info: Any) -> None:
        if info.raw_cell.startswith("%%"):
            (self._cue, self._delay), self._armed = self._armed, ("", 0.0)
            self._is_over, self._sent_at = False, 0.0
            self._look("pre_run_cell")

    def _on_publish(self, data: Any, *args: Any, **keywords: Any) -> None:
        self._publish(data, *args, **keywords)
        for mime_type in data:
            self._look(mime_type)

    def _look(self, cue: str) -> None:
        if cue == self._cue:
            self._cue = None
            threading.Timer(self._delay, self._send).start()

    def _send(self) -> None:
        with self._lock:
            if not self._is_over:
                self._sent_at = time.monotonic()
                os.kill(os.getpid(), signal.SIGINT)

    def _on_end(self) -> None:
        with self._lock:
            self._is_over = True
