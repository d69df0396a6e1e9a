"""Which cell of which notebook a run was asked in: recorded, and found again when the cell runs anew.

It is written down so that a cell that is run again can go on from before its earlier prompt, and
sessions can be found by their notebook. Nothing else is decided by it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_notebook.agent.entries import CustomEntry, Entry
from pi_notebook.session.branch import Branch

NOTEBOOK_TYPE = "pi_notebook/notebook"
"""The `custom_type` of the entry that binds a session to the notebook at its `path`."""

CELL_TYPE = "pi_notebook/cell"
"""The `custom_type` of the entry that says which cell asks next; the prompt follows it."""


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a prompt comes from; None where the front end does not say."""

    notebook: str | None = None
    """The notebook's path."""
    cell: str | None = None
    """The front end's id of the cell."""


def notebook_of(shell: Any, environ: Mapping[str, str] = os.environ) -> str | None:
    """The path of the notebook that `shell` runs; JupyterLab, Notebook and VS Code say it."""
    said = getattr(shell, "user_ns", {}).get("__vsc_ipynb_file__") or environ.get("JPY_SESSION_NAME")
    return said if isinstance(said, str) and said.endswith(".ipynb") else None


def notebook_file(path: str, started_as: str | None) -> Path | None:
    """Where the notebook lies that a server calls `path` now, as after it was renamed.

    `started_as` is what it was called when the kernel began; None when no folder around that has such a file.
    """
    known = Path(started_as).absolute() if started_as else Path.cwd() / "_"
    here = (folder / path for folder in known.parents)
    return next((file for file in here if file.is_file()), None) if path else None


def cell_of(shell: Any) -> str | None:
    """The front end's id of the cell that `shell` is running now."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    metadata = parent.get("metadata", {}) if isinstance(parent, dict) else {}
    cell = metadata.get("cellId")
    return cell if isinstance(cell, str) and cell else None


def record_origin(branch: Branch, origin: Origin | None) -> None:
    """Write down where the next prompt comes from, as far as it is known and new."""
    if origin is None:
        return
    bindings = branch.store.branch().of_kind(f"custom:{NOTEBOOK_TYPE}")
    if origin.notebook is not None and origin.notebook != recorded_notebook(bindings):
        branch.add_record(NOTEBOOK_TYPE, {"path": origin.notebook})
    if origin.cell is not None:
        branch.add_record(CELL_TYPE, {"id": origin.cell})


def recorded_notebook(entries: Sequence[Entry]) -> str | None:
    """The notebook that the session belongs to, by its newest entry."""
    for entry in reversed(entries):
        if isinstance(entry, CustomEntry) and entry.custom_type == NOTEBOOK_TYPE:
            path = entry.data.get("path") if isinstance(entry.data, dict) else None
            return path if isinstance(path, str) else None
    return None


def asked_before(entries: Sequence[Entry], cell: str) -> CustomEntry | None:
    """The entry on the branch `entries` that the earlier prompt of `cell` follows."""
    for entry in reversed(entries):
        if isinstance(entry, CustomEntry) and entry.custom_type == CELL_TYPE:
            data = entry.data if isinstance(entry.data, dict) else {}
            if data.get("id") == cell:
                return entry
    return None
