"""Paths as models write them: made absolute, explained when they are wrong, guarded when they matter."""

from __future__ import annotations

import difflib
import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePath

from pi_notebook.agent.tools import ToolError
from pi_notebook.context.cleaning import show_controls

_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'})
_MOST_NAMES = 5000
"""Of a folder, looked at for a name that is nearly right."""
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
    | {"agents.md", "claude.md", "skill.md", "sitecustomize.py", "usercustomize.py", "authorized_keys"}
)
_PROTECTED_FOLDERS = frozenset(
    {".jupyter", ".ipython", ".pi", ".ssh", ".aws", ".gnupg", ".claude", "launchagents"}
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
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return show_controls(text).replace("\n", "\\n").replace("\t", "\\t")


def missing_error(path: Path, folder: Path) -> ToolError:
    """What to say of a path where nothing is: the nearest names, or the part that is there."""
    shown = shown_path(path, folder)
    parent = path.parent
    if not parent.is_dir():
        there = next((above for above in parent.parents if above.is_dir()), folder)
        return ToolError(f"Nothing is at {shown}: the last folder that exists is {there}. Look with `ls`.")
    near = [shown_path(parent / name, folder) for name in near_names(path.name, _names(parent))]
    hint = f"Near it: {', '.join(near)}." if near else "Look with `ls` or `find`."
    return ToolError(f"Nothing is at {shown}. {hint}")


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


def near_names(name: str, names: Iterable[str]) -> list[str]:
    """Up to three of `names` that `name` may have meant."""
    known = {other.casefold(): other for other in names}
    return [known[key] for key in difflib.get_close_matches(name.casefold(), known, n=3, cutoff=0.6)]


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


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry, _ in zip(entries, range(_MOST_NAMES), strict=False)]
    except OSError:
        return []


def _plain(part: str) -> str:
    """A part of a path as a careless disk would read it."""
    return unicodedata.normalize("NFKC", part).casefold().rstrip(". ") or part


def _is_within(parts: list[str], home: list[str]) -> bool:
    return bool(home) and parts[: len(home)] == home
