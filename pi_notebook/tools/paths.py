"""Paths as models write them: made absolute, explained when they are wrong, guarded when they matter."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePath

from pi_notebook._nearest import one_of
from pi_notebook.agent.messages import without_surrogates
from pi_notebook.agent.tools import ToolError
from pi_notebook.context.cleaning import show_controls
from pi_notebook.tools.nearby import near_paths

_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'})
_KINDS = (
    (stat.S_ISFIFO, "a named pipe: reading it could wait for ever"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device: it may have no end"),
)

_PROTECTED_NAMES = frozenset(
    {".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc"}
    | {".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login"}
    | {".envrc", ".netrc", ".npmrc", ".pypirc", ".gitconfig", ".pythonrc.py", "config.fish", ".xprofile"}
    | {
        "agents.md",
        "agents.override.md",
        "claude.md",
        "skill.md",
        "sitecustomize.py",
        "usercustomize.py",
        "authorized_keys",
    }
)
_PROTECTED_FOLDERS = frozenset(
    {".jupyter", ".ipython", ".pi", ".agents", ".ssh", ".aws", ".gnupg", ".claude", "launchagents"}
)
_PROTECTED_PAIRS = (
    (re.compile(r"\.git"), re.compile(r"hooks|config")),
    (re.compile(r"\.vscode"), re.compile(r"(settings|tasks|launch)\.json")),
    (re.compile(r"\.config"), re.compile(r"fish|autostart|systemd|git")),
    (re.compile(r"share"), re.compile(r"jupyter")),
)
_PROTECTED_ENDINGS = (".pth",)


def resolve_path(path: str, folder: Path) -> Path:
    """`path` as an absolute path; links are left for the system to follow.

    `~` and a leading `@` are understood, and a name that differs from an existing one only in how
    its spaces, quotes or accents are encoded means that one.
    """
    if not path.strip() or "\0" in path:
        raise ToolError("The path is empty or holds a NUL byte. Give a file or folder, like data/sales.csv.")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise ToolError(f"{one_line(path)[:200]} is no path: it has a character no file name has.") from None
    wanted = _absolute(path, folder)
    if os.path.lexists(wanted):
        return wanted
    spellings = [path.removeprefix("@"), *_spellings(path), *_spellings(path.removeprefix("@"))]
    found = (_absolute(spelling, folder) for spelling in spellings)
    return next((other for other in found if os.path.lexists(other)), wanted)


def shown_path(path: Path, folder: Path) -> str:
    """`path` for a reader: relative inside the folder, without characters that cannot be seen."""
    try:
        relative = path.relative_to(folder)
    except ValueError:
        return one_line(str(path))
    return one_line(str(relative))


def one_line(name: str) -> str:
    """A file name on one line, whatever it is made of."""
    return show_controls(without_surrogates(name)).replace("\n", "\\n").replace("\t", "\\t")


def missing_error(path: Path, folder: Path) -> ToolError:
    """What to say of a path where nothing is: what may have been meant, or the part that is there."""
    shown = shown_path(path, folder)
    near = [shown_path(other, folder) for other in near_paths(path, folder)]
    hint = one_of(near) if near else "Look with `ls` or `find`."
    if os.path.isdir(path.parent):
        return ToolError(f"Nothing is at {shown}. {hint}")
    there = next((above for above in path.parent.parents if os.path.isdir(above)), folder)
    last = one_line(str(there))
    return ToolError(f"Nothing is at {shown}: the last folder that exists is {last}. {hint}")


def check_regular(status: os.stat_result, shown: str) -> None:
    """Raise `ToolError` unless it is a plain file."""
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"{shown} is a folder. Use `ls` to list it, or name a file in it.")
    kind = next((text for test, text in _KINDS if test(status.st_mode)), "no plain file")
    raise ToolError(f"{shown} is {kind}. Only plain files can be used.")


def os_error(error: OSError, action: str, shown: str) -> ToolError:
    """A refusal of the system in words the model can act on."""
    return ToolError(f"{shown} could not be {action}: {error.strerror or error}.")


def is_protected(path: PurePath, *, homes: Iterable[PurePath] = ()) -> bool:
    """Whether writing `path` could change what runs or is allowed later: never without a question.

    Settings, instructions and hooks: of the shell, git, IPython, Jupyter, ssh and of this package
    (`homes` are its folders). Ask with the path as given and with its real path; upper and lower
    case count as one, as they do on some disks.
    """
    parts = [_plain(part) for part in path.parts]
    if any(_is_within(parts, [_plain(part) for part in home.parts]) for home in homes):
        return True
    if not parts or parts[-1] in _PROTECTED_NAMES or parts[-1].endswith(_PROTECTED_ENDINGS):
        return True
    if _PROTECTED_FOLDERS.intersection(parts):
        return True
    pairs = list(zip(parts, parts[1:], strict=False))
    return any(
        first.fullmatch(above) and second.fullmatch(below)
        for first, second in _PROTECTED_PAIRS
        for above, below in pairs
    )


def _absolute(path: str, folder: Path) -> Path:
    return folder / os.path.expanduser(path)


def _spellings(path: str) -> list[str]:
    plain = _SPACES.sub(" ", path)
    return [
        plain,
        unicodedata.normalize("NFC", path),
        unicodedata.normalize("NFD", path),
        plain.translate(_QUOTES),
        path.replace("'", "\u2019"),
    ]


def _plain(part: str) -> str:
    """A part of a path as a careless disk would read it."""
    return unicodedata.normalize("NFKC", part).casefold().rstrip(". ") or part


def _is_within(parts: list[str], home: list[str]) -> bool:
    return bool(home) and parts[: len(home)] == home
