"""The cells that a person ran: code, the value's text, the end of the output, the error; as plain data.

Owns which cells count and how much of each is kept. Only texts are kept, never an object, and nothing
here raises or takes noticeable time: it stands beside every cell of the kernel. Whatever is captured
for somebody else (`capture`) is no cell of the person's.
"""

from __future__ import annotations

import contextlib
import functools
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from traceback import walk_tb
from types import FrameType
from typing import Any, NamedTuple

from pi_notebook.kernel.calls import current_call
from pi_notebook.kernel.stream_hooks import listen

MAX_CELLS = 50
MAX_CODE_CHARS = 8_192
MAX_VALUE_CHARS = 4_096
MAX_OUTPUT_CHARS = 4_096
MAX_ERROR_CHARS = 1_024

_ATTRIBUTE = "_pi_notebook_cells"


@dataclass(kw_only=True)
class PersonCell:
    """One cell, as far as it has come."""

    number: int
    """As in `In[5]`."""
    code: str
    began_ms: int = 0
    ended_ms: int = 0
    """When it was over, in milliseconds since 1970; 0 while it runs."""
    code_chars: int = 0
    """Of the code as it was run; `code` is its beginning."""
    value: str = ""
    output: str = ""
    """The end of what was printed."""
    output_chars: int = 0
    displayed: str = ""
    """The end of what was displayed, each picture as its type."""
    error: str = ""


class _Open(NamedTuple):
    """The cell that is running."""

    info: Any
    request: str
    cell: PersonCell | None
    """None when it is left out, with all that it runs."""


