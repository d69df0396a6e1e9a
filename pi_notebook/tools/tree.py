"""The files below a folder that a project counts as its own: what ignore files name is left out.

Hidden files are listed; `.git`, links and whatever is no plain file are not. It is what `rg --files
--hidden --no-require-git` lists, in a fixed order.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.pattern import Pattern

from pi_notebook.context.amounts import count_of
from pi_notebook.tools.globs import ignore_spec

IGNORE_FILES = (".gitignore", ".ignore", ".rgignore")
"""Later ones have the last word."""
TIMEOUT_SECONDS = 30.0
MAX_FILES = 500_000
_MAX_IGNORE_BYTES = 256 * 1024


@dataclass(frozen=True, kw_only=True)
class FileList:
    """Files below a folder."""

    names: Sequence[str]
    """Relative to the folder, in the order of their names."""
    is_whole: bool
    """False when the listing was stopped: there may be more, anywhere."""

    @property
    def notices(self) -> list[str]:
        return (
            [] if self.is_whole else [f"Stopped after {count_of(len(self.names), 'file')}; narrow the path."]
        )


def list_files(
    folder: Path,
    *,
    should_stop: Callable[[], bool],
    timeout_seconds: float = TIMEOUT_SECONDS,
    max_files: int = MAX_FILES,
) -> FileList:
    """The files below `folder`, as many as can be listed in time."""
    deadline = time.monotonic() + timeout_seconds
    found: list[str] = []
    is_whole = True
    for files in _walk(folder):
        found += files
        if should_stop() or len(found) >= max_files or time.monotonic() >= deadline:
            is_whole = False
            break
    return FileList(names=sorted(found, key=lambda name: name.split("/")), is_whole=is_whole)


@dataclass(frozen=True, kw_only=True)
class _Level:
    """The ignore files of one folder."""

    base: str
    """The folder, with a final slash."""
    specs: Mapping[str, GitIgnoreSpec]
    is_repository: bool


def _walk(top: Path) -> Iterator[list[str]]:
    """The files of one folder after another."""
    root = os.path.abspath(top).rstrip("/") + "/"
    pending: list[tuple[str, tuple[_Level, ...]]] = [(root, _levels_above(root))]
    while pending:
        folder, above = pending.pop()
        levels = (*above, *_level_of(folder))
        files: list[str] = []
        for entry in _entries(folder):
            path = folder + entry.name
            if entry.name == ".git" or entry.is_symlink():
                continue
            if entry.is_dir():
                if not _is_ignored(path + "/", levels):
                    pending.append((path + "/", levels))
            elif entry.is_file() and not _is_ignored(path, levels):
                files.append(path[len(root) :])
        yield files


def _entries(folder: str) -> Iterable[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return ()


def _is_ignored(path: str, levels: Sequence[_Level]) -> bool:
    """By the deepest folder that says something; `.gitignore` has no say outside its repository."""
    for name in reversed(IGNORE_FILES):
        for level in reversed(levels):
            spec = level.specs.get(name)
            said = spec.check_file(path[len(level.base) :]).include if spec else None
            if said is not None:
                return said
            if level.is_repository and name == ".gitignore":
                break
    return False


def _level_of(folder: str) -> tuple[_Level, ...]:
    specs = {name: spec for name in IGNORE_FILES if (spec := _read_rules(folder + name)) is not None}
    is_repository = os.path.exists(folder + ".git")
    if not specs and not is_repository:
        return ()
    return (_Level(base=folder, specs=specs, is_repository=is_repository),)


def _levels_above(root: str) -> tuple[_Level, ...]:
    """Of the folders above, outermost first, without the rules that leave out the folder asked for."""
    found: list[_Level] = []
    for folder in reversed(Path(root).parents):
        base = str(folder).rstrip("/") + "/"
        for level in _level_of(base):
            specs = {
                name: GitIgnoreSpec([rule for rule in spec.patterns if not _matches(rule, root[len(base) :])])
                for name, spec in level.specs.items()
            }
            found.append(replace(level, specs=specs))
    return tuple(found)


def _matches(rule: Pattern, path: str) -> bool:
    return rule.include is not None and rule.match_file(path) is not None


def _read_rules(path: str) -> GitIgnoreSpec | None:
    if not os.path.isfile(path):  # to open a pipe could wait for ever
        return None
    try:
        with open(path, "rb") as file:
            lines = file.read(_MAX_IGNORE_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    # `x/**` names what is in x, not x itself, which the library would take it for.
    rules = [re.sub(r"/\*\*\s*$", "/*", line) for line in lines]
    try:
        return ignore_spec(rules)
    except ValueError:
        return ignore_spec(filter(_is_rule, rules))


def _is_rule(line: str) -> bool:
    """Whether it is a pattern; to git, one that is none matches nothing."""
    try:
        ignore_spec([line])
    except ValueError:
        return False
    return True
