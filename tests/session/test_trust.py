"""What a folder brings is used only when the person trusts exactly that, and their word is kept safely."""

import json
import os
import stat
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_notebook.session.guidance import find_guidance
from pi_notebook.session.home import Home
from pi_notebook.session.project_files import MAX_BYTES, ProjectFile, ProjectFiles, find_project_files
from pi_notebook.session.trust import TrustedFile, TrustRecord, TrustStore, changes, folder_trust, is_trusted
from pi_notebook.skills.places import UserPlaces
from tests.patience import SOON


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


class Place:
    """A project in a repository, and a person's home."""

    def __init__(self, tmp_path):
        self.home = Home(root=tmp_path / "user" / "home")
        self.user = UserPlaces(
            ours=self.home.root,
            pi=tmp_path / "user" / "pi",
            claude=tmp_path / "user" / "claude",
            agents=tmp_path / "user" / "agents",
        )
        self.root = tmp_path / "repository"
        self.folder = self.root / "analysis"
        self.folder.mkdir(parents=True)
        (self.root / ".git").mkdir()

    def write(self, name, text, *, at=None):
        path = (at or self.folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def look(self):
        return folder_trust(self.folder, self.home, self.user)

    def found(self):
        return {
            (os.path.relpath(file.path, self.folder), file.kind)
            for file in find_project_files(self.folder, self.user).files
        }

    def trust(self):
        return TrustStore(self.home).keep(self.look().found)


EVERY_KIND = {
    ".pi/settings.json": ("{}", "settings"),
    ".pi/SYSTEM.md": ("You are a pirate.", "system prompt"),
    ".pi/APPEND_SYSTEM.md": ("Rhyme.", "system prompt"),
    "AGENTS.md": ("Use tabs.", "instructions"),
    "../CLAUDE.md": ("Use spaces.", "instructions"),
    ".pi/skills/deploy/SKILL.md": ("---\ndescription: d\n---\nrun it", "skill"),
    ".pi/skills/deploy/scripts/go.sh": ("rm -rf /", "file of a skill"),
    "../.agents/skills/lint/SKILL.md": ("---\ndescription: d\n---\nlint", "skill"),
    ".pi/prompts/ship.md": ("Ship $1", "template"),
    ".pi/extensions/gate.py": ("def setup(api): ...", "extension"),
}


def filled(place):
    for name, (text, _) in EVERY_KIND.items():
        place.write(name, text)


def test_every_kind_of_file_that_could_change_the_agent_is_found(place):
    filled(place)
    place.write("sales.csv", "a,b\n")
    place.write("README.md", "hello")
    place.write(".pi/skills/deploy/__pycache__/x.pyc", "")
    assert place.found() == {(name, kind) for name, (_, kind) in EVERY_KIND.items()}


def test_a_folder_that_brings_nothing_is_said_nothing_of(place):
    trust = place.look()
    assert (trust.found.files, trust.diagnostics, trust.is_trusted) == ((), (), False)
    assert not place.home.root.exists()


@pytest.mark.parametrize("name", EVERY_KIND)
def test_what_is_added_changed_or_taken_away_ends_the_trust(place, name):
    filled(place)
    path = place.folder / name
    text = path.read_text()
    path.unlink()
    place.trust()
    assert place.look().is_trusted
    place.write(name, text)
    assert not place.look().is_trusted
    place.trust()
    assert place.look().is_trusted
    place.write(name, text.replace(text[:1], "x"))
    assert not place.look().is_trusted
    path.unlink()
    assert not place.look().is_trusted


def test_the_persons_own_files_need_no_trust(place):
    for own in (place.user.ours, place.user.pi, place.user.claude):
        place.write("AGENTS.md", "mine", at=own)
        place.write("skills/x/SKILL.md", "mine", at=own)
    assert find_project_files(place.user.ours, place.user).files == ()


def test_a_link_that_leads_out_of_the_project_is_not_what_the_folder_brings(place, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("key")
    (place.folder / "AGENTS.md").symlink_to(secret)
    (place.folder / ".pi").mkdir()
    (place.folder / ".pi" / "settings.json").symlink_to(secret)
    outside = tmp_path / "skills"
    (outside / "x").mkdir(parents=True)
    (outside / "x" / "SKILL.md").write_text("x")
    (place.folder / ".pi" / "skills").symlink_to(outside)
    assert place.found() == set()


def test_a_link_within_the_project_counts_and_a_circle_of_links_ends(place):
    place.write("AGENTS.md", "x", at=place.root)
    (place.folder / "CLAUDE.md").symlink_to(place.root / "AGENTS.md")
    skills = place.folder / ".pi" / "skills"
    skills.mkdir(parents=True)
    (skills / "round").symlink_to(skills)
    place.write("x/SKILL.md", "x", at=skills)
    assert place.found() == {
        ("CLAUDE.md", "instructions"),
        ("../AGENTS.md", "instructions"),
        (".pi/skills/x/SKILL.md", "skill"),
    }


def test_pipes_and_devices_are_passed_over_at_once(place):
    os.mkfifo(place.folder / "AGENTS.md")
    (place.folder / "CLAUDE.md").symlink_to("/dev/zero")
    begun = time.monotonic()
    assert place.found() == set()
    assert time.monotonic() - begun < SOON


def test_a_folder_that_brings_more_than_can_be_looked_at_is_never_trusted(place):
    with place.write(".pi/skills/x/data.bin", "").open("wb") as stream:
        stream.truncate(MAX_BYTES + 1)
    place.trust()
    trust = place.look()
    assert not trust.is_trusted
    assert [told.level for told in trust.diagnostics] == ["warning"]


def test_names_that_are_no_text_are_kept_and_told_in_one_line(place):
    folder = os.fsencode(place.folder / ".pi" / "prompts")
    os.makedirs(folder)
    with open(folder + b"/a\xff\n\xe2\x80\xae.md", "w") as stream:
        stream.write("x")
    place.write(".pi/extensions/\x1b[31mred.py", "")
    place.trust()
    assert place.look().is_trusted
    place.write("AGENTS.md", "x")
    (told,) = place.look().diagnostics
    assert told.text.isprintable()


def test_the_word_is_kept_for_the_person_alone_and_not_in_the_folder(place):
    filled(place)
    before = sorted(place.root.rglob("*"))
    previous = os.umask(0)
    try:
        place.trust()
    finally:
        os.umask(previous)
    assert sorted(place.root.rglob("*")) == before
    kept = list(place.home.root.rglob("*"))
    assert [stat.S_IMODE(path.stat().st_mode) for path in kept if path.is_file()] == [0o600]
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept if path.is_dir()} == {0o700}


@pytest.mark.parametrize("mode", [0o666, 0o622, 0o660])
def test_a_record_that_others_could_have_written_counts_for_nothing(place, mode):
    filled(place)
    place.trust()
    (record,) = list(place.home.root.rglob("*.json"))
    record.chmod(mode)
    assert not place.look().is_trusted
    record.chmod(0o600)
    assert place.look().is_trusted
    record.parent.chmod(0o777)
    assert not place.look().is_trusted


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"folder": 1}', b"\xff", b"null"])
def test_a_damaged_record_counts_for_nothing_and_is_written_anew(place, content):
    filled(place)
    place.trust()
    (record,) = list(place.home.root.rglob("*.json"))
    record.write_bytes(content)
    assert not place.look().is_trusted
    place.trust()
    assert place.look().is_trusted