class PersonCells:
    """Keeps the newest cells of a shell while it is installed.

    Parameters
    ----------
    shell
        Its events and streams are listened to.
    magic_name
        A cell of this magic is left out, and one whose first line is `# <magic_name>: ignore`.
    """

    def __init__(self, shell: Any, magic_name: str) -> None:
        self._shell = shell
        self._left_out = re.compile(
            rf"\A\s*(?:%{{1,2}}{magic_name}\b|#\s*{magic_name}:\s*ignore\b)|^%%{magic_name}\b", re.MULTILINE
        )
        self._cells: tuple[PersonCell, ...] = ()
        self._open: _Open | None = None
        self._by_request: dict[str, PersonCell] = {}
        self._unlisten: list[Callable[[], object]] = []

    def install(self) -> None:
        """Begin to keep cells."""
        events = self._shell.events
        for event, callback in (("pre_run_cell", self._on_begin), ("post_run_cell", self._on_end)):
            events.register(event, callback)
            self._unlisten.append(functools.partial(events.unregister, event, callback))
        for stream in (sys.stdout, sys.stderr):
            self._unlisten.append(listen(stream, self._on_text))
        publisher = self._shell.display_pub
        if hasattr(publisher, "register_hook"):
            publisher.register_hook(self._on_display)
            self._unlisten.append(functools.partial(publisher.unregister_hook, self._on_display))
        setattr(self._shell, _ATTRIBUTE, self)

    def uninstall(self) -> None:
        """Keep no more cells."""
        for stop in self._unlisten:
            with contextlib.suppress(ValueError):  # somebody has cleared the list
                stop()
        self._unlisten.clear()
        setattr(self._shell, _ATTRIBUTE, None)

    @staticmethod
    def of(shell: Any) -> PersonCells | None:
        """Those installed on `shell`."""
        found: PersonCells | None = getattr(shell, _ATTRIBUTE, None)
        return found

    def since(self, time_ms: int) -> tuple[PersonCell, ...]:
        """The cells that ended after that time, the oldest first; from any thread."""
        return tuple(cell for cell in self._cells if cell.ended_ms > time_ms)

    def _on_begin(self, info: Any) -> None:
        """A cell begins. One within another is a part of it."""
        try:
            request = _request_of(getattr(self._shell, "parent_header", None))
            is_persons = info.store_history and not info.silent and current_call.get() is None
            if not is_persons or (self._open is not None and self._open.request == request):
                return
            self._open = _Open(info, request, None)
            if info.raw_cell.strip() and not self._left_out.search(info.raw_cell):
                self._open = _Open(info, request, self._begin(info.raw_cell, request))
        except Exception:  # another shell's idea of a cell; the person's cell must not suffer
            self._open = None

    def _begin(self, code: str, request: str) -> PersonCell:
        cell = PersonCell(
            number=self._shell.displayhook.prompt_count,
            began_ms=time.time_ns() // 1_000_000,
            code=code[:MAX_CODE_CHARS],
            code_chars=len(code),
        )
        self._cells = (*self._cells[1 - MAX_CELLS :], cell)
        if request:
            self._by_request[request] = cell
            if len(self._by_request) > MAX_CELLS:
                del self._by_request[next(iter(self._by_request))]
        return cell

    def _on_end(self, result: Any) -> None:
        """A cell is over; `result` is None for one that was cancelled."""
        if self._open is None:
            return
        info, request, cell = self._open
        if result is not None and getattr(result, "info", info) is not info:
            return
        self._open = None
        if cell is None:
            return
        try:
            error = None if result is None else result.error_before_exec or result.error_in_exec
            cell.error = "cancelled" if result is None else self._told(error)
            cell.number = getattr(result, "execution_count", None) or cell.number
            value = self._shell.history_manager.output_hist_reprs.get(cell.number, "")
            cell.value = value[:MAX_VALUE_CHARS] if isinstance(value, str) else ""
            if not request:
                self._take_remembered(cell)
        except Exception:  # as above
            pass
        cell.ended_ms = time.time_ns() // 1_000_000

    def _take_remembered(self, cell: PersonCell) -> None:
        """In a terminal nothing is sent; IPython 9 keeps what was printed."""
        for output in getattr(self._shell.history_manager, "outputs", {}).get(cell.number, ()):
            if output.output_type in ("out_stream", "err_stream"):
                pieces = output.bundle["stream"]
                cell.output_chars += sum(map(len, pieces))
                cell.output = (cell.output + "".join(pieces[-MAX_OUTPUT_CHARS:]))[-MAX_OUTPUT_CHARS:]

    def _told(self, error: BaseException | None) -> str:
        """The exception in a line, with the line of the cell that it came from."""
        if error is None:
            return ""
        if isinstance(error, SyntaxError):
            line, message = error.lineno, str(error.msg)
        else:
            line = next((at for frame, at in walk_tb(error.__traceback__) if self._is_cells(frame)), None)
            message = _message(error)
        where = f" (line {line})" if line is not None else ""
        return f"{type(error).__name__}{': ' + message if message else ''}{where}"

    def _is_cells(self, frame: FrameType) -> bool:
        return frame.f_globals is self._shell.user_global_ns

    def _on_text(self, parent: Any, text: str) -> None:
        """On the thread that writes to the front end: text of the cell that `parent` began."""
        cell = self._by_request.get(_request_of(parent))
        if cell is not None:
            cell.output = (cell.output + text[-MAX_OUTPUT_CHARS:])[-MAX_OUTPUT_CHARS:]
            cell.output_chars += len(text)

    def _on_display(self, message: Any) -> Any:
        """A display that goes out; it is never kept back."""
        try:
            cell = self._by_request.get(_request_of(message.get("parent_header")))
            data = message["content"].get("data", {})
            if cell is not None and message["msg_type"] == "display_data":
                cell.displayed = f"{cell.displayed}{_shown(data)}\n"[-MAX_OUTPUT_CHARS:]
        except Exception:  # a message of another form
            return message
        return message


def _message(error: BaseException) -> str:
    try:
        return str(error)[:MAX_ERROR_CHARS]
    except Exception:  # the person's __str__
        return ""


def _request_of(header: Any) -> str:
    """The id of the request in a header, or in a message that has one."""
    if not isinstance(header, dict):
        return ""
    found = header.get("msg_id") or (header.get("header") or {}).get("msg_id")
    return found if isinstance(found, str) else ""


def _shown(data: Any) -> str:
    picture = next((mime for mime in data if mime.startswith("image/")), None)
    text = data.get("text/plain", "")
    return f"[{picture}]" if picture else str(text)[-MAX_OUTPUT_CHARS:]
