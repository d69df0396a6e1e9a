"""All skills of a working folder: found in bounded time, each name once, with what is wrong."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pi_notebook.skills.places import SkillFolder
from pi_notebook.skills.skill import FILE_NAME, Skill, read_skill

MAX_SKILLS = 1000
"""Of one source, whose heads are read."""
MAX_FOLDERS = 3000
"""That are looked into for them."""
UNTRUSTED = "lies in a folder that is not trusted"
_MAX_DEPTH = 4
_MAX_ENTRIES = 20_000
"""Of one folder."""
_SKIPPED = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """The skills there are, used or not."""

    skills: tuple[Skill, ...] = ()
    """In the order they count; those that are not used, with the reason, come last."""
    passed_over: tuple[tuple[SkillFolder, int], ...] = ()
    """Where there are too many, and how many folders were not looked into."""

    @property
    def used(self) -> tuple[Skill, ...]:
        return tuple(skill for skill in self.skills if not skill.problem)

    def get(self, name: str) -> Skill | None:
        """The skill that has this name."""
        return next((skill for skill in self.skills if skill.name == name and not skill.problem), None)


@dataclass(frozen=True, kw_only=True)
class FoundSkills:
    """What lies in the folders, before it is decided what counts."""

    skills: tuple[Skill, ...]
    passed_over: tuple[tuple[SkillFolder, int], ...]

    def catalogue(self, *, is_trusted: bool) -> Catalogue:
        """The skills by name: of two with one name the first counts; a project's only where it is trusted."""
        used: dict[str, Skill] = {}
        unused: list[Skill] = []
        for skill in self.skills:
            first = used.get(skill.name)
            if skill.source == "project" and not is_trusted:
                unused.append(replace(skill, problem=UNTRUSTED))
            elif skill.problem:
                unused.append(skill)
            elif first is not None:
                unused.append(_second(skill, first))
            else:
                used[skill.name] = skill
        counted = (one for one in self.passed_over if is_trusted or one[0].source != "project")
        return Catalogue(skills=(*used.values(), *unused), passed_over=tuple(counted))


@dataclass
class _Search:
    """How far the search in the folders of one source has come."""

    skills: int = 0
    folders: int = 0

    @property
    def is_over(self) -> bool:
        return self.skills >= MAX_SKILLS or self.folders >= MAX_FOLDERS


def find_skills(folders: Sequence[SkillFolder]) -> FoundSkills:
    """The skills in `folders`, by name within each."""
    searches = {folder.source: _Search() for folder in folders}
    seen: set[tuple[int, int]] = set()
    skills: list[Skill] = []
    passed_over = []
    for folder in folders:
        left: list[str] = []
        files = _skill_files(folder, searches[folder.source], seen, left)
        skills += [skill for path in files if (skill := read_skill(path, folder)) is not None]
        if left:
            passed_over.append((folder, len(left)))
    return FoundSkills(skills=tuple(skills), passed_over=tuple(passed_over))


def _second(skill: Skill, first: Skill) -> Skill:
    """`skill` whose name `first` has already."""
    if _is_same(skill, first):
        return replace(skill, problem=f"is the same as {first.path}", is_copy=True)
    return replace(skill, problem=f"has the name of {first.path}")


def _is_same(skill: Skill, other: Skill) -> bool:
    """Whether one is a copy of the other, as programs that install skills for several make them."""
    if skill.description != other.description:
        return False
    try:
        return filecmp.cmp(skill.path, other.path, shallow=False)
    except OSError:
        return False


def _skill_files(
    folder: SkillFolder, search: _Search, seen: set[tuple[int, int]], left: list[str]
) -> Iterator[Path]:
    """The texts of skills in `folder` by name; `left` gets the folders there was no time for.

    `seen` holds folders by device and number: links may lead to one twice, or in a circle.
    """
    waiting = [(str(folder.path), 0)]
    while waiting:
        if search.is_over:
            left += [place for place, depth in waiting if depth or os.path.isdir(place)]
            return
        place, depth = waiting.pop()
        if not _is_new(place, seen):
            continue
        search.folders += 1
        if not depth and folder.holds_files:
            for name in _names(place, lambda entry: entry.name.endswith(".md") and entry.is_file()):
                search.skills += 1
                yield Path(place, name)
        file = os.path.join(place, FILE_NAME)
        if depth and os.path.lexists(file):
            search.skills += 1
            yield Path(file)
        elif depth < _MAX_DEPTH:
            names = _names(place, lambda entry: entry.name not in _SKIPPED and entry.is_dir())
            waiting += [(os.path.join(place, name), depth + 1) for name in reversed(names)]


def _is_new(place: str, seen: set[tuple[int, int]]) -> bool:
    try:
        status = os.stat(place)
    except (OSError, ValueError):
        return False
    number = (status.st_dev, status.st_ino)
    if number in seen:
        return False
    seen.add(number)
    return True


def _names(place: str, is_wanted: Callable[[os.DirEntry[str]], bool]) -> list[str]:
    """The names in `place` that are wanted and not hidden."""
    names: list[str] = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                if len(names) >= _MAX_ENTRIES:
                    break
                if not entry.name.startswith(".") and is_wanted(entry):
                    names.append(entry.name)
    except OSError:
        return []
    return sorted(names)
