"""A copy of a session, whole or up to one of its entries, as a session of its own.

Lines are copied as they stand, keys that this release does not know included. Only a line whose
parent is not the one it names is written anew. Marks that were set elsewhere in the tree are set
again at the end. The copy gets its name when it is whole.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pi_notebook.agent.entries import LabelEntry, SessionHeader
from pi_notebook.session.header import new_header
from pi_notebook.session.held_file import HeldFile
from pi_notebook.session.home import Home
from pi_notebook.session.lines import encode_line, now_iso, read_stub, without_stale_crc
from pi_notebook.session.store import SessionStore
from pi_notebook.session.tree import NOWHERE

ForkMode = Literal["at", "before", "all"]


def fork_file(
    source: Path | SessionStore,
    *,
    home: Home,
    folder: Path | None = None,
    at: str | None = None,
    mode: ForkMode = "at",
) -> SessionStore:
    """A new session in `home` that holds a part of `source`, open to be continued.

    Parameters
    ----------
    source
        A session file, which another process may be writing, or an open session.
    folder
        The new session's working folder; that of `source` unless given.
    at
        The entry that the copy ends with, or for `before` the one that it ends in front of; the leaf
        unless given.
    mode
        `all` copies every branch, in the order of the file, and takes no `at`.

    Raises
    ------
    KeyError
        There is no entry `at`.
    SessionError
        The copy could not be written or opened; nothing of it is left.
    """
    if isinstance(source, SessionStore):
        return _fork(source, home, folder, at, mode)
    store = SessionStore.open(source, read_only=True)
    try:
        return _fork(store, home, folder, at, mode)
    finally:
        store.close()


def _fork(
    store: SessionStore, home: Home, folder: Path | None, at: str | None, mode: ForkMode
) -> SessionStore:
    folder = folder or store.folder
    parent = str(store.path) if store.path is not None else None
    places = range(len(store.entries)) if mode == "all" else _way_to(store, at, is_before=mode == "before")
    if not places:
        return SessionStore.create(folder, home=home, parent_session=parent)
    header = new_header(folder, parent)
    path = home.session_path(folder, session_id=header.id, timestamp=header.timestamp)
    home.make_folder(path.parent)
    HeldFile.create(path, _lines(store, header, places, is_whole=mode == "all"), files=home.files).close()
    try:
        return SessionStore.open(path, files=home.files)
    except BaseException:
        with contextlib.suppress(OSError):
            home.files.remove(path)
        raise


def _way_to(store: SessionStore, at: str | None, *, is_before: bool) -> list[int]:
    """The places from the root to the entry `at`, or to the one before it."""
    tree = store.entries.tree
    place = tree.leaf if at is None else tree.find(at)
    if place is None:
        raise KeyError(at)
    way = []
    while place != NOWHERE:
        way.append(place)
        place = tree.parent(place)
    return way[is_before:][::-1]


def _lines(
    store: SessionStore, header: SessionHeader, places: Sequence[int], *, is_whole: bool
) -> Iterator[bytes]:
    yield encode_line(header)
    tree = store.entries.tree
    for place in places:
        yield with_parent(store.line_at(place), tree.parent_id(place)) + b"\n"
    if not is_whole:
        yield from map(encode_line, _marks(store, places))


def with_parent(line: bytes, parent_id: str | None) -> bytes:
    """`line`, made to name `parent_id` where it names another parent or none."""
    stub = read_stub(line, by_us=False)
    if stub is not None and stub.parent_id == parent_id:
        return without_stale_crc(line)
    record = json.loads(line)
    record.pop("crc", None)
    return json.dumps(record | {"parentId": parent_id}, separators=(",", ":")).encode()


def _marks(store: SessionStore, places: Sequence[int]) -> Iterator[LabelEntry]:
    """What must still be said for every copied entry to have the mark it has in `store`."""
    tree = store.entries.tree
    ids = {tree.entry_id(place) for place in places}
    marks = _labels(store, range(len(store.entries)))
    said = _labels(store, places)
    parent_id = tree.entry_id(places[-1])
    for target_id, label in marks.items():
        if target_id in ids and label != said.get(target_id):
            entry_id = _free_id(ids)
            yield LabelEntry(
                id=entry_id, parent_id=parent_id, timestamp=now_iso(), target_id=target_id, label=label
            )
            parent_id = entry_id


def _labels(store: SessionStore, places: Sequence[int]) -> dict[str, str | None]:
    """The last label of each entry that `places` mark."""
    labels = store.entries.at(places).of_kind("label")
    return {entry.target_id: entry.label for entry in labels if isinstance(entry, LabelEntry)}


def _free_id(ids: set[str]) -> str:
    while (entry_id := secrets.token_hex(4)) in ids:
        pass
    ids.add(entry_id)
    return entry_id
