"""Where such files lie: the person's folders, and those from a project's root down to the working folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Source = Literal["project", "user", "built-in"]

BUILT_IN_SKILLS = Path(__file__).parent / "builtin"
_MAX_ANCESTORS = 100


@dataclass(frozen=True, kw_only=True)
class UserPlaces:
    """The person's own folders, whichever program made them; they need not exist."""

    ours: Path
    pi: Path
    claude: Path
    agents: Path

    @property
    def all(self) -> tuple[Path, ...]:
        """Those that hold instructions, in the order they count."""
        return self.ours, self.pi, self.claude


def user_places(home: Path, environ: Mapping[str, str]) -> UserPlaces:
    """The folders of the user whose `environ` it is; `home` is where ours are kept."""
    user = Path(environ.get("HOME") or os.path.expanduser("~"))
    return UserPlaces(
        ours=home,
        pi=_named(environ.get("PI_CODING_AGENT_DIR"), user / ".pi" / "agent"),
        claude=_named(environ.get("CLAUDE_CONFIG_DIR"), user / ".claude"),
        agents=user / ".agents",
    )


@dataclass(frozen=True, kw_only=True)
class ProjectPlaces:
    """A working folder and the folders it lies in."""

    folder: Path
    root: Path
    """The top of its repository; the folder itself outside of one."""
    ancestors: tuple[Path, ...]
    """From the root of the disk down to the folder."""

    def top_of(self, path: Path) -> Path:
        """What a link that is at `path` may not lead out of."""
        return self.root if path.is_relative_to(self.root) else path.parent


def project_places(folder: Path) -> ProjectPlaces:
    """The places of the working folder `folder`."""
    here = Path(os.path.abspath(folder))
    upwards = (here, *here.parents)[:_MAX_ANCESTORS]
    root = next((place for place in upwards if _is_there(place / ".git")), here)
    return ProjectPlaces(folder=here, root=root, ancestors=tuple(reversed(upwards)))


@dataclass(frozen=True, kw_only=True)
class SkillFolder:
    """A folder in which skills are looked for."""

    path: Path
    source: Source
    root: Path | None = None
    """What its links may not lead out of; None where the person may link as they like."""
    holds_files: bool = False
    """Whether a Markdown file that lies in it is a skill too."""


def skill_folders(project: ProjectPlaces, user: UserPlaces) -> list[SkillFolder]:
    """Where skills are looked for; of two with one name that of the earlier folder counts.

    The project's come first, the nearest before those above; then the person's; then those that come
    with this package. Ours and Pi's hold skills of one file too.
    """
    within = [place for place in reversed(project.ancestors) if place.is_relative_to(project.root)]
    places = [project.folder / ".pi", *(place / ".agents" for place in within)]
    own = (user.ours, user.pi, user.agents, user.claude)
    return [
        *(
            SkillFolder(path=p / "skills", source="project", root=project.root, holds_files=p.name == ".pi")
            for p in places
            if p not in own
        ),
        *(SkillFolder(path=p / "skills", source="user", holds_files=p in (user.ours, user.pi)) for p in own),
        SkillFolder(path=BUILT_IN_SKILLS, source="built-in"),
    ]


def _named(name: str | None, default: Path) -> Path:
    return Path(os.path.abspath(os.path.expanduser(name))) if name else default


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
