"""Whether what a working folder brings may be used: the person's word, bound to exactly those files.

It is kept in the person's home and never in the folder, by the folder's real path and the hash of each
file. Whatever is added, changed or taken away asks again; what was there when they said yes is kept
beside the hashes, to show the difference.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pi_notebook.context.amounts import all_of, count_of
from pi_notebook.errors import SessionWriteError
from pi_notebook.session import files as io
from pi_notebook.session.diagnostics import Diagnostic
from pi_notebook.session.home import Home, folder_slug, is_private
from pi_notebook.session.lines import now_iso
from pi_notebook.session.project_files import ProjectFile, ProjectFiles, ProjectKind, find_project_files
from pi_notebook.skills.places import UserPlaces, user_places
from pi_notebook.skills.shown import one_line

_KEPT_BYTES = 16_000
"""Of one file's text, for the difference."""
_KEPT_BYTES_IN_ALL = 1_000_000
_MAX_RECORD_BYTES = 16 * 2**20
_NAMED_FILES = 6
_COUNTED: tuple[tuple[ProjectKind, str], ...] = (("skill", "skill"), ("template", "template"))


class TrustedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as it was when the person said yes."""

    digest: str
    text: str | None = None
    """None where it was too long to keep."""


class TrustRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The person's word on one folder."""

    folder: str
    """Its real path."""
    since: str
    files: dict[str, TrustedFile]
    """By path."""


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What became different since the person said yes, as paths."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.added, *self.changed, *self.removed)


def is_trusted(record: TrustRecord | None, found: ProjectFiles) -> bool:
    """Whether the person's word holds for exactly what the folder brings now."""
    return (
        record is not None
        and found.is_whole
        and record.folder == _real(found.folder)
        and not changes(record, found).all
    )


def changes(record: TrustRecord, found: ProjectFiles) -> Changes:
    """How what the folder brings now differs from what was trusted."""
    now = found.digests
    return Changes(
        added=tuple(path for path in now if path not in record.files),
        changed=tuple(
            path for path in now if path in record.files and record.files[path].digest != now[path]
        ),
        removed=tuple(path for path in record.files if path not in now),
    )


@dataclass(frozen=True, kw_only=True)
class FolderTrust:
    """What a folder brings, and what the person said of it."""

    found: ProjectFiles
    record: TrustRecord | None = None

    @property
    def is_trusted(self) -> bool:
        """Whether instructions, skills, templates, extensions and settings of the folder are used."""
        return is_trusted(self.record, self.found)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is not used and how that is changed; nothing for a folder that brings nothing."""
        if self.is_trusted or not (self.found.files or not self.found.is_whole):
            return ()
        if not self.found.is_whole:
            text = "brings more than can be looked at: none of it is used."
            return (Diagnostic(level="warning", text=f"{self._name} {text}"),)
        if self.record is None:
            text = f"brings {_named(self.found)}. It is not used until you trust it: %agent trust."
        else:
            paths = [shown_path(path, self.found.folder) for path in changes(self.record, self.found).all]
            text = (
                f"brings something else than you trusted ({_some(paths)}). None of it is used until you "
                "look again: %agent trust."
            )
        return (Diagnostic(level="note", text=f"{self._name} {text}"),)

    @property
    def _name(self) -> str:
        return f"The folder {one_line(str(self.found.folder), 200)}"


class TrustStore:
    """The person's words on folders, one file each, in their home."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def find(self, folder: Path) -> TrustRecord | None:
        """What they said of `folder`; None when nothing, or when others could have written it."""
        path = self._path(folder)
        with suppress(OSError, msgspec.MsgspecError):
            if not is_private(path.parent.stat()):
                return None
            fd = self._home.files.open(path, io.READ)
            try:
                status = self._home.files.status(fd)
                if not (stat.S_ISREG(status.st_mode) and is_private(status)):
                    return None
                data = io.read_exactly(self._home.files, fd, _MAX_RECORD_BYTES, 0)
            finally:
                self._home.files.close(fd)
            return msgspec.json.decode(data, type=TrustRecord)
        return None

    def keep(self, found: ProjectFiles) -> TrustRecord:
        """Trust exactly what was found; `SessionWriteError` when that cannot be kept."""
        path = self._path(found.folder)
        record = TrustRecord(folder=_real(found.folder), since=now_iso(), files=_kept_files(found.files))
        self._home.make_folder(path.parent)
        unfinished = path.with_name(f"{path.name}.part")
        files = self._home.files
        try:
            with suppress(FileNotFoundError):
                files.remove(unfinished)
            fd = files.open(unfinished, io.CREATE)
            try:
                files.make_private(fd)
                io.write_all(files, fd, msgspec.json.encode(record))
                files.sync(fd)
            finally:
                files.close(fd)
            files.rename(unfinished, path)
        except OSError as error:
            raise SessionWriteError(
                f"The trust in {found.folder} cannot be kept in {path}: {error.strerror}.", path=path
            ) from error
        return record

    def remove(self, folder: Path) -> bool:
        """Take the word back; False when there was none."""
        path = self._path(folder)
        try:
            self._home.files.remove(path)
        except FileNotFoundError:
            return False
        except OSError as error:
            raise SessionWriteError(f"{path} cannot be removed: {error.strerror}.", path=path) from error
        return True

    def _path(self, folder: Path) -> Path:
        real = _real(folder)
        digest = hashlib.sha256(real.encode()).hexdigest()[:32]
        return self._home.root / "trust" / f"{folder_slug(Path(real))[:100]}{digest}.json"


def folder_trust(folder: Path, home: Home, user: UserPlaces | None = None) -> FolderTrust:
    """What `folder` brings now and whether the person, whose places `user` are, trusts exactly that."""
    found = find_project_files(folder, user or user_places(home.root, os.environ))
    record = TrustStore(home).find(folder) if found.files else None
    return FolderTrust(found=found, record=record)


def _real(folder: Path) -> str:
    """The real path, as text that can be stored."""
    return os.fsencode(os.path.realpath(folder)).decode("utf-8", "backslashreplace")


def _kept_files(files: tuple[ProjectFile, ...]) -> dict[str, TrustedFile]:
    room = _KEPT_BYTES_IN_ALL
    kept: dict[str, TrustedFile] = {}
    for file in files:
        fits = file.size <= min(_KEPT_BYTES, room)
        room -= file.size if fits else 0
        kept[file.key] = TrustedFile(digest=file.digest, text=file.text if fits else None)
    return kept


def _named(found: ProjectFiles) -> str:
    """`AGENTS.md, settings.json and 3 skills`."""
    counted = Counter(file.kind for file in found.files)
    plain = [
        shown_path(file.key, found.folder)
        for file in found.files
        if file.kind not in ("skill", "file of a skill", "template")
    ]
    counts = [count_of(counted[kind], noun) for kind, noun in _COUNTED if counted[kind]]
    if not (plain or counts):
        counts = [count_of(len(found.files), "file")]
    return all_of([*_at_most(plain), *counts])


def _some(paths: list[str]) -> str:
    return all_of(_at_most(paths))


def _at_most(paths: list[str]) -> list[str]:
    more = len(paths) - _NAMED_FILES
    return [*paths[:_NAMED_FILES], *([count_of(more, "more file")] if more > 0 else [])]


def shown_path(path: str, folder: Path) -> str:
    """The path of a file that a folder brings, for a person: relative where it lies within, on one line."""
    relative = os.path.relpath(path, folder)
    return one_line(path if relative.startswith("..") else relative, 120)
