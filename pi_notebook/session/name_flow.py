"""What one statement reads, sets and may change of the names around it, told from its syntax tree.

Pure; which statements ran, and what a cell makes of them, is for `cell_code` and `recorded_cells`.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

STILL_METHODS = {
    *("print", "display", "show", "head", "tail", "describe", "info", "sample", "copy", "plot", "hist"),
    *("mean", "median", "sum", "min", "max", "std", "var", "count", "nunique", "unique", "quantile"),
    *("value_counts", "isna", "isnull", "notna", "corr", "groupby", "agg", "sort_values", "sort_index"),
    *("reset_index", "set_index", "astype", "fillna", "dropna", "merge", "join", "keys", "values"),
    *("items", "nlargest", "nsmallest", "memory_usage", "select_dtypes", "to_dict", "to_numpy", "tolist"),
}
"""Methods that leave the object they are called on as it is."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One outermost statement of a cell."""

    node: ast.stmt
    reads: frozenset[str]
    """Names looked up in the kernel's namespace, by functions it defines too."""
    sets: frozenset[str]
    """Names that are new values after it, whatever they were before."""
    changes: frozenset[str]
    """Names that may be other values, or hold changed ones, after it."""


def is_import(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom))


def bound_by(alias: ast.alias) -> str:
    """The name that an imported name is known by."""
    return alias.asname or alias.name.partition(".")[0]


def statement_of(node: ast.stmt) -> Statement:
    reads, sets = _flow(node)
    return Statement(node=node, reads=reads, sets=sets, changes=sets | frozenset(_changed_by(node)))


_Flow = tuple[frozenset[str], frozenset[str]]
"""What is read before it is set, and what is set whichever way it goes."""
_NOTHING: frozenset[str] = frozenset()


def _flow(node: ast.stmt) -> _Flow:
    if isinstance(node, ast.If):
        first, second = _flow_of(node.body), _flow_of(node.orelse)
        return _read_by(node.test) | first[0] | second[0], first[1] & second[1]
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        return _loop_flow(node)
    if isinstance(node, (ast.With, ast.AsyncWith)):
        named = [item.optional_vars for item in node.items if item.optional_vars is not None]
        opened = _NOTHING.union(*(_read_by(item.context_expr) for item in node.items))
        bound = _NOTHING.union(*map(_stored, named))
        reads, sets = _flow_of(node.body)
        return opened | (reads - bound), sets | bound
    if isinstance(node, ast.Try):
        return _try_flow(node)
    return _read_by(node), frozenset(_set_by(node))


def _flow_of(nodes: Iterable[ast.stmt]) -> _Flow:
    """Of statements one after the other."""
    reads, sets = _NOTHING, _NOTHING
    for node in nodes:
        more, set_here = _flow(node)
        reads |= more - sets
        sets |= set_here
    return reads, sets


def _loop_flow(node: ast.For | ast.AsyncFor | ast.While) -> _Flow:
    inside, after = _flow_of(node.body)[0], _flow_of(node.orelse)[0]
    if isinstance(node, ast.While):
        return _read_by(node.test) | inside | after, _NOTHING
    return _read_by(node.iter) | (inside - frozenset(_stored(node.target))) | after, _NOTHING


def _try_flow(node: ast.Try) -> _Flow:
    reads, sets = _flow_of([*node.body, *node.orelse])
    for handler in node.handlers:
        caught = frozenset((handler.name,)) if handler.name else _NOTHING
        more, set_here = _flow_of(handler.body)
        reads |= (more - caught) | (_read_by(handler.type) if handler.type is not None else _NOTHING)
        sets &= set_here
    last = _flow_of(node.finalbody)
    return reads | (last[0] - sets), sets | last[1]


def _set_by(node: ast.stmt) -> Iterator[str]:
    """Names that a simple statement or a definition sets."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (bound_by(alias) for alias in node.names)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _stored(target)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield from _stored(node.target)


def _stored(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _changed_by(node: ast.stmt) -> Iterator[str]:
    """Names that are stored to anywhere in it, or whose object may be another after it."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
            yield inner.id
        elif isinstance(inner, (ast.Import, ast.ImportFrom)):
            yield from (bound_by(alias) for alias in inner.names)
        elif isinstance(inner, (ast.Subscript, ast.Attribute)) and not isinstance(inner.ctx, ast.Load):
            yield root_name(inner)
        elif isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call):
            function = inner.value.func
            is_inplace = any(word.arg == "inplace" for word in inner.value.keywords)
            if isinstance(function, ast.Attribute) and (is_inplace or function.attr not in STILL_METHODS):
                yield root_name(function)


def root_name(node: ast.expr) -> str:
    """The name at the beginning of `a.b[c].d()`; empty when it is something else."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def _read_by(node: ast.stmt | ast.expr) -> frozenset[str]:
    """Names that it, or what it defines, looks up in the namespace."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return frozenset()
    inner = list(ast.walk(node))
    if not any(isinstance(one, _SCOPES) for one in inner):
        is_change = isinstance(node, (ast.Delete, ast.AugAssign))
        names = (one for one in inner if isinstance(one, ast.Name))
        return frozenset(name.id for name in names if is_change or isinstance(name.ctx, ast.Load))
    try:
        table = symtable.symtable(ast.unparse(node), "<cell>", "exec")
    except (SyntaxError, ValueError, RecursionError):
        # Some releases know no top-level await here; too many names are better than too few.
        return frozenset(one.id for one in inner if isinstance(one, ast.Name))
    found = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    found |= {root_name(node.target)} if isinstance(node, ast.AugAssign) else set()
    return frozenset(found | set(_globals_in(table)))


def _globals_in(table: symtable.SymbolTable) -> Iterator[str]:
    for child in table.get_children():
        yield from (s.get_name() for s in child.get_symbols() if s.is_global() and s.is_referenced())
        yield from _globals_in(child)
