"""One piece of running code: which output is its own, and how that reaches the sink.

Owns the batching of small writes: a `print` is two, and handing each on would cost more than the
printing. What is written waits for a moment at most; whoever must keep order asks for it before.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator

from pi_notebook.kernel.late import EndedCall
from pi_notebook.kernel.outputs import DisplayOutput, OutputSink, StreamName
from pi_notebook.kernel.shield import shielded

BATCH_CHARS = 65_536
WRITE_COST = 1024
"""What a write counts for besides its length, so that a batch is 64 writes at most."""


SINGLE_WRITES = 1000
"""So many writes of a call are given one by one, each after a look at the descriptors, which costs a
system call. Only the order of output that comes by both ways at once suffers from batches."""


class Call:
    """One piece of code whose output belongs together.

    Output belongs to the call when it comes from the call's own context: its tasks, and threads that
    were told the context. A bare thread has no context; it belongs to the call that began it.
    """

    def __init__(self, sink: OutputSink, *, forward: Callable[[StreamName, str], None] | None = None) -> None:
        self.sink = sink
        self.forward = forward
        self.settle: Callable[[StreamName], None] | None = None
        """Brings in what a descriptor holds, so that a write does not overtake it."""
        self.is_batched = False
        """Whether somebody asks for `give_all` from time to time; else each write is given at once."""
        self.pending: dict[StreamName, deque[str]] = {"stdout": deque(), "stderr": deque()}
        self.room = 0
        """How much more may become pending; below zero, it is given."""
        self.notes: list[str] = []
        self.ended: EndedCall | None = None
        """What is told of it after its end; None while it is on, and when nothing is to be told."""
        self._given = 0
        self._lock = threading.RLock()
        self._older = set(threading.enumerate()) - {threading.main_thread()}

    def owns_this_thread(self) -> bool:
        """Whether output made here and now belongs to this call."""
        call = current_call.get()
        if call is not None:
            return call is self
        thread = threading.current_thread()
        if thread in thread_owners:
            return thread_owners[thread] is self
        return thread not in self._older

    @property
    def may_be_late(self) -> bool:
        """Whether what it put out now would be told as its own."""
        return self.ended is not None and not self.ended.is_past

    def tell_late(self, text: str) -> None:
        """Keep `text`, which came after the call's end and was shown elsewhere."""
        if self.ended is not None:
            self.ended.add(text)

    def note(self, text: str) -> None:
        """Add a line about what was mended, once."""
        if text not in self.notes:
            self.notes.append(text)

    @shielded
    def begin_batch(self, name: StreamName) -> None:
        """Give the sink all that stands before what will be written to `name` now."""
        self.give_all()
        if self.settle is not None:
            self.settle(name)

    @shielded
    def give(self, name: StreamName) -> None:
        """Give the sink what is pending of one stream."""
        with self._lock:
            self._given += 1
            self.room = BATCH_CHARS if self.is_batched and self._given > SINGLE_WRITES else 0
            pieces = self.pending[name]
            text = "".join([pieces.popleft() for _ in range(len(pieces))])
            if text:
                self._hand_on(name, text)

    @shielded
    def give_all(self) -> None:
        """Give the sink what is pending of both streams."""
        for name in self.pending:
            if self.pending[name]:
                self.give(name)

    @shielded
    def take(self, name: StreamName, text: str) -> None:
        """Give the sink `text` that came another way, after what was written before it."""
        with self._lock:
            self.give_all()
            self._hand_on(name, text)

    @shielded
    def show(self, output: DisplayOutput) -> None:
        """Give the sink a display, after what was written before it."""
        with self._lock:
            self.give_all()
            self.sink.display(output)

    def _hand_on(self, name: StreamName, text: str) -> None:
        text = without_surrogates(text)
        self.sink.write(name, text)
        if self.forward is not None:
            self.forward(name, text)


current_call: contextvars.ContextVar[Call | None] = contextvars.ContextVar("current_call", default=None)

thread_owners: weakref.WeakKeyDictionary[threading.Thread, Call | None] = weakref.WeakKeyDictionary()
"""The call that a thread belongs to which began during one; None where another's thread began it."""


@contextlib.contextmanager
def outside_calls() -> Iterator[None]:
    """A time in which what this thread writes belongs to no call: it goes to the stream beneath."""
    token = current_call.set(_OUTSIDE)
    try:
        yield
    finally:
        current_call.reset(token)


def without_surrogates(text: str) -> str:
    """`text` that UTF-8 can hold: half a surrogate pair is written as its escape."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


class _NoSink:
    def write(self, stream: StreamName, text: str) -> None:
        """Drop it."""

    def display(self, output: DisplayOutput) -> None:
        """Drop it."""


NO_SINK = _NoSink()
"""For what is not to be kept."""
_OUTSIDE = Call(NO_SINK)
