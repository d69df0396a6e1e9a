"""Where an export goes: told from what the person typed, never over something else, whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pi_notebook.errors import UsageError

FORMATS = ("ipynb", "html", "jsonl", "md")
_FLAG = "--force"


@dataclass(frozen=True, kw_only=True)
class Target:
    """A file to write."""

    path: Path
    may_replace: bool = False

    @property
    def format(self) -> str:
        return self.path.suffix.lower().removeprefix(".")


def parse_target(text: str, *, folder: Path, home: Path) -> Target:
    """The target that `text` names, relative to `folder`; `UsageError` says what is wrong with it.

    What is in `home` belongs to the program: no export replaces a session there.
    """
    words = text.split()
    may_replace = _FLAG in words
    name = text.replace(_FLAG, "", 1).strip() if may_replace else text.strip()
    if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"":
        name = name[1:-1]
    target = Target(path=folder / os.path.expanduser(name), may_replace=may_replace)
    if "\0" in name:
        raise UsageError("%agent export: no file's name holds a NUL character. Name another file.")
    if not name or target.format not in FORMATS:
        asked = f"{name} names none of the formats" if name else "It needs a file"
        raise UsageError(
            f"%agent export: {asked}. Give a name that ends in {', '.join('.' + one for one in FORMATS)}: "
            "a notebook of the code that worked, a page to read, the session itself, or text."
        )
    _check(target, home)
    return target


def _check(target: Target, home: Path) -> None:
    path = target.path
    if not os.path.isdir(path.parent):
        raise UsageError(f"%agent export: the folder {path.parent} is not there. Make it, or name another.")
    if home in (real := Path(os.path.realpath(path))).parents:
        raise UsageError(f"%agent export: {real} is where sessions are kept. Name a file elsewhere.")
    if os.path.isdir(path):
        raise UsageError(f"%agent export: {path} is a folder. Name a file in it.")
    if os.path.lexists(path) and not target.may_replace:
        raise there_already(path)


def there_already(path: Path) -> UsageError:
    return UsageError(
        f"%agent export: {path} is there already and was left as it is. "
        f"Name another file, or add {_FLAG} to replace it."
    )


def write_target(target: Target, pieces: Iterable[bytes], *, mode: int = 0o666) -> int:
    """Write `pieces` to the target as one whole; how many bytes they were.

    Until all is written nothing is there under the target's name. A link is followed: the file it
    names is replaced. Raises `UsageError` when the file cannot be written, or was made meanwhile.
    """
    real = Path(os.path.realpath(target.path))
    temporary = real.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        try:
            size = _write_new(temporary, pieces, mode)
            _put(temporary, real, may_replace=target.may_replace)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    except FileExistsError:
        raise there_already(target.path) from None
    except OSError as error:
        raise UsageError(
            f"%agent export: {target.path} cannot be written: {error.strerror}. Name another file."
        ) from error
    return size


def _write_new(path: Path, pieces: Iterable[bytes], mode: int) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(descriptor, "wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
        return file.tell()


def _put(temporary: Path, real: Path, *, may_replace: bool) -> None:
    """Give the whole file its name; where nothing may be replaced, in one step that fails if it is taken."""
    if may_replace:
        os.replace(temporary, real)
        return
    try:
        os.link(temporary, real)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if os.path.lexists(real):
            raise FileExistsError(real) from None
        os.rename(temporary, real)
