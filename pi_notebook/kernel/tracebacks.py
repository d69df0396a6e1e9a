"""An exception of the person's code as plain, bounded data.

Owns which exceptions of a chain are told and how much of a long message; which frames, is for `stacks`.
Nothing here publishes anything.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator

from pi_notebook.kernel.outputs import ErrorOutput
from pi_notebook.kernel.stacks import ShortStack, library_of

MAX_TRACEBACK_BYTES = 4096
_GAP_BYTES = 40
"""Of the words that stand for what is left out of a long message."""


def describe_exception(
    error: BaseException, *, name_file: Callable[[str], str] = lambda filename: filename
) -> ErrorOutput:
    """What `error` says: the person's own frames, and those of libraries by their number.

    `name_file` turns the file name of a cell into what a reader knows it by. Calls the exception's
    own `__str__`, which may be broken or endless: use it where it can be stopped.
    """
    told = traceback.TracebackException(
        type(error), error, error.__traceback__, limit=-_MAX_FRAMES, lookup_lines=False
    )
    for part in _parts(told):
        _leave_out_echoes(part)
        _tidy(part, name_file)
    last = _plain("".join(told.format_exception_only()))
    return ErrorOutput(
        name=type(error).__name__,
        value=_shorten(_plain(_message(error)), MAX_TRACEBACK_BYTES // 2),
        traceback=_bound(_plain("".join(told.format())), last),
    )


def describe_unreadable(
    error: BaseException, *, name_file: Callable[[str], str] = lambda filename: filename
) -> ErrorOutput:
    """What can be said of an exception that cannot be turned into text: where it was raised."""
    name = type(error).__name__
    told = describe_exception(Exception().with_traceback(error.__traceback__), name_file=name_file)
    frames = told.traceback.rpartition("\n")[0]
    last = f"{name}: <its text could not be read>"
    return ErrorOutput(name=name, value="", traceback=f"{frames}\n{last}" if frames else last)


_MAX_FRAMES = 3000
"""Of a recursion deeper than Python's usual limit, the last ones."""

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def _parts(told: traceback.TracebackException) -> Iterator[traceback.TracebackException]:
    """The exception, those it was raised from and those it groups."""
    waiting, seen = [told], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        linked = [part.__cause__, part.__context__, *(getattr(part, "exceptions", None) or ())]
        waiting.extend(link for link in linked if link is not None)


def _tidy(part: traceback.TracebackException, name_file: Callable[[str], str]) -> None:
    if part.stack:
        part.stack = ShortStack(frame for frame in part.stack if not _is_ours(frame.filename))
        for frame in part.stack:
            if not library_of(frame):
                _ = frame.line  # found by the name the file has now
                frame.filename = name_file(frame.filename)
    if getattr(part, "filename", None):  # of a SyntaxError
        part.filename = name_file(part.filename)


def _leave_out_echoes(part: traceback.TracebackException) -> None:
    """Skip what led to `part` where that was raised within a library and says the same."""
    while (cause := part.__cause__ or (None if part.__suppress_context__ else part.__context__)) is not None:
        is_same = list(cause.format_exception_only()) == list(part.format_exception_only())
        if not is_same or not all(library_of(frame) for frame in cause.stack):
            return
        part.__cause__, part.__context__ = cause.__cause__, cause.__context__
        part.__suppress_context__ = cause.__suppress_context__


def _is_ours(filename: str) -> bool:
    return filename.startswith(_our_folders())


def _our_folders() -> tuple[str, ...]:
    names = ("IPython", "ipykernel", "tornado")
    files = [getattr(sys.modules.get(name), "__file__", None) for name in names]
    return tuple(os.path.dirname(file) + os.sep for file in [*files, __file__] if file)


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # the person's __str__
        return "<its __str__ failed>"


def _plain(text: str) -> str:
    return _ANSI.sub("", text).encode("utf-8", "backslashreplace").decode()


def _shorten(text: str, max_bytes: int) -> str:
    """The head and the tail of `text` where it is longer."""
    data = text.encode()
    if len(data) <= max_bytes:
        return text
    head = max_bytes * 2 // 3
    tail = max_bytes - head - _GAP_BYTES
    gap = f" [... {len(data) - head - tail:,} bytes left out ...] "
    return gap.join(part.decode(errors="ignore") for part in (data[:head], data[-tail:]))


def _bound(text: str, last: str) -> str:
    """The end of `text` within the bound, and in it the exception line."""
    if len(text.encode()) <= MAX_TRACEBACK_BYTES:
        return text.rstrip("\n")
    last = _shorten(last.strip("\n"), MAX_TRACEBACK_BYTES // 2)
    room = MAX_TRACEBACK_BYTES - len(last.encode()) - 64
    kept: list[str] = []
    lines = text[: text.rfind(last[:200])].splitlines()
    for line in reversed(lines):
        line = _shorten(line, 500)
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.insert(0, line)
    notice = ["[earlier frames left out]"] if len(kept) < len(lines) else []
    return "\n".join([*notice, *kept, last])
