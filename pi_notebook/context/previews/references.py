"""Finding the value that a simple expression names, without running it as code.

`df`, `result.params`, `d["x"]`, `frames[0]`, `df.iloc[3]` and their chains are followed; there are no
calls, operators or slices. Reading an attribute or an item may still run code of the value's class, so
this belongs on the main thread under a deadline.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, Protocol

from pi_notebook._nearest import did_you_mean
from pi_notebook.context.previews.foreign import attempt, type_name
from pi_notebook.context.previews.wording import label, one_line

_MAX_CHARS = 500
_NEAR = 5


class Variables(Protocol):
    """The person's variables."""

    def get(self, name: str) -> object:
        """The value of `name`; `KeyError` when there is none."""
        ...

    def names(self) -> list[str]:
        """The names a person would call their variables."""
        ...


class ReferenceProblem(Exception):
    """An expression names nothing; the text says what is there instead."""


def resolve(expression: str, variables: Variables) -> object:
    """The value `expression` names; `ReferenceProblem` when it names none."""
    node = _parsed(expression)
    steps: list[ast.expr] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        steps.append(node)
        node = node.value
    if not isinstance(node, ast.Name):
        raise ReferenceProblem(_unsupported(expression))
    value = _variable(node.id, variables)
    path = node.id
    for step in reversed(steps):
        if isinstance(step, ast.Attribute):
            value, path = _attribute(value, step.attr, path), f"{path}.{step.attr}"
        elif isinstance(step, ast.Subscript):
            key = _constant(step.slice, expression)
            value, path = _item(value, key, path), f"{path}[{label(key)}]"
    return value


def _parsed(expression: str) -> ast.expr:
    text = expression.strip().removeprefix("@")
    if len(text) > _MAX_CHARS:
        raise ReferenceProblem(f"A name has at most {_MAX_CHARS} characters.")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ReferenceProblem(_unsupported(expression)) from None


def _unsupported(expression: str) -> str:
    return (
        f"{one_line(expression, 80)!r} is not a variable or a path to one like df, result.params, "
        'd["x"] or frames[0]. Use run_code to compute a value.'
    )


def _constant(node: ast.expr, expression: str) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise ReferenceProblem(_unsupported(expression)) from None


def _variable(name: str, variables: Variables) -> object:
    try:
        return variables.get(name)
    except KeyError:
        names = variables.names()
        there = f" There is: {', '.join(names[:_NEAR])}." if names else " There are no variables yet."
        hint = did_you_mean(name, names, count=_NEAR) or there
        raise ReferenceProblem(f"There is no variable {name!r}.{hint}") from None


def _attribute(value: object, name: str, path: str) -> object:
    if name.startswith("__"):
        raise ReferenceProblem(f"{path}.{name} is not looked into. Use run_code.")
    try:
        return getattr(value, name)
    except Exception as error:
        names = attempt(lambda: [item for item in dir(value) if not item.startswith("_")], [])
        hint = did_you_mean(name, names, count=_NEAR)
        raise ReferenceProblem(
            f"{path} ({type_name(value)}) gives no attribute {name!r}: {_said(error)}.{hint}"
        ) from None


def _item(value: Any, key: object, path: str) -> object:
    try:
        return value[key]
    except Exception as error:
        keys = attempt(lambda: [label(item) for item in _keys(value)], [])
        there = f" It has: {', '.join(keys[:_NEAR])}." if keys else ""
        hint = did_you_mean(label(key), keys, count=_NEAR) or there
        raise ReferenceProblem(
            f"{path} ({type_name(value)}) has no item {label(key)}: {_said(error)}.{hint}"
        ) from None


def _keys(value: Any) -> Iterable[object]:
    """What `value` can be asked for by key, where it tells."""
    if issubclass(type(value), (list, tuple, str, bytes)):
        return []
    columns = getattr(value, "columns", None)
    return list(columns if columns is not None else value.keys())[:10_000]


def _said(error: Exception) -> str:
    text = attempt(lambda: str(error), "")
    return one_line(f"{type(error).__name__}{': ' + text if text else ''}", 160)
