"""What the file and shell tools ask of a session, besides `OutputLimits` and `SpillFolder`."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from pi_notebook._loading import find_installed


@dataclass(frozen=True, kw_only=True)
class WorkingFolder:
    """The folder that relative paths start from and commands run in; absolute."""

    path: Path


@dataclass(frozen=True, kw_only=True)
class Shell:
    """A POSIX shell. A session without one does not offer `bash`."""

    path: str


def find_shell() -> Shell | None:
    """The shell of this machine: bash where there is one, else sh."""
    if os.name != "posix":
        return None
    found = shutil.which("bash") or shutil.which("sh")
    return Shell(path=found) if found else None


@dataclass(frozen=True, kw_only=True)
class QueryEngine:
    """DuckDB. A session without it does not offer `query_data`."""

    timeout_seconds: float = 30.0
    """A query that takes longer is stopped."""


def find_query_engine() -> QueryEngine | None:
    """Whether DuckDB is installed; it is not loaded to see."""
    return QueryEngine() if find_installed("duckdb") is not None else None
