"""The other end of a panel's comm: in place of the agent, it says what a test has it say.

It lives in the kernel of a notebook; `INSTALL` is the code that puts it there, before the panel is
opened, and `partner` its name in that kernel.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.hostile import corpus, messages
from tests.hostile.corpus import Payload

TOOLS = ["run_code", "bash", "edit"]
"""Whose code has colours."""
TARGET = "pi_notebook"
EXAMPLES = Path(__file__).parents[1] / "fixtures" / "protocol"
INSTALL = f"""\
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
get_ipython().extension_manager.load_extension("pi_notebook")
from tests.browser.partner import Partner
partner = Partner(get_ipython())"""

Message = dict[str, Any]


class Partner:
    """Answers the panel's hello, and keeps what it is asked."""

    def __init__(self, shell: Any) -> None:
        self.requests: list[Message] = []
        self.welcome: list[Message] = [example("hello"), quiet(example("snapshot"))]
        self.answer: Callable[[Message], Iterable[Message]] = lambda request: ()
        self._asks: list[Message] = []
        self._said = 0
        self._comms: list[Any] = []
        self._manager = shell.kernel.comm_manager
        self.arrive()

    def arrive(self) -> None:
        """Answer panels from now on."""
        self._manager.register_target(TARGET, self._opened)

    def leave(self) -> None:
        """Let the panels go, and be there for none."""
        self._manager.unregister_target(TARGET, self._opened)
        while self._comms:
            self._comms.pop().close()

    def say(self, *said: Message) -> None:
        """Send messages to every panel."""
        for comm in self._comms:
            for one in said:
                comm.send(one)

    def say_segment(self, kind: str, **fields: Any) -> None:
        """Add a segment of that kind to the conversation."""
        self._said += 1
        known = next(one for one in example("snapshot")["segments"] if one["type"] == kind)
        segment = known | {"id": f"said {self._said}"} | fields
        self.say({"type": "events", "events": [{"type": "segment", "segment": segment}]})

    def say_answer(self, text: str, *, is_whole: bool = True) -> None:
        """Add an answer to the conversation."""
        self.say_segment("text", text=text, is_whole=is_whole)

    def say_odd(self) -> None:
        """Send what no panel can know or read, all of it twice."""
        status, call = example("snapshot")["status"], example("snapshot")["segments"][3]
        events: list[Any] = [
            {"type": "earthquake"},
            None,
            {"type": "segment", "segment": {"type": "hologram", "id": "h"}},
            {"type": "segment", "segment": call | {"images": None}},
            {"type": "segment", "segment": call | {"seconds": 10**400}},
            {"type": "text_delta", "segment_id": 7, "text": ["x"]},
            status | {"queued": "none"},
        ]
        kinds = {path.stem.removeprefix("kernel_") for path in EXAMPLES.glob("kernel_*.json")}
        for _ in range(2):
            self.say({"type": "from_the_future"}, {}, {"type": None}, {"type": "events", "events": events})
            self.say(*({"type": kind} for kind in kinds - {"hello", "inspection_changed"}))

    def answer_with(self, size: int, number: int) -> list[str]:
        """Answer whatever is asked with batch `number` of the hostile texts, which are returned."""
        texts = [payload.text for payload in list(corpus.batches(size))[number]]
        self.answer = lambda request: _replies(request, texts)
        self.say({"type": "inspection_changed"})
        return texts

    def show(self, size: int, number: int, *, is_whole: bool = False) -> None:
        """Fill the conversation with batch `number` of the hostile texts, and answer with them.

        Each is an answer, code, a question and one thing more; with `is_whole` it stands wherever one may.
        """
        payloads = list(corpus.batches(size))[number]
        texts = self.answer_with(size, number)
        segments = [one for payload in payloads for one in _segments(payload, is_whole=is_whole)]
        self.say(*({"type": "withdrawn", "request_id": ask["request_id"]} for ask in self._asks))
        self._asks = [_ask(payload) for payload in payloads]
        snapshot = messages.message("snapshot", texts) | {"segments": segments, "is_shortened": False}
        self.say(snapshot, messages.message("error", texts), *self._asks)

    def draw(self, codes: list[str]) -> None:
        """Have the panel run `codes`, and show each as a call when all have run."""
        call = next(one for one in example("snapshot")["segments"] if one["type"] == "call")
        calls = [call | {"id": code, "tool": "run_code", "given": code, "images": []} for code in codes]
        snapshot = quiet(example("snapshot")) | {"segments": calls, "is_shortened": False}
        run = {"type": "run", "is_hidden": False, "cell_id": ""}

        def told(request: Message) -> Iterable[Message]:
            done = [one for one in self.requests if one["type"] == "ran"]
            return [snapshot] if request["type"] == "ran" and len(done) == len(codes) else []

        self.answer = told
        for code in codes:
            self.say(run | {"request_id": code, "code": code}, {"type": "proceed", "request_id": code})

    def _opened(self, comm: Any, message: Message) -> None:
        self._comms.append(comm)
        comm.on_msg(lambda message: self._received(comm, message["content"]["data"]))
        comm.on_close(lambda message: self._comms.remove(comm))

    def _received(self, comm: Any, request: Message) -> None:
        self.requests.append(request)
        for reply in self.welcome if request["type"] == "hello" else self.answer(request):
            comm.send(reply)


def example(name: str) -> Message:
    """The message of that type that both sides are tested with."""
    read: Message = json.loads((EXAMPLES / f"kernel_{name}.json").read_text(encoding="utf-8"))
    return read


def quiet(snapshot: Message) -> Message:
    """A snapshot of a session in which nothing runs."""
    return snapshot | {"status": snapshot["status"] | {"is_running": False, "queued": []}}


def _segments(payload: Payload, *, is_whole: bool) -> Iterable[Message]:
    every = messages.segments([payload.text])
    call = next(one for one in example("snapshot")["segments"] if one["type"] == "call")
    tool, text = TOOLS[payload.number % len(TOOLS)], payload.text
    yield call | {"id": f"code {payload.number}", "tool": tool, "given": text, "output": text}
    if is_whole:
        yield from every
    else:
        yield next(one for one in every if one["type"] == "text" and one["is_whole"])
        yield every[payload.number % len(every)]


def _ask(payload: Payload) -> Message:
    """May code run that is hostile, or a file be changed so."""
    text, ask = payload.text, messages.message("ask", [payload.text])
    tool = [*TOOLS, text][payload.number % 4]
    if tool != "edit":
        return ask | {"tool": tool, "code": text}
    edits = json.dumps([{"old_text": text, "new_text": f"{text} "}])
    return ask | {"tool": tool, "code": None, "arguments": f"path: {text}\nedits: {edits}"}


def _replies(request: Message, texts: list[str]) -> Iterable[Message]:
    """A reply is named as its request, without `inspect_`; where there is none of that name, it is done."""
    if "request_id" not in request or request["type"] in ("announced", "ran", "approve", "notebook_done"):
        return
    name = request["type"].removeprefix("inspect_")
    known = (EXAMPLES / f"kernel_{name}.json").exists()
    yield messages.message(name if known else "done", texts, request_id=request["request_id"])
