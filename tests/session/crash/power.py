"""A disk that remembers what it was asked to do, and what could be left of it had the power gone.

Names and contents reach the disk apart from each other. Of a file everything up to its last sync is
there; of what was written later any part may be: nothing, all, a piece, or the length without the
bytes. Of a folder the changes since its last sync are there up to some one of them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.session.crash.life import Diary
from tests.session.faults import FaultyFiles

_SECTOR = 512


class RecordedFiles(FaultyFiles):
    """Files whose changes are written down in `log`; what did not happen is not in it.

    Of the calls of `name`, number `nth` fails; a write has then taken `short` bytes.
    """

    def __init__(self, log: list[tuple], *, name: str = "", nth: int = 0, **plan) -> None:
        super().__init__(**plan)
        self.log = log
        self._name, self._nth = name, nth
        self._paths: dict[int, Path] = {}
        self._numbers: dict[Path, int] = {}

    def open(self, path: Path, flags: int) -> int:
        is_new = bool(flags & os.O_CREAT) and not path.exists()
        fd = super().open(path, flags)
        if is_new:
            self._numbers[path] = len(self.log)
            self.log.append(("create", path, self._numbers[path]))
        elif flags & os.O_TRUNC:
            self.log.append(("truncate", self._numbers[path], 0))
        self._paths[fd] = self._numbers.get(path)
        return fd

    def _may_fail(self, name: str) -> None:
        self._count(name)
        super()._may_fail(name)

    def _count(self, name: str) -> None:
        self._nth -= name == self._name
        self.at = self.count + 1 if name == self._name and self._nth == 0 else self.at

    def write(self, fd: int, data: memoryview) -> int:
        self._count("write")
        start = os.fstat(fd).st_size
        written = super().write(fd, data)
        self.log.append(("write", self._paths[fd], start, bytes(data[:written])))
        return written

    def truncate(self, fd: int, offset: int) -> None:
        super().truncate(fd, offset)
        self.log.append(("truncate", self._paths[fd], offset))

    def sync(self, fd: int) -> None:
        self._may_fail("sync")
        self.log.append(("sync", self._paths[fd]))

    def sync_folder(self, path: Path) -> None:
        self._may_fail("sync_folder")
        self.log.append(("sync_folder", path))

    def make_folder(self, path: Path) -> None:
        super().make_folder(path)
        self.log.append(("make_folder", path))

    def rename(self, path: Path, new: Path) -> None:
        super().rename(path, new)
        self._numbers[new] = self._numbers.pop(path)
        self.log.append(("rename", path, new))

    def remove(self, path: Path) -> None:
        super().remove(path)
        self._numbers.pop(path, None)
        self.log.append(("remove", path))


class LoggedDiary(Diary):
    """A diary that says in the log, too, when something was promised."""

    def __init__(self, path: Path, log: list[tuple]) -> None:
        super().__init__(path)
        self._log = log

    def note(self, *words: str) -> None:
        super().note(*words)
        if words[0] == "ack":
            self._log.append(words)


@dataclass
class Content:
    """One file: what is safe, and what was done since."""

    safe: bytes = b""
    pending: list[tuple] = field(default_factory=list)

    def do(self, change: tuple) -> None:
        self.pending.append(change)

    def sync(self) -> None:
        self.safe, self.pending = self.after(len(self.pending)), []

    def after(self, count: int) -> bytes:
        """With the first `count` changes done."""
        data = self.safe
        for change in self.pending[:count]:
            kept = data[: change[2]]
            data = kept if change[0] == "truncate" else kept + change[3]
        return data

    def left(self, chance: random.Random) -> bytes:
        """What could be found of it."""
        everything = self.after(len(self.pending))
        if not self.pending:
            return everything
        how = chance.choice(["nothing", "all", "some", "cut", "zeros", "holes"])
        if how == "nothing":
            return self.safe
        if how == "some":
            return self.after(chance.randrange(len(self.pending)))
        fixed = min(len(self.safe), len(everything))
        cut = chance.randint(fixed, len(everything))
        if how == "cut":
            return everything[:cut]
        if how == "zeros":
            return everything[:cut] + bytes(len(everything) - cut)
        return everything if how == "all" else _with_holes(everything, fixed, chance)


def _with_holes(data: bytes, fixed: int, chance: random.Random) -> bytes:
    found = bytearray(data)
    for start in range(fixed, len(data), _SECTOR):
        end = min(start + _SECTOR, len(data))
        if chance.random() < 0.5:
            found[start:end] = bytes(end - start)
    return bytes(found)


@dataclass
class Disk:
    """All files and folders, as a log leaves them."""

    contents: dict[int, Content] = field(default_factory=dict)
    safe_names: dict[Path, dict[str, object]] = field(default_factory=dict)
    pending_names: dict[Path, list[tuple]] = field(default_factory=dict)
    acknowledged: list[str] = field(default_factory=list)

    def do(self, change: tuple) -> None:
        kind = change[0]
        if kind == "ack":
            self.acknowledged.append(change[1])
        elif kind == "sync":
            self.contents[change[1]].sync()
        elif kind == "sync_folder":
            self.safe_names[change[1]] = self._names(change[1], len(self.pending_names.get(change[1], ())))
            self.pending_names[change[1]] = []
        elif kind in ("write", "truncate"):
            self.contents[change[1]].do(change)
        else:
            self._name(change)

    def lay_out(self, root: Path, target: Path, chance: random.Random) -> None:
        """Make in `target` what could be found of the folder `root`."""
        count = chance.randint(0, len(self.pending_names.get(root, ())))
        for name, what in self._names(root, count).items():
            if isinstance(what, int):
                (target / name).write_bytes(self.contents[what].left(chance))
            else:
                (target / name).mkdir(mode=0o700)
                self.lay_out(root / name, target / name, chance)

    def _name(self, change: tuple) -> None:
        if change[0] == "create":
            self.contents[change[2]] = Content()
        self.pending_names.setdefault(change[1].parent, []).append(change)

    def _names(self, folder: Path, count: int) -> dict[str, object]:
        """What stands in the folder with the first `count` changes done."""
        names = dict(self.safe_names.get(folder, {}))
        for kind, path, *rest in self.pending_names.get(folder, [])[:count]:
            if kind == "create":
                names[path.name] = rest[0]
            elif kind == "make_folder":
                names[path.name] = None
            elif kind == "rename":
                names[rest[0].name] = names.pop(path.name)
            else:
                names.pop(path.name, None)
        return names


def states(log: list[tuple], *, each: int, seed: int) -> Iterator[tuple[int, int, Disk, random.Random]]:
    """Every moment of the log, `each` times: its number, the state's, the disk, and chance to lay it out."""
    disk = Disk()
    for moment, change in enumerate(log, 1):
        disk.do(change)
        for number in range(each):
            yield moment, number, disk, random.Random(f"{seed} {moment} {number}")
