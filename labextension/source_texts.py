"""What the texts of a Python package may look like: expressions followed, by names, to what is written down.

Nothing is run. A form is a text with a hole wherever something is filled in that is not written in the
source; what is filled in and is of words itself has forms of its own, which are kept as `parts`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

from source_nodes import (
    Function,
    Module,
    Place,
    added_to,
    chosen,
    defaults,
    gives_text,
    is_property,
    name_of,
    nearest,
    own_nodes,
    parameters,
    values_of,
)

HOLE = "\0"
UNKNOWN = frozenset({HOLE})
Forms = frozenset[str]
LEAST_LETTERS = 3
"""A form with fewer would be found in anything."""
WORDS_OF_OTHERS = ("text_of", "typed_words")
"""Functions that give what a person or a model wrote."""


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
        is_of_object = isinstance(inner, ast.Attribute)
        found = (
            self._returned([inner.attr], place, of_properties=True)
            if is_of_object
            else self.forms(inner, place)
        )
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

    def _within(self, node: ast.expr, place: Place) -> Forms:
        """What any of the expressions that `node` chooses from, or is made of, may look like."""
        found = (getattr(node, field) for field in _WITHIN[type(node)])
        nodes = (one for field in found for one in (field if isinstance(field, list) else [field]))
        return self._union(nodes, place) or UNKNOWN

    def _named(self, node: ast.Name, place: Place) -> Forms:
        function = place.function
        if function is not None:
            if values := list(values_of(function, node.id)):
                return self._assigned(values, added_to(function, node.id), place)
            if node.id in (names := parameters(function)):
                return self._given(place, names, node.id)
        return self._global(node.id, place.module)

    def _assigned(self, values: Iterable[ast.expr], added: Iterable[ast.expr], place: Place) -> Forms:
        found = self._union(values, place)
        return found.union(form + self._piece(more, place) for more in added for form in found)

    def _global(self, name: str, module: Module) -> Forms:
        if values := list(values_of(module.tree, name)):
            return self._union(values, Place(module, None))
        source = next((one for one in self.modules if one.is_at(module.imports.get(name))), None)
        return self._global(name, source) if source is not None and source is not module else UNKNOWN

    def _given(self, place: Place, names: list[str], name: str) -> Forms:
        """What a private function is given for a parameter in its own file; `name` takes names."""
        function = place.function
        assert function is not None
        if not function.name.startswith("_") or name == "name":
            return UNKNOWN
        found = self._union(defaults(function, name), place)
        for other, call in self._calls.get(function.name, []):
            # One that takes a text alone is handed from file to file.
            if other.module is place.module or (function.name == "_tell" and len(names) == 1):
                at = names.index(name)
                by_name = [one.value for one in call.keywords if one.arg == name]
                found |= self._union((*by_name, *call.args[at : at + 1]), other)
        return found or UNKNOWN

    def _attribute(self, node: ast.Attribute, place: Place) -> Forms:
        """What is put into an attribute of that name, as far as it is of words; or what a property gives."""
        if not (assigned := nearest(self._attributes.get(node.attr, []), place.module)):
            return self._returned([node.attr], place, of_properties=True)
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
        if isinstance(node.func, ast.Attribute) and name == "get":
            return self._union((node.func.value, *node.args[1:]), place)
        return self._returned([name, *chosen(place, name)], place)

    def _formatted(self, node: ast.Call, template: ast.expr, place: Place) -> Forms:
        self.parts |= self._union((one.value for one in node.keywords), place)
        return frozenset(re.sub(r"\{[^}]*\}", HOLE, form) for form in self.forms(template, place))

    def _returned(self, names: Iterable[str], place: Place, *, of_properties: bool = False) -> Forms:
        found = frozenset[str]()
        for name in names:
            known = [one for one in self._functions.get(name, []) if one[1] is not place.function]
            meant = [one for one in known if gives_text(one[1]) and is_property(one[1]) == of_properties]
            for other, function in nearest(meant, place.module):
                returns = (one.value for one in own_nodes(function) if isinstance(one, ast.Return))
                found |= self._union((one for one in returns if one is not None), other)
        return found or UNKNOWN


_WITHIN: dict[type[ast.expr], tuple[str, ...]] = {
    ast.IfExp: ("body", "orelse"),
    **dict.fromkeys((ast.BoolOp, ast.Dict), ("values",)),
    **dict.fromkeys((ast.List, ast.Tuple), ("elts",)),
    **dict.fromkeys((ast.ListComp, ast.GeneratorExp), ("elt",)),
    **dict.fromkeys((ast.Await, ast.Starred, ast.NamedExpr, ast.Subscript), ("value",)),
}
_LOOKS = {
    ast.Attribute: SourceTexts._attribute,
    ast.BinOp: SourceTexts._sum,
    ast.Call: SourceTexts._called,
    ast.Constant: SourceTexts._constant,
    ast.JoinedStr: SourceTexts._filled,
    ast.Name: SourceTexts._named,
    **dict.fromkeys(_WITHIN, SourceTexts._within),
}


def has_words(form: str) -> bool:
    """Whether there is a word in it, and not only names of commands, options and packages."""
    is_long = len(re.findall("[A-Za-z]", form)) >= LEAST_LETTERS
    return is_long and bool(re.search(r"(?<![^\s\0(“])[A-Za-z]{2,}(?=\0|[,.:;!?)”]*(?:\s|$))", form))


def _counted(node: ast.Call) -> Forms:
    """One, and many, of something; see `context.amounts.count_of`."""
    words = [one.value for one in node.args[1:] if isinstance(one, ast.Constant)]
    return frozenset(f"{HOLE} {word}" for word in (*words, f"{words[0]}s")[:2]) if words else UNKNOWN
