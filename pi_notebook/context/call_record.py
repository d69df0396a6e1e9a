"""What one call, or the person, did for certain: a record in the session for each.

What the records of a branch add up to is `ledger`'s; who watches and who stores is `kernel/` and
`session/`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import msgspec

from pi_notebook.kernel.effects import CellEffects, Doer, FileAction, FileEffect, VariableAction, Witness

LEDGER_TYPE = "pi_notebook/ledger"


class _Record(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    pass


class FileNote(_Record, frozen=True, kw_only=True):
    """What one call did to one file; inside the working folder the path is relative to it."""

    path: str
    action: FileAction
    witness: Witness
    count: int = 1
    renamed_to: str = ""
    """Of a deleted one: its path now, where that is known."""

    @property
    def told(self) -> str:
        """The path and what was done, for a model."""
        return f"{self.path} ({f'renamed to {self.renamed_to}' if self.renamed_to else self.action})"


class VariableNote(_Record, frozen=True, kw_only=True):
    """What one call did to one variable."""

    name: str
    action: VariableAction
    type: str = ""
    shape: list[int] | None = None
    length: int | None = None
    is_passing: bool = False
    """Whether the code bound it in the head of a loop or `with` alone."""


class FrameNote(_Record, frozen=True, kw_only=True):
    """A frame that was written to disk whole, as it was under `name`."""

    name: str
    path: str
    rows: int = 0
    columns: list[str] = []
    index_columns: list[str] = []
    renamed: list[list[str]] = []
    as_text: dict[str, str] = {}
    dtypes: dict[str, str] = {}


class CallRecord(_Record, frozen=True, kw_only=True):
    """What one call of a tool did, or the person between two runs."""

    tool_call_id: str = ""
    """Empty, as `tool` is, for what the person did."""
    tool: str = ""
    by: Doer = "agent"
    files: list[FileNote] = []
    variables: list[VariableNote] = []
    imports: list[str] = []
    frames: list[FrameNote] = []
    figures: int = 0
    execution_count: int = 0
    folder: str | None = None
    environment: list[str] = []
    is_cut: bool = False
    """Whether there was more than was looked at."""

    @property
    def is_empty(self) -> bool:
        """Whether the call did nothing that the ledger keeps."""
        kept = (self.files, self.variables, self.imports, self.frames, self.folder, self.environment)
        return not any(kept) and not self.figures

    def data(self) -> dict[str, Any]:
        """The record as it is stored."""
        stored: dict[str, Any] = msgspec.to_builtins(self)
        return stored


def record_of(
    effects: CellEffects,
    *,
    folder: str,
    call_id: str = "",
    tool: str = "",
    by: Doer = "agent",
    apart: Iterable[str] = (),
    frames: Iterable[FrameNote] = (),
    figures: int = 0,
) -> CallRecord:
    """The record of a call, or of what the person did; what lies in the folders `apart` is left out."""
    apart = list(apart)
    outside = tuple(os.path.join(one, "") for one in [*apart, *map(os.path.realpath, apart)])
    files = [one for one in effects.files if not one.path.startswith(outside)]
    return CallRecord(
        tool_call_id=call_id,
        tool=tool,
        by=by,
        files=[_file_note(one, folder) for one in files],
        variables=[
            VariableNote(
                name=one.name,
                action=one.action,
                type=one.type,
                shape=list(one.shape) if one.shape is not None else None,
                length=one.length,
                is_passing=one.is_passing,
            )
            for one in effects.variables
        ],
        imports=list(effects.imports),
        frames=list(frames),
        figures=figures,
        execution_count=effects.execution_count,
        folder=effects.folder,
        environment=list(effects.environment),
        is_cut=effects.is_cut,
    )


def _file_note(effect: FileEffect, folder: str) -> FileNote:
    return FileNote(
        path=_in_folder(effect.path, folder),
        action=effect.action,
        witness=effect.witness,
        count=effect.count,
        renamed_to=_in_folder(effect.renamed_to, folder) if effect.renamed_to else "",
    )


def _in_folder(path: str, folder: str) -> str:
    """`path` relative to `folder`, if it lies in it."""
    real = _real(folder)
    if not _is_in(folder, path):
        folder, path = real, _real(path)
    return path[len(os.path.join(folder, "")) :] if _is_in(folder, path) else path


def _real(path: str) -> str:
    try:
        return os.path.realpath(path)
    except OSError:  # a link that went meanwhile, as those of processes do
        return path


def _is_in(folder: str, path: str) -> bool:
    return path.startswith(os.path.join(folder, ""))
