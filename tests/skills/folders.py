"""Folders of skills, instructions and templates as tests need them."""

from pathlib import Path

from pi_notebook.skills.catalogue import Catalogue, find_skills
from pi_notebook.skills.places import UserPlaces, project_places, skill_folders, user_places


class Folders:
    """A person's home and a project in a repository."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.project = base / "project"
        self.folder = self.project / "analysis"
        (self.project / ".git").mkdir(parents=True)
        self.folder.mkdir()
        self.home = base / "home"
        self.environ = {"HOME": str(base / "user")}

    @property
    def user(self) -> UserPlaces:
        return user_places(self.home, self.environ)

    @property
    def places(self):
        return project_places(self.folder)

    def catalogue(self, *, is_trusted: bool = True) -> Catalogue:
        return find_skills(skill_folders(self.places, self.user)).catalogue(is_trusted=is_trusted)

    def own_skills(self, **options) -> list:
        """Those that are used and do not come with the package."""
        return [skill for skill in self.catalogue(**options).used if skill.source != "built-in"]


def write(path: Path, text: str = "text\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def write_skill(place: Path, name: str, description: str = "does it", body: str = "# Body\n") -> Path:
    return write(place / name / "SKILL.md", f"---\nname: {name}\ndescription: {description}\n---\n{body}")
