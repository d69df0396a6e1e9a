"""A reader of session files that shares nothing with the product: what the tests believe."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class ReadSession:
    """A session file by the letter of its format."""

    header: dict[str, Any] | None = None
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By id, in the order of the file."""
    bad_lines: list[int] = field(default_factory=list)
    """Numbers of lines that are no entry, or have another checksum than they say."""
    last_id: str | None = None

    @property
    def branch(self) -> list[str]:
        """The ids from the root to the last entry of the file."""
        ids: list[str] = []
        entry_id = self.last_id
        while entry_id is not None and entry_id in self.entries and entry_id not in ids:
            ids.append(entry_id)
            entry_id = self.entries[entry_id].get("parentId")
        return ids[::-1]

    @property
    def call_ids(self) -> list[str]:
        """The tool calls that replies in the file made."""
        return [
            block["id"]
            for message in self._messages("assistant")
            for block in message["content"]
            if block["type"] == "toolCall"
        ]

    @property
    def result_ids(self) -> list[str]:
        """The tool calls that have a result in the file."""
        return [message["toolCallId"] for message in self._messages("toolResult")]

    def _messages(self, role: str) -> list[dict[str, Any]]:
        messages = [entry["message"] for entry in self.entries.values() if entry["type"] == "message"]
        return [message for message in messages if message["role"] == role]


def read_session(path: Path) -> ReadSession:
    """What stands in the file at `path`, whole lines only."""
    session = ReadSession()
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if not line.strip():
            continue
        record = _record(line)
        if record is None:
            session.bad_lines.append(number)
        elif record["type"] == "session":
            session.header = session.header or record
        else:
            session.entries.setdefault(record["id"], record)
            session.last_id = record["id"]
    return session


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    if not isinstance(record, dict) or not {"type", "id"} <= set(record):
        return None
    body, found, crc = line.rpartition(b',"crc":"')
    if found and int(crc[:8], 16) != zlib.crc32(body + b"}"):
        return None
    return record
