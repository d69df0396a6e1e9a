"""The session file that an import writes: entry by entry, a piece at a time, or not at all.

How it comes onto the disk is the business of `held_file`. Nothing is kept of an entry once it is
written but what later ones need: its id, and the names of the tools that were called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

from pi_notebook.agent.entries import CompactionEntry, CustomMessageEntry, Entry, MessageEntry
from pi_notebook.agent.messages import AssistantMessage, Message, ToolResultMessage
from pi_notebook.session.header import new_header
from pi_notebook.session.held_file import HeldFile
from pi_notebook.session.home import Home
from pi_notebook.session.lines import encode_line
from pi_notebook.session.store import SessionStore

_PIECE_BYTES = 1 << 20


class _Last:
    """Stands for the entry that was added last."""


LAST: Final = _Last()


class NewSession:
    """A session of the working folder `folder`, to which entries are added while `written` goes on."""

    def __init__(self, folder: Path, *, home: Home, parent: Path | None = None) -> None:
        self.last_id: str | None = None
        self.message_count = 0
        self.calls: dict[str, str] = {}
        """Call ids and the names of their tools."""
        self.answered_count = 0
        self.orphan_count = 0
        self._home = home
        self._header = new_header(folder, str(parent) if parent else None)
        self._path = home.session_path(folder, session_id=self._header.id, timestamp=self._header.timestamp)
        self._held: list[bytes] = [encode_line(self._header)]
        self._held_bytes = 0
        self._number = 0
        self._taken: set[str] = set()
        """Ids that came with copied entries."""
        self._answered: set[str] = set()

    def add(
        self,
        make: Callable[..., Entry],
        *,
        parent_id: str | None | _Last = LAST,
        moment: int | None = None,
        **fields: Any,
    ) -> str:
        """Append `make(**fields)`, made at `moment`, in milliseconds; its id."""
        parent = self.last_id if isinstance(parent_id, _Last) else parent_id
        entry_id = self._new_id()
        if make is CompactionEntry:
            fields.setdefault("first_kept_entry_id", entry_id)
        entry = make(id=entry_id, parent_id=parent, timestamp=self._timestamp(moment), **fields)
        self._count(entry)
        self._write(encode_line(entry))
        self.last_id = entry_id
        return entry_id

    def add_message(self, message: Message, *, parent_id: str | None | _Last = LAST) -> str:
        """Append what was said; the entry's id."""
        return self.add(MessageEntry, parent_id=parent_id, moment=message.timestamp, message=message)

    def copy(self, entry: Entry, line: bytes) -> None:
        """Append an entry as it stands in another session file."""
        self._taken.add(entry.id)
        self._count(entry)
        self._write(line + b"\n")
        self.last_id = entry.id

    def written(self, work: Iterator[None]) -> SessionStore:
        """The session with all that `work` adds step by step, open at its last entry.

        When `work` raises, or the file cannot be written, there is none.
        """
        self._home.make_folder(self._path.parent)
        HeldFile.create(self._path, self._pieces(work), files=self._home.files).close()
        return SessionStore.open(self._path, files=self._home.files)

    def _pieces(self, work: Iterator[None]) -> Iterator[bytes]:
        for _ in work:
            if self._held_bytes >= _PIECE_BYTES:
                yield self._taken_out()
        yield self._taken_out()

    def _taken_out(self) -> bytes:
        data = b"".join(self._held)
        self._held, self._held_bytes = [], 0
        return data

    def _new_id(self) -> str:
        while True:
            self._number += 1
            if (entry_id := f"{self._number:08x}") not in self._taken:
                return entry_id

    def _count(self, entry: Entry) -> None:
        self.message_count += isinstance(entry, (MessageEntry, CustomMessageEntry))
        message = entry.message if isinstance(entry, MessageEntry) else None
        if isinstance(message, AssistantMessage):
            self.calls.update({call.id: call.name for call in message.tool_calls})
        elif isinstance(message, ToolResultMessage) and message.tool_call_id not in self._answered:
            self._answered.add(message.tool_call_id)
            is_known = message.tool_call_id in self.calls
            self.answered_count += is_known
            self.orphan_count += not is_known

    def _timestamp(self, moment: int | None) -> str:
        if not moment:
            return self._header.timestamp
        try:
            time = datetime.fromtimestamp(moment / 1000, timezone.utc)
        except (ValueError, OverflowError, OSError):
            return self._header.timestamp
        return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _write(self, line: bytes) -> None:
        self._held.append(line)
        self._held_bytes += len(line)
