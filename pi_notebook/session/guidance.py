"""What stands in files and tells the agent how to work in a folder, as far as it may be used.

The person's own files always count; a project's only where the folder is trusted, which is decided by
`trust`. Elsewhere nothing of what they say reaches a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_notebook.context.system_prompt import PromptLimits, PromptTexts
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.settings import Settings
from pi_notebook.skills.catalogue import UNTRUSTED, Catalogue, find_skills
from pi_notebook.skills.fault import Fault
from pi_notebook.skills.index import SkillIndex, skill_index
from pi_notebook.skills.instructions import (
    InstructionFile,
    InstructionLimits,
    find_instructions,
    find_prompt_file,
)
from pi_notebook.skills.places import UserPlaces, project_places, skill_folders
from pi_notebook.skills.shown import one_line
from pi_notebook.skills.templates import Template, find_templates

_MOST_FAULTS = 10
"""That are told one by one."""
_MOST_NAMES = 5


@dataclass(frozen=True, kw_only=True)
class Guidance:
    """The texts that hold in a folder."""

    texts: PromptTexts
    """What of them goes into the system prompt, the skills with those that are not used."""
    templates: tuple[Template, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def skills(self) -> Catalogue:
        return self.texts.skills


def prompt_limits(settings: Settings) -> PromptLimits:
    """How much of it goes into a system prompt, by the person's settings."""
    return PromptLimits(
        instructions=InstructionLimits(
            max_file_chars=settings.get("instructions.max_file_chars"),
            max_chars=settings.get("instructions.max_chars"),
        ),
        index_chars=settings.get("skills.max_chars"),
    )


def find_guidance(
    folder: Path, *, user: UserPlaces, is_trusted: bool, limits: PromptLimits | None = None
) -> Guidance:
    """The guidance that holds in the working folder `folder`; nothing is raised for what stands in files.

    Of what exceeds `limits` the diagnostics tell.
    """
    bounds = limits or PromptLimits()
    project = project_places(folder)
    instructions, faults = find_instructions(project, user, is_trusted=is_trusted)
    replacement, more = find_prompt_file("SYSTEM.md", project, user, is_trusted=is_trusted)
    addendum, still_more = find_prompt_file("APPEND_SYSTEM.md", project, user, is_trusted=is_trusted)
    skills = find_skills(skill_folders(project, user)).catalogue(is_trusted=is_trusted)
    templates, template_faults = find_templates(project, user, is_trusted=is_trusted)
    told = [*faults, *more, *still_more, *template_faults, *_skill_faults(skills)]
    told += [*_cut(instructions, bounds.instructions), *_unlisted(skills, bounds.index_chars)]
    return Guidance(
        texts=PromptTexts(
            instructions=instructions, skills=skills, replacement=replacement, addendum=addendum
        ),
        templates=tuple(templates),
        diagnostics=tuple(_diagnostics(told)),
    )


def _skill_faults(catalogue: Catalogue) -> Iterator[Fault]:
    """What is wrong with skills, but not that the person's own one stands in for one of ours."""
    for skill in catalogue.skills:
        if skill.problem == UNTRUSTED or (skill.problem and skill.source == "built-in"):
            continue
        yield from (Fault(path=skill.path, text=f"{fault}.") for fault in skill.faults)
        if skill.problem and not skill.is_copy:
            yield Fault(path=skill.path, text=f"{skill.problem}. It is not used.")
    for folder, count in catalogue.passed_over:
        yield Fault(path=folder.path, text=f"has too many folders: {count:,} were not looked into.")


def _cut(files: Sequence[InstructionFile], limits: InstructionLimits) -> Iterator[Fault]:
    """That not all of a file is sent, where any is."""
    limit = limits.max_file_chars if limits.max_chars else None
    for file in files:
        if limit is not None and (file.content.omitted_bytes or len(file.content.head) > limit):
            text = f"is longer than {limit:,} characters: its middle is not sent."
            yield Fault(path=file.path, text=text)


def _unlisted(catalogue: Catalogue, max_chars: int) -> Iterator[Fault]:
    """That not all skills are listed with their description, and which are not listed at all."""
    index = skill_index(catalogue, max_chars=max_chars) if max_chars else SkillIndex()
    if not index.named and not index.left_out:
        return
    text = f"has more skills than are listed whole: {len(index.named):,} without description"
    if index.left_out:
        names = ", ".join(skill.name for skill in index.left_out[:_MOST_NAMES])
        text += f", {len(index.left_out):,} not at all ({names}, …)"
    yield Fault(path=(*index.named, *index.left_out)[0].folder.path, text=f"{text}.")


def _diagnostics(faults: Sequence[Fault]) -> list[Diagnostic]:
    told = [_warning(f"{one_line(str(fault.path))} {fault.text}") for fault in faults[:_MOST_FAULTS]]
    if len(faults) > _MOST_FAULTS:
        told.append(_warning(f"{len(faults) - _MOST_FAULTS:,} more files have faults: %agent skills"))
    return told


def _warning(text: str) -> Diagnostic:
    return Diagnostic(level="warning", text=text)
