"""The person's variables as data, told without asking them anything that could compute.

Owns which names count and which types are known to answer at no cost. No lazy frame is evaluated,
no `__repr__`, `__len__` or property of an unknown type is called. Functions and classes are listed
only when asked for; modules, IPython's own and names that begin with `_` never are.
"""

from __future__ import annotations

import datetime
import sys
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pi_notebook.kernel.values import type_name

VariableKind = Literal["value", "function", "class"]

MAX_VARIABLES = 1000
MAX_COLUMNS = 50
MAX_TEXT_CHARS = 80
BUDGET_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class VariableInfo:
    """What is known of one variable. None is what could not be told at no cost."""

    name: str
    type: str
    """With its module, unless it is a builtin or of the notebook."""
    kind: VariableKind = "value"
    length: int | None = None
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    columns: tuple[tuple[str, str], ...] | None = None
    """Names and types of a frame's columns, the first of them."""
    index: tuple[tuple[str, str], ...] | None = None
    """Names and types of the levels of a frame's index, unless it only counts the rows."""
    byte_count: int | None = None
    text: str | None = None
    """A short form of a scalar or a string."""

    def describe(self) -> str:
        """The type and what else is known but the columns, on one line."""
        facts = [self.type]
        if self.shape is not None:
            facts.append(" x ".join(map(str, self.shape)) or "scalar")
        elif self.length is not None:
            facts.append(f"length {self.length}")
        if self.dtype is not None:
            facts.append(self.dtype)
        if self.index is not None:
            facts.append("index " + ", ".join(f"{name} ({dtype})".lstrip() for name, dtype in self.index))
        if self.text is not None:
            facts.append(self.text)
        return ", ".join(facts)


def list_variables(
    shell: Any, *, with_callables: bool = False, max_variables: int = MAX_VARIABLES
) -> list[VariableInfo]:
    """The variables of `shell`, in the order they were made; the newest ones when there are too many.

    Details stop when the time for them is used up; names and types always come.
    """
    chosen = visible_items(shell)
    until = time.monotonic() + BUDGET_SECONDS
    found = []
    for name, value in chosen[-max_variables:]:
        kind = _kind(value)
        if kind == "value" or (kind is not None and with_callables):
            facts = _facts(value) if time.monotonic() < until else {}
            found.append(VariableInfo(name=name, type=type_name(value), kind=kind, **facts))
    return found


def visible_items(shell: Any) -> list[tuple[str, object]]:
    """The person's names and what they stand for, modules among them, without what IPython puts there."""
    hidden = shell.user_ns_hidden
    return [
        (name, value)
        for name, value in list(shell.user_ns.items())
        if type(name) is str and not name.startswith("_") and not _is_hidden(hidden, name, value)
    ]


def shape_of(value: Any) -> tuple[tuple[int, ...] | None, int | None]:
    """Shape and length, of types that tell them at no cost."""
    kind = type(value)
    if kind in _CONTAINERS or kind in (str, bytes, bytearray):
        return None, len(value)
    if type_name(value) not in _KNOWN:
        return None, None
    try:
        return tuple(map(int, value.shape)), None
    except Exception:  # a library's object in a broken state
        return None, None


def _is_hidden(hidden: Any, name: str, value: object) -> bool:
    return name in ("In", "Out", "get_ipython", "exit", "quit") or hidden.get(name, hidden) is value


def _kind(value: object) -> VariableKind | None:
    """None for what is not listed at all."""
    kind = type(value)
    if kind is types.ModuleType:
        return None
    if kind in (types.FunctionType, types.BuiltinFunctionType, types.MethodType):
        return "function"
    return "class" if issubclass(kind, type) else "value"


def _facts(value: object) -> dict[str, Any]:
    """The details of a value whose type is known to give them at no cost."""
    kind = type(value)
    if kind in _SCALARS or kind in (str, bytes, bytearray):
        return _scalar_facts(value)
    if kind in _CONTAINERS:
        return {"length": len(value)}  # type: ignore[arg-type]
    describe = _KNOWN.get(type_name(value))
    module = sys.modules.get(type_name(value).partition(".")[0])
    if describe is None or module is None:
        return {}
    try:
        return describe(value)
    except Exception:  # a library's object in a broken state
        return {}


