"""A front end without a browser: the panel's comm and the notebook's requests, on a real kernel."""

from __future__ import annotations

import queue
import time
import uuid
from collections.abc import Callable
from typing import Any

from tests.kernel.client import Kernel

PATIENCE_SECONDS = 30.0
SUBSHELL_SECONDS = 2.0


class FrontEnd:
    """What JupyterLab and the panel do with one kernel; it runs what it is asked to run."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.messages: list[dict[str, Any]] = []
        self.is_closed = False
        self.nonce = ""
        self.goes_before: list[str] = []
        """Cells of the person's, each sent just before a cell of the agent's."""
        self._announced: dict[str, tuple[str, str | None]] = {}
        self._running: dict[str, str] = {}
        self._comm_id = uuid.uuid4().hex
        self.subshell_id = self._create_subshell()
        self._send_shell("comm_open", {"target_name": "pi_notebook", "data": {}})
        self._send_comm({"type": "hello", "protocol_version": 2})
        self.nonce = self.wait("hello")["nonce"]
        self.wait("snapshot")

    def send(self, kind: str, **data: Any) -> None:
        self._send_comm({"type": kind, "nonce": self.nonce, **data})

    def prompt(self, code: str) -> None:
        """Have the offline model run `code`."""
        self.send("prompt", text=f"```python\n{code}\n```")

    def ask(self, kind: str, **data: Any) -> dict[str, Any]:
        """Send a request that is answered, and give the answer to it."""
        request_id = uuid.uuid4().hex
        self.send(kind, request_id=request_id, **data)
        return self.wait_until(
            lambda: next((m for m in self.messages if m.get("request_id") == request_id), None)
        )

    def stop(self) -> None:
        """Stop the run; a kernel that hears nothing while code runs is interrupted, as the panel does."""
        self.send("stop")
        if self.subshell_id is None:
            self.kernel.interrupt()

    def execute(self, code: str) -> str:
        """A cell of the person's; the id of its request. Nothing is waited for."""
        return str(self.kernel.client.execute(code))

    def wait(self, kind: str) -> dict[str, Any]:
        """Act as the front end until a message of this type has arrived; the newest one."""
        return self.wait_until(lambda: next((m for m in reversed(self.messages) if m["type"] == kind), None))

    def wait_idle(self, *, since: int) -> None:
        """Act as the front end until a run that began after message number `since` is over."""
        self.wait_until(
            lambda: (
                [
                    event
                    for message in self.messages[since:]
                    for event in message.get("events", ())
                    if event["type"] == "run_ended"
                ]
                and not self.status["is_running"]
            )
        )

    def wait_until(self, condition: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (found := condition()):
            assert time.monotonic() < deadline, self.messages[-5:]
            self._step()
        return found

    @property
    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for message in self.messages:
            found = message.get("status") or found
            for event in message.get("events", ()):
                found = event if event["type"] == "status" else found
        return found

    def calls(self) -> list[dict[str, Any]]:
        """The tool calls as the panel has them."""
        shown: dict[str, dict[str, Any]] = {}
        for message in self.messages:
            for event in message.get("events", ()):
                if event["type"] == "segment" and event["segment"]["type"] == "call":
                    shown[event["segment"]["id"]] = event["segment"]
                if event["type"] == "call_output":
                    shown[event["segment_id"]] |= {"output": event["output"]}
        return list(shown.values())

    def close(self) -> None:
        self._send_shell("comm_close", {"data": {}})

    def _step(self) -> None:
        """Take one message, if one is there."""
        client = self.kernel.client
        try:
            message = client.get_iopub_msg(timeout=0.02)
        except queue.Empty:
            message = None
        if message is not None and message["content"].get("comm_id") == self._comm_id:
            self.is_closed |= message["msg_type"] == "comm_close"
            if message["msg_type"] == "comm_msg":
                self._act(message["content"]["data"])
        try:
            reply = client.get_shell_msg(timeout=0)
        except queue.Empty:
            return
        request_id = self._running.pop(reply["parent_header"].get("msg_id"), None)
        if request_id is not None:
            self.send("ran", request_id=request_id, status=reply["content"]["status"])

    def _act(self, message: dict[str, Any]) -> None:
        self.messages.append(message)
        request_id = message.get("request_id")
        if message["type"] == "run":
            cell_id = None if message["is_hidden"] else uuid.uuid4().hex
            self._announced[request_id] = (message["code"], cell_id)
            self.send("announced", request_id=request_id, cell_id=cell_id)
        elif message["type"] == "proceed":
            code, cell_id = self._announced.pop(request_id)
            if cell_id is not None and self.goes_before:
                self.execute(self.goes_before.pop(0))
            self._running[self._execute(code, cell_id)] = request_id

    def _execute(self, code: str, cell_id: str | None) -> str:
        content = {
            "code": code,
            "silent": False,
            "store_history": cell_id is not None,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        message = self.kernel.client.session.msg(
            "execute_request", content, metadata={"cellId": cell_id} if cell_id else {}
        )
        self.kernel.client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def _send_comm(self, data: dict[str, Any]) -> None:
        self._send_shell("comm_msg", {"data": data})

    def _send_shell(self, kind: str, content: dict[str, Any]) -> None:
        message = self.kernel.client.session.msg(kind, {"comm_id": self._comm_id, **content})
        if self.subshell_id is not None:
            message["header"]["subshell_id"] = self.subshell_id
        self.kernel.client.shell_channel.send(message)

    def _create_subshell(self) -> str | None:
        """As JupyterLab does it; None where the kernel has no subshells."""
        client = self.kernel.client
        client.control_channel.send(client.session.msg("create_subshell_request", {}))
        try:
            reply = client.get_control_msg(timeout=SUBSHELL_SECONDS)
        except queue.Empty:
            return None
        return reply["content"].get("subshell_id")
