"""One skill: a folder whose `SKILL.md` says what it is for at its head and what to do below.

A small one is a Markdown file alone, named after the skill. Only the head is read here. The rules are
those of Agent Skills, as Pi and Claude Code have them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from pi_notebook.skills.front_matter import MAX_BYTES, FrontMatter, read_front_matter
from pi_notebook.skills.places import SkillFolder, Source
from pi_notebook.skills.plain_file import UnreadableFile, lies_within, read_text
from pi_notebook.skills.shown import one_line

FILE_NAME = "SKILL.md"
MAX_NAME_CHARS = 64
MAX_DESCRIPTION_CHARS = 1024
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_YES = frozenset({"true", "yes", "on"})
_FENCE_BYTES = 16
"""What the lines around the front matter take at most."""


@dataclass(frozen=True, kw_only=True)
class Skill:
    """What is known of a skill before its body is read."""

    name: str
    description: str
    path: Path
    """Of its `SKILL.md`, or of the file that it is."""
    folder: SkillFolder
    """Where it was found."""
    is_hidden: bool = False
    """True when the model is not told of it."""
    faults: tuple[str, ...] = ()
    """What is wrong though it is used, to stand behind the path."""
    problem: str = ""
    """Why it is not used; empty when it is."""
    is_copy: bool = False
    """True when the reason is that the same stands elsewhere."""

    @property
    def is_file(self) -> bool:
        """Whether it is a file without a folder of its own."""
        return self.path.name != FILE_NAME

    @property
    def place(self) -> Path:
        """Where it lies beside others."""
        return self.path.parent if self.is_file else self.path.parent.parent

    @property
    def own_name(self) -> str:
        """That of its folder, or of its file."""
        return self.path.stem if self.is_file else self.path.parent.name

    @property
    def source(self) -> Source:
        return self.folder.source

    @property
    def state(self) -> str:
        """Whether it is used, and what is wrong, as a person reads it."""
        if self.problem:
            return f"no: it {self.problem}"
        return "; it ".join(
            [f"when asked for by /skill:{self.name}" if self.is_hidden else "yes", *self.faults]
        )


def read_skill(path: Path, folder: SkillFolder) -> Skill | None:
    """The skill whose text is at `path`; one that cannot be used says why.

    None for a file without a folder of its own that does not begin as a skill does: it is something else.
    """
    unread = Skill(name="", description="", path=path, folder=folder)
    fallback = one_line(unread.own_name, MAX_NAME_CHARS)
    try:
        _check_links(path, folder)
        text = read_text(path, max_bytes=MAX_BYTES + _FENCE_BYTES)
    except (UnreadableFile, FileNotFoundError) as error:
        reason = str(error) if isinstance(error, UnreadableFile) else "is a link to nothing"
        return replace(unread, name=fallback, problem=reason)
    matter = read_front_matter(text.head)
    if unread.is_file and not matter.values and not matter.problem:
        return None
    if matter.problem and text.omitted_bytes:
        matter = FrontMatter(problem=f"has more than {MAX_BYTES // 1024} kB of front matter, or no end of it")
    name = one_line(matter.values.get("name", ""), 4 * MAX_NAME_CHARS) or fallback
    description = one_line(matter.values.get("description", ""), 4 * MAX_DESCRIPTION_CHARS)
    return Skill(
        name=name,
        description=description,
        path=path,
        folder=folder,
        is_hidden=matter.values.get("disable-model-invocation", "").lower() in _YES,
        faults=(*matter.faults, *_broken_rules(name, description), *([] if text.is_utf8 else [_NOT_UTF8])),
        problem=matter.problem or ("" if description else "has no description in its front matter"),
    )


_NOT_UTF8 = "is not UTF-8: what cannot be read is shown as �"


def _broken_rules(name: str, description: str) -> list[str]:
    broken = []
    if _NAME.fullmatch(name) is None:
        broken.append(
            f"has the name {name[:MAX_NAME_CHARS]!r}: lower-case letters, digits and single hyphens"
        )
    if len(name) > MAX_NAME_CHARS:
        broken.append(f"has a name of more than {MAX_NAME_CHARS} characters")
    if len(description) > MAX_DESCRIPTION_CHARS:
        broken.append(f"has a description of more than {MAX_DESCRIPTION_CHARS:,} characters")
    return broken


def _check_links(path: Path, folder: SkillFolder) -> None:
    """Raise `UnreadableFile` when links lead out of the skill, or the skill out of its project."""
    if os.path.islink(path) and not lies_within(path, path.parent):
        raise UnreadableFile("is a link that leads out of the skill's folder")
    if folder.root is not None and not lies_within(path, folder.root):
        raise UnreadableFile("lies outside of the project: a link leads there")
