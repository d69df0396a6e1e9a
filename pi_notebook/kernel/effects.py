"""What a piece of code left behind, as data: files, variables, imports, folder and environment.

Facts that the program saw, not what a model says of them. How they are seen is the watches'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FileAction = Literal["read", "written", "modified", "deleted"]
"""`written` is new or replaced as a whole, `modified` is opened to be changed or found changed."""
Witness = Literal["tools", "python", "scan", "code"]
"""Who tells: a file tool, an `open` in the kernel, the folder before and after, a path in the code."""
Doer = Literal["agent", "person"]
"""Whose code or tool did it."""
VariableAction = Literal["created", "rebound", "changed", "deleted"]
"""`changed` is the same object with another length or shape."""


@dataclass(frozen=True, kw_only=True)
class FileEffect:
    """What was done to one file."""

    path: str
    """Absolute, links as they were written."""
    action: FileAction
    witness: Witness
    count: int = 1
    renamed_to: str = ""
    """Of one that is not there any more: its path now, where that is known."""


@dataclass(frozen=True, kw_only=True)
class VariableEffect:
    """What became of one variable."""

    name: str
    action: VariableAction
    type: str = ""
    shape: tuple[int, ...] | None = None
    length: int | None = None
    is_passing: bool = False
    """Whether the code bound it in the head of a loop or `with` alone."""


@dataclass(frozen=True, kw_only=True)
class CellEffects:
    """What one piece of code did beyond its output."""

    files: tuple[FileEffect, ...] = ()
    variables: tuple[VariableEffect, ...] = ()
    imports: tuple[str, ...] = ()
    """Packages that the code names in an import, and that are loaded."""
    execution_count: int = 0
    folder: str | None = None
    """The working folder, when the code left it for another."""
    environment: tuple[str, ...] = ()
    """Names of environment variables that were set, changed or removed; never their values."""
    is_cut: bool = False
    """Whether there was more than was looked at."""
