"""A side panel without a browser: a comm in this process, and a front end that runs what it is told to."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from pi_notebook.kernel.frontend import RunRequest
from pi_notebook.kernel.outputs import CellResult
from pi_notebook.ui.panel.bridge import Bridge
from pi_notebook.ui.panel.panels import Panels

PATIENCE_SECONDS = 10.0


class FakeComm:
    """The kernel's end of a comm, and everything that was sent over it."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.is_closed = False
        self.is_broken = False
        self.arrived = threading.Condition()
        self.receive: Callable[[dict[str, Any]], None] = print
        self.closed: Callable[[dict[str, Any]], None] = print

    def on_msg(self, callback: Callable[[dict[str, Any]], None]) -> None:
        self.receive = callback

    def on_close(self, callback: Callable[[dict[str, Any]], None]) -> None:
        self.closed = callback

    def send(self, data: dict[str, Any]) -> None:
        if self.is_broken:
            raise RuntimeError("the socket is gone")
        with self.arrived:
            self.sent.append(data)
            self.times.append(time.monotonic())
            self.arrived.notify_all()

    def close(self) -> None:
        self.is_closed = True


class Panel:
    """What a panel does with its comm. `segments` is built as the real one builds it."""

    def __init__(self, panels: Panels, *, hello: bool = True, session_hint: str = "") -> None:
        self.comm = FakeComm()
        Bridge(self.comm, panels)
        self.nonce = ""
        self._seen = self._asked = 0
        if hello:
            self.send_raw(type="hello", protocol_version=2, session_hint=session_hint)
            self.nonce = self.wait("hello")["nonce"]
            self.wait("snapshot")

    def send_raw(self, **data: Any) -> None:
        self.comm.receive({"content": {"data": data}})

    def send(self, kind: str, **data: Any) -> None:
        self.send_raw(type=kind, nonce=self.nonce, **data)

    def ask(self, kind: str, **data: Any) -> dict[str, Any]:
        """Send a request that is answered, and give the one answer to it."""
        self._asked += 1
        request_id = f"q{self._asked}"
        self.send(kind, request_id=request_id, **data)
        return self.wait_until(lambda: self.answers(request_id))[0]

    def answers(self, request_id: str) -> list[dict[str, Any]]:
        return [message for message in tuple(self.comm.sent) if message.get("request_id") == request_id]

    def close(self) -> None:
        self.comm.closed({})

    def wait(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The next message of this type that has these values, after the one waited for last."""

        def found() -> bool:
            while self._seen < len(self.comm.sent):
                self._seen += 1
                message = self.comm.sent[self._seen - 1]
                if message["type"] == kind and fields.items() <= message.items():
                    return True
            return False

        with self.comm.arrived:
            assert self.comm.arrived.wait_for(found, PATIENCE_SECONDS), (
                f"no {kind} {fields} came, but {self.comm.sent[-5:]}"
            )
        return self.comm.sent[self._seen - 1]

    def wait_until(self, condition: Callable[[], Any], *, patience_seconds: float = PATIENCE_SECONDS) -> Any:
        """Return once `condition`, looked at whenever a message arrives, is true; gives its value."""
        with self.comm.arrived:
            assert self.comm.arrived.wait_for(condition, patience_seconds), self.comm.sent[-8:]
        return condition()

    def wait_idle(self, runs: int = 1) -> None:
        """Return when so many runs are over and the status says so."""
        self.wait_until(
            lambda: (
                sum(event["type"] == "run_ended" for event in self.events) >= runs
                and not self.status["is_running"]
            )
        )

    @property
    def events(self) -> list[dict[str, Any]]:
        return [event for message in self.comm.sent for event in message.get("events", ())]

    @property
    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for message in self.comm.sent:
            found = message.get("status") or found
            for event in message.get("events", ()):
                found = event if event["type"] == "status" else found
        return found

    @property
    def segments(self) -> list[dict[str, Any]]:
        shown: dict[str, dict[str, Any]] = {}
        for message in self.comm.sent:
            if message["type"] == "snapshot":
                shown = {segment["id"]: dict(segment) for segment in message["segments"]}
            for event in message.get("events", ()):
                _apply(shown, event)
        return list(shown.values())


def _apply(shown: dict[str, dict[str, Any]], event: dict[str, Any]) -> None:
    if event["type"] == "segment":
        shown[event["segment"]["id"]] = dict(event["segment"])
    elif event["type"] == "text_delta":
        shown[event["segment_id"]]["text"] += event["text"]
    elif event["type"] == "call_output":
        shown[event["segment_id"]] |= {
            "output": event["output"],
            "hidden_lines": event["hidden_lines"],
        }


class ScriptedExecutor:
    """Runs code as the front end would: it waits for the front end, then says what came of it."""

    def __init__(self, *, send: Callable[[RunRequest], None], on_interrupt: Callable[[], None]) -> None:
        self._send = send
        self._open: dict[str, asyncio.Future[str]] = {}
        self._cells: dict[str, str | None] = {}
        self._count = 0

    async def run_code(self, code: str, sink: Any, *, timeout_seconds: float | None = None) -> CellResult:
        self._count += 1
        request = RunRequest(id=f"r{self._count}", code=code, is_hidden=False)
        self._open[request.id] = asyncio.get_running_loop().create_future()
        try:
            self._send(request)
            status = await self._open[request.id]
        finally:
            del self._open[request.id]
        sink.write("stdout", f"{status} in cell {self._cells.get(request.id)}")
        return CellResult(status="ok" if status == "ok" else "error")

    async def call(self, function: Callable[[], Any], *, timeout_seconds: float) -> Any:
        return function()

    async def ask(self, prompt: str) -> str | None:
        return None

    def announced(self, request_id: str, cell_id: str | None) -> None:
        self._cells[request_id] = cell_id

    def ended(self, request_id: str, status: str) -> None:
        if request_id in self._open and not self._open[request_id].done():
            self._open[request_id].set_result(status)

    def close(self) -> None:
        for waiting in self._open.values():
            waiting.cancel()
