"""What a person asks of agents in general and in a project: `AGENTS.md`, or `CLAUDE.md` where there is none.

One file a folder counts, from the person's folders first and then from the root of the disk down to
the working folder, so that the nearest has the last word. Long ones are cut in the middle.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pi_notebook.skills.fault import Fault
from pi_notebook.skills.places import ProjectPlaces, Source, UserPlaces
from pi_notebook.skills.plain_file import FileText, UnreadableFile, is_plain, lies_within, read_text
from pi_notebook.skills.shown import one_line

FILE_NAMES = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
"""The first of them that is there counts."""

_HELD_BYTES = 128 * 1024
"""Of each end of a file: more is never shown."""
_LEAST_CHARS = 200
"""A part that is shorter is of no use."""
_NOT_UTF8 = "is not UTF-8: what cannot be read is shown as �"


@dataclass(frozen=True, kw_only=True)
class InstructionLimits:
    """How much of such files is shown."""

    max_file_chars: int = 12_000
    max_chars: int = 60_000
    """Of all files."""
    head_share: float = 0.75
    """Of a file that is cut; the rest is its end."""


@dataclass(frozen=True, kw_only=True)
class InstructionFile:
    """A file that says how to work."""

    path: Path
    source: Source
    content: FileText

    def fitted(self, max_chars: int, head_share: float) -> str:
        """The text in about `max_chars`; of a longer one both ends, and a line that says what is missing."""
        head, tail, size = self.content.head, self.content.tail, self.content.size
        text = f"{head}{tail}"
        if not self.content.omitted_bytes and len(text) <= max_chars:
            return text.strip()
        start = _whole_lines(head, int(max_chars * head_share))
        end = _last_lines(tail or head, max_chars - len(start))
        omitted = max(0, size - len(start.encode()) - len(end.encode()))
        note = f"[{omitted:,} of {size:,} bytes are left out here: `read` {one_line(str(self.path))}]"
        return f"{start.strip()}\n{note}\n{end.strip()}".strip()


def find_instructions(
    project: ProjectPlaces, user: UserPlaces, *, is_trusted: bool
) -> tuple[list[InstructionFile], list[Fault]]:
    """The files in the order they are shown, the project's where it is trusted; what is wrong with some."""
    found: list[InstructionFile] = []
    faults: list[Fault] = []
    seen: set[str] = set()
    for path, source in _candidates(project, user, is_trusted=is_trusted):
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        try:
            root = project.top_of(path) if source == "project" else None
            content = _read(path, root)
        except UnreadableFile as error:
            faults.append(Fault(path=path, text=f"{error}. It is not used."))
            continue
        if not content.is_utf8:
            faults.append(Fault(path=path, text=f"{_NOT_UTF8}."))
        if content.head.strip():
            found.append(InstructionFile(path=path, source=source, content=content))
    return found, faults


def find_prompt_file(
    name: str, project: ProjectPlaces, user: UserPlaces, *, is_trusted: bool
) -> tuple[InstructionFile | None, list[Fault]]:
    """The first file called `name` in `.pi`, where the project is trusted, and the person's folders."""
    faults: list[Fault] = []
    own: list[tuple[Path, Source]] = [(user.ours, "user"), (user.pi, "user")]
    of_project: list[tuple[Path, Source]] = [(project.folder / ".pi", "project")] if is_trusted else []
    for place, source in (*of_project, *own):
        path = place / name
        if not is_plain(path):
            continue
        try:
            content = _read(path, project.top_of(path) if source == "project" else None)
        except UnreadableFile as error:
            faults.append(Fault(path=path, text=f"{error}. It is not used."))
            continue
        if not content.head.strip():
            faults.append(Fault(path=path, text="has no text. It is not used."))
            continue
        return InstructionFile(path=path, source=source, content=content), faults
    return None, faults


def _read(path: Path, root: Path | None) -> FileText:
    """The text of `path`, or its two ends; `UnreadableFile` when it is none or a link leads out of `root`."""
    if root is not None and not lies_within(path, root):
        raise UnreadableFile("is a link that leads out of the project")
    try:
        return read_text(path, max_bytes=_HELD_BYTES, tail_bytes=_HELD_BYTES)
    except FileNotFoundError:
        raise UnreadableFile("is gone") from None


def fitted_instructions(
    files: Sequence[InstructionFile], limits: InstructionLimits
) -> list[tuple[InstructionFile, str]]:
    """Each file with its text within `limits`; the nearest get theirs first."""
    room = limits.max_chars
    texts: dict[Path, str] = {}
    for file in reversed(files):
        chars = min(limits.max_file_chars, room)
        if chars >= min(_LEAST_CHARS, limits.max_file_chars):
            text = file.fitted(chars, limits.head_share)
        else:
            text = f"[This file is left out: `read` {one_line(str(file.path))}]"
        room -= len(text)
        texts[file.path] = text
    return [(file, texts[file.path]) for file in files]


def _candidates(
    project: ProjectPlaces, user: UserPlaces, *, is_trusted: bool
) -> Iterator[tuple[Path, Source]]:
    for place in user.all:
        if (path := _first_of(place)) is not None:
            yield path, "user"
    for place in project.ancestors if is_trusted else ():
        if place not in user.all and (path := _first_of(place)) is not None:
            yield path, "project"


def _first_of(place: Path) -> Path | None:
    return next((place / name for name in FILE_NAMES if is_plain(place / name)), None)


def _whole_lines(text: str, max_chars: int) -> str:
    """The start of `text`, up to the end of a line where one is near."""
    start = text[:max_chars]
    end = start.rfind("\n")
    return start[:end] if end > max_chars // 2 else start


def _last_lines(text: str, max_chars: int) -> str:
    """The end of `text`, from the start of a line where one is near."""
    end = text[max(0, len(text) - max_chars) :] if max_chars > 0 else ""
    start = end.find("\n")
    return end[start + 1 :] if 0 <= start < max_chars // 2 else end
