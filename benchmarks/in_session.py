"""Measurements of session files, each in a process of its own: see `benchmarks.in_process`."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.in_process import Peak
from benchmarks.row import median
from benchmarks.session_files import TIME
from pi_notebook.agent.entries import MessageEntry
from pi_notebook.agent.messages import user_message
from pi_notebook.session.history import SessionHistory
from pi_notebook.session.home import find_home
from pi_notebook.session.lines import encode_line
from pi_notebook.session.listing import list_sessions
from pi_notebook.session.runtime import open_session
from pi_notebook.session.store import SessionStore

APPENDS = 300


def resume(path: str) -> dict[str, float]:
    """From nothing to a session that can be asked; what is loaded once is loaded before."""
    open_session(folder=Path(path).parent).close()
    seconds = []
    with Peak() as peak:
        seconds.append(_resume_seconds(path))
    seconds += [_resume_seconds(path) for _ in range(4)]
    return {"seconds": median(seconds), "growth": peak.growth}


def append(short: str, long: str) -> dict[str, float]:
    """The same message in turn to a short session, to a long one, and bare to a file beside them."""
    stores = {"short": SessionStore.open(Path(short)), "long": SessionStore.open(Path(long))}
    message = user_message("What is the median revenue by region? " * 20)
    line = encode_line(MessageEntry(id="00000000", parent_id="00000000", timestamp=TIME, message=message))
    times: dict[str, list[float]] = {"bare": [], "short": [], "long": []}
    fd = os.open(Path(long).with_suffix(".bare"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for _ in range(APPENDS):
        began = time.perf_counter()
        os.write(fd, line)
        os.fdatasync(fd)
        times["bare"].append(time.perf_counter() - began)
        for name, store in stores.items():
            began = time.perf_counter()
            store.add(MessageEntry, message=message)
            times[name].append(time.perf_counter() - began)
    return {name: median(found) for name, found in times.items()}


def listing() -> dict[str, float]:
    """All sessions of the home."""
    seconds = []
    for _ in range(5):
        began = time.perf_counter()
        count = len(list_sessions(limit=10_000, home=find_home()))
        seconds.append(time.perf_counter() - began)
    return {"seconds": median(seconds), "count": count}


def search(folder: str, query: str) -> dict[str, float]:
    """The newest hits in all sessions of a folder; the whole of them is read where there are few."""
    store = SessionStore.create(Path(folder), home=find_home())
    history = SessionHistory(store, folder=Path(folder), home=find_home())
    seconds = []
    with Peak() as peak:
        for _ in range(5):
            began = time.perf_counter()
            hits = len(history.find(query, everywhere=True).hits)
            seconds.append(time.perf_counter() - began)
    return {"seconds": median(seconds), "hits": hits, "growth": peak.growth}


def _resume_seconds(path: str) -> float:
    began = time.perf_counter()
    session = open_session(path, folder=Path(path).parent)
    seconds = time.perf_counter() - began
    session.close()
    return seconds


FUNCTIONS: dict[str, Callable[..., dict[str, float]]] = {
    "resume": resume,
    "append": append,
    "listing": listing,
    "search": search,
}

if __name__ == "__main__":
    print(json.dumps(FUNCTIONS[sys.argv[1]](*sys.argv[2:])))
