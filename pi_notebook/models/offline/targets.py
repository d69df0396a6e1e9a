"""What a question is about: a frame among the variables, or a file to load."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from pi_notebook.models.offline.conversation import Conversation
from pi_notebook.models.offline.question.words import stem
from pi_notebook.models.offline.schema import Library

_SUFFIXES = r"\.(?:csv|tsv|parquet|jsonl|ndjson)(?:\.gz)?"
_QUOTED_FILE = re.compile(rf"@?([`\"'“])([^`\"'”\n]+{_SUFFIXES})[`\"'”]", re.IGNORECASE)
_BARE_FILE = re.compile(rf"@?((?:[A-Za-z]:)?[\w.~/\\+-]*[\w+-]{_SUFFIXES})(?![\w])", re.IGNORECASE)
_VARIABLE = re.compile(r"^\s*[-*]?\s*`?([^\W\d]\w*)`?\s*:\s*([\w.]+)")
_FRAME_TYPES = ("DataFrame", "GeoDataFrame")


@dataclass(frozen=True)
class Frame:
    """A frame that is a variable."""

    name: str
    library: Library


@dataclass(frozen=True)
class File:
    """A file named in the question, and the variable it goes into."""

    path: str
    name: str


@dataclass(frozen=True)
class NoTarget:
    """No frame or file can be chosen; `frames` are those there are."""

    frames: tuple[str, ...]
    other_names: tuple[str, ...]


Target = Frame | File | NoTarget


@dataclass(frozen=True)
class Variables:
    """What `list_variables` told."""

    names: frozenset[str]
    frames: tuple[Frame, ...]


def read_variables(text: str) -> Variables:
    """The variables in a listing of `name: type, details` lines."""
    names: list[str] = []
    frames: list[Frame] = []
    for line in text.splitlines():
        match = _VARIABLE.match(line)
        if match is None:
            continue
        names.append(match[1])
        module, _, kind = match[2].rpartition(".")
        if kind in _FRAME_TYPES and module.split(".")[0] in ("", "pandas", "polars", "geopandas"):
            frames.append(Frame(match[1], "polars" if module.startswith("polars") else "pandas"))
    return Variables(frozenset(names), tuple(frames))


def find_files(prompt: str) -> list[str]:
    """The data files that `prompt` names, quoted ones whole."""
    quoted = [match[2].strip() for match in _QUOTED_FILE.finditer(prompt)]
    rest = _QUOTED_FILE.sub(" ", prompt)
    bare = [_without_leading_chinese(match[1]) for match in _BARE_FILE.finditer(rest)]
    return list(dict.fromkeys([*quoted, *bare]))


def without_files(prompt: str) -> str:
    """`prompt` with the files that it names taken out."""
    rest = _QUOTED_FILE.sub(" ", prompt)
    return _BARE_FILE.sub(lambda match: " " + match[0].replace(_without_leading_chinese(match[1]), " "), rest)


def _without_leading_chinese(path: str) -> str:
    """In Chinese no space parts a file's name from the word before it."""
    match = re.fullmatch(r"[\u4e00-\u9fff]+([A-Za-z0-9_~./\\].*)", path)
    name = match[1] if match else path
    return path if name.startswith(".") and not name.startswith(("./", "../")) else name


def choose_target(conversation: Conversation, variables: Variables) -> Target:
    """The frame or file that the question is about."""
    own = conversation.own_names - {name for _, name in conversation.loads}
    named = [frame for frame in variables.frames if is_named(frame.name, conversation.prompt)]
    files = find_files(conversation.prompt)
    if len(named) == 1 and not files:
        return named[0]
    if len(files) == 1:
        return _file(files[0], conversation, variables)
    candidates = [frame for frame in variables.frames if frame.name not in own]
    if not named and not files:
        if len(candidates) == 1:
            return candidates[0]
        recent = _recent(conversation, candidates)
        if recent:
            return recent
    frames = tuple(frame.name for frame in (named or candidates))
    return NoTarget(frames, tuple(sorted(variables.names - set(frames) - own))[:10])


def _recent(conversation: Conversation, frames: Sequence[Frame]) -> Frame | None:
    """The frame that an earlier question was about."""
    for prompt in reversed(conversation.earlier_prompts):
        paths = find_files(prompt)
        loaded = {name for path, name in conversation.loads if path in paths}
        found = [frame for frame in frames if frame.name in loaded or is_named(frame.name, prompt)]
        if len(found) == 1:
            return found[0]
    return None


def is_named(name: str, prompt: str) -> bool:
    """True when `prompt` has the variable's name as a word, with `@` or in backticks or plain."""
    return re.search(rf"(?<![A-Za-z0-9_./]){re.escape(name)}(?![A-Za-z0-9_(]|\.\w)", prompt) is not None


def _file(path: str, conversation: Conversation, variables: Variables) -> Target:
    """The file, or the frame that an earlier step loaded it into."""
    for loaded, name in reversed(conversation.loads):
        known = next((frame for frame in variables.frames if frame.name == name), None)
        if loaded == path and known is not None:
            return known
    return File(path, new_name(variable_for(path), variables.names))


def variable_for(path: str) -> str:
    """A variable's name for a file: its own, made an identifier."""
    base = PurePosixPath(path.replace("\\", "/")).name
    base = re.sub(rf"{_SUFFIXES}$", "", base, flags=re.IGNORECASE)
    name = re.sub(r"\W+", "_", base).strip("_").lower()
    name = f"data_{name}".rstrip("_") if not name or name[0].isdigit() else name
    return f"{name}_data" if keyword.iskeyword(name) or hasattr(builtins, name) else name


def new_name(name: str, taken: Collection[str]) -> str:
    """`name`, with a number when it is taken."""
    number = 2
    chosen = name
    while chosen in taken:
        chosen, number = f"{name}_{number}", number + 1
    return chosen


def mention_stems(target_name: str, prompt: str) -> frozenset[str]:
    """The words that stand for the frame in the question."""
    stems = [PurePosixPath(path.replace("\\", "/")).name.split(".")[0] for path in find_files(prompt)]
    return frozenset(stem(word) for word in [target_name, *stems])
