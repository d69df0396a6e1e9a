"""A session of Pi's, or of ours, copied line by line; of formats 1 and 2, brought up to date."""

from __future__ import annotations

from collections.abc import Iterator

from pi_notebook.session.forking import with_parent
from pi_notebook.session.importing.new_session import NewSession
from pi_notebook.session.importing.source import Source
from pi_notebook.session.importing.tally import Tally
from pi_notebook.session.store import SessionStore


def is_one(source: Source) -> bool:
    """True when the file begins with a header, or holds entries in spite of a damaged one."""
    records = source.first_records
    if not records:
        return False
    return records[0].get("type") == "session" or any("parentId" in record for record in records)


def convert(source: Source, session: NewSession, tally: Tally) -> Iterator[None]:
    """Copy all entries, those of other branches too, with the keys and kinds this release does not know."""
    store = SessionStore.open(source.path, read_only=True)
    try:
        entries = store.entries
        for place, entry in enumerate(entries):
            session.copy(entry, with_parent(store.line_at(place), entries.tree.parent_id(place)))
            yield
        tally.about = {"id": store.id, "cwd": store.header.cwd, "timestamp": store.header.timestamp}
        for problem in store.problems:
            tally.note(f"{source.path.name}, {problem}.")
    finally:
        store.close()
