"""The whole frames of one session on disk, each written once for each state of it."""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_notebook.context.previews.fingerprints import fingerprint
from pi_notebook.context.previews.foreign import attempt
from pi_notebook.context.previews.parquet import FrameSpill, NotSpilled, is_worth_spilling, spill_frame
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.spill import FRAME_ENDING, SpillFolder
from pi_notebook.context.truncation import format_bytes


@dataclass(frozen=True, kw_only=True)
class _Kept:
    frame: weakref.ref[Any]
    state: tuple[str, int]
    """What the preview tells of its columns, and a fingerprint of its cells."""
    outcome: FrameSpill | NotSpilled | None
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

    def keep(self, value: object, name: str, shown: Preview) -> FrameSpill | NotSpilled | None:
        """The file with all rows of `value`, of which `shown` leaves some out; None where there is none.

        Never raises for what the frame is made of; a deadline passes.
        """
        if not is_worth_spilling(value, shown):
            return None
        state = _columns_told(shown), fingerprint(value)
        known = self._kept.get(id(value))
        is_same = known is not None and known.frame() is value and known.state == state
        if known and is_same and (not isinstance(known.outcome, FrameSpill) or _is_as_written(known.outcome)):
            return known.outcome
        self._remember(value, state, None)
        written = self._written(value, name)
        self._remember(value, state, written)
        return written

    def take_dropped(self) -> list[str]:
        """The files that made room since this was last asked, for the record."""
        dropped, self._dropped = [str(path) for path in self._dropped], []
        return dropped

    def _written(self, value: object, name: str) -> FrameSpill | NotSpilled:
        written = spill_frame(value, self._folder.path, name)
        try:
            return self._within_quota(written) if isinstance(written, FrameSpill) else written
        except OSError as error:
            return NotSpilled(reason=f"the folder could not be read ({error.strerror or error})")

    def _within_quota(self, newest: FrameSpill) -> FrameSpill | NotSpilled:
        most = self._folder.max_frame_bytes
        if newest.byte_count > most:
            newest.path.unlink(missing_ok=True)
            return NotSpilled(reason=f"its file is larger than the {format_bytes(most)} a session keeps")
        files = sorted(_frame_files(self._folder.path), key=lambda file: file[0])
        excess = sum(size for _, size, _ in files) - most
        for _, size, path in files:
            if excess <= 0:
                break
            if path != newest.path:
                path.unlink(missing_ok=True)
                self._dropped.append(path)
                excess -= size
        return newest

    def _remember(
        self, value: object, state: tuple[str, int], outcome: FrameSpill | NotSpilled | None
    ) -> None:
        place = id(value)
        frame = attempt(lambda: weakref.ref(value, lambda ref: self._kept.pop(place, None)), None)
        if frame is not None:
            self._kept[place] = _Kept(frame=frame, state=state, outcome=outcome)


def _frame_files(folder: Path) -> list[tuple[int, int, Path]]:
    """Time of last use, size and path of each frame there."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(FRAME_ENDING):
                status = entry.stat(follow_symlinks=False)
                found.append((status.st_mtime_ns, status.st_size, folder / entry.name))
    return found


def _is_as_written(spill: FrameSpill) -> bool:
    """Whether the file is still there and whole; it counts as used now."""
    try:
        os.utime(spill.path)
        return spill.path.stat().st_size == spill.byte_count
    except OSError:
        return False


def _columns_told(shown: Preview) -> str:
    """What a preview tells of the columns: without the name before it and the rows after it."""
    schema = shown.text.partition("\nrows (")[0].partition("\n")[2]
    return f"{shown.details['rows']} {schema}"
