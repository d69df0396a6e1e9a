"""Session files of formats 1 and 2, read as if they were of format 3.

The file itself is never changed: its lines are copied, brought up to date, into a private file
without a name that is gone when it is closed. In format 1 lines have neither ids nor parents and
follow each other; ids are made from their places, so that they are the same at each opening. In
format 2 the messages of programs have another role. Such a session is read and never added to;
`importing` continues it in a file of its own.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from typing import Any

import msgspec

from pi_notebook.agent.entries import FORMAT_VERSION
from pi_notebook.session.files import Files
from pi_notebook.session.held_file import HeldFile
from pi_notebook.session.journal import Journal
from pi_notebook.session.lines import has_right_crc

_CHUNK_BYTES = 1 << 20
_HOOK_MESSAGE = b'"hookMessage"'


class _Start(msgspec.Struct, rename={"parent_id": "parentId"}):
    """What decides whether a line of format 1 can be copied with an id put before the rest."""

    type: str = ""
    id: Any = msgspec.UNSET
    parent_id: Any = msgspec.UNSET


_START = msgspec.json.Decoder(_Start)


def migrated(journal: Journal, *, files: Files) -> tuple[Journal, str]:
    """`journal`, or for an older format its lines in the current one and why it is not added to.

    Raises `OSError` when the file cannot be read or its lines have no place on the disk.
    """
    version = _version(journal)
    if version is None or version >= FORMAT_VERSION:
        return journal, ""
    journal_of_copy = _copied(journal, version, files)
    return journal_of_copy, (
        f"{journal.path} is of session format {version}, which is read and not written: what is added now "
        f"is kept in memory only. %agent import {journal.path} continues it in a file of its own."
    )


def _version(journal: Journal) -> int | None:
    """The format that the first line tells; None when it is no header."""
    for _, line, _ in journal.lines():
        if not has_right_crc(line):
            return None  # a damaged line of ours, whatever is left of it
        header = _decoded(line)
        if header is None or header.get("type") != "session" or not isinstance(header.get("id"), str):
            return None
        version = header.get("version", 1)
        return version if isinstance(version, int) else None
    return None


def _copied(journal: Journal, version: int, files: Files) -> Journal:
    with tempfile.TemporaryFile() as copy:
        held: list[bytes] = []
        size = 0
        for line in _lines(journal, version):
            held.append(line)
            size += len(line)
            if size >= _CHUNK_BYTES:
                copy.write(b"".join(held))
                held, size = [], 0
        copy.write(b"".join(held))
        copy.flush()
        fd = os.dup(copy.fileno())
    journal.close()
    return Journal(HeldFile(journal.path, fd=fd, files=files, read_only=True))


def _lines(journal: Journal, version: int) -> Iterator[bytes]:
    """The lines of the file in the current format, damaged ones as they are."""
    number = 0
    for offset, line, is_whole in journal.lines():
        if offset == 0:
            line = _header(line)
        elif version < 2 and (updated := _with_place(line, number + 1)) is not None:
            line, number = _with_role(updated), number + 1
        else:
            line = _with_role(line)
        yield line + b"\n" if is_whole else line


def _header(line: bytes) -> bytes:
    header = _decoded(line) or {}
    cwd = header.get("cwd")
    return msgspec.json.encode(
        header | {"version": FORMAT_VERSION, "cwd": cwd if isinstance(cwd, str) else ""}
    )


def _with_place(line: bytes, number: int) -> bytes | None:
    """The entry in `line`, the `number`-th of the file, with id and parent; None when there is none."""
    place = {"id": _id(number), "parentId": _id(number - 1) if number > 1 else None}
    try:
        start = _START.decode(line)
    except (msgspec.MsgspecError, RecursionError):
        start = None
    if start is not None and start.type not in ("compaction", "session") and start.id is start.parent_id:
        body = line.lstrip()[1:]
        return msgspec.json.encode(place)[:-1] + (b"" if body.strip() == b"}" else b",") + body
    entry = _decoded(line)
    if entry is None:
        return None
    if entry.get("type") == "compaction":
        entry = _with_kept(entry, number)
    return json.dumps(entry | place, ensure_ascii=True, separators=(",", ":")).encode()


def _with_kept(entry: dict[str, Any], number: int) -> dict[str, Any]:
    """The compaction with the id of its first kept entry in the place of the number of its line."""
    index = entry.pop("firstKeptEntryIndex", None)
    if isinstance(index, int) and 0 < index <= number:
        entry["firstKeptEntryId"] = _id(index)
    return entry


def _with_role(line: bytes) -> bytes:
    if _HOOK_MESSAGE not in line:
        return line
    entry = _decoded(line)
    message = entry.get("message") if entry is not None and entry.get("type") == "message" else None
    if not isinstance(message, dict) or message.get("role") != "hookMessage":
        return line
    message["role"] = "custom"
    return json.dumps(entry, ensure_ascii=True, separators=(",", ":")).encode()


def _decoded(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _id(number: int) -> str:
    return f"{number:08x}"
