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
        self._answers = 0
        self._comms: list[Any] = []
        shell.kernel.comm_manager.register_target(TARGET, self._opened)

    def say(self, *said: Message) -> None:
        """Send messages to every panel."""
        for comm in self._comms:
            for one in said:
                comm.send(one)

    def say_answer(self, text: str, *, is_whole: bool = True) -> None:
        """Add an answer to the conversation."""
        self._answers += 1
        segment = {
            "type": "text",
            "id": f"a{self._answers}",
            "text": text,
            "is_whole": is_whole,
            "interrupted": "",
        }
        self.say({"type": "events", "events": [{"type": "segment", "segment": segment}]})

    def close(self) -> None:
        """Let the panels go."""
        while self._comms:
            self._comms.pop().close()

    def show(self, size: int, number: int) -> None:
        """Fill the panel with batch `number` of the hostile texts, and answer with them whatever is asked."""
        texts = [payload.text for payload in list(corpus.batches(size))[number]]
        end = example("snapshot")["segments"][0] | {"id": "end", "text": f"The end of {number}."}
        self.answer = lambda request: _replies(request, texts)
        snapshot = messages.message("snapshot", texts)
        asks = messages.messages(texts[:3], "ask")
        self.say(
            snapshot | {"segments": [*snapshot["segments"], end]}, *messages.messages(texts, "error"), *asks
        )

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


def _replies(request: Message, texts: list[str]) -> Iterable[Message]:
    """A reply is named as its request, without `inspect_`; where there is none of that name, it is done."""
    if "request_id" not in request or request["type"] in ("announced", "ran", "approve", "notebook_done"):
        return
    name = request["type"].removeprefix("inspect_")
    known = (EXAMPLES / f"kernel_{name}.json").exists()
    yield messages.message(name if known else "done", texts, request_id=request["request_id"])
