"""A real kernel process, driven as a front end drives one.

Reusable by any test that needs a kernel. `PI_NOTEBOOK_TEST_PYTHON` chooses the kernel's interpreter.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).parents[2]


class KernelDied(Exception):
    """The kernel's process ended while a cell was waited for."""


@dataclass
class Execution:
    """What one execute request brought: its messages, its reply, and when."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    reply: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def text(self, name: str = "stdout") -> str:
        streams = [m["content"] for m in self.messages if m["msg_type"] == "stream"]
        return "".join(content["text"] for content in streams if content["name"] == name)

    def contents(self, kind: str) -> list[dict[str, Any]]:
        return [message["content"] for message in self.messages if message["msg_type"] == kind]

    def values(self, mime: str = "text/plain") -> list[str]:
        """Of results and displays, in order."""
        shown = [m["content"]["data"] for m in self.messages if "data" in m["content"]]
        return [data[mime] for data in shown if mime in data]

    @property
    def errors(self) -> list[str]:
        return [f"{content['ename']}: {content['evalue']}" for content in self.contents("error")]

    @property
    def status(self) -> str:
        return self.reply["content"]["status"]


class Kernel:
    """A started kernel; use as a context manager."""

    def __init__(self, *, env: dict[str, str] | None = None, cwd: Path | None = None) -> None:
        self.strays: deque[dict[str, Any]] = deque(maxlen=1000)
        """What came while another cell was waited for."""
        self.python = os.environ.get("PI_NOTEBOOK_TEST_PYTHON", sys.executable)
        self.manager = KernelManager()
        # -X frozen_modules: debugpy writes a warning to stderr without it.
        argv = [self.python, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        self.manager._kernel_spec = KernelSpec(argv=argv, display_name="test", language="python")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        environment.pop("PYTEST_CURRENT_TEST", None)  # with it, ipykernel leaves the descriptors alone
        self.manager.start_kernel(env=environment, cwd=str(cwd) if cwd is not None else None)
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.client.allow_stdin = False

    def __enter__(self) -> Kernel:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()

    @property
    def pid(self) -> int:
        return int(self.manager.provisioner.process.pid)

    def interrupt(self) -> None:
        # What the manager does too; it would leave an event loop behind in the calling thread.
        os.kill(self.pid, signal.SIGINT)

    def run(
        self,
        code: str,
        *,
        timeout: float = 60,
        answers: list[str] | None = None,
        interrupt_first: str | None = None,
        interrupt_on: str | None = None,
        interrupt_after: float = 0.0,
        on_message: Callable[[dict[str, Any]], None] | None = None,
        **options: Any,
    ) -> Execution:
        """Run `code` as a cell and wait for its end; raises `KernelDied` when that does not come.

        `answers` are typed at input prompts, in order, and later ones stay open; without, there is no
        stdin. The kernel is
        interrupted when the text `interrupt_first` and then, `interrupt_after` seconds later, when
        `interrupt_on` came out of the cell. `on_message` is given what the cell sends, prompts too.
        """
        look = on_message or (lambda message: None)
        began = time.monotonic()
        message_id = self._send(code, allow_stdin=answers is not None, **options)
        execution = Execution()
        waiting = list(answers or [])
        cues = [cue for cue in (interrupt_first, interrupt_on) if cue is not None]
        is_idle = False
        while not (is_idle and execution.reply):
            if time.monotonic() - began > timeout:
                raise TimeoutError(f"The cell did not end in {timeout} s: {code[:200]!r}")
            self._answer(waiting, look)
            self._take_reply(execution, message_id)
            message = self._next_output(message_id)
            if message is None:
                if self.manager.provisioner.process.poll() is not None:
                    raise KernelDied(f"The kernel died of {code[:200]!r}")
                continue
            execution.messages.append(message)
            look(message)
            execution.times.append(time.monotonic() - began)
            is_idle = is_idle or message["content"].get("execution_state") == "idle"
            if cues and message["msg_type"] != "execute_input" and cues[0] in str(message["content"]):
                cues.pop(0)
                threading.Timer(interrupt_after, self.interrupt).start()
        execution.seconds = time.monotonic() - began
        return execution

    def _send(
        self, code: str, *, allow_stdin: bool, metadata: dict[str, Any] | None = None, **options: Any
    ) -> str:
        if metadata is None:
            return self.client.execute(code, allow_stdin=allow_stdin, **options)
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
        content |= {"allow_stdin": allow_stdin, "stop_on_error": True, **options}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def _next_output(self, message_id: str) -> dict[str, Any] | None:
        try:
            message = self.client.get_iopub_msg(timeout=0.02)
        except queue.Empty:
            return None
        if message["parent_header"].get("msg_id") == message_id:
            return message
        self.strays.append(message)
        return None

    def _take_reply(self, execution: Execution, message_id: str) -> None:
        try:
            reply = self.client.get_shell_msg(timeout=0)
        except queue.Empty:
            return
        if reply["parent_header"].get("msg_id") == message_id:
            execution.reply = reply

    def _answer(self, waiting: list[str], look: Callable[[dict[str, Any]], None]) -> None:
        try:
            look(self.client.get_stdin_msg(timeout=0))
        except queue.Empty:
            return
        if waiting:
            self.client.input(waiting.pop(0))

    def check_health(self) -> None:
        """Fail unless the next cells print, compute, raise and are not disturbed by a stray interrupt."""
        for _ in range(2):
            probe = self._probe("import sys\nprint('healthy'); print('also', file=sys.stderr)\n6 * 7")
            told = [(message["msg_type"], str(message["content"])[:300]) for message in probe.messages]
            assert (probe.text(), probe.text("stderr")) == ("healthy\n", "also\n"), told
            assert (probe.values(), probe.status) == (["42"], "ok"), told
        watch = "s = [sys.stdout, sys.stderr]; [(x.watch_fd_thread.is_alive(), str(x._exc)) for x in s]"
        assert self._probe(watch).values() == ["[(True, 'None'), (True, 'None')]"]
        assert self._probe("1/0").errors == ["ZeroDivisionError: division by zero"]

    def _probe(self, code: str) -> Execution:
        """Run `code` without a place in the history, whose cache warns when it is full."""
        return self.run(code, timeout=20, store_history=False)
