"""The file of a frame that a tool shows a part of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pi_notebook.context.previews.frame_spills import FrameSpills
from pi_notebook.context.previews.parquet import FrameSpill, NotSpilled
from pi_notebook.context.previews.preview import Preview
from pi_notebook.errors import KernelError
from pi_notebook.kernel.executor import CodeExecutor

_SECONDS = 6.0


@dataclass(frozen=True, kw_only=True)
class KeptFrame:
    """Where all rows are, or why nowhere."""

    spill: FrameSpill | None = None
    problem: str = ""
    """Why there is no file, for the model; empty when there is one, or none is needed."""
    dropped: tuple[str, ...] = ()
    """Files of other frames that made room."""

    def details(self, key: str) -> dict[str, Any]:
        """The record as JSON, the file's own under `key`."""
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
    dropped = tuple(spills.take_dropped())
    if isinstance(found, NotSpilled):
        return KeptFrame(problem=f"Not kept on disk: {found.reason}.", dropped=dropped)
    return KeptFrame(spill=found, dropped=dropped)
