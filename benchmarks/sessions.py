"""Long sessions and many of them: resuming, adding to them, listing and searching them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.data import MB, in_process
from benchmarks.row import Row
from benchmarks.session_files import write_session
from pi_notebook.session.home import HOME_VARIABLE, Home

ENTRIES = 100_000
COMPACT_EVERY = 1_000
SESSIONS = 1_000


def sessions() -> Iterator[Row]:
    """Each figure in a home of its own."""
    yield from _resume("compacted", compact_every=COMPACT_EVERY)
    yield from _resume("never compacted", compact_every=0)
    yield from _append()
    yield from _listing()
    yield from _search()


def _resume(kind: str, *, compact_every: int) -> Iterator[Row]:
    with _home() as (home, folder):
        path = write_session(home, folder, entries=ENTRIES, compact_every=compact_every)
        found = _measured("resume", str(path))
        name = f"sessions.resume[{ENTRIES:,} entries, {path.stat().st_size / MB:.0f} MB, {kind}]"
    yield Row(name=f"{name}.time", value=1000 * found["seconds"], unit="ms", target="<= 500")
    yield Row(name=f"{name}.memory", value=found["growth"] / MB, unit="MB", target="<= 140")


def _append() -> Iterator[Row]:
    """The target is 1.5 x a bare write and fdatasync, and 1.2 x the same in a short session."""
    with _home() as (home, folder):
        paths = [write_session(home, folder, entries=count, seed=count) for count in (1_000, ENTRIES)]
        found = {name: 1000 * seconds for name, seconds in _measured("append", *map(str, paths)).items()}
    for name, baseline, times in (("bare", found["bare"], 1.5), ("1,000 entries", found["short"], 1.2)):
        yield Row(
            name=f"sessions.append[{ENTRIES:,} entries against {name}].p50",
            value=found["long"],
            unit="ms",
            baseline=round(baseline, 3),
            target=f"<= {times * baseline:.3f}",
        )


def _listing() -> Iterator[Row]:
    with _home() as (home, folder):
        for number in range(SESSIONS):
            write_session(home, folder, entries=200, seed=number)
        found = _measured("listing")
    assert found["count"] == SESSIONS
    yield Row(
        name=f"sessions.listing[{SESSIONS:,}]", value=1000 * found["seconds"], unit="ms", target="<= 300"
    )


def _search() -> Iterator[Row]:
    """Words that stand nowhere, one beyond ASCII, beside a common word, and common words."""
    with _home() as (home, folder):
        size = 0
        while size < 100 * MB:
            size += write_session(home, folder, entries=5_000, seed=size).stat().st_size
        for query in ("xylophone", "日本", "revenue xylophone", '"call_1999 "', "median zürich"):
            found = _measured("search", str(folder), query)
            name = f"sessions.search[{size / MB:.0f} MB, {query}]"
            yield Row(name=f"{name}.time", value=1000 * found["seconds"], unit="ms", target="<= 1000")
        yield Row(name=f"{name}.memory", value=found["growth"] / MB, unit="MB", target="<= 32")


def _measured(*arguments: str) -> dict[str, float]:
    return in_process(*arguments, module="benchmarks.in_session")


@contextmanager
def _home() -> Iterator[tuple[Home, Path]]:
    with tempfile.TemporaryDirectory(prefix="pi-notebook-bench-") as folder:
        before = os.environ.get(HOME_VARIABLE)
        os.environ[HOME_VARIABLE] = folder
        try:
            yield Home(root=Path(folder)), Path(folder)
        finally:
            os.environ.pop(HOME_VARIABLE)
            if before is not None:
                os.environ[HOME_VARIABLE] = before
