"""What the code of one cell reads, sets and may change, told from its text.

Pure, and no judge of what ran: that is for `recorded_cells`. Cells are IPython's, so magics and
top-level `await` are understood. Where a text cannot be parsed nothing is known of it, and whoever asks
takes it as it is.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from IPython.core.inputtransformer2 import TransformerManager

_PYTHON_MAGICS = {"time", "timeit", "capture", "prun"}
"""Cell magics whose body is Python that sets variables as any cell does."""
_STILL = {
    *("print", "display", "show", "head", "tail", "describe", "info", "sample", "copy", "plot", "hist"),
    *("mean", "median", "sum", "min", "max", "std", "var", "count", "nunique", "unique", "quantile"),
    *("value_counts", "isna", "isnull", "notna", "corr", "groupby", "agg", "sort_values", "sort_index"),
    *("reset_index", "set_index", "astype", "fillna", "dropna", "merge", "join", "keys", "values"),
    *("items", "nlargest", "nsmallest", "memory_usage", "select_dtypes", "to_dict", "to_numpy", "tolist"),
}
"""Methods that leave the object they are called on as it is."""
_CHANCE = {"random", "rng", "shuffle", "permutation", "time", "now", "uuid4", "next", "input", "open", "exec"}
"""Names whose calls give something else each time, or reach beyond the variables."""


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


class CellCode:
    """The code of one cell."""

    def __init__(self, source: str) -> None:
        self.source = source.strip("\n")

    @cached_property
    def is_parsed(self) -> bool:
        return self._module is not None

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """The outermost statements; none where the text is no Python."""
        return tuple(map(_statement, self._module.body)) if self._module is not None else ()

    @cached_property
    def has_true_lines(self) -> bool:
        """Whether the statements' line numbers are those of the source."""
        return self._python.count("\n") == self.source.count("\n") + 1 and not self.source.startswith("%%")

    @cached_property
    def reads(self) -> frozenset[str]:
        """Names that must be there before it runs."""
        found: set[str] = set()
        known: set[str] = set()
        for statement in self.statements:
            found |= statement.reads - known
            known |= statement.sets
        return frozenset(found)

    @cached_property
    def sets(self) -> frozenset[str]:
        """Names that are new values after it."""
        return frozenset().union(*(one.sets for one in self.statements))

    @cached_property
    def changes(self) -> frozenset[str]:
        """Names that it may leave otherwise than they were."""
        return frozenset().union(*(one.changes for one in self.statements))

    @cached_property
    def is_contained(self) -> bool:
        """Whether it only sets variables and shows things: run twice, it does what it does once."""
        return self._module is not None and not self.reads & self.changes and all(self._are_still())

    @cached_property
    def imported(self) -> frozenset[str]:
        """Names that its outermost imports bind."""
        return frozenset().union(*(one.sets for one in self.statements if is_import(one.node)))

    @cached_property
    def imports(self) -> str:
        """Its outermost imports alone, one a line."""
        return "\n".join(ast.unparse(one.node) for one in self.statements if is_import(one.node))

    @cached_property
    def dump(self) -> str:
        """Its text without the layout."""
        return ast.dump(self._module) if self._module is not None else self.source

    @cached_property
    def shape(self) -> tuple[str, ...]:
        """Its statements without their layout, imports left out."""
        return tuple(ast.dump(one.node) for one in self.statements if not is_import(one.node))

    def until_line(self, line: int) -> str:
        """The source of the statements that end before `line`."""
        ends = [end for one in self.statements if (end := one.node.end_lineno or 0) < line]
        return "\n".join(self.source.split("\n")[: max(ends, default=0)]) if self.has_true_lines else ""

    def until_names(self, names: Iterable[str]) -> str:
        """The source up to the last statement that makes one of `names`."""
        wanted = set(names)
        ends = [one.node.end_lineno or 0 for one in self.statements if one.changes & wanted]
        return self.until_line(max(ends, default=0) + 1)

    @cached_property
    def _python(self) -> str:
        """The source as IPython hands it to Python."""
        source = self.source
        head, _, body = source.partition("\n")
        if head.startswith("%%") and (head[2:].split() or [""])[0] in _PYTHON_MAGICS:
            source = f"\n{body}"
        try:
            return str(TransformerManager().transform_cell(source))
        except SyntaxError:
            return source

    @cached_property
    def _module(self) -> ast.Module | None:
        try:
            return ast.parse(self._python)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def _are_still(self) -> Iterator[bool]:
        for statement in self.statements:
            if isinstance(statement.node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                continue
            for node in ast.walk(statement.node):
                if isinstance(node, ast.Call):
                    yield self._is_still(node)
                elif isinstance(node, (ast.Delete, ast.Global, ast.Await)):
                    yield False

    def _is_still(self, call: ast.Call) -> bool:
        names = {node.id for node in ast.walk(call.func) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(call.func) if isinstance(node, ast.Attribute)}
        if names & _CHANCE or "get_ipython" in names:
            return False
        if isinstance(call.func, ast.Attribute):
            return call.func.attr in _STILL or _root(call.func) in self.sets
        return True


def is_import(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom))


def bound_by(alias: ast.alias) -> str:
    """The name that an imported name is known by."""
    return alias.asname or alias.name.partition(".")[0]


def _statement(node: ast.stmt) -> Statement:
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
            yield _root(inner)
        elif isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call):
            function = inner.value.func
            is_inplace = any(word.arg == "inplace" for word in inner.value.keywords)
            if isinstance(function, ast.Attribute) and (is_inplace or function.attr not in _STILL):
                yield _root(function)


def _root(node: ast.expr) -> str:
    """The name at the beginning of `a.b[c].d()`; empty when it is something else."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _read_by(node: ast.stmt | ast.expr) -> frozenset[str]:
    """Names that it, or what it defines, looks up in the namespace."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return frozenset()
    try:
        table = symtable.symtable(ast.unparse(node), "<cell>", "exec")
    except (SyntaxError, ValueError, RecursionError):
        # symtable knows no top-level await on some releases; too many names are better than too few.
        return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    names = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    if isinstance(node, ast.AugAssign):
        names.add(_root(node.target))
    elif isinstance(node, ast.Delete):
        names |= {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    return frozenset(names | set(_globals_in(table)))


def _globals_in(table: symtable.SymbolTable) -> Iterator[str]:
    for child in table.get_children():
        yield from (s.get_name() for s in child.get_symbols() if s.is_global() and s.is_referenced())
        yield from _globals_in(child)
