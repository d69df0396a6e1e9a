"""The sessions of a folder in which words were said, each once, with what stands around the newest place."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pi_notebook.session.home import Home
from pi_notebook.session.listing import newest_first
from pi_notebook.session.query import Query
from pi_notebook.session.search import search_file
from pi_notebook.session.summary import SessionInfo, describe_session, open_own

_DEADLINE_SECONDS = 10.0


@dataclass(frozen=True, kw_only=True)
class FoundSession:
    """A session that has the words."""

    info: SessionInfo
    excerpt: str


def find_in_sessions(
    words: str, *, folder: Path, home: Home, limit: int, deadline_seconds: float = _DEADLINE_SECONDS
) -> list[FoundSession]:
    """The sessions of `folder` that have an entry, or a name, with all of `words`, the last written first.

    At most `limit`, and those that were found in time. Raises `UsageError` when there is no word.
    """
    query = Query.parse(words)
    end = time.monotonic() + deadline_seconds
    found: list[FoundSession] = []
    for path in newest_first(home, folder):
        if len(found) == limit or time.monotonic() > end:
            break
        info = describe_session(path)
        if info is None or info.folder != folder:
            continue
        excerpt = query.excerpt(info.name or "") or _excerpt(path, query, end)
        if excerpt is not None:
            found.append(FoundSession(info=info, excerpt=excerpt))
    return found


def _excerpt(path: Path, query: Query, end: float) -> str | None:
    """What stands around the words where they were said last; None where they are not, or time is up."""
    with suppress(OSError):
        file = open_own(path)
        if file is None:
            return None
        with file:
            for match in search_file(file, query):
                if match is not None:
                    return match.excerpt
                if time.monotonic() > end:
                    return None
    return None