def test_a_link_in_the_place_of_the_record_is_not_followed(place, tmp_path):
    filled(place)
    place.trust()
    (record,) = list(place.home.root.rglob("*.json"))
    moved = tmp_path / "moved.json"
    record.rename(moved)
    record.symlink_to(moved)
    assert not place.look().is_trusted
    content = moved.read_bytes()
    place.trust()
    assert moved.read_bytes() == content
    assert place.look().is_trusted


def test_the_word_on_one_folder_is_none_on_a_copy_and_is_the_same_by_a_link(place, tmp_path):
    filled(place)
    place.trust()
    link = tmp_path / "link"
    link.symlink_to(place.folder)
    record = TrustStore(place.home).find(link)
    assert record is not None
    assert record.folder == str(place.folder)
    other = tmp_path / "repository2"
    place.root.rename(other)
    assert TrustStore(place.home).find(other / "analysis") is None


def test_the_word_can_be_taken_back(place):
    filled(place)
    store = TrustStore(place.home)
    assert not store.remove(place.folder)
    place.trust()
    assert store.remove(place.folder)
    assert not place.look().is_trusted


def test_what_is_not_used_is_told_in_one_line_with_how_to_change_that(place):
    filled(place)
    (told,) = place.look().diagnostics
    assert told.level == "note"
    assert "AGENTS.md" in told.text
    assert "2 skills" in told.text
    assert told.text.endswith("%agent trust.")
    place.trust()
    assert place.look().diagnostics == ()
    place.write("AGENTS.md", "other")
    (told,) = place.look().diagnostics
    assert "something else than you trusted (AGENTS.md)" in told.text


