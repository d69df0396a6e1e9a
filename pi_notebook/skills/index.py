"""The list of skills in a system prompt: what there is and where, within a bound.

The bodies are not in it: they are read when they are needed. Skills that lie together share the line
that says where, so that many cost little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_notebook.skills.catalogue import Catalogue
from pi_notebook.skills.shown import one_line, without_tags
from pi_notebook.skills.skill import FILE_NAME, MAX_DESCRIPTION_CHARS, Skill

MAX_CHARS = 16_000
_INTRODUCTION = "Skills: before such a task, `read` its file; paths in it start at its folder."
_DESCRIPTION_CHARS = (MAX_DESCRIPTION_CHARS, 400, 150)
"""How much of a description is shown, so that all fit."""
_NAMES_SHARE = 0.2
"""Of the bound, for the names of skills whose descriptions do not fit."""
_MAX_NAME_CHARS = 80
_NAMES_LINE = "Without description: "
_LEFT_OUT_CHARS = 400
_LEAST_LINE_CHARS = 20
_LEAST_CHARS = 700
"""In less there is no list."""


@dataclass(frozen=True, kw_only=True)
class SkillIndex:
    """The list, and what did not fit."""

    text: str = ""
    named: tuple[Skill, ...] = ()
    """Without their description."""
    left_out: tuple[Skill, ...] = ()


def skill_index(catalogue: Catalogue, *, max_chars: int = MAX_CHARS) -> SkillIndex:
    """The list in at most `max_chars`; its text is empty when there is nothing to list."""
    skills = _together(skill for skill in catalogue.used if not skill.is_hidden)
    if not skills or max_chars < _LEAST_CHARS:
        return SkillIndex(left_out=tuple(skills))
    could_fit = len(skills) * _LEAST_LINE_CHARS <= max_chars
    for chars in _DESCRIPTION_CHARS if could_fit else ():
        lines = [_INTRODUCTION, *_lines(skills, chars), *_left_out((), catalogue)]
        if len(text := "\n".join(lines)) <= max_chars:
            return SkillIndex(text=text)
    return _shortened(skills, catalogue, max_chars)


def _shortened(skills: Sequence[Skill], catalogue: Catalogue, max_chars: int) -> SkillIndex:
    """As many as fit with their descriptions, the first ones; then names; then how many more."""
    room = max_chars - len(_INTRODUCTION) - _LEFT_OUT_CHARS - len(_NAMES_LINE) - 3
    lines = _fitting(_lines(skills, _DESCRIPTION_CHARS[-1]), room - int(max_chars * _NAMES_SHARE))
    room -= sum(len(line) + 1 for line in lines)
    others = skills[len(lines) :]
    names = _fitting((f"{_name(skill)}," for skill in others), room)
    left_out = others[len(names) :]
    told = [
        _INTRODUCTION,
        *lines,
        *([_NAMES_LINE + " ".join(names).removesuffix(",")] if names else []),
        *_left_out(left_out, catalogue),
    ]
    return SkillIndex(text="\n".join(told), named=tuple(others[: len(names)]), left_out=tuple(left_out))


def _together(skills: Iterable[Skill]) -> list[Skill]:
    """The skills in their order, those that lie in one folder side by side."""
    by_place: dict[str, list[Skill]] = {}
    for skill in skills:
        by_place.setdefault(_pattern(skill), []).append(skill)
    return [skill for together in by_place.values() for skill in together]


def _lines(skills: Sequence[Skill], chars: int) -> Iterator[str]:
    """The text of each skill, with a line ahead where another folder begins."""
    before = None
    for skill in skills:
        place = _pattern(skill)
        ahead = f"{place}:\n" if place != before else ""
        yield f"{ahead}- {_name(skill)}: {without_tags(one_line(skill.description, chars))}"
        before = place


def _fitting(texts: Iterable[str], room: int) -> list[str]:
    """Those of `texts`, from the first, that take no more than `room` with a character between them."""
    fitting = []
    for text in texts:
        room -= len(text) + 1
        if room < 0:
            break
        fitting.append(text)
    return fitting


def _left_out(skills: Sequence[Skill], catalogue: Catalogue) -> list[str]:
    """How many more there are, and how they are found; no line when there are none."""
    count = len(skills) + sum(number for _, number in catalogue.passed_over)
    if not count:
        return []
    places = [*(skill.folder.path for skill in skills), *(folder.path for folder, _ in catalogue.passed_over)]
    where = ", ".join(_shown(place) for place in dict.fromkeys(places))
    line = f"({count:,} more are not listed: grep description: in {where}"
    return [f"{one_line(line, _LEFT_OUT_CHARS - 2)})"]


def _name(skill: Skill) -> str:
    """The name, with the way to the file where that has another."""
    name = without_tags(one_line(skill.name, _MAX_NAME_CHARS))
    if skill.own_name == skill.name:
        return name
    return f"{name} ({_shown(skill.path.relative_to(skill.place))})"


def _pattern(skill: Skill) -> str:
    """The way to its text, and to those of the skills beside it."""
    return f"{_shown(skill.place)}/{'NAME.md' if skill.is_file else f'NAME/{FILE_NAME}'}"


def _shown(path: Path | str) -> str:
    return without_tags(one_line(str(path)))
