"""What a working folder brings that could change how an agent works there: each file, with its hash.

It is found and read, within bounds, and nothing of it is used: whether it may be is the business of
`trust`. The person's own folders are no project's.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from pi_notebook.skills.instructions import FILE_NAMES
from pi_notebook.skills.places import ProjectPlaces, UserPlaces, project_places, skill_folders
from pi_notebook.skills.plain_file import is_below, lies_within

ProjectKind = Literal[
    "settings", "instructions", "system prompt", "skill", "file of a skill", "template", "extension"
]

MAX_FILES = 20_000
MAX_BYTES = 64 * 2**20
"""Of all files: a folder that brings more cannot be looked at, so it is not trusted."""
_TEXT_BYTES = 64 * 1024
_SKIPPED = frozenset({"node_modules", "__pycache__", ".git"})
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, kw_only=True)
class ProjectFile:
    """One file that a folder brings."""

    path: Path
    kind: ProjectKind
    digest: str
    """SHA-256 of all of it."""
    size: int
    text: str = field(repr=False)
    """Its first 64 kB."""
    data: bytes = field(repr=False, compare=False)
    """All of it where it is code, so that what runs is what was looked at."""

    @property
    def key(self) -> str:
        """The path as text that can be stored, whatever bytes it is made of."""
        return os.fsencode(self.path).decode("utf-8", "backslashreplace")


@dataclass(frozen=True, kw_only=True)
class ProjectFiles:
    """What one working folder brings."""

    folder: Path
    files: tuple[ProjectFile, ...] = ()
    is_whole: bool = True
    """False when there is too much to look at all of it."""

    @property
    def digests(self) -> dict[str, str]:
        """The hash of each file by its key."""
        return {file.key: file.digest for file in self.files}

    def of_kind(self, kind: ProjectKind) -> list[ProjectFile]:
        return [file for file in self.files if file.kind == kind]


def find_project_files(folder: Path, user: UserPlaces) -> ProjectFiles:
    """What `folder`, an absolute path, brings besides what stands in the places of `user`."""
    project = project_places(folder)
    found: list[ProjectFile] = []
    room = MAX_BYTES
    paths = list(islice(_paths(project, user), MAX_FILES + 1))
    for path, kind in paths[:MAX_FILES]:
        with suppress(OSError):  # what cannot be read now cannot be used, and asks again once it can
            file = _read(path, kind, room + 1)
            found.append(file)
            room -= file.size
        if room < 0:
            break
    is_whole = room >= 0 and len(paths) <= MAX_FILES
    return ProjectFiles(folder=folder, files=tuple(found), is_whole=is_whole)


def _paths(project: ProjectPlaces, user: UserPlaces) -> Iterator[tuple[Path, ProjectKind]]:
    """Every plain file that counts; a link that leads out of the project is not followed by any reader."""
    for path, kind in _candidates(project):
        if path.parent not in user.all and _is_plain(path) and lies_within(path, project.top_of(path)):
            yield path, kind
    for folder in skill_folders(project, user):
        if folder.source == "project":
            for path in _below(folder.path, project.root):
                is_skill = path.name == "SKILL.md" or (folder.holds_files and path.parent == folder.path)
                yield path, "skill" if is_skill else "file of a skill"


def _candidates(project: ProjectPlaces) -> Iterator[tuple[Path, ProjectKind]]:
    own = project.folder / ".pi"
    yield own / "settings.json", "settings"
    yield own / "SYSTEM.md", "system prompt"
    yield own / "APPEND_SYSTEM.md", "system prompt"
    for place in project.ancestors:
        yield from ((place / name, "instructions") for name in FILE_NAMES)
    yield from ((path, "extension") for path in _direct(own / "extensions", ".py"))
    yield from ((path, "template") for path in _direct(own / "prompts", ".md"))


def _direct(folder: Path, ending: str) -> list[Path]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder))
    except OSError:
        return []
    return [folder / name for name in names if name.endswith(ending)]


def _below(folder: Path, root: Path) -> Iterator[Path]:
    """All plain files below `folder`, within `root`; each real folder once, whichever links lead to it."""
    seen: set[str] = set()
    real_root = os.path.realpath(root)
    for place, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        if real in seen or not is_below(real, real_root):
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(set(folders) - _SKIPPED)
        for path in (Path(place, name) for name in sorted(names)):
            if _is_plain(path) and (not os.path.islink(path) or lies_within(path, root)):
                yield path


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def _read(path: Path, kind: ProjectKind, max_bytes: int) -> ProjectFile:
    """The file at `path`, of a larger one its beginning; `OSError` when it cannot be read."""
    with open(os.open(path, _FLAGS), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(f"{path} is no plain file")
        data = stream.read(max_bytes)
    return ProjectFile(
        path=path,
        kind=kind,
        digest=hashlib.sha256(data).hexdigest(),
        size=len(data),
        text=data[:_TEXT_BYTES].decode("utf-8", "replace"),
        data=data if kind == "extension" else b"",
    )
