"""The frames of a traceback in few lines: the person's own, and a line for those within libraries."""

from __future__ import annotations

import itertools
import os
import sysconfig
import traceback
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

_FIRST_FRAMES = 3
_LAST_FRAMES = 9
_PACKAGE_FOLDERS = ("site-packages", "dist-packages")
_COMPILED = (".pyx", ".pxi", ".pxd", ".rs", ".c", ".cpp")


def library_of(frame: traceback.FrameSummary) -> str:
    """The package a frame is in when it is not the person's own; else empty."""
    filename = frame.filename
    if filename.startswith("<"):
        if filename == "<__array_function__ internals>":
            return "numpy"
        return filename[8:-1].partition(".")[0] if filename.startswith("<frozen ") else ""
    parts = PurePath(filename).parts
    for folder in _PACKAGE_FOLDERS:
        if folder in parts[:-1]:
            return _stem(parts[len(parts) - parts[::-1].index(folder)])
    if filename.endswith(_COMPILED) and not os.path.isabs(filename):
        return frame.name.partition(".")[0] if "." in frame.name else _stem(parts[0])
    for folder in _standard_folders():
        if filename.startswith(folder):
            return _stem(PurePath(filename[len(folder) :]).parts[0])
    return ""


class ShortStack(traceback.StackSummary):
    """A stack that tells its own frames one by one, and those of libraries by a count."""

    def format(self, **options: Any) -> list[str]:
        """The lines of the stack."""
        lines: list[str] = []
        for is_library, group in itertools.groupby(self._frames(), key=lambda item: bool(item[1])):
            frames = list(group)
            if is_library:
                lines.append(_count_line(frames))
            else:
                own = traceback.StackSummary.from_list([frame for frame, _ in frames])
                lines += _bounded(own.format(**options))
        return lines

    def _frames(self) -> Iterable[tuple[traceback.FrameSummary, str]]:
        return ((frame, library_of(frame)) for frame in self)


def _count_line(frames: Sequence[tuple[traceback.FrameSummary, str]]) -> str:
    libraries = list(dict.fromkeys(library for _, library in frames))
    named = ", ".join(libraries[:3]) + (" and others" if len(libraries) > 3 else "")
    return f"  … {len(frames)} frame{'' if len(frames) == 1 else 's'} in {named} …\n"


def _bounded(frames: list[str]) -> list[str]:
    """The first and last of many frames, as after a recursion."""
    omitted = len(frames) - _FIRST_FRAMES - _LAST_FRAMES
    if omitted < 2:
        return frames
    return [*frames[:_FIRST_FRAMES], f"  … {omitted:,} more frames …\n", *frames[-_LAST_FRAMES:]]


def _standard_folders() -> list[str]:
    paths = sysconfig.get_paths()
    return [paths[name] + os.sep for name in ("stdlib", "platstdlib")]


def _stem(name: str) -> str:
    return name.partition(".")[0]
