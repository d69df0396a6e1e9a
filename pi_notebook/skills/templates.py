"""Prompt templates: a Markdown file `name.md` is what `/name arguments` stands for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_notebook.skills.fault import Fault
from pi_notebook.skills.front_matter import read_front_matter
from pi_notebook.skills.places import ProjectPlaces, Source, UserPlaces
from pi_notebook.skills.plain_file import UnreadableFile, lies_within, read_text
from pi_notebook.skills.shown import one_line
from pi_notebook.skills.template_arguments import filled, split_arguments

MAX_BYTES = 64 * 1024
MAX_TEMPLATES = 300
RESERVED = frozenset({"compact"})
"""Names that mean something else behind a slash."""
_MAX_ENTRIES = 20_000
_NAME = re.compile(r"\w[\w.-]{0,63}")
_CALL = re.compile(r"/(\w[\w.-]{0,63})(?:\s+(.*))?", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Template:
    """A text with places for arguments."""

    name: str
    body: str
    path: Path
    source: Source
    description: str = ""
    hint: str = ""
    """What its arguments are."""

    def filled(self, arguments: str) -> str:
        """The text with what was typed behind the name in place; raises `TooLong`."""
        return filled(self.body, split_arguments(arguments)).strip()


def find_call(prompt: str) -> tuple[str, str] | None:
    """Name and arguments of a prompt that begins with `/name`; None for any other."""
    found = _CALL.fullmatch(prompt.strip())
    return (found[1], found[2] or "") if found is not None else None


def project_templates(project: ProjectPlaces) -> list[Path]:
    """The files of the project's templates."""
    place = project.folder / ".pi" / "prompts"
    return [place / name for name in _names(place)]


def find_templates(
    project: ProjectPlaces, user: UserPlaces, *, is_trusted: bool
) -> tuple[list[Template], list[Fault]]:
    """The templates by name, the project's, where it is trusted, before the person's; and what is wrong."""
    found: dict[str, Template] = {}
    faults: list[Fault] = []
    places: list[tuple[Source, list[Path]]] = [
        ("project", project_templates(project) if is_trusted else []),
        (
            "user",
            [
                place / "prompts" / name
                for place in (user.ours, user.pi)
                for name in _names(place / "prompts")
            ],
        ),
    ]
    for path, source in _files(places, faults):
        try:
            template = _read(path, source, project.root if source == "project" else None, faults)
        except (UnreadableFile, FileNotFoundError) as error:
            faults.append(Fault(path=path, text=f"{_reason(error)}. It is not used."))
            continue
        first = found.setdefault(template.name, template)
        if first is not template:
            faults.append(Fault(path=path, text=f"is not used: /{template.name} is {first.path}."))
    return list(found.values()), faults


def _files(places: Sequence[tuple[Source, list[Path]]], faults: list[Fault]) -> Iterator[tuple[Path, Source]]:
    for source, paths in places:
        if len(paths) > MAX_TEMPLATES:
            text = f"is one of {len(paths):,} templates: {MAX_TEMPLATES} are used, those before it."
            faults.append(Fault(path=paths[MAX_TEMPLATES], text=text))
        yield from ((path, source) for path in paths[:MAX_TEMPLATES])


def _names(place: Path) -> list[str]:
    try:
        with os.scandir(place) as entries:
            names = [entry.name for entry, _ in zip(entries, range(_MAX_ENTRIES), strict=False)]
    except OSError:
        return []
    return sorted(name for name in names if name.endswith(".md") and not name.startswith("."))


def _read(path: Path, source: Source, root: Path | None, faults: list[Fault]) -> Template:
    if _NAME.fullmatch(path.stem) is None or path.stem in RESERVED:
        raise UnreadableFile(f"cannot be called as /{one_line(path.stem, 64)}")
    if root is not None and not lies_within(path, root):
        raise UnreadableFile("is a link that leads out of the project")
    content = read_text(path, max_bytes=MAX_BYTES)
    if content.omitted_bytes:
        raise UnreadableFile(f"is larger than {MAX_BYTES // 1024} kB")
    matter = read_front_matter(content.head)
    faults += [Fault(path=path, text=f"{fault}.") for fault in matter.faults]
    if not matter.body.strip():
        raise UnreadableFile("has no text")
    return Template(
        name=path.stem,
        body=matter.body,
        path=path,
        source=source,
        description=one_line(matter.values.get("description", ""), 400),
        hint=one_line(matter.values.get("argument-hint", ""), 100),
    )


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, UnreadableFile) else "is a link to nothing"
