"""A session's current branch as a session file: its lines as they stand, byte for byte.

What was said of the branch elsewhere in the tree, a label or the session's name, is said again at the
end. The result opens as any session does, here and in Pi.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pi_notebook.agent.entries import FORMAT_VERSION, Entry, LabelEntry, SessionInfoEntry
from pi_notebook.session.files import READ, Files
from pi_notebook.session.lines import encode_line, now_iso, read_header
from pi_notebook.session.store import SessionStore

_MAX_HEADER_BYTES = 1024 * 1024


def branch_lines(store: SessionStore) -> Iterator[bytes]:
    """The lines of the exported file, each with its newline."""
    yield _header_line(store)
    branch = store.branch()
    ids = set()
    for entry in branch:
        ids.add(entry.id)
        yield store.raw_line(entry.id) + b"\n"
    parent = branch[-1].id if branch else None
    for make, fields in _said_elsewhere(store.entries, ids):
        entry = make(id=store.new_id(), parent_id=parent, timestamp=now_iso(), **fields)
        parent = entry.id
        yield encode_line(entry)


def _header_line(store: SessionStore) -> bytes:
    """The first line of the session's file, else what it would be."""
    if store.path is not None and store.path.is_file():
        files = Files()
        descriptor = files.open(store.path, READ)
        try:
            line, newline, _ = files.read_at(descriptor, _MAX_HEADER_BYTES, 0).partition(b"\n")
        finally:
            files.close(descriptor)
        header = read_header(line)
        if newline and header is not None and header.version == FORMAT_VERSION:
            return line + newline
    return encode_line(store.header)


def _said_elsewhere(entries: Iterable[Entry], branch: set[str]) -> list[tuple[type, dict[str, object]]]:
    """The newest labels of the branch's entries and the newest name, where the branch does not hold them."""
    labels: dict[str, LabelEntry] = {}
    name: SessionInfoEntry | None = None
    for entry in entries:
        if isinstance(entry, LabelEntry) and entry.target_id in branch:
            labels[entry.target_id] = entry
        elif isinstance(entry, SessionInfoEntry):
            name = entry
    said: list[tuple[type, dict[str, object]]] = [
        (LabelEntry, {"target_id": one.target_id, "label": one.label})
        for one in labels.values()
        if one.id not in branch
    ]
    if name is not None and name.id not in branch:
        said.append((SessionInfoEntry, {"name": name.name}))
    return said
