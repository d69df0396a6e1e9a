"""What is told of a session without opening it: from the first and last 64 kB of its file."""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

from pi_notebook.agent.entries import Entry, MessageEntry, ModelChangeEntry, SessionHeader, SessionInfoEntry
from pi_notebook.agent.messages import AssistantMessage, UserMessage, text_of, without_surrogates
from pi_notebook.session.home import is_ours
from pi_notebook.session.lines import read_entry, read_header, read_stub
from pi_notebook.session.origin import NOTEBOOK_TYPE, recorded_notebook

T = TypeVar("T")

_PART_BYTES = 64 * 1024
_PROMPT_CHARS = 200

_MESSAGE = b'{"type":"message",'
_PROMPT = b'"message":{"role":"user",'
_CUT_PROMPT = re.compile(rb'"role":\s*"user",.*?"(?:content|text)":\s*"((?:[^"\\]|\\.){0,800})', re.DOTALL)
_NAMED = (b'"session_info"',)
_ANSWERED = (b'"assistant"', b'"model_change"')
_BOUND = (f'"{NOTEBOOK_TYPE}"'.encode(),)
_CUT_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{0,3}$")


@dataclass(frozen=True, kw_only=True)
class SessionInfo:
    """A session as it is listed."""

    id: str
    path: Path
    folder: Path
    started: str
    """ISO 8601, UTC."""
    modified_seconds: float
    """When the file was last written, in seconds since 1970."""
    size_bytes: int
    name: str | None
    first_prompt: str
    """One line of at most 200 characters; empty when it was not found near the start."""
    model: str | None
    """The one that answered last, as `provider/name`; None when neither end of the file says."""
    notebook: str | None
    """The path of the notebook it was last used in; None when neither end of the file says."""
    messages: int
    prompts: int
    """Those of the messages that the person wrote."""
    is_estimate: bool
    """True when the counts were reckoned from a part of the file."""

    @property
    def age_seconds(self) -> float:
        """Since it was last written; 0 where a clock was set back meanwhile."""
        return max(0.0, time.time() - self.modified_seconds)


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """The ends of a file, whose last line is cut off in `head` of a long one."""

    head: bytes
    tail: bytes
    """From the newline before its first whole line on."""
    size_bytes: int
    modified_seconds: float


def describe_session(path: Path) -> SessionInfo | None:
    """What the head and the tail of the file at `path` say; None when it is no session of this user's."""
    try:
        parts = _read_parts(path)
    except OSError:
        return None
    if parts is None:
        return None
    end = parts.head.find(b"\n")
    header = read_header(parts.head[:end] if end >= 0 else parts.head)
    return _summary(path, header, parts) if header is not None else None


def _summary(path: Path, header: SessionHeader, parts: _Parts) -> SessionInfo:
    read_bytes = len(parts.head) + len(parts.tail)

    def count(mark: bytes) -> int:
        found = parts.head.count(mark) + parts.tail.count(mark)
        return round(found * max(1.0, parts.size_bytes / read_bytes))

    return SessionInfo(
        id=header.id,
        path=path,
        folder=Path(header.cwd),
        started=header.timestamp,
        modified_seconds=parts.modified_seconds,
        size_bytes=parts.size_bytes,
        name=_newest(parts, _NAMED, _name),
        first_prompt=_first_prompt(parts.head),
        model=_newest(parts, _ANSWERED, _model),
        notebook=_newest(parts, _BOUND, _notebook),
        messages=count(b"\n" + _MESSAGE),
        prompts=count(_PROMPT),
        is_estimate=read_bytes < parts.size_bytes,
    )


def open_own(path: Path, *, buffering: int = -1) -> BinaryIO | None:
    """The file at `path`, to be read; None when it is no plain file of this user's. Raises `OSError`."""
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    status = os.fstat(fd)
    if stat.S_ISREG(status.st_mode) and is_ours(status):
        return os.fdopen(fd, "rb", buffering)
    os.close(fd)
    return None


def _read_parts(path: Path) -> _Parts | None:
    file = open_own(path, buffering=0)  # a buffer would be read in vain
    if file is None:
        return None
    with file:
        status = os.fstat(file.fileno())
        is_whole = status.st_size <= 2 * _PART_BYTES
        head = file.read(2 * _PART_BYTES if is_whole else _PART_BYTES)
        tail = b""
        if not is_whole:
            file.seek(-_PART_BYTES, os.SEEK_END)
            tail = file.read(_PART_BYTES)
    cut = tail.find(b"\n")
    return _Parts(
        head=head,
        tail=tail[cut:] if cut >= 0 else b"",
        size_bytes=status.st_size,
        modified_seconds=status.st_mtime,
    )


def _newest(parts: _Parts, marks: tuple[bytes, ...], told: Callable[[Entry], T | None]) -> T | None:
    """What the newest entry in a line with one of `marks` tells, of those that tell it."""
    for data in (parts.tail, parts.head):
        end = len(data)
        while (at := _last_of(marks, data, end)) >= 0:
            start = data.rfind(b"\n", 0, at) + 1
            stop = data.find(b"\n", at)
            entry = _entry(data[start : stop if stop >= 0 else len(data)])
            if entry is not None and (found := told(entry)) is not None:
                return found
            end = max(0, start - 1)
    return None


def _last_of(marks: tuple[bytes, ...], data: bytes, end: int) -> int:
    """Where the last of `marks` begins before `end`; -1 when none is there."""
    at = -1
    for mark in marks:
        at = max(at, data.rfind(mark, max(at, 0), end))
    return at


def _name(entry: Entry) -> str | None:
    return entry.name if isinstance(entry, SessionInfoEntry) else None


def _model(entry: Entry) -> str | None:
    if isinstance(entry, ModelChangeEntry):
        return _model_name(entry.provider, entry.model_id)
    message = entry.message if isinstance(entry, MessageEntry) else None
    return _model_name(message.provider, message.model) if isinstance(message, AssistantMessage) else None


def _model_name(provider: str, model_id: str) -> str:
    return model_id if provider in ("", model_id) else f"{provider}/{model_id}"


def _notebook(entry: Entry) -> str | None:
    return recorded_notebook((entry,))


def _first_prompt(head: bytes) -> str:
    start = 0
    while (start := head.find(b"\n" + _MESSAGE, start)) >= 0:
        start += 1
        stop = head.find(b"\n", start)
        entry = _entry(head[start : stop if stop >= 0 else len(head)])
        if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage):
            return _one_line(text_of(entry.message))
    cut = _CUT_PROMPT.search(head, head.rfind(b"\n") + 1)
    return _one_line(_unescaped(cut[1])) if cut else ""


def _entry(line: bytes) -> Entry | None:
    return read_entry(line, entry_id="", parent_id=None) if read_stub(line) else None


def _unescaped(piece: bytes) -> str:
    """The start of a JSON string, whose last character may be cut."""
    text = _CUT_ESCAPE.sub("", piece.decode("utf-8", "ignore"))
    try:
        return without_surrogates(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return ""


def _one_line(text: str) -> str:
    line = " ".join(text[: 4 * _PROMPT_CHARS].split())
    return line if len(line) <= _PROMPT_CHARS else f"{line[: _PROMPT_CHARS - 1]}…"
