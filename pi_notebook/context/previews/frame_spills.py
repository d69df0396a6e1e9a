"""The whole frames of one session on disk, each written once for each state of it."""

from __future__ import annotations

import os
import sys
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard, Union

from pi_notebook.context.previews.deferred import is_lazy
from pi_notebook.context.previews.fingerprints import fingerprint
from pi_notebook.context.previews.foreign import attempt
from pi_notebook.context.previews.lazy_parquet import LazyFile, parquet_sizes, remove, write_lazy
from pi_notebook.context.previews.parquet import (
    AUTOMATIC_BYTES,
    FrameSpill,
    NotSpilled,
    is_worth_spilling,
    spill_frame,
)
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.spill import FRAME_ENDING, SpillFolder
from pi_notebook.context.truncation import format_bytes

Kept: TypeAlias = Union[FrameSpill, LazyFile, NotSpilled]


@dataclass(frozen=True, kw_only=True)
class _Kept:
    frame: weakref.ref[Any]
    state: tuple[str, int]
    """What the preview tells of its columns, and a fingerprint of its cells."""
    outcome: Kept | None
    """None while it is written: a deadline that comes then is not waited for again."""


class FrameSpills:
    """Writes frames into `folder`; where they are more than may be, those least used lately go.

    What was used when is told by the files' own times, so that it outlives the kernel. To be called on
    the kernel's main thread.
    """

    def __init__(self, folder: SpillFolder) -> None:
        self._folder = folder
        self._kept: dict[int, _Kept] = {}
        self._dropped: list[Path] = []
        self._all_dropped: set[Path] = set()
        self._marks: dict[str, tuple[int, int]] = {}
        """Of the files at real paths, as they were left."""

    def keep(self, value: object, name: str, shown: Preview, *, is_asked: bool = False) -> Kept | None:
        """The file with all rows of `value`, of which `shown` leaves some out; None where there is none.

        One that somebody asked for may be of any size, and of what has to be computed for it. Never raises
        for what the frame is made of; a deadline passes.
        """
        if not is_asked and not is_worth_spilling(value, shown):
            return None
        state = _told(shown), fingerprint(value)
        known = self._kept.get(id(value))
        is_same = known is not None and known.frame() is value and known.state == state
        if (
            known
            and is_same
            and not (is_asked and not is_file(known.outcome))
            and self._is_usable(known.outcome)
        ):
            return known.outcome
        self._remember(value, state, None)
        written = self._written(value, name, is_asked=is_asked)
        self._mark(written)
        self._remember(value, state, written)
        return written

    def take_dropped(self) -> list[str]:
        """The files that made room since this was last asked, for the record."""
        dropped, self._dropped = [str(path) for path in self._dropped], []
        return dropped

    def was_dropped(self, path: Path) -> bool:
        """Whether the file or folder `path`, or the one it is in, made room for others."""
        return not self._all_dropped.isdisjoint({path, *path.parents})

    def was_changed(self, path: Path) -> bool:
        """Whether somebody changed the kept file or folder `path`, or the one it is in."""
        places = [str(place) for place in (path, *path.parents) if str(place) in self._marks]
        return any(_mark_of(Path(place)) != self._marks[place] for place in places)

    def _mark(self, outcome: Kept | None) -> None:
        if is_file(outcome):
            real = os.path.realpath(outcome.path)
            self._marks[real] = _mark_of(Path(real))

    def _is_usable(self, outcome: Kept | None) -> bool:
        """Whether what is known of a frame still holds: its file is as it was, and counts as used now."""
        if not is_file(outcome):
            return True
        try:
            if self.was_changed(Path(os.path.realpath(outcome.path))):
                return False
            os.utime(outcome.path)
        except OSError:
            return False
        self._mark(outcome)
        return True

    def _written(self, value: object, name: str, *, is_asked: bool) -> Kept:
        try:
            if is_lazy(value):
                return self._within_quota(write_lazy(value, self._folder.path, name))
            most = sys.maxsize if is_asked else AUTOMATIC_BYTES
            return self._within_quota(spill_frame(value, self._folder.path, name, max_bytes=most))
        except OSError as error:
            return NotSpilled(reason=f"the folder could not be read ({error.strerror or error})")

    def _within_quota(self, newest: Kept) -> Kept:
        if isinstance(newest, NotSpilled):
            return newest
        most = self._folder.max_frame_bytes
        if newest.byte_count > most:
            remove(newest.path)
            return NotSpilled(reason=f"its file is larger than the {format_bytes(most)} a session keeps")
        files = sorted(_frame_files(self._folder.path), key=lambda file: file[0])
        excess = sum(size for _, size, _ in files) - most
        for _, size, path in files:
            if excess <= 0:
                break
            if path != newest.path:
                remove(path)
                self._dropped.append(path)
                self._all_dropped.add(path)
                excess -= size
        return newest

    def _remember(self, value: object, state: tuple[str, int], outcome: Kept | None) -> None:
        place = id(value)
        frame = attempt(lambda: weakref.ref(value, lambda ref: self._kept.pop(place, None)), None)
        if frame is not None:
            self._kept[place] = _Kept(frame=frame, state=state, outcome=outcome)


def is_file(outcome: Kept | None) -> TypeGuard[FrameSpill | LazyFile]:
    """Whether there is a file, or a folder of files."""
    return isinstance(outcome, (FrameSpill, LazyFile))


def _frame_files(folder: Path) -> list[tuple[int, int, Path]]:
    """Time of last use, size and path of each frame there."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(FRAME_ENDING):
                path = folder / entry.name
                is_folder = entry.is_dir(follow_symlinks=False)
                status = entry.stat(follow_symlinks=False)
                size = sum(parquet_sizes(path)) if is_folder else status.st_size
                found.append((status.st_mtime_ns, size, path))
    return found


def _mark_of(path: Path) -> tuple[int, int]:
    """Size and time of what is at `path`; other ones when it was changed, or is gone."""
    files = path.glob(f"*{FRAME_ENDING}") if path.is_dir() else [path]
    found = [status for file in files if (status := attempt(file.stat, None)) is not None]
    return sum(status.st_size for status in found), max((status.st_mtime_ns for status in found), default=0)


def _told(shown: Preview) -> str:
    """What a preview tells of the columns: without the name before it and the rows after it.

    Nothing where the preview is of rows alone, or of what cannot be changed in place.
    """
    if shown.kind != "frame":
        return ""
    schema = shown.text.partition("\nrows (")[0].partition("\n")[2]
    return f"{shown.details['rows']} {schema}"
