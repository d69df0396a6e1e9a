"""A chat provider on loopback: real HTTP, replies set down in advance, requests checked strictly.

    with Provider() as provider:
        provider.reply(text("Hello."))
        provider.reply(calls(("run_code", {"code": "1"}), ("run_code", {"code": "2"})))
        provider.reply(failure(429, "Slow down.", headers={"retry-after": "2"}))
        ... point OPENAI_API_BASE at provider.base_url, in this process or in a kernel ...
        provider.exchanges[0].body["messages"]

A reply is a list of steps: chunks as dicts, raw bytes, and the classes below; the headers go out
with the first that sends anything. It may also be a function of the request's body that gives
one. A request that a strict provider would reject is
answered with status 400 and the problems, and the script does not advance.
"""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.replies import (
    DONE,
    USAGE,
    Fin,
    Hang,
    Ping,
    Reply,
    Rst,
    Sleep,
    Status,
    Step,
    Wait,
    calls,
    chunk,
    failure,
    stream,
    text,
)
from tests.request_rules import find_problems

__all__ = [
    "DONE",
    "USAGE",
    "Exchange",
    "Fin",
    "Hang",
    "Ping",
    "Provider",
    "Reply",
    "Rst",
    "Sleep",
    "Status",
    "Step",
    "Wait",
    "calls",
    "chunk",
    "close_clients",
    "failure",
    "stream",
    "text",
]


@dataclass
class Exchange:
    """One request and what became of it."""

    body: dict[str, Any]
    headers: dict[str, str]
    path: str
    received_at: float
    """On `time.monotonic`, which all processes of a machine share."""
    problems: list[str] = field(default_factory=list)
    is_done: threading.Event = field(default_factory=threading.Event)
    hung_up: threading.Event = field(default_factory=threading.Event)
    """Set when the client went away before the reply had ended."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        return self.body["messages"]


class Provider:
    """The server, on a thread of its own; a context manager."""

    def __init__(self, *replies: Reply | Callable[[dict[str, Any]], Reply], is_strict: bool = True) -> None:
        self.exchanges: list[Exchange] = []
        self.connections = 0
        self._replies = list(replies)
        self._is_strict = is_strict
        self._arrived = threading.Condition()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def __enter__(self) -> Provider:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *exception: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def environment(self, home: Path) -> dict[str, str]:
        """The variables with which a process asks this provider and keeps what it writes in `home`."""
        return {
            "PI_NOTEBOOK_HOME": str(home),
            "PI_NOTEBOOK_MODEL": "openai/test",
            "OPENAI_API_KEY": "sk-test-0123456789",
            "OPENAI_API_BASE": self.base_url,
        }

    def reply(self, *replies: Reply | Callable[[dict[str, Any]], Reply]) -> None:
        """Add replies; the last one of all is given again when the script has run out."""
        self._replies.extend(replies)

    def script(self, *replies: Reply | Callable[[dict[str, Any]], Reply]) -> None:
        """Begin anew: these replies, and no exchange yet."""
        with self._arrived:
            self._replies = list(replies)
            self.exchanges = []

    def wait_for(self, count: int, timeout: float = 10) -> Exchange:
        """The exchange number `count`, from 1, once its request has arrived."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.exchanges) >= count, timeout):
                raise AssertionError(f"{len(self.exchanges)} requests came, not {count}")
            return self.exchanges[count - 1]

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=2**26)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._answer_one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except asyncio.CancelledError:
            # The server stops; asyncio would report a cancelled connection as an error.
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False when the connection is not to be used again."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}
        raw = await reader.readexactly(int(headers.get("content-length") or 0))
        if method != "POST":
            return await _send_status(writer, Status(200, b'{"object": "list", "data": []}'))
        exchange = Exchange(json.loads(raw), headers, path, time.monotonic())
        exchange.problems = find_problems(exchange.body) if path.endswith("/chat/completions") else []
        reply = self._reply_to(exchange)
        with self._arrived:
            self.exchanges.append(exchange)
            self._arrived.notify_all()
        gone = asyncio.ensure_future(reader.read(1))
        try:
            return await _play(reply, writer, exchange, gone)
        finally:
            gone.cancel()
            exchange.is_done.set()

    def _reply_to(self, exchange: Exchange) -> Reply:
        if exchange.problems and self._is_strict:
            return failure(400, "; ".join(exchange.problems), code="invalid_request_error")
        if not self._replies:
            return text("ok")
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        return reply(exchange.body) if callable(reply) else reply


async def _play(
    reply: Reply, writer: asyncio.StreamWriter, exchange: Exchange, gone: asyncio.Future[bytes]
) -> bool:
    if reply and isinstance(reply[0], Status):
        return await _send_status(writer, reply[0])
    has_begun = False
    try:
        for step in reply:
            if isinstance(step, (dict, bytes, Ping)) and not has_begun:
                has_begun = True
                writer.write(_STREAM_HEAD)
            if not await _take(step, writer, exchange, gone):
                return False
        writer.write(b"0\r\n\r\n" if has_begun else _STREAM_HEAD + b"0\r\n\r\n")
        await writer.drain()
    except ConnectionError:
        exchange.hung_up.set()
        return False
    # A client that closes what it has read to the end has not hung up.
    return False if gone.done() else await _is_reusable(gone)


_STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


async def _is_reusable(gone: asyncio.Future[bytes]) -> bool:
    gone.cancel()
    await asyncio.wait({gone})
    return gone.cancelled()


async def _take(
    step: Step, writer: asyncio.StreamWriter, exchange: Exchange, gone: asyncio.Future[bytes]
) -> bool:
    """Do one step; False when it ended the connection."""
    if isinstance(step, (dict, bytes, Ping)):
        data = _bytes_of(step)
        writer.write(b"%x\r\n%b\r\n" % (len(data), data))
        await writer.drain()
    elif isinstance(step, Rst):
        linger = struct.pack("ii", 1, 0)
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.transport.abort()
        return False
    elif isinstance(step, Fin):
        return False
    else:
        await _pause(step, gone)
    if gone.done():
        exchange.hung_up.set()
    return not gone.done()


async def _pause(step: Step, gone: asyncio.Future[bytes]) -> None:
    if isinstance(step, Wait):
        resumed = asyncio.ensure_future(asyncio.to_thread(step.event.wait, 30))
        await asyncio.wait({gone, resumed}, return_when=asyncio.FIRST_COMPLETED)
    else:
        await asyncio.wait({gone}, timeout=step.seconds if isinstance(step, Sleep) else None)


def _bytes_of(step: dict[str, Any] | bytes | Ping) -> bytes:
    if isinstance(step, Ping):
        return b": ping\n\n"
    return step if isinstance(step, bytes) else b"data: " + json.dumps(step).encode() + b"\n\n"


async def _send_status(writer: asyncio.StreamWriter, status: Status) -> bool:
    headers = {"content-type": "application/json", "content-length": str(len(status.body)), **status.headers}
    lines = [f"HTTP/1.1 {status.code} X", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + status.body)
    await writer.drain()
    return True


async def close_clients() -> None:
    """Close the connections that litellm keeps for this event loop, before the loop goes."""
    if "litellm" in sys.modules:
        import litellm

        await litellm.close_litellm_async_clients()
        litellm.in_memory_llm_clients_cache.flush_cache()
