"""Previews of what is used up or held open: iterators, generators, files; their state and nothing more."""

from __future__ import annotations

import inspect
import io
import itertools
import os
import stat
import types
from collections.abc import Callable
from typing import Any

from pi_notebook.context.previews.foreign import attempt, is_a, is_instance, qualified_name
from pi_notebook.context.previews.leaves import leaf
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import byte_size, one_line


def _async_state(value: Any) -> str:
    """As `inspect.getasyncgenstate` says it from Python 3.12 on; before, nobody tells the first two apart."""
    if hasattr(inspect, "getasyncgenstate"):
        return str(inspect.getasyncgenstate(value))
    if value.ag_running:
        return "AGEN_RUNNING"
    return "AGEN_CLOSED" if value.ag_frame is None else "AGEN_OPEN"


_RUNS: tuple[tuple[type, str, str, Callable[[Any], str]], ...] = (
    (types.GeneratorType, "gi", "generator", inspect.getgeneratorstate),
    (types.CoroutineType, "cr", "coroutine", inspect.getcoroutinestate),
    (types.AsyncGeneratorType, "ag", "async generator", _async_state),
)
_STATES = {
    "CREATED": "not started",
    "OPEN": "not finished",
    "RUNNING": "running",
    "SUSPENDED": "suspended",
    "CLOSED": "finished",
}
_ITERATORS: tuple[type, ...] = (
    *(map, zip, filter, enumerate, reversed),
    *(cls for cls in vars(itertools).values() if isinstance(cls, type)),
)
_EMPTY: tuple[Any, ...] = ((), [], {}, set(), "", b"", range(0), {}.values(), {}.items())
_COUNTED = tuple(type(iter(empty)) for empty in _EMPTY)
"""Iterators that know how much is left."""
_FILES = (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO)


def preview_resource(value: Any, max_tokens: int) -> Preview | None:
    """What is known of an iterator or a file without taking from it; None for anything else."""
    text = _run(value) or _iterator(value) or _file(value)
    return None if text is None else Preview(text=text, kind="object", is_complete=False)


def _run(value: Any) -> str | None:
    """A generator or coroutine: where its code is, and where it stands."""
    kind = type(value)
    for cls, prefix, noun, state_of in _RUNS:
        if kind is cls:
            code, frame = getattr(value, f"{prefix}_code"), getattr(value, f"{prefix}_frame")
            state = _STATES[state_of(value).partition("_")[2]]
            at = f" at line {frame.f_lineno}" if frame is not None and state == "suspended" else ""
            place = f"{one_line(code.co_filename, 200)}:{code.co_firstlineno}"
            return f"{noun} {one_line(value.__qualname__, 100)}, {state}{at}, defined in {place}"
    return None


def _iterator(value: Any) -> str | None:
    cls = type(value)
    if cls in _COUNTED:
        return f"{cls.__name__}, about {value.__length_hint__():,} left, nothing taken"
    return f"{qualified_name(cls)} iterator, nothing taken" if cls in _ITERATORS else None


def _file(value: Any) -> str | None:
    """An open file. A text file is not asked for its position, which would write what it holds back."""
    if is_instance(value, "tempfile", "_TemporaryFileWrapper"):
        return _file(value.file)
    if type(value) is io.BytesIO:
        return f"io.BytesIO, {_held(value)}"
    if type(value) is io.StringIO:
        return "io.StringIO, closed" if value.closed else f"io.StringIO, at character {value.tell():,}"
    if type(value) not in _FILES:
        return None
    facts = [f"{qualified_name(type(value)).removeprefix('_')} {_name(value)}"]
    facts += [f"mode {mode!r}"] if isinstance(mode := attempt(lambda: value.mode, None), str) else []
    facts += [one_line(value.encoding, 20)] if is_a(value, io.TextIOWrapper) else []
    return ", ".join([*facts, *_position(value)])


def _held(value: io.BytesIO) -> str:
    if value.closed:
        return "closed"
    with value.getbuffer() as view:
        return f"{byte_size(view.nbytes)}, at byte {value.tell():,}"


def _name(value: Any) -> str:
    return leaf(attempt(lambda: value.name, None), 200)[0]


def _position(value: Any) -> list[str]:
    if value.closed:
        return ["closed"]
    found = attempt(lambda: os.fstat(value.fileno()), None)
    is_regular = found is not None and stat.S_ISREG(found.st_mode)
    facts = [byte_size(found.st_size)] if found is not None and is_regular else []
    if is_regular and not is_a(value, io.TextIOWrapper):
        facts.append(f"at byte {value.tell():,}")
    return ["open", *facts]
