"""The nodes of a package's source: where they stand, and what belongs to a function or a name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar, Union

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Place(NamedTuple):
    """Where an expression stands."""

    module: Module
    function: Function | None


class Module:
    """One file of the package."""

    def __init__(self, path: Path, package: Path) -> None:
        self.name = path.relative_to(package).as_posix()
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.nodes = list(_placed(self.tree, Place(self, None)))

    @cached_property
    def imports(self) -> dict[str, str]:
        """The files of the package that its names are from."""
        found = {}
        for node, _ in self.nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pi_notebook"):
                file = node.module.removeprefix("pi_notebook").lstrip(".").replace(".", "/")  # type: ignore[union-attr]
                found |= {name.name: file for name in node.names}
        return found

    def is_at(self, file: str | None) -> bool:
        return self.name in (f"{file}.py", f"{file}/__init__.py")


def _placed(node: ast.AST, place: Place) -> Iterator[tuple[ast.AST, Place]]:
    for child in ast.iter_child_nodes(node):
        yield child, place
        is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
        yield from _placed(child, Place(place.module, child) if is_function else place)  # type: ignore[arg-type]


def name_of(node: ast.expr) -> str:
    """What a function or a variable is called, whatever it is an attribute of."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def parameters(function: Function) -> list[str]:
    """Those that an outside caller gives."""
    every = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
    return [name for name in every if name not in ("self", "cls")]


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Those of a function without those of functions within it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _INNER):
            yield from own_nodes(child)


Known = TypeVar("Known", bound=tuple[Place, object])


def nearest(known: Sequence[Known], module: Module) -> Sequence[Known]:
    """Those of the module itself, else of the files it imports from, else all, when they are of one file."""
    own = [one for one in known if one[0].module is module]
    near = [one for one in known if any(one[0].module.is_at(file) for file in module.imports.values())]
    return own or near or (known if len({one[0].module for one in known}) == 1 else ())


def values_of(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    """What is assigned to `name` in `scope`, or put into the list that it is."""
    for node in own_nodes(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _value_for(target, node.value, name)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            yield from _value_for(node.target, node.value, name)
        elif isinstance(node, ast.For):
            yield from _value_for(node.target, node.iter, name)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_added = node.func.attr in ("append", "extend") and name_of(node.func.value) == name
            yield from node.args if is_added else ()


def _value_for(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr]:
    if isinstance(target, ast.Name) and target.id == name:
        yield value
    elif isinstance(target, ast.Tuple):
        values = value.elts if isinstance(value, ast.Tuple) else [value] * len(target.elts)
        for one, its in zip(target.elts, values, strict=False):
            yield from _value_for(one, its, name)


def added_to(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    for node in own_nodes(scope):
        if isinstance(node, ast.AugAssign) and name_of(node.target) == name:
            yield node.value


def defaults(function: Function, name: str) -> list[ast.expr]:
    given = function.args
    late = given.args[len(given.args) - len(given.defaults) :]
    return [value for one, value in zip(late, given.defaults, strict=True) if one.arg == name]


def chosen(place: Place, name: str) -> list[str]:
    """The functions that the variable `name` may stand for."""
    values = values_of(place.function, name) if place.function is not None else ()
    return [one.id for value in values for one in ast.walk(value) if isinstance(one, ast.Name)]


def gives_text(function: Function) -> bool:
    gives = ast.unparse(function.returns) if function.returns is not None else ""
    return bool(re.search(r"\bstr\b", gives)) and "dict" not in gives.lower()


def is_property(function: Function) -> bool:
    return any(name_of(one) == "property" for one in function.decorator_list)
