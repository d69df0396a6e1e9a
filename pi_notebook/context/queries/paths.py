"""Which files a query may read: those of the working folder and the session's own spill files.

A link counts as where it leads, so that one inside a folder does not lead out of it.
"""

from __future__ import annotations

import glob
import itertools
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pi_notebook.context.previews.wording import one_line
from pi_notebook.context.queries.problems import QueryProblem, like
from pi_notebook.context.spill import FRAME_ENDING

_GLOB_SIGNS = "*?["
_MOST_FILES = 10_000
_KEPT_AGAIN = "Query its variable by name, or preview_data(name, keep=true) writes it again."
MAX_USED = 200
"""Files of one query that are told of; a pattern may match many more."""


@dataclass(frozen=True, kw_only=True)
class ReadableFolders:
    """The folders; relative paths start from the first."""

    paths: Sequence[Path]
    used: dict[str, None] = field(default_factory=dict, compare=False)
    """The real paths of the files that were asked for and may be read, the first of many."""
    was_dropped: Callable[[Path], bool] = lambda path: False
    """Whether what was at a path made room for frames that were kept later."""
    was_changed: Callable[[Path], bool] = lambda path: False
    """Whether the file of a kept frame is no longer as it was written."""

    @property
    def real(self) -> list[Path]:
        return [Path(os.path.realpath(path)) for path in self.paths]

    def resolve(self, path: str) -> str:
        """The real path of a file that may be read; `QueryProblem` for any other."""
        if "\0" in path or not path.strip():
            raise QueryProblem("A path is empty. Name a file, as in FROM 'data.csv'.")
        wanted = os.path.join(self.paths[0], os.path.expanduser(path.removeprefix("file://")))
        if os.path.lexists(wanted) or not any(sign in path for sign in _GLOB_SIGNS):
            return self._checked(wanted, path)
        return self._pattern(wanted, path)

    def _checked(self, wanted: str, path: str) -> str:
        real = Path(os.path.realpath(wanted))
        if not any(real == folder or folder in real.parents for folder in self.real):
            raise QueryProblem(
                f"{_shown(path)} is outside the working folder {self.paths[0]}, and query_data reads only "
                "inside it. Use run_code."
            )
        try:
            mode = real.stat().st_mode
        except OSError:
            raise QueryProblem(self._missing(real, path)) from None
        if stat.S_ISDIR(mode):
            raise QueryProblem(
                f"{_shown(path)} is a folder. Name its files: '{_shown(path.rstrip('/'))}/*.parquet'."
            )
        if not stat.S_ISREG(mode):
            raise QueryProblem(f"{_shown(path)} is no plain file.")
        if self.was_changed(real):
            raise QueryProblem(
                f"{_shown(path)}, where a frame was kept, was changed by somebody since. {_KEPT_AGAIN}"
            )
        self.note(str(real))
        return str(real)

    def note(self, path: str) -> None:
        """Count `path` among the files that the query reads."""
        if len(self.used) < MAX_USED:
            self.used[path] = None

    def _missing(self, real: Path, path: str) -> str:
        if self.was_dropped(real):
            return _dropped(path)
        if real.name.endswith(FRAME_ENDING) and any(real.is_relative_to(folder) for folder in self.real[1:]):
            return f"{_shown(path)}, where a frame was kept, is gone: somebody removed it. {_KEPT_AGAIN}"
        return _missing(real, path)

    def _pattern(self, wanted: str, path: str) -> str:
        """A pattern with its fixed part made real; all it finds is checked."""
        parts = Path(wanted).parts
        fixed = list(itertools.takewhile(lambda part: not any(sign in part for sign in _GLOB_SIGNS), parts))
        rest = parts[len(fixed) :]
        start = Path(os.path.realpath(Path(*fixed)))
        if ".." in rest or not any(start == folder or folder in start.parents for folder in self.real):
            raise QueryProblem(
                f"{_shown(path)} leads outside the working folder {self.paths[0]}. Use run_code."
            )
        pattern = str(start.joinpath(*rest))
        found = list(itertools.islice(glob.iglob(pattern, recursive=True), _MOST_FILES + 1))
        if not found and self.was_dropped(start):
            raise QueryProblem(_dropped(path))
        if not found:
            raise QueryProblem(f"No file matches {_shown(path)}. Look with `find`.")
        if len(found) > _MOST_FILES:
            raise QueryProblem(f"{_shown(path)} matches more than {_MOST_FILES:,} files. Name fewer.")
        for file in found:
            if os.path.islink(file) or not os.path.isdir(file):
                self._checked(file, file)
        return pattern


def _dropped(path: str) -> str:
    return f"{_shown(path)} was dropped to make room for frames that were kept later. {_KEPT_AGAIN}"


def _missing(real: Path, path: str) -> str:
    try:
        names = [entry.name for entry in itertools.islice(os.scandir(real.parent), _MOST_FILES)]
    except OSError:
        names = []
    hint = like(real.name, names) or " Look with `ls` or `find`."
    return f"Nothing is at {_shown(path)}.{hint}"


def _shown(path: str) -> str:
    return one_line(path, 200)