def test_ten_thousand_files_are_looked_at_in_seconds(place):
    for number in range(10_000):
        place.write(f".pi/skills/s{number}/SKILL.md", f"---\ndescription: {number}\n---\n")
    begun = time.process_time()
    place.trust()
    assert place.look().is_trusted
    assert time.process_time() - begun < 10


names = st.sampled_from([f"f{number}" for number in range(6)])
digests = st.sampled_from("abc")
trees = st.dictionaries(names, digests, max_size=6)


def tree_of(files, folder):
    return ProjectFiles(
        folder=folder,
        files=tuple(
            ProjectFile(path=folder / name, kind="instructions", digest=digest, size=1, text="", data=b"")
            for name, digest in files.items()
        ),
    )


@given(trees, trees)
def test_trust_holds_exactly_for_the_same_files_with_the_same_content(tmp_path_factory, trusted, now):
    folder = tmp_path_factory.getbasetemp()
    record = TrustRecord(
        folder=os.path.realpath(folder),
        since="",
        files={str(folder / name): TrustedFile(digest=digest) for name, digest in trusted.items()},
    )
    found = tree_of(now, folder)
    assert is_trusted(record, found) == (trusted == now)
    assert not is_trusted(None, found)
    differences = changes(record, found)
    assert sorted(differences.all) == sorted(
        str(folder / name) for name in {*trusted, *now} if trusted.get(name) != now.get(name)
    )


def test_the_record_holds_the_texts_that_a_difference_is_shown_of_within_bounds(place):
    place.write("AGENTS.md", "short")
    place.write(".pi/SYSTEM.md", "long " * 100_000)
    record = place.trust()
    texts = {os.path.basename(path): file.text for path, file in record.files.items()}
    assert texts == {"AGENTS.md": "short", "SYSTEM.md": None}
    (path,) = list(place.home.root.rglob("*.json"))
    assert json.loads(path.read_bytes())["folder"] == str(place.folder)


def test_whatever_a_trusted_folder_gives_to_the_agent_was_looked_at(place):
    skill = "---\ndescription: d\n---\nbody"
    for name in (
        ".pi/skills/.git/SKILL.md",
        ".pi/skills/.hidden/SKILL.md",
        ".pi/skills/node_modules/x/SKILL.md",
        ".pi/skills/__pycache__/SKILL.md",
        ".pi/skills/SKILL.md",
        ".pi/skills/a/b/c/SKILL.md",
        ".pi/skills/loose.md",
        ".agents/skills/x/SKILL.md",
        "../.agents/skills/y/SKILL.md",
        "../.pi/skills/z/SKILL.md",
        ".pi/agent/skills/w/SKILL.md",
    ):
        place.write(name, skill)
    for name in (".pi/prompts/p.md", ".pi/prompts/deep/q.md", "../.pi/prompts/r.md", ".agents/prompts/s.md"):
        place.write(name, "text")
    for name in ("AGENTS.md", "../CLAUDE.md", ".pi/AGENTS.md", "../.pi/SYSTEM.md", ".pi/APPEND_SYSTEM.md"):
        place.write(name, "text")
    (place.folder / ".pi" / "skills" / "linked").symlink_to(place.write("more/SKILL.md", skill).parent)
    place.write(".agents/skills/x/.git/SKILL.md", skill)
    looked_at = {file.path for file in place.look().found.files}
    guidance = find_guidance(place.folder, user=place.user, is_trusted=True)
    texts = guidance.texts
    used = {
        *(one.path for one in texts.skills.used if one.source == "project"),
        *(one.path for one in guidance.templates if one.source == "project"),
        *(one.path for one in texts.instructions if one.source == "project"),
        *(one.path for one in (texts.replacement, texts.addendum) if one and one.source == "project"),
    }
    assert len(used) > 6
    assert used <= looked_at
