"""The file of a frame that a tool shows a part of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pi_notebook.context.previews.frame_spills import FrameSpills, Kept
from pi_notebook.context.previews.lazy_parquet import LazyFile
from pi_notebook.context.previews.parquet import FrameSpill, NotSpilled
from pi_notebook.context.previews.preview import Preview
from pi_notebook.errors import CodeTimeoutError, KernelError
from pi_notebook.kernel.executor import CodeExecutor

_SECONDS = 6.0
ASKED_SECONDS = 600.0


@dataclass(frozen=True, kw_only=True)
class KeptFrame:
    """Where all rows are, or why nowhere."""

    spill: FrameSpill | LazyFile | None = None
    problem: str = ""
    """Why there is no file, for the model; empty when there is one, or none is needed."""
    dropped: tuple[str, ...] = ()
    """Files of other frames that made room."""

    def details(self, key: str) -> dict[str, Any]:
        """The record as JSON, the file's own under `key`."""
        key = "written" if isinstance(self.spill, LazyFile) else key
        found: dict[str, Any] = {key: self.spill.details()} if self.spill is not None else {}
        if self.problem:
            found["notSpilled"] = self.problem
        return found | ({"droppedSpills": list(self.dropped)} if self.dropped else {})


async def kept_frame(
    executor: CodeExecutor, value: object, name: str, shown: Preview, spills: FrameSpills | None
) -> KeptFrame:
    """What became of putting `value` on disk; it takes a few seconds at most."""
    if spills is None or shown.kind != "frame" or shown.details["rows_shown"] >= shown.details["rows"]:
        return KeptFrame()
    try:
        found = await executor.call(lambda: spills.keep(value, name, shown), timeout_seconds=_SECONDS)
    except KernelError:
        return KeptFrame()
    return _kept(found, spills)


async def asked_frame(
    executor: CodeExecutor, value: object, name: str, shown: Preview, spills: FrameSpills
) -> KeptFrame:
    """The same when a model asked for the file; what is lazy is computed for it."""
    try:
        found = await executor.call(
            lambda: spills.keep(value, name, shown, is_asked=True), timeout_seconds=ASKED_SECONDS
        )
    except CodeTimeoutError:
        return KeptFrame(problem=f"Not written: it took longer than {ASKED_SECONDS:g} s and was stopped.")
    return _kept(found, spills)


def _kept(found: Kept | None, spills: FrameSpills) -> KeptFrame:
    dropped = tuple(spills.take_dropped())
    if isinstance(found, NotSpilled):
        return KeptFrame(problem=f"Not kept on disk: {found.reason}.", dropped=dropped)
    return KeptFrame(spill=found, dropped=dropped)
