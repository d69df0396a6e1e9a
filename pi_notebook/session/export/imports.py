"""Imports gathered at the top of a notebook, each once and in their order.

Only those move that do the same there: outermost statements on lines of their own, of a name that
means one thing in the whole notebook, and not behind what may decide what is imported.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from pi_notebook.session.cell_code import CellCode
from pi_notebook.session.name_flow import bound_by, is_import

MAX_LINE_CHARS = 88
_BARRIER = re.compile(
    r"\bsys\.path|\bos\.environ|\bchdir\b|^\s*%(?:cd|env|pip|conda|uv|matplotlib|load_ext|run)\b|\binstall\b"
    r"|\bimportlib\b|\bsys\.modules|%%writefile|\buse\(|run_line_magic\('(?:cd|env|pip|load_ext|run)",
    re.MULTILINE,
)
"""What decides what later imports find, or what they do."""


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """The import lines, and each text without what moved there."""

    imports: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class _Name:
    """One imported name: the module it is of, what it is called there and here; no module for `import x`."""

    module: str | None
    name: str
    alias: str | None

    @property
    def bound(self) -> str:
        return self.alias or (self.name if self.module else self.name.partition(".")[0])

    @property
    def meaning(self) -> tuple[str | None, str]:
        """What the bound name stands for; equal for `import a.b` and `import a.c`."""
        is_whole = self.module is None and self.alias is None
        return (self.module, self.name.partition(".")[0] if is_whole else self.name)


def gather(texts: Sequence[str], local_modules: frozenset[str] = frozenset()) -> Gathered:
    """`texts`, the notebook's code in order, with their imports moved out.

    `local_modules` are made by the notebook itself and stay where they are.
    """
    cells = [CellCode(text) for text in texts]
    steady = _steady_names(cells)
    found: dict[_Name, None] = {}
    rests = []
    is_behind = False
    for cell in cells:
        moved = []
        for statement in cell.statements if cell.has_true_lines else ():
            is_behind = is_behind or bool(_BARRIER.search(ast.unparse(statement.node)))
            if not is_import(statement.node) or not _stands_alone(statement.node, cell):
                continue
            names = _names_of(statement.node)
            if all(_may_move(n, steady, local_modules, found, is_behind=is_behind) for n in names):
                found |= dict.fromkeys(names)
                moved.append(statement.node)
        is_behind = is_behind or bool(_BARRIER.search(cell.source))
        rests.append(_without(cell.source, moved))
    return Gathered(imports=_written(list(found)), texts=tuple(rests))


def _steady_names(cells: Sequence[CellCode]) -> frozenset[str]:
    """Bound names that mean the same import everywhere, are set by nothing else and not missed before."""
    meanings: dict[str, set[object]] = {}
    missed: set[str] = set()
    for cell in cells:
        for statement in cell.statements:
            missed |= statement.reads - meanings.keys()
            if is_import(statement.node):
                for name in _names_of(statement.node):
                    meanings.setdefault(name.bound, set()).add(name.meaning)
            else:
                for changed in statement.sets | _stored_in(statement.node):
                    meanings.setdefault(changed, set()).add(id(statement))
    return frozenset(name for name, found in meanings.items() if len(found) == 1) - missed


def _stored_in(node: ast.stmt) -> frozenset[str]:
    """Names that are stored or imported anywhere in `node`, as a global in its functions too."""
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        named = [n for n in ast.walk(node) if isinstance(n, ast.Global)]
        return frozenset(stored & {name for one in named for name in one.names})
    inner = [n for n in ast.walk(node) if isinstance(n, (ast.Import, ast.ImportFrom))]
    return frozenset(stored | {bound_by(alias) for one in inner for alias in one.names})


def _names_of(node: ast.stmt) -> list[_Name]:
    if isinstance(node, ast.Import):
        return [_Name(None, alias.name, alias.asname) for alias in node.names]
    assert isinstance(node, ast.ImportFrom)
    module = "." * node.level + (node.module or "")
    return [_Name(module, alias.name, alias.asname) for alias in node.names]


def _may_move(
    name: _Name, steady: frozenset[str], local: frozenset[str], found: dict[_Name, None], *, is_behind: bool
) -> bool:
    package = (name.module or name.name).partition(".")[0]
    if name.module == "__future__":
        return True
    if name.name == "*" or not package or package in local or name.bound not in steady:
        return False
    return not is_behind or name in found or package in sys.stdlib_module_names


def _stands_alone(node: ast.stmt, cell: CellCode) -> bool:
    """Whether nothing else stands on the lines of `node`."""
    lines = cell.source.split("\n")
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before = lines[first].encode()[: node.col_offset].strip()
    after = lines[last].encode()[node.end_col_offset or 0 :].strip()
    return not before and (not after or after.startswith(b"#"))


def _without(source: str, nodes: Sequence[ast.stmt]) -> str:
    """`source` without the lines of `nodes`."""
    if not nodes:
        return source
    gone = {line for node in nodes for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    kept = [line for number, line in enumerate(source.split("\n"), start=1) if number not in gone]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(kept).strip("\n"))


def _written(names: Sequence[_Name]) -> str:
    """The lines that import `names`; those from one module together, `__future__` first."""
    lines: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda one: one.module != "__future__"):
        text = f"{name.name} as {name.alias}" if name.alias else name.name
        key = f"from {name.module} import " if name.module is not None else f"import {text}"
        lines.setdefault(key, [])
        if name.module is not None and text not in lines[key]:
            lines[key].append(text)
    return "\n".join(_line(key, parts) for key, parts in lines.items())


def _line(key: str, parts: Sequence[str]) -> str:
    line = key + ", ".join(parts)
    if len(line) <= MAX_LINE_CHARS or not parts:
        return line
    return f"{key}(\n" + "".join(f"    {part},\n" for part in parts) + ")"
