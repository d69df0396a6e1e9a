"""Names that code binds in passing, in the heads of loops and `with`: nobody goes on with what they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_OWN_NAMES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor)
_WITH = (ast.With, ast.AsyncWith)


def passing_names(tree: ast.Module) -> set[str]:
    """What `tree` binds in such heads alone; what is set anew within a loop is still the loop's."""
    passing: set[str] = set()
    plain: set[str] = set()
    waiting: list[tuple[list[ast.stmt], frozenset[str]]] = [(tree.body, frozenset())]
    while waiting:
        statements, heads = waiting.pop()
        for statement in statements:
            if isinstance(statement, _OWN_NAMES):
                continue
            head = frozenset(_names(_head_targets(statement)))
            passing |= head
            plain |= set(_names(_targets(statement))) - heads
            waiting += [(body, heads | head) for body in _bodies(statement)]
    return passing - plain


def _head_targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, _LOOPS):
        return [statement.target]
    if isinstance(statement, _WITH):
        return [item.optional_vars for item in statement.items if item.optional_vars is not None]
    return []


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) else []


def _names(targets: list[ast.expr]) -> Iterator[str]:
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        yield getattr(statement, field, [])
    for inner in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield inner.body
