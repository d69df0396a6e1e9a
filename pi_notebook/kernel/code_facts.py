"""What the text of code tells before it runs: files it names to readers, packages, names it sets.

Native readers leave no trace of what they read; the paths that stand in calls of them do. Nothing
is evaluated: paths are put together from constants and from plain texts among the variables.
"""

from __future__ import annotations

import ast
import glob
import itertools
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

_READERS = {
    *("read_parquet", "scan_parquet", "read_csv", "scan_csv", "read_table", "read_fwf", "read_json"),
    *("read_ndjson", "scan_ndjson", "read_excel", "read_feather", "read_ipc", "scan_ipc", "read_orc"),
    *("read_avro", "read_delta", "scan_delta", "read_hdf", "read_stata", "read_sas", "read_spss"),
    *("read_xml", "read_html", "dataset", "open_dataset", "ParquetFile", "ParquetDataset", "read_schema"),
    *("read_csv_auto", "from_parquet", "fromfile", "memmap", "imread", "read_metadata", "open_csv"),
}
_PATH_KEYWORDS = {"path", "source", "filepath_or_buffer", "path_or_buf", "io", "paths", "file", "where"}
_QUERIES = {"sql", "query", "execute", "from_query"}
_QUOTED = re.compile(r"'([^'\n]+\.(?:parquet|csv|tsv|json|jsonl|ndjson|gz|zst)(?:\.gz)?)'", re.IGNORECASE)
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
        return all(_name_of(node.func) in _LOOKS for node in self._nodes if isinstance(node, ast.Call))

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

    def paths_read(self, variables: Mapping[str, Any]) -> list[str]:
        """Existing files that its calls of readers name; `variables` give paths that are kept in names."""
        found: dict[str, None] = {}
        for node in self._nodes:
            if isinstance(node, ast.Call):
                for text in _paths_in(node, variables):
                    found |= dict.fromkeys(_existing(text))
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
    # A call in its place, so that the code is not taken for one that calls nothing.
    return line[: len(line) - len(body)] + "magic()" if body.startswith(("%", "!")) else line


def _is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _name_of(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _paths_in(call: ast.Call, variables: Mapping[str, Any]) -> Iterator[str]:
    name = _name_of(call.func)
    given = [*call.args[:1], *(item.value for item in call.keywords if item.arg in _PATH_KEYWORDS)]
    if name in _READERS:
        for expression in given:
            parts = expression.elts if isinstance(expression, (ast.List, ast.Tuple)) else [expression]
            yield from (text for part in parts if (text := _text(part, variables)))
    elif name in _QUERIES and call.args and (text := _text(call.args[0], variables)):
        yield from _QUOTED.findall(text)


def _text(node: ast.expr, variables: Mapping[str, Any]) -> str | None:
    """A path or text that is put together from constants and names of texts; None for any other."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        value = variables.get(node.id)
        return str(value) if type(value) is str or type(value) in _PATH_TYPES else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Add)):
        parts = [_text(node.left, variables), _text(node.right, variables)]
        is_path = isinstance(node.op, ast.Div)
    elif isinstance(node, ast.Call) and _name_of(node.func) in ("Path", "join", "str") and node.args:
        parts, is_path = [_text(item, variables) for item in node.args], True
    else:
        return None
    if any(part is None for part in parts):
        return None
    return os.path.join(*map(str, parts)) if is_path else "".join(map(str, parts))


_PATH_TYPES = {type(PurePath()), *type(PurePath()).__subclasses__(), *PurePath.__subclasses__()}


def _existing(text: str) -> list[str]:
    if len(text) > 4096 or "\0" in text or "://" in text:
        return []
    path = os.path.expanduser(text)
    try:
        if os.path.exists(path):
            return [os.path.abspath(path)]
        found = itertools.islice(glob.iglob(path), _MAX_PATHS) if glob.has_magic(path) else ()
        return [os.path.abspath(one) for one in found]
    except OSError:
        return []
