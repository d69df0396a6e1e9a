"""Which sessions there are, told from the first and last 64 kB of each file.

Files are only read. A file that is no session, or vanishes meanwhile, is left out.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_notebook._nearest import did_you_mean
from pi_notebook.agent.entries import Entry, MessageEntry, SessionHeader, SessionInfoEntry
from pi_notebook.agent.messages import UserMessage, text_of, without_surrogates
from pi_notebook.errors import SessionNotFoundError
from pi_notebook.session.header import id_of_name
from pi_notebook.session.home import Home, find_home, is_ours
from pi_notebook.session.lines import read_entry, read_header, read_stub
from pi_notebook.session.setting import shortened

_PART_BYTES = 64 * 1024
_PROMPT_CHARS = 200

_MESSAGE = b'{"type":"message",'
_CUT_PROMPT = re.compile(rb'"role":\s*"user",.*?"(?:content|text)":\s*"((?:[^"\\]|\\.){0,800})', re.DOTALL)
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
    messages: int
    is_estimate: bool
    """True when `messages` was reckoned from a part of the file."""


@dataclass(frozen=True)
class _Parts:
    """The first and last lines of a file; the last one of `head` may be cut off, and longer than all else."""

    head: list[bytes]
    tail: list[bytes]
    size_bytes: int
    modified_seconds: float
    read_bytes: int


def list_sessions(
    folder: Path | None = None, *, limit: int = 50, home: Home | None = None
) -> list[SessionInfo]:
    """The sessions of the working folder `folder`, or of all, the last written first."""
    home = home or find_home()
    sessions: list[SessionInfo] = []
    for path in _newest_first(home, folder):
        if len(sessions) >= limit:
            break
        summary = describe_session(path)
        if summary is not None and (folder is None or summary.folder == folder):
            sessions.append(summary)
    return sessions


def find_session(text: str, *, folder: Path | None = None, home: Home | None = None) -> Path:
    """The file of the session that `text` names: by path, by id, or by the first characters of its id.

    Sessions of `folder` come before others. Raises `SessionNotFoundError` that names the nearest ids.
    """
    home = home or find_home()
    path = Path(text).expanduser()
    if text.endswith(".jsonl") and path.is_file():
        return path
    paths = [] if folder is None else list(_newest_first(home, folder))
    for candidates in (paths, list(_newest_first(home, None))):
        ids = {id_of_name(candidate): candidate for candidate in reversed(candidates)}
        if text in ids:
            return ids[text]
        found = [session_id for session_id in ids if text and session_id.startswith(text)]
        if len(found) == 1:
            return ids[found[0]]
        if found:
            raise SessionNotFoundError(
                f"{text!r} begins the ids of {len(found)} sessions: {', '.join(found[:5])}. Write more of it."
            )
    raise SessionNotFoundError(_not_found(text, list(ids)))


def describe_session(path: Path) -> SessionInfo | None:
    """What the head and the tail of the file at `path` say; None when it is no session of this user's."""
    try:
        parts = _read_parts(path)
    except OSError:
        return None
    header = read_header(parts.head[0]) if parts and parts.head else None
    if parts is None or header is None:
        return None
    return _summary(path, header, parts)


def _summary(path: Path, header: SessionHeader, parts: _Parts) -> SessionInfo:
    count = sum(line.startswith(_MESSAGE) for line in (*parts.head, *parts.tail))
    is_estimate = parts.read_bytes < parts.size_bytes
    if is_estimate:
        count = round(count * parts.size_bytes / parts.read_bytes)
    return SessionInfo(
        id=header.id,
        path=path,
        folder=Path(header.cwd),
        started=header.timestamp,
        modified_seconds=parts.modified_seconds,
        size_bytes=parts.size_bytes,
        name=_name(parts),
        first_prompt=_first_prompt(parts.head),
        messages=count,
        is_estimate=is_estimate,
    )


def _newest_first(home: Home, folder: Path | None) -> Iterator[Path]:
    where = home.sessions_folder if folder is None else home.folder_sessions(folder)
    found: list[tuple[float, Path]] = []
    for path in where.glob("*/*.jsonl" if folder is None else "*.jsonl"):
        try:
            found.append((path.lstat().st_mtime, path))
        except OSError:
            continue
    yield from (path for _, path in sorted(found, reverse=True))


def _read_parts(path: Path) -> _Parts | None:
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(fd, "rb") as file:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or not is_ours(status):
            return None
        is_whole = status.st_size <= 2 * _PART_BYTES
        head = file.read(2 * _PART_BYTES if is_whole else _PART_BYTES)
        tail = b""
        if not is_whole:
            file.seek(-_PART_BYTES, os.SEEK_END)
            tail = file.read(_PART_BYTES)
    return _Parts(
        head=head.split(b"\n"),
        tail=tail.split(b"\n")[1:],
        size_bytes=status.st_size,
        modified_seconds=status.st_mtime,
        read_bytes=len(head) + len(tail),
    )


def _name(parts: _Parts) -> str | None:
    for line in reversed([*parts.head, *parts.tail]):
        if b'"session_info"' in line:
            entry = _entry(line)
            if isinstance(entry, SessionInfoEntry):
                return entry.name
    return None


def _first_prompt(head: list[bytes]) -> str:
    for line in head[1:]:
        entry = _entry(line) if line.startswith(_MESSAGE) else None
        if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage):
            return _one_line(text_of(entry.message))
    cut = _CUT_PROMPT.search(head[-1])
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


def _not_found(text: str, ids: list[str]) -> str:
    if not ids:
        return f"There is no session {shortened(text)}: none is kept yet."
    near = did_you_mean(text, ids, count=3) or f" The newest: {', '.join(ids[:3])}."
    return f"There is no session {shortened(text)}.{near} %agent sessions lists them."
