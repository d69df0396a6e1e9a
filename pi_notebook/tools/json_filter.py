"""jq filters applied in a process that is ended at a deadline."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO

import msgspec

from pi_notebook.tools import jq_child

_SECONDS = 20.0
_PASSED_ON = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What a Python may need to start. No more: a filter can read the environment, and that holds keys."""


@dataclass(frozen=True, kw_only=True)
class JsonFilter:
    """jq as a library. A session without it does not offer `query_json`."""

    folder: Path
    """Where the library lies."""
    timeout_seconds: float = _SECONDS

    async def apply(self, expression: str, document: bytes | IO[bytes]) -> FilterAnswer:
        """What `expression` makes of the JSON in `document`; a cancelled call leaves no process."""
        run = _FilterRun([jq_child.__file__, str(self.folder), expression], self.folder, document)
        try:
            return await asyncio.to_thread(run.answer, self.timeout_seconds)
        finally:
            run.stop()


class _FilterRun:
    """One process; it can be stopped from another thread, also before it has begun."""

    def __init__(self, arguments: list[str], folder: Path, document: bytes | IO[bytes]) -> None:
        self._arguments = [sys.executable, "-I", *arguments]
        self._folder = folder
        self._document = document
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False

    def stop(self) -> None:
        self._is_stopped = True
        if self._process is not None:
            self._process.kill()

    def answer(self, timeout_seconds: float) -> FilterAnswer:
        given = self._document if isinstance(self._document, bytes) else None
        try:
            self._process = process = self._start()
        except ValueError:
            return FilterAnswer(error="filter", said="it must be text without a NUL byte.")
        except OSError as error:
            if error.errno != errno.E2BIG:
                raise
            return FilterAnswer(error="filter", said="it is too long.")
        if self._is_stopped:
            process.kill()
        try:
            written, _ = process.communicate(given, timeout=timeout_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return FilterAnswer(error="timeout")
        try:
            return msgspec.json.decode(written, type=FilterAnswer)
        except msgspec.DecodeError:
            return FilterAnswer(error="ended")

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._arguments,
            stdin=subprocess.PIPE if isinstance(self._document, bytes) else self._document,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
            cwd=self._folder,
            start_new_session=True,
        )


class FilterAnswer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What became of a filter."""

    results: tuple[str, ...] = ()
    """Each as JSON; with an error, those before it."""
    is_cut: bool = False
    """Whether there are more results than were taken."""
    shape: str = ""
    """What the input is: its type, keys or length."""
    error: str = ""
    """`filter`: not jq; `input`: not JSON; `run`: failed on this input; `timeout`; `ended`: no memory,
    mostly. Empty when all went well."""
    said: str = ""
    """The library's own words."""


def find_json_filter() -> JsonFilter | None:
    """The library where it is installed; it is not imported."""
    try:
        folder = metadata.distribution("jq").locate_file("")
    except metadata.PackageNotFoundError:
        return None
    return JsonFilter(folder=Path(str(folder)))
