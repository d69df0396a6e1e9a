"""All that is watched while one piece of code runs, and what came of it.

Owns the order: the folder and the variables before, the wrappers during, the same again after.
"""

from __future__ import annotations

import itertools
import os
import sys
from types import TracebackType
from typing import Any

from pi_notebook.kernel.code_facts import CodeFacts
from pi_notebook.kernel.effects import CellEffects, FileAction, FileEffect
from pi_notebook.kernel.file_watch import FileWatch
from pi_notebook.kernel.folder_scan import FolderState, changes, scan
from pi_notebook.kernel.namespace_watch import NamespaceWatch

MAX_FILES = 200
"""Told of one call; there may be more, which `is_cut` says."""


class CallWatch:
    """While entered, watches what `code` does; afterwards `effects` has it."""

    def __init__(self, shell: Any, code: str) -> None:
        self._shell = shell
        self._facts = CodeFacts(code)
        self._files = FileWatch()
        self.is_whole = False
        """Whether the code reached its end, so that all its outermost statements were."""
        self.effects = CellEffects()

    def __enter__(self) -> CallWatch:
        self._folder = _working_folder()
        self._environment = dict(os.environ)
        self._namespace = NamespaceWatch(self._shell)
        is_scanned = self._folder is not None and not self._facts.only_looks
        self._state = scan(self._folder) if is_scanned and self._folder is not None else None
        self._files.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._files.__exit__(kind, error, trace)
        files, is_cut = self._file_effects()
        folder = _working_folder()
        assigned = self._facts.assigned if self.is_whole else ()
        self.effects = CellEffects(
            files=tuple(files[:MAX_FILES]),
            variables=tuple(self._namespace.effects(assigned=assigned, passing=self._facts.passing)),
            imports=tuple(name for name in self._facts.packages if name in sys.modules),
            execution_count=self._shell.execution_count,
            folder=folder if folder != self._folder else None,
            environment=tuple(_changed_names(self._environment, dict(os.environ))),
            is_cut=is_cut or len(files) > MAX_FILES,
        )

    def _file_effects(self) -> tuple[list[FileEffect], bool]:
        """What is known of files, each fact once, what was seen exactly first; and whether there is more."""
        seen = self._files.seen()
        is_cut = self._files.is_cut
        found: list[FileEffect] = []
        if self._state is not None:
            after = scan(self._state.folder)
            is_cut = is_cut or self._state.is_cut or after.is_cut
            passing = _passing(seen, self._state, after)
            seen = {key: count for key, count in seen.items() if key[0] not in passing}
            known = {path for path, action in seen if action != "read"} | passing
            found = changes(self._state, after, known=known)
        named = self._facts.paths_read(self._shell.user_ns)
        found += [
            FileEffect(path=path, action="read", witness="code")
            for path in named
            if (path, "read") not in seen
        ]
        own = [
            FileEffect(path=path, action=action, witness="python", count=count)
            for (path, action), count in itertools.islice(seen.items(), MAX_FILES)
        ]
        return own + found, is_cut or len(seen) > MAX_FILES


def _passing(seen: dict[tuple[str, FileAction], int], before: FolderState, after: FolderState) -> set[str]:
    """Files of the folder that were made and deleted in between."""
    if before.is_cut or after.is_cut:
        return set()
    inside = os.path.join(before.folder, "")
    return {
        path
        for path, action in seen
        if action == "deleted"
        and (path, "written") in seen
        and path.startswith(inside)
        and path not in before.files
        and path not in after.files
    }


def _working_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # deleted
        return None


def _changed_names(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
