"""The whole frames of one session on disk, each written once."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

from pi_notebook.context.previews.foreign import attempt
from pi_notebook.context.previews.parquet import FrameSpill, NotSpilled, is_worth_spilling, spill_frame
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.spill import SpillFolder


@dataclass(frozen=True, kw_only=True)
class _Kept:
    frame: weakref.ref[Any]
    figures: str
    """Of its columns; a frame that was changed in place mostly has others."""
    spill: FrameSpill


class FrameSpills:
    """Writes frames into `folder` until that is full. To be called on the kernel's main thread."""

    def __init__(self, folder: SpillFolder) -> None:
        self._folder = folder
        self._kept: dict[int, _Kept] = {}

    def keep(self, value: object, name: str, shown: Preview) -> FrameSpill | None:
        """The file with all rows of `value`, of which `shown` leaves some out; None where there is none.

        Never raises for what the frame is made of.
        """
        if not is_worth_spilling(value, shown):
            return None
        known = self._kept.get(id(value))
        if known is not None and known.frame() is value and known.figures == _figures(shown):
            return known.spill
        if self._folder.used_bytes() >= self._folder.max_session_bytes:
            return None
        written = spill_frame(value, self._folder.path, name)
        if isinstance(written, NotSpilled):
            return None
        self._remember(value, shown, written)
        return written

    def _remember(self, value: object, shown: Preview, spill: FrameSpill) -> None:
        place = id(value)
        frame = attempt(lambda: weakref.ref(value, lambda ref: self._kept.pop(place, None)), None)
        if frame is not None:
            self._kept[place] = _Kept(frame=frame, figures=_figures(shown), spill=spill)


def _figures(shown: Preview) -> str:
    """What a preview tells of the columns: without the name before it and the rows after it."""
    schema = shown.text.partition("\nrows (")[0].partition("\n")[2]
    return f"{shown.details['rows']} {schema}"
