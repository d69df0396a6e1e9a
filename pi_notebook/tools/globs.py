"""Glob patterns as people write them, for paths relative to a folder."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

from pathspec import GitIgnoreSpec

from pi_notebook.agent.tools import ToolError

_BRACES = re.compile(r"\{([^{}]*)\}")
_MOST_PATTERNS = 200


def glob_filter(pattern: str, folder: Path) -> Callable[[str], bool]:
    """Whether a path matches: `*.csv` at any depth, `data/**/*.csv` from `folder`, `{a,b}`, `!` for not."""
    is_negated = pattern.startswith("!")
    plain = pattern.removeprefix("!").removeprefix("./").removeprefix(f"{folder}/")
    if not plain.strip():
        raise ToolError("The glob pattern is empty. Examples: *.csv, src/**/*.py, *.{png,jpg}.")
    try:
        spec = ignore_spec(_escaped(one) for one in _without_braces(plain))
    except ValueError as error:
        raise ToolError(f"{pattern!r} is no glob pattern: {error}. Examples: *.csv, src/**/*.py.") from None
    return lambda path: spec.match_file(path) is not is_negated


def ignore_spec(lines: Iterable[str]) -> GitIgnoreSpec:
    """The rules in `lines`, as git reads them; `ValueError` where one of them is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of `[[]`, which is a plain bracket to git
            return GitIgnoreSpec.from_lines(lines)
    except re.error as error:
        raise ValueError(str(error)) from None


def _without_braces(pattern: str) -> list[str]:
    found = [pattern]
    while any(_BRACES.search(one) for one in found):
        found = [choice for one in found for choice in _choices(one)]
        if len(found) > _MOST_PATTERNS:
            raise ToolError("The glob pattern has too many choices in braces. Use several calls.")
    return found


def _choices(pattern: str) -> list[str]:
    match = _BRACES.search(pattern)
    if match is None:
        return [pattern]
    before, behind = pattern[: match.start()], pattern[match.end() :]
    return [f"{before}{choice}{behind}" for choice in match[1].split(",")]


def _escaped(pattern: str) -> str:
    return f"\\{pattern}" if pattern.startswith(("#", "!")) else pattern