def _scalar_facts(value: Any) -> dict[str, Any]:
    if type(value) is int and value.bit_length() > 8 * MAX_TEXT_CHARS:
        return {"text": f"an integer of {value.bit_length()} bits"}
    if type(value) in _SCALARS:
        return {"text": repr(value)}
    text = repr(value[:MAX_TEXT_CHARS]) + ("..." if len(value) > MAX_TEXT_CHARS else "")
    return {"length": len(value), "text": text}


def _array_facts(value: Any) -> dict[str, Any]:
    return {"shape": tuple(value.shape), "dtype": str(value.dtype), "byte_count": int(value.nbytes)}


def _pandas_frame_facts(value: Any) -> dict[str, Any]:
    # Positions, not names: a name may stand twice.
    names = list(value.columns[:MAX_COLUMNS])
    dtypes = [str(dtype) for dtype in value.dtypes.iloc[:MAX_COLUMNS]]
    return {"shape": tuple(value.shape), "columns": _columns(names, dtypes), "index": _index(value.index)}


def _pandas_series_facts(value: Any) -> dict[str, Any]:
    return {"shape": tuple(value.shape), "dtype": str(value.dtype), "index": _index(value.index)}


def _index(index: Any) -> tuple[tuple[str, str], ...] | None:
    if type(index).__name__ == "RangeIndex" and index.name is None:
        return None
    levels = index.levels if index.nlevels > 1 else [index]
    names = ["" if name is None else _label(name) for name in index.names]
    return tuple((name, str(level.dtype)) for name, level in zip(names, levels, strict=True))


def _polars_frame_facts(value: Any) -> dict[str, Any]:
    names, dtypes = value.columns[:MAX_COLUMNS], [str(dtype) for dtype in value.dtypes[:MAX_COLUMNS]]
    return {"shape": tuple(value.shape), "columns": _columns(names, dtypes)}


def _polars_series_facts(value: Any) -> dict[str, Any]:
    return {"length": value.len(), "dtype": str(value.dtype)}


def _arrow_table_facts(value: Any) -> dict[str, Any]:
    fields = [value.schema.field(index) for index in range(min(MAX_COLUMNS, len(value.schema)))]
    columns = _columns([field.name for field in fields], [str(field.type) for field in fields])
    return {"shape": tuple(value.shape), "columns": columns}


def _tensor_facts(value: Any) -> dict[str, Any]:
    return {"shape": tuple(value.shape), "dtype": f"{value.dtype} on {value.device}"}


def _columns(names: list[Any], dtypes: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple((_label(name), dtype) for name, dtype in zip(names, dtypes, strict=True))


def _label(name: Any) -> str:
    """A column's label; one that is not a plain value is named by its type."""
    if type(name) is str:
        return name if len(name) <= MAX_TEXT_CHARS else name[:MAX_TEXT_CHARS] + "..."
    if type(name) is tuple:
        return "(" + ", ".join(map(_label, name)) + ")"
    if type(name) in _SCALARS:
        return repr(name)
    if type(name) in _moments():
        return str(name).removesuffix(" 00:00:00")
    generic = getattr(sys.modules.get("numpy"), "generic", ())
    return str(name) if issubclass(type(name), generic) else f"<{type_name(name)}>"


def _moments() -> tuple[type, ...]:
    """The types of dates and the like, by which tables are often laid out; their text costs nothing."""
    pandas = sys.modules.get("pandas")
    named = ("Timestamp", "Timedelta", "Period", "Interval")
    found = [getattr(pandas, name, None) for name in named]
    return (datetime.date, datetime.datetime, *(one for one in found if isinstance(one, type)))


_SCALARS = (int, float, bool, complex, type(None))
_CONTAINERS: tuple[type, ...] = (
    list,
    tuple,
    dict,
    set,
    frozenset,
    range,
)

_KNOWN: dict[str, Callable[[Any], dict[str, Any]]] = {
    "numpy.ndarray": _array_facts,
    "pandas.DataFrame": _pandas_frame_facts,
    "pandas.core.frame.DataFrame": _pandas_frame_facts,
    "pandas.Series": _pandas_series_facts,
    "pandas.core.series.Series": _pandas_series_facts,
    "polars.dataframe.frame.DataFrame": _polars_frame_facts,
    "polars.series.series.Series": _polars_series_facts,
    "pyarrow.lib.Table": _arrow_table_facts,
    "torch.Tensor": _tensor_facts,
}
"""By the type's full name, so that no library is imported to ask whether a value is one of its own."""
