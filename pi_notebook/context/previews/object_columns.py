"""The arrow type that holds every value of a column of Python objects, without a change in silence."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

from pi_notebook.context.previews.foreign import attempt, qualified_name
from pi_notebook.context.previews.nesting import is_too_deep

_MISSING = frozenset(
    {"NoneType", "pandas._libs.tslibs.nattype.NaTType", "pandas._libs.missing.NAType"}
    | {"pandas.api.typing.NaTType", "pandas.api.typing.NAType"}
)


class ValuesOfSeveralTypes(Exception):
    """No one type holds the values."""


class ValuesTooDeep(Exception):
    """Values hold others in more levels than arrow may be given."""


def object_type(parts: Iterable[Any], pyarrow: Any) -> Any:
    """The type of all values in `parts`, arrays of numpy; raises where there is none."""
    kept = list(parts)
    kinds = _kinds(part for part in kept if not _is_nothing(part, pyarrow))
    if len(kinds) > 1:
        raise ValuesOfSeveralTypes
    simple = {str: pyarrow.large_string, bytes: pyarrow.large_binary, datetime.date: pyarrow.date32}
    simple |= {bool: pyarrow.bool_, float: pyarrow.float64}
    if kinds <= simple.keys():
        return simple[kinds.pop()]() if kinds else pyarrow.null()
    if any(is_too_deep(part) for part in kept):
        raise ValuesTooDeep
    types = {pyarrow.array(part, from_pandas=True).type for part in kept}
    types.discard(pyarrow.null())
    if len(types) == 1:
        return types.pop()
    schemas = [pyarrow.schema([("", each)]) for each in types]
    return pyarrow.unify_schemas(schemas, promote_options="permissive").field(0).type


def text_reason(series: Any, dtype: Any, pyarrow: Any) -> str:
    """Why the values of `series` are better kept as texts than as `dtype`; empty when they are not."""
    if isinstance(dtype, pyarrow.BaseExtensionType):
        return f"{series.dtype} has no parquet type"
    is_category = pyarrow.types.is_dictionary(dtype)
    if is_category and isinstance(dtype.value_type, pyarrow.BaseExtensionType):
        return "categories without a parquet type"
    if str(series.dtype) == "object" and pyarrow.types.is_nested(dtype) and "struct" in str(dtype):
        return "dicts, whose keys may differ"
    return ""


def _is_nothing(part: Any, pyarrow: Any) -> bool:
    """Whether all values are None; asked only where those at the ends are, since it costs a look at each."""
    if not len(part) or part[0] is not None or part[-1] is not None:
        return False
    return attempt(lambda: pyarrow.array(part, type=pyarrow.null(), from_pandas=False), None) is not None


def _kinds(parts: Iterable[Any]) -> set[type]:
    """The types of the values, those that stand for a missing one left out."""
    kinds: set[type] = set()
    has_number = False
    for part in parts:
        values = part.tolist()  # which is gone through several times as fast
        found = set(map(type, values))
        has_number = has_number or float in found and any(type(x) is float and x == x for x in values)
        kinds |= found
    kinds = {kind for kind in kinds if qualified_name(kind) not in _MISSING}
    return kinds if has_number or kinds == {float} else kinds - {float}
