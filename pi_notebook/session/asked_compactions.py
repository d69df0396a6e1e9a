"""Compactions that a person asks for: by command or as a prompt, and while a run is on."""

from __future__ import annotations

import concurrent.futures
import re
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from pi_notebook.agent.abort import Aborted
from pi_notebook.agent.entries import CompactionEntry
from pi_notebook.agent.events import AgentEvent, Notice
from pi_notebook.agent.messages import Message, TextContent, UserContent
from pi_notebook.errors import PiNotebookError, UsageError

_COMMAND = re.compile(r"\s*/compact(?:\s+(?P<focus>.*))?\s*\Z", re.DOTALL)


def asked_focus(content: str | list[UserContent]) -> str | None:
    """What a compaction should look after when the prompt `content` asks for one; None when it does not."""
    text = content if isinstance(content, str) else _only_text(content)
    found = _COMMAND.match(text)
    return None if found is None else (found["focus"] or "").strip()


class AskedCompactions:
    """Those that wait for the run to come to its next request, or to its end.

    Parameters
    ----------
    compact
        Compacts, with what the summary should look after.
    emit
        Tells the person why there was nothing to do: whoever asked may not wait.
    """

    def __init__(
        self,
        compact: Callable[[str], Awaitable[CompactionEntry]],
        emit: Callable[[AgentEvent], Awaitable[None]],
    ) -> None:
        self._compact = compact
        self._emit = emit
        self._asked: deque[tuple[str, concurrent.futures.Future[CompactionEntry]]] = deque()

    def ask(self, focus: str) -> concurrent.futures.Future[CompactionEntry]:
        """Its entry, once it is done; what `compact` raises, or `Aborted` when the run is stopped before."""
        future: concurrent.futures.Future[CompactionEntry] = concurrent.futures.Future()
        self._asked.append((focus, future))
        return future

    async def serve(self, messages: Sequence[Message] = ()) -> None:
        """A `between_turns` hook: do what was asked for. Raises `Aborted` on a stop."""
        while self._asked:
            focus, future = self._asked.popleft()
            try:
                _answer(future, await self._compact(focus))
            except PiNotebookError as error:
                _fail(future, error)
                if isinstance(error, UsageError):  # a failure of the model is told as the compaction's end
                    await self._emit(Notice(str(error), "warning"))
            except BaseException as error:
                _fail(future, error)
                raise

    def close(self) -> None:
        """The run is over: what has not been done by now was stopped."""
        while self._asked:
            _fail(self._asked.popleft()[1], Aborted())


def _only_text(content: list[UserContent]) -> str:
    """The text of a prompt that is nothing else; no text for one with pictures."""
    first = content[0] if len(content) == 1 else None
    return first.text if isinstance(first, TextContent) else ""


def _answer(future: concurrent.futures.Future[CompactionEntry], entry: CompactionEntry) -> None:
    if future.set_running_or_notify_cancel():
        future.set_result(entry)


def _fail(future: concurrent.futures.Future[CompactionEntry], error: BaseException) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(error)
