"""The entries of one session: read from its file, and added to it one durable line at a time.

The file is the truth: an entry that was added is what its line reads as. Entries are decoded when
somebody looks at them, and large ones are not kept. Which entries are added, and when, is decided
in `session`; how bytes reach the disk is the business of `journal`.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pi_notebook.agent.entries import CustomEntry, Entry, SessionHeader, SessionInfoEntry
from pi_notebook.errors import SessionError, SessionWriteError
from pi_notebook.session.files import Files
from pi_notebook.session.header import checked_header, new_header
from pi_notebook.session.home import Home
from pi_notebook.session.intake import Intake
from pi_notebook.session.journal import Journal, write_error
from pi_notebook.session.lines import encode_line, now_iso, read_stub, without_stale_crc
from pi_notebook.session.migration import migrated
from pi_notebook.session.reader import EntryReader
from pi_notebook.session.syncing import SyncPolicy
from pi_notebook.session.tree import NOWHERE, StoredEntries, Tree

LEAF_TYPE = "pi_notebook/leaf"
"""The `custom_type` of the entry that records a move of the leaf: its parent is the new place."""

E = TypeVar("E", bound=Entry)


class SessionStore:
    """One session's entries; an `EntryLog`.

    `append` may be called from the run's thread while others read. Make one with `create`, `open` or
    `in_memory`.
    """

    def __init__(self, header: SessionHeader | None, *, path: Path | None) -> None:
        self.path = path
        """Where the file is, or will be from the first entry on; None in memory."""
        self.memory_reason = ""
        """Why entries are kept in memory only, in one line to be shown once; empty when they are durable."""
        self.is_of_old_format = False
        """True when the file is of an earlier format, which is read and never written."""
        self._header = header
        self._tree = Tree()
        self._reader = EntryReader(self._tree)
        self._journal: Journal | None = None
        self._intake: Intake | None = None
        self._home: Home | None = None
        self._mutex = threading.RLock()
        self._pid = os.getpid()
        self._is_closed = False
        self._sync_policy: SyncPolicy = "full"

    @classmethod
    def create(cls, folder: Path, *, home: Home, parent_session: str | None = None) -> SessionStore:
        """A new session of the working folder `folder`; nothing is on disk before its first entry.

        When the file cannot be made then, the session goes on in memory and `memory_reason` says why.
        """
        header = new_header(folder, parent_session)
        path = home.session_path(folder, session_id=header.id, timestamp=header.timestamp)
        store = cls(header, path=path)
        store._home = home
        return store

    @classmethod
    def in_memory(cls, folder: Path, *, reason: str) -> SessionStore:
        """A new session that no file is made for."""
        store = cls(new_header(folder, None), path=None)
        store.memory_reason = reason
        return store

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, files: Files | None = None) -> SessionStore:
        """The session in the file at `path`, which is left as it is until the next entry.

        Damaged lines are skipped and listed in `problems`. Raises `SessionFormatError` when it is no
        session file, `SessionBusyError` when another process writes to it. In a file that this user may
        not write, new entries are kept in memory, as `memory_reason` then says.
        """
        files = files or Files()
        journal = Journal.open(path, files=files, read_only=read_only)
        store = cls(None, path=path)
        try:
            journal, why_read_only = migrated(journal, files=files)
            store.is_of_old_format = bool(why_read_only)
            store._journal = store._reader.journal = journal
            store._intake = intake = Intake(journal, store._tree)
            intake.read_on()
            store._header = checked_header(intake.header, path, has_entries=intake.has_entries)
        except OSError as error:
            journal.close()
            raise SessionError(f"{path} cannot be read: {error.strerror}.", path=path) from error
        except SessionError:
            journal.close()
            raise
        if journal.read_only and not read_only:
            store.memory_reason = (
                why_read_only or f"{path} cannot be written: what is added now is kept in memory only."
            )
        return store

    @property
    def header(self) -> SessionHeader:
        assert self._header is not None
        return self._header

    @property
    def id(self) -> str:
        return self.header.id

    @property
    def name(self) -> str:
        """What the person called the session last; empty when they have not."""
        named = self.entries.of_kind("session_info")
        newest = named[-1] if named else None
        return newest.name if isinstance(newest, SessionInfoEntry) else ""

    @property
    def folder(self) -> Path:
        """The working folder the session was made in."""
        return Path(self.header.cwd)

    @property
    def problems(self) -> tuple[str, ...]:
        """What was found wrong in the file, one line each, with line numbers."""
        return self._intake.problems if self._intake else ()

    @property
    def sync_policy(self) -> SyncPolicy:
        """When entries are put on the disk; a slow disk makes `turn` of `full`."""
        return self._journal.sync_policy if self._journal is not None else self._sync_policy

    @sync_policy.setter
    def sync_policy(self, policy: SyncPolicy) -> None:
        self._sync_policy = policy
        if self._journal is not None:
            self._journal.sync_policy = policy

    @property
    def leaf_id(self) -> str | None:
        leaf = self._tree.leaf
        return None if leaf == NOWHERE else self._tree.entry_id(leaf)

    def __contains__(self, entry_id: object) -> bool:
        return isinstance(entry_id, str) and self._tree.find(entry_id) is not None

    def get(self, entry_id: str) -> Entry:
        """The entry of that id; `KeyError` when there is none."""
        return self._reader.entry(self._place(entry_id))

    def raw_line(self, entry_id: str) -> bytes:
        """The entry's line as it stands in the file, without its newline: unknown keys are in it.

        A checksum that another program copied into a line it changed is left out.
        """
        return without_stale_crc(self._reader.line(self._place(entry_id)))

    def line_at(self, place: int) -> bytes:
        """As `raw_line`, byte for byte, by the entry's place in the file."""
        return self._reader.line(place)

    @property
    def entries(self) -> StoredEntries:
        """All entries in the order of the file, those of other branches too, as of now."""
        return StoredEntries(self._tree, range(len(self._tree)), self._reader)

    def branch(self) -> StoredEntries:
        """The entries from the root to the leaf, as of now."""
        places = self._tree.branch()
        return StoredEntries(self._tree, places, self._reader, count=len(places))

    def new_id(self) -> str:
        """Eight hexadecimal digits that no entry of this session has."""
        while (entry_id := secrets.token_hex(4)) in self:
            pass
        return entry_id

    def append(self, entry: Entry) -> None:
        """Make `entry` durable and the new leaf.

        Raises `SessionWriteError` when it cannot be made durable: the session is then as it was, and the
        same entry may be appended again.
        """
        if os.getpid() != self._pid:  # before the mutex, which another thread may have held at the fork
            raise SessionWriteError("A forked process does not write to the session of its parent.")
        line = encode_line(entry)
        with self._mutex:
            try:
                self._append(entry.id, entry.parent_id, line)
            except OSError as error:
                raise write_error(self.path, error) from error
            if self._journal is not None:
                self.path = self._journal.path

    def sync(self) -> None:
        """Make safe what the sync policy has left to the end of a turn; raises `SessionWriteError`."""
        with self._mutex:
            if self._journal is not None and not self._is_closed:
                self._journal.sync()

    def take_notices(self) -> list[str]:
        """What the person is to be told of the file, one line each, and has not been told yet."""
        if self._journal is None:
            return []
        notices, self._journal.notices = self._journal.notices, []
        return notices

    def add(self, make: Callable[..., E], **fields: Any) -> E:
        """Append `make(**fields)` at the leaf, with id, parent and time filled in; the entry added."""
        with self._mutex:
            entry = make(id=self.new_id(), parent_id=self.leaf_id, timestamp=now_iso(), **fields)
            self.append(entry)
            return entry

    def move_leaf(self, entry_id: str | None) -> None:
        """Go on from `entry_id`, or from before the first entry; recorded, so that a resume finds it."""
        if entry_id is not None:
            self._place(entry_id)
        if entry_id == self.leaf_id:
            return
        self.append(
            CustomEntry(id=self.new_id(), parent_id=entry_id, timestamp=now_iso(), custom_type=LEAF_TYPE)
        )

    def close(self) -> None:
        """Give the file back; what was read before can still be read, as far as it is kept."""
        with self._mutex:
            self._is_closed = True
            if self._journal is not None:
                self._journal.close()

    def _place(self, entry_id: str) -> int:
        place = self._tree.find(entry_id)
        if place is None:
            raise KeyError(entry_id)
        return place

    def _append(self, entry_id: str, parent_id: str | None, line: bytes) -> None:
        if self._is_closed:
            raise SessionWriteError("The session is closed.", path=self.path)
        if self._intake is not None and not self.memory_reason:
            self._intake.read_on()
        known = self._tree.find(entry_id)
        if known is not None and self._reader.line(known) != line[:-1]:
            raise ValueError(f"entry {entry_id} is in the session already")
        if parent_id is not None and self._tree.find(parent_id) is None:
            raise ValueError(f"entry {entry_id} follows {parent_id}, which is not in the session")
        offset = self._write(line)
        if known is not None:
            return
        if self.memory_reason:
            self._reader.kept_lines[len(self._tree)] = line[:-1]
        stub = read_stub(line[:-1])
        assert stub is not None  # what `encode_line` makes is whole
        self._tree.add(stub, offset=offset, length=len(line) - 1)

    def _write(self, line: bytes) -> int:
        """The offset at which `line` now stands in the file, where there is one."""
        offset = 0
        if not self.memory_reason:
            offset = self._make_file(line) if self._journal is None else self._journal.append(line)
        if self._intake is not None and not self.memory_reason:
            self._intake.passed(offset, line)
        return offset

    def _make_file(self, line: bytes) -> int:
        assert self._home is not None
        assert self.path is not None
        header = encode_line(self.header)
        try:
            self._home.make_folder(self.path.parent)
            self._journal = Journal.create(self.path, header + line, files=self._home.files)
            self._reader.journal = self._journal
            self._journal.sync_policy = self._sync_policy
            self._intake = Intake(self._journal, self._tree)
            self._intake.passed(0, header)
        except SessionWriteError as error:
            self.memory_reason = f"{error} This session is kept in memory only."
            self.path = None
        return len(header)
