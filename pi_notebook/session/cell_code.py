"""What the code of one cell reads, sets and may change, told from its text.

Pure, and no judge of what ran: that is for `recorded_cells`. Cells are IPython's, so magics and
top-level `await` are understood. Where a text cannot be parsed nothing is known of it, and whoever asks
takes it as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property

from IPython.core.inputtransformer2 import TransformerManager

from pi_notebook.session.name_flow import STILL_METHODS, Statement, is_import, root_name, statement_of

_PYTHON_MAGICS = {"time", "timeit", "capture", "prun"}
"""Cell magics whose body is Python that sets variables as any cell does."""
_CHANCE = {"random", "rng", "shuffle", "permutation", "time", "now", "uuid4", "next", "input", "open", "exec"}
"""Names whose calls give something else each time, or reach beyond the variables."""


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
        return tuple(map(statement_of, self._module.body)) if self._module is not None else ()

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

    def statement_at(self, line: int) -> Statement | None:
        """The statement that `line` is in."""
        for one in self.statements if self.has_true_lines else ():
            if one.node.lineno <= line <= (one.node.end_lineno or 0):
                return one
        return None

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
            return call.func.attr in STILL_METHODS or root_name(call.func) in self.sets
        return True
