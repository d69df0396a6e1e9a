"""What the texts of a Python package may look like: expressions followed, by names, to what is written down.

Nothing is run. A form is a text with a hole wherever something is filled in that is not written in the
source; what is filled in and is of words itself has forms of its own, which are kept as `parts`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar, Union

HOLE = "\0"
UNKNOWN = frozenset({HOLE})
Forms = frozenset[str]
Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
LEAST_LETTERS = 3
"""A form with fewer would be found in anything."""
WORDS_OF_OTHERS = ("text_of", "typed_words")
"""Functions that give what a person or a model wrote."""
Known = TypeVar("Known", bound=tuple["Place", object])
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


class SourceTexts:
    """The texts of the package in the folder `package`."""

    def __init__(self, package: Path) -> None:
        self.modules = [Module(path, package) for path in sorted(package.rglob("*.py"))]
        self.parts: set[str] = set()
        self._known: dict[ast.expr, Forms] = {}
        self._functions: dict[str, list[tuple[Place, Function]]] = {}
        self._calls: dict[str, list[tuple[Place, ast.Call]]] = {}
        self._attributes: dict[str, list[tuple[Place, ast.expr]]] = {}
        for module in self.modules:
            for node, place in module.nodes:
                self._note(node, place)

    def _note(self, node: ast.AST, place: Place) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._functions.setdefault(node.name, []).append((Place(place.module, node), node))
        elif isinstance(node, ast.Call):
            self._calls.setdefault(name_of(node.func), []).append((place, node))
            if isinstance(node.func, ast.Attribute) and node.func.attr == "append" and node.args:
                self._attributes.setdefault(name_of(node.func.value), []).append((place, node.args[0]))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    self._attributes.setdefault(target.attr, []).append((place, node.value))

    def forms(self, node: ast.expr, place: Place) -> Forms:
        """What the value of `node` may look like."""
        if node not in self._known:
            self._known[node] = UNKNOWN  # where it leads back to itself
            look = _LOOKS.get(type(node))
            self._known[node] = look(self, node, place) if look is not None else UNKNOWN
        return self._known[node]

    def _union(self, nodes: Iterable[ast.expr], place: Place) -> Forms:
        return frozenset[str]().union(*(self.forms(node, place) for node in nodes))

    def _piece(self, node: ast.expr, place: Place) -> str:
        """What stands for a part of a text: the text itself where it can be but one, else a hole."""
        inner = node.value if isinstance(node, ast.FormattedValue) else node
        found = UNKNOWN if isinstance(inner, ast.Attribute) else self.forms(inner, place)
        only = next(iter(found))
        if len(found) == 1 and (HOLE not in only or not has_words(only)):
            return only
        self.parts |= found
        return HOLE

    def _constant(self, node: ast.Constant, place: Place) -> Forms:
        return frozenset({node.value}) if isinstance(node.value, str) else UNKNOWN

    def _filled(self, node: ast.JoinedStr, place: Place) -> Forms:
        return frozenset({"".join(self._piece(one, place) for one in node.values)})

    def _sum(self, node: ast.BinOp, place: Place) -> Forms:
        if not isinstance(node.op, ast.Add):
            return UNKNOWN
        end = self._piece(node.right, place)
        return frozenset(form + end for form in self.forms(node.left, place))

    def _either(self, node: ast.IfExp, place: Place) -> Forms:
        return self._union((node.body, node.orelse), place)

    def _each(self, node: ast.BoolOp | ast.Dict | ast.List | ast.Tuple, place: Place) -> Forms:
        nodes = node.elts if isinstance(node, (ast.List, ast.Tuple)) else node.values
        return self._union(nodes, place) or UNKNOWN

    def _element(self, node: ast.ListComp | ast.GeneratorExp, place: Place) -> Forms:
        return self.forms(node.elt, place)

    def _inner(self, node: ast.Await | ast.Starred | ast.NamedExpr | ast.Subscript, place: Place) -> Forms:
        return self.forms(node.value, place)

    def _named(self, node: ast.Name, place: Place) -> Forms:
        function = place.function
        if function is not None:
            if values := list(_values_of(function, node.id)):
                return self._assigned(values, _added_to(function, node.id), place)
            if node.id in (names := parameters(function)):
                return self._given(place, names, node.id)
        return self._global(node.id, place.module)

    def _assigned(self, values: Iterable[ast.expr], added: Iterable[ast.expr], place: Place) -> Forms:
        found = self._union(values, place)
        return found.union(form + self._piece(more, place) for more in added for form in found)

    def _global(self, name: str, module: Module) -> Forms:
        if values := list(_values_of(module.tree, name)):
            return self._union(values, Place(module, None))
        source = next((one for one in self.modules if one.is_at(module.imports.get(name))), None)
        return self._global(name, source) if source is not None and source is not module else UNKNOWN

    def _given(self, place: Place, names: list[str], name: str) -> Forms:
        """What a private function is given for a parameter in its own file; `name` takes names."""
        function = place.function
        assert function is not None
        if not function.name.startswith("_") or name == "name":
            return UNKNOWN
        found = self._union(_defaults(function, name), place)
        for other, call in self._calls.get(function.name, []):
            # One that takes a text alone is handed from file to file.
            if other.module is place.module or (function.name == "_tell" and len(names) == 1):
                at = names.index(name)
                by_name = [one.value for one in call.keywords if one.arg == name]
                found |= self._union((*by_name, *call.args[at : at + 1]), other)
        return found or UNKNOWN

    def _attribute(self, node: ast.Attribute, place: Place) -> Forms:
        """What is put into an attribute of that name, as far as it is of words; or what a property gives."""
        if not (assigned := _nearest(self._attributes.get(node.attr, []), place.module)):
            return self._returned([node.attr], place, is_property=True)
        found = frozenset[str]().union(*(self.forms(value, other) for other, value in assigned))
        return frozenset(form for form in found if " " in form and has_words(form)) or UNKNOWN

    def _called(self, node: ast.Call, place: Place) -> Forms:
        name, first = name_of(node.func), node.args[0] if node.args else None
        if name in WORDS_OF_OTHERS:
            return UNKNOWN
        if name == "count_of":
            return _counted(node)
        if name in ("str", "tuple", "list", "join") and first is not None:
            return self.forms(first, place)
        if isinstance(node.func, ast.Attribute) and name == "format":
            return self._formatted(node, node.func.value, place)
        return self._returned([name, *_chosen(place, name)], place)

    def _formatted(self, node: ast.Call, template: ast.expr, place: Place) -> Forms:
        self.parts |= self._union((one.value for one in node.keywords), place)
        return frozenset(re.sub(r"\{[^}]*\}", HOLE, form) for form in self.forms(template, place))

    def _returned(self, names: Iterable[str], place: Place, *, is_property: bool = False) -> Forms:
        found = frozenset[str]()
        for name in names:
            known = [one for one in self._functions.get(name, []) if one[1] is not place.function]
            meant = [one for one in known if _gives_text(one[1]) and _is_property(one[1]) == is_property]
            for other, function in _nearest(meant, place.module):
                returns = (one.value for one in own_nodes(function) if isinstance(one, ast.Return))
                found |= self._union((one for one in returns if one is not None), other)
        return found or UNKNOWN


_LOOKS = {
    ast.Attribute: SourceTexts._attribute,
    ast.BinOp: SourceTexts._sum,
    ast.Call: SourceTexts._called,
    ast.Constant: SourceTexts._constant,
    ast.IfExp: SourceTexts._either,
    ast.JoinedStr: SourceTexts._filled,
    ast.Name: SourceTexts._named,
    **dict.fromkeys((ast.BoolOp, ast.Dict, ast.List, ast.Tuple), SourceTexts._each),
    **dict.fromkeys((ast.ListComp, ast.GeneratorExp), SourceTexts._element),
    **dict.fromkeys((ast.Await, ast.Starred, ast.NamedExpr, ast.Subscript), SourceTexts._inner),
}


def has_words(form: str) -> bool:
    """Whether there is a word in it, and not only names of commands, options and packages."""
    is_long = len(re.findall("[A-Za-z]", form)) >= LEAST_LETTERS
    return is_long and bool(re.search(r"(?<![^\s\0(“])[A-Za-z]{2,}(?=\0|[,.:;!?)”]*(?:\s|$))", form))


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


def _nearest(known: Sequence[Known], module: Module) -> Sequence[Known]:
    """Those of the module itself, else of the files it imports from, else all, when they are of one file."""
    own = [one for one in known if one[0].module is module]
    near = [one for one in known if any(one[0].module.is_at(file) for file in module.imports.values())]
    return own or near or (known if len({one[0].module for one in known}) == 1 else ())


def _counted(node: ast.Call) -> Forms:
    """One, and many, of something; see `context.amounts.count_of`."""
    words = [one.value for one in node.args[1:] if isinstance(one, ast.Constant)]
    return frozenset(f"{HOLE} {word}" for word in (*words, f"{words[0]}s")[:2]) if words else UNKNOWN


def _values_of(scope: ast.AST, name: str) -> Iterator[ast.expr]:
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


def _added_to(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    for node in own_nodes(scope):
        if isinstance(node, ast.AugAssign) and name_of(node.target) == name:
            yield node.value


def _defaults(function: Function, name: str) -> list[ast.expr]:
    given = function.args
    late = given.args[len(given.args) - len(given.defaults) :]
    return [value for one, value in zip(late, given.defaults, strict=True) if one.arg == name]


def _chosen(place: Place, name: str) -> list[str]:
    """The functions that the variable `name` may stand for."""
    values = _values_of(place.function, name) if place.function is not None else ()
    return [one.id for value in values for one in ast.walk(value) if isinstance(one, ast.Name)]


def _gives_text(function: Function) -> bool:
    gives = ast.unparse(function.returns) if function.returns is not None else ""
    return bool(re.search(r"\bstr\b", gives)) and "dict" not in gives.lower()


def _is_property(function: Function) -> bool:
    return any(name_of(one) == "property" for one in function.decorator_list)
