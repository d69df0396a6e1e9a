"""The first line of a session file: made for a new one, checked, or told from the file's name."""

from __future__ import annotations

import re
import uuid
from pathlib import Path

from pi_notebook.agent.entries import FORMAT_VERSION, SessionHeader
from pi_notebook.agent.messages import without_surrogates
from pi_notebook.errors import SessionFormatError
from pi_notebook.session.lines import now_iso

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)")


def new_header(folder: Path, parent_session: str | None) -> SessionHeader:
    """The header of a new session of the working folder `folder`."""
    return SessionHeader(
        version=FORMAT_VERSION,
        id=str(uuid.uuid4()),
        timestamp=now_iso(),
        cwd=without_surrogates(str(folder)),
        parent_session=parent_session,
    )


def id_of_name(path: Path) -> str:
    """The session id in the name of its file."""
    moment, _, session_id = path.stem.partition("_")
    return session_id or moment


def checked_header(header: SessionHeader | None, path: Path, *, has_entries: bool) -> SessionHeader:
    """The header to use for the file at `path`, of which `header` was read.

    A damaged one before good entries is told from the file's name: then the working folder stays
    unknown, an empty text. Raises `SessionFormatError` for a file that is no session, or not of this format.
    """
    if header is None and not has_entries:
        raise SessionFormatError(
            f"{path} is not a session file: {_instead(path)} %agent sessions lists those there are.",
            path=path,
            line_number=1,
        )
    if header is None:
        return _header_of_name(path)
    if header.version != FORMAT_VERSION:
        raise SessionFormatError(
            f"{path} is of session format {header.version}; this release reads {FORMAT_VERSION} and "
            "earlier ones. Update pi-notebook to open it: pip install -U pi-notebook.",
            path=path,
            line_number=1,
        )
    return header


def _instead(path: Path) -> str:
    """What the file is, as far as can be told, and what else to do with it."""
    try:
        if not path.stat().st_size:
            return "it is empty."
    except OSError:
        pass
    return f"its first line is no header. %agent import {path} reads those of other programs."


def _header_of_name(path: Path) -> SessionHeader:
    moment = _MOMENT.match(path.stem)
    timestamp = "{}:{}:{}.{}".format(*moment.groups()) if moment else ""
    return SessionHeader(version=FORMAT_VERSION, id=id_of_name(path), timestamp=timestamp, cwd="")
