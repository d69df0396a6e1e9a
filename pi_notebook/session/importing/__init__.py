"""Sessions of other programs, made into sessions of ours.

A transcript is read and never changed; what it tells goes into a new session file, and a last entry
says where it came from and what was left out. What a format looks like is the business of its own
file; which one a file is, and what every import has in common, is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pi_notebook.agent.entries import CustomEntry
from pi_notebook.errors import SessionError, SessionFormatError
from pi_notebook.session.home import Home
from pi_notebook.session.importing import claude_code, pi, swe_agent
from pi_notebook.session.importing.new_session import NewSession
from pi_notebook.session.importing.source import Source, opened_source
from pi_notebook.session.importing.tally import Tally
from pi_notebook.session.store import SessionStore

IMPORT_TYPE = "pi_notebook/import"
"""The `custom_type` of the entry that says what a session was imported from."""

Convert = Callable[[Source, NewSession, Tally], Iterator[None]]

_FORMATS: tuple[tuple[str, Callable[[Source], bool], Convert], ...] = (
    ("Pi", pi.is_one, pi.convert),
    ("Claude Code", claude_code.is_one, claude_code.convert),
    ("SWE-agent", swe_agent.is_one, swe_agent.convert),
)


@dataclass(frozen=True, kw_only=True)
class Imported:
    """A session that was made of a transcript, and what to tell of it."""

    store: SessionStore
    """Open at the end of the conversation, ready to go on."""
    notes: tuple[str, ...]
    """One line each: what came over, then what did not, or only in part."""


def import_session(path: Path, *, home: Home, folder: Path) -> Imported:
    """The transcript at `path` as a new session of the working folder `folder`.

    Raises `SessionFormatError` when it is none that can be read, and `SessionError` when it cannot be
    read or the new file not be written: then there is no new file.
    """
    with opened_source(path) as source:
        name, convert = _format(source)
        session, tally = NewSession(folder, home=home, parent=path if name == "Pi" else None), Tally(name)
        store = session.written(_steps(source, convert, session, tally))
        return Imported(store=store, notes=tally.notes(session))


def _steps(source: Source, convert: Convert, session: NewSession, tally: Tally) -> Iterator[None]:
    try:
        yield from convert(source, session, tally)
        if source.has_grown:
            tally.note("The file grew while it was read: what came later is not imported.")
    except OSError as error:
        raise SessionError(f"{source.path} cannot be read: {error.strerror}.", path=source.path) from error
    if not session.message_count:
        found = " ".join(("there is nothing to import.", *tally.notes(session)[1:]))
        raise SessionFormatError(f"{source.path} holds no message: {found}", path=source.path)
    data = {
        "format": tally.name,
        "path": str(source.path),
        "notes": list(tally.notes(session)),
        "about": tally.about,
    }
    session.add(CustomEntry, custom_type=IMPORT_TYPE, data=data)
    yield


def _format(source: Source) -> tuple[str, Convert]:
    for name, is_one, convert in _FORMATS:
        if is_one(source):
            return name, convert
    raise SessionFormatError(
        f"{source.path} is no session that can be imported. Those of Pi and of Claude Code (.jsonl) and of "
        "SWE-agent and mini-swe-agent (.traj, .traj.json) can.",
        path=source.path,
    )
