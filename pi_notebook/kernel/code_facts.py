"""What the text of code tells before it runs: files it names, packages, names it sets.

Native readers leave no trace of what they read; the paths that stand in calls of them do. How those
are found is `code_paths`'.
"""

from __future__ import annotations

import ast
import glob
import itertools
import os
import stat
from collections.abc import Mapping
from typing import Any, Literal

from pi_notebook.kernel.code_paths import READ, PathReader, name_of
from pi_notebook.kernel.passing_names import passing_names

_MAX_PATHS = 100

_LOOKS = {
    *("print", "len", "repr", "str", "type", "sorted", "sum", "min", "max", "abs", "round", "range", "list"),
    *("dict", "set", "tuple", "display", "isinstance", "head", "tail", "describe", "info", "sample", "mean"),
    *(
        "median",
        "std",
        "var",
        "count",
        "nunique",
        "unique",
        "value_counts",
        "isna",
        "isnull",
        "notna",
        "corr",
    ),
    *("memory_usage", "keys", "values", "items", "copy", "groupby", "agg", "sort_values", "nlargest"),
    *("sort_index", "reset_index", "set_index", "astype", "fillna", "dropna", "merge", "join", "quantile"),
    *("append", "enumerate", "zip", "any", "all", "int", "float", "bool", "format", "strip", "split"),
}
"""Calls that write no file, by the names that libraries give them; any other may."""


class CodeFacts:
    """What `code` says of itself; nothing where it cannot be parsed."""

    def __init__(self, code: str) -> None:
        self._tree = _parsed(code)
        self._nodes = list(ast.walk(self._tree)) if self._tree is not None else []

    @property
    def only_looks(self) -> bool:
        """Whether all it calls is known to write no file, so that the folder need not be looked at."""
        if self._tree is None:
            return False
        if any(isinstance(node, (ast.Import, ast.ImportFrom, ast.With, ast.Await)) for node in self._nodes):
            return False
        return all(name_of(node.func) in _LOOKS for node in self._nodes if isinstance(node, ast.Call))

    @property
    def packages(self) -> list[str]:
        """Packages that are imported, each once."""
        found: dict[str, None] = {}
        for node in self._nodes:
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0]: None for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found[node.module.partition(".")[0]] = None
        return list(found)

    @property
    def assigned(self) -> set[str]:
        """Names that its outermost statements set whenever they are reached."""
        found: set[str] = set()
        for statement in self._tree.body if self._tree is not None else ():
            targets: list[ast.expr] = []
            if isinstance(statement, ast.Assign):
                targets = statement.targets
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                targets = [statement.target]
            for target in targets:
                found |= {node.id for node in ast.walk(target) if _is_stored(node)}  # type: ignore[attr-defined]
        return found

    @property
    def passing(self) -> set[str]:
        """Names that it binds in the heads of loops and `with` alone."""
        return passing_names(self._tree) if self._tree is not None else set()

    def paths_read(self, variables: Mapping[str, Any]) -> list[str]:
        """Existing files that its calls of readers name; `variables` give paths that are kept in names.

        Without those that Python opens, which whoever watches sees.
        """
        found: dict[str, None] = {}
        for path in PathReader(self._nodes, variables).paths(opened=False):
            if path.action == READ:
                found |= dict.fromkeys(_existing(path.text))
        return list(itertools.islice(found, _MAX_PATHS))

    def paths_touched(
        self, variables: Mapping[str, Any], *, since_ns: int
    ) -> list[tuple[str, Literal["read", "written"]]]:
        """Existing files that it names to readers, and to writers where they changed after `since_ns`."""
        found: dict[tuple[str, Literal["read", "written"]], None] = {}
        for named in PathReader(self._nodes, variables).paths(opened=True):
            for path in _existing(named.text):
                if named.action == READ:
                    found[path, "read"] = None
                elif _changed_ns(path) >= since_ns:
                    found[path, "written"] = None
        return list(itertools.islice(found, _MAX_PATHS))


def _parsed(code: str) -> ast.Module | None:
    """The code without the lines that only IPython understands."""
    for text in (code, "\n".join(_without_magic(line) for line in code.splitlines())):
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _without_magic(line: str) -> str:
    body = line.lstrip()
    if body.startswith("%time "):
        return line.replace("%time ", "", 1)
    # A call in its place, so that the code is not taken for one that calls nothing.
    return line[: len(line) - len(body)] + "magic()" if body.startswith(("%", "!")) else line


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _existing(text: str) -> list[str]:
    text = text.removeprefix("file://")
    if not text or len(text) > 4096 or "\0" in text or "://" in text:
        return []
    path = os.path.expanduser(text)
    try:
        if os.path.exists(path):
            return [os.path.abspath(path)]
        found = itertools.islice(glob.iglob(path), _MAX_PATHS) if glob.has_magic(path) else ()
        return [os.path.abspath(one) for one in found]
    except OSError:
        return []


def _changed_ns(path: str) -> int:
    """When a file was changed last; 0 for a folder, which many write to."""
    try:
        status = os.stat(path)
    except OSError:
        return 0
    return 0 if stat.S_ISDIR(status.st_mode) else status.st_mtime_ns
