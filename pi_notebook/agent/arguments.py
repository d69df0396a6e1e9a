"""A tool's arguments as models send them: checked, mended where one thing only can be meant, else explained.

Mended are lists and objects sent as JSON text, one item where a list of them is declared, a list of one
where its item is, null for what may be left out, a name in camel case, and a wrapper too many or too
few. Nothing is guessed:
what still does not fit is an error that says which form is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import inspect


def parse_arguments(arguments: Mapping[str, Any], struct: type[msgspec.Struct]) -> dict[str, Any]:
    """`arguments` as the fields of `struct`; a `ValueError` says what is wrong and what is right."""
    try:
        parsed = msgspec.convert(dict(arguments), struct, strict=False)
    except msgspec.ValidationError:
        kind = inspect.type_info(struct)
        assert isinstance(kind, inspect.StructType)
        try:
            parsed = msgspec.convert(_mended_fields(dict(arguments), kind), struct, strict=False)
        except msgspec.ValidationError as error:
            raise ValueError(_explained(str(error), kind)) from error
    return {name: getattr(parsed, name) for name in struct.__struct_fields__}


def _explained(error: str, kind: inspect.StructType) -> str:
    fields = {field.name: field for field in kind.fields}
    found = re.search(r"at `\$\.(\w+)|required field `(\w+)`$", error)
    field = fields.get(found[1] or found[2]) if found else None
    form = f" {field.name} is {_form(field.type)}." if field else ""
    takes = [f"{one.name} ({'required' if one.required else 'optional'})" for one in kind.fields]
    return f"{error}.{form} It takes: {', '.join(takes) or 'nothing'}."


def _form(kind: inspect.Type) -> str:
    """What a value of `kind` looks like, in a few words."""
    kind = _plain(kind)
    if isinstance(kind, inspect.ListType):
        return f"a list of {_form(kind.item_type)}"
    if isinstance(kind, inspect.StructType):
        return "{" + ", ".join(field.name for field in kind.fields) + "}"
    if isinstance(kind, inspect.LiteralType):
        return "one of " + ", ".join(json.dumps(value) for value in kind.values)
    if isinstance(kind, inspect.UnionType):
        return " or ".join(_form(one) for one in kind.types if not isinstance(one, inspect.NoneType))
    return _FORMS.get(type(kind), "of another type")


_FORMS: dict[type[inspect.Type], str] = {
    inspect.StrType: "text",
    inspect.IntType: "a whole number",
    inspect.FloatType: "a number",
    inspect.BoolType: "true or false",
    inspect.DictType: "an object",
}


def _plain(kind: inspect.Type) -> inspect.Type:
    """`kind` without its description, and without the choice to be null."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        others = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
        return _plain(others[0]) if len(others) == 1 else kind
    return kind


def _mended(value: Any, kind: inspect.Type) -> Any:
    kind = _plain(kind)
    if isinstance(kind, inspect.ListType):
        return _mended_list(value, kind.item_type)
    if isinstance(kind, inspect.DictType):
        return _decoded(value, dict)
    if isinstance(kind, inspect.StructType):
        value = _decoded(value, dict)
        return _mended_fields(value, kind) if isinstance(value, dict) else value
    is_wrapped = type(kind) in _SCALARS and isinstance(value, list) and len(value) == 1
    return value[0] if is_wrapped else value


_SCALARS = (inspect.StrType, inspect.IntType, inspect.FloatType, inspect.BoolType, inspect.LiteralType)


def _mended_list(value: Any, item: inspect.Type) -> Any:
    value = _decoded(value, (list, dict))
    if isinstance(value, dict) or (isinstance(value, str) and isinstance(_plain(item), inspect.StrType)):
        value = [value]
    return [_mended(one, item) for one in value] if isinstance(value, list) else value


def _mended_fields(values: dict[str, Any], kind: inspect.StructType) -> dict[str, Any]:
    fields = {field.name: field for field in kind.fields}
    values = _with_wrapper(_respelled(_without_wrapper(values, fields), fields), fields)
    return {
        name: _mended(value, fields[name].type) if name in fields else value
        for name, value in values.items()
        if not (value is None and name in fields and _may_be_left_out(fields[name]))
    }


def _without_wrapper(values: dict[str, Any], fields: Mapping[str, inspect.Field]) -> dict[str, Any]:
    """What is within, where `values` is one unknown key that holds the arguments."""
    if len(values) != 1 or values.keys() & fields.keys():
        return values
    (inner,) = values.values()
    inner = _decoded(inner, dict)
    return inner if isinstance(inner, dict) and inner.keys() & fields.keys() else values


def _respelled(values: dict[str, Any], fields: Mapping[str, inspect.Field]) -> dict[str, Any]:
    """`values` with unknown names in camel case as the names that they spell, where those are missing."""
    spelled = {name: _snake_case(name) for name in values.keys() - fields.keys()}
    known = fields.keys() - values.keys()
    return {spelled[name] if spelled.get(name) in known else name: value for name, value in values.items()}


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _with_wrapper(values: dict[str, Any], fields: Mapping[str, inspect.Field]) -> dict[str, Any]:
    """`values` with the fields of the one item of a missing list gathered into that item."""
    unknown = values.keys() - fields.keys()
    for name, field in fields.items():
        kind = _plain(field.type)
        item = _plain(kind.item_type) if isinstance(kind, inspect.ListType) else None
        if name in values or not unknown or not isinstance(item, inspect.StructType):
            continue
        if {_snake_case(one) for one in unknown} <= {one.name for one in item.fields}:
            known = {key: value for key, value in values.items() if key not in unknown}
            return known | {name: [{key: values[key] for key in unknown}]}
    return values


def _may_be_left_out(field: inspect.Field) -> bool:
    kind = field.type
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    kinds = kind.types if isinstance(kind, inspect.UnionType) else (kind,)
    takes_null = any(isinstance(one, (inspect.NoneType, inspect.AnyType)) for one in kinds)
    return not field.required and not takes_null


def _decoded(value: Any, wanted: type | tuple[type, ...]) -> Any:
    """What JSON text holds, where that is of a type wanted; else `value`."""
    if not isinstance(value, str):
        return value
    try:
        # Line ends within a string are against JSON's rule, and common.
        found = json.loads(value, strict=False)
    except (ValueError, RecursionError):
        return value
    return found if isinstance(found, wanted) else value
