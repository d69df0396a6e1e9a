"""Previews of functions, classes, modules, exceptions and of every other object."""

from __future__ import annotations

import collections
import inspect
import re
import sys
import traceback
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import cut_to_fit, fits
from pi_notebook.context.previews.foreign import (
    attempt,
    class_attribute_names,
    guarded_repr,
    instance_attributes,
    is_a,
    own_repr,
    qualified_name,
    type_name,
)
from pi_notebook.context.previews.leaves import leaf
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import label, one_line, printable, shorten

_MAX_NAMES = 40
_MAX_PLACES = 3
_MAX_CHAIN = 5
_SECRET = re.compile(
    "passw|passphrase|secret|api_?key|access_?key|credential|(^|_)(token|pwd)$", re.IGNORECASE
)
_MAX_DOC_CHARS = 200
_MAX_MESSAGE_CHARS = 20_000
_MAX_REPR_CHARS_PER_TOKEN = 16
_SHORT_REPR_CHARS = 80


def preview_exception(error: BaseException, *, max_tokens: int) -> Preview:
    """Type and message, where it was raised, what it holds, and what led to it."""
    message = _message(error)
    lines = [f"{qualified_name(type(error))}: {printable(shorten(message, _MAX_MESSAGE_CHARS))}"]
    lines += [*_raised_at(error), *_held(error), *_chain(error)]
    notes = attempt(lambda: list(getattr(error, "__notes__", [])), [])
    lines += [one_line(str(note), 300) for note in notes[:5] if isinstance(note, str)]
    text = "\n".join(lines)
    is_complete = len(message) <= _MAX_MESSAGE_CHARS and fits(text, max_tokens)
    return Preview(text=cut_to_fit(text, max_tokens), kind="exception", is_complete=is_complete)


def _raised_at(error: BaseException) -> list[str]:
    """The innermost places of the traceback."""
    last = collections.deque(traceback.walk_tb(error.__traceback__), maxlen=_MAX_PLACES)
    return [f"  at {frame.f_code.co_filename}:{line} in {frame.f_code.co_name}" for frame, line in last]


def _held(error: BaseException) -> list[str]:
    """The exceptions of a group."""
    held = getattr(error, "exceptions", None) if type(error).__name__.endswith("Group") else None
    if not isinstance(held, tuple):
        return []
    lines = [f"  holds {_named(item)}" for item in held[:_MAX_CHAIN] if is_a(item, BaseException)]
    more = len(held) - _MAX_CHAIN
    return [*lines, f"  … {count_of(more, 'more exception')} …"] if more > 0 else lines


def _chain(error: BaseException) -> list[str]:
    """The exceptions that led to it, in the order Python would tell them backwards."""
    lines: list[str] = []
    seen = {id(error)}
    while len(lines) < _MAX_CHAIN:
        cause, verb = error.__cause__, "caused by"
        if cause is None and not error.__suppress_context__:
            cause, verb = error.__context__, "raised while handling"
        if cause is None or id(cause) in seen:
            return lines
        lines.append(f"{verb} {_named(cause)}")
        seen.add(id(cause))
        error = cause
    return [*lines, "…"]


def _named(error: BaseException) -> str:
    return f"{qualified_name(type(error))}: {one_line(_message(error), 300)}"


def preview_callable(value: Any) -> Preview:
    """Name and signature, where it is defined, the first line of its docstring."""
    name = attempt(lambda: str(value.__qualname__), type_name(value))
    signature = attempt(lambda: str(inspect.signature(value)), "(…)")
    kind = "async function" if inspect.iscoroutinefunction(value) else type_name(value)
    lines = [f"{kind} {one_line(name, 100)}{one_line(signature, 600)}", *_doc_line(value), *_origin(value)]
    return Preview(text="\n".join(lines), kind="callable", is_complete=False)


def preview_class(cls: type) -> Preview:
    """Name, bases, signature, first line of the docstring, public names."""
    bases = ", ".join(qualified_name(base) for base in cls.__mro__[1:-1][:4])
    signature = attempt(lambda: str(inspect.signature(cls)), "")
    lines = [f"class {qualified_name(cls)}{one_line(signature, 400)}" + (f", a {bases}" if bases else "")]
    names = [name for name in vars(cls) if not name.startswith("_")]
    lines += [*_doc_line(cls), *_names("defines", names)]
    return Preview(text="\n".join(lines), kind="class", is_complete=False)


def preview_module(module: ModuleType) -> Preview:
    """Name, version, file, first line of the docstring, public names."""
    contents = attempt(lambda: dict(vars(module)), {})
    version = contents.get("__version__")
    shown = f" {one_line(version, 40)}" if type(version) is str else ""
    place = contents.get("__file__")
    lines = [f"module {label(contents.get('__name__', '?'), 100)}{shown}" + (f", {place}" if place else "")]
    names = [name for name in contents if not name.startswith("_")]
    lines += [*_doc_line(module), *_names("defines", names)]
    return Preview(text="\n".join(lines), kind="module", is_complete=False)


def preview_object(value: object, *, max_tokens: int) -> Preview:
    """Type and facts, then its repr, or its attributes when the repr says nothing."""
    header = qualified_name(type(value)) + attempt(lambda: _facts(value), "")
    found = own_repr(value)
    if found is not None:
        room = max_tokens * _MAX_REPR_CHARS_PER_TOKEN
        text = _with_repr(header, type_name(value), printable(shorten(found, room)))
        is_complete = len(found) <= room and fits(text, max_tokens)
        return Preview(text=cut_to_fit(text, max_tokens), kind="object", is_complete=is_complete)
    if guarded_repr(value) is None:
        header += " (its repr failed)"
    text = "\n".join([f"{header} object", *_attribute_lines(value)])
    return Preview(text=cut_to_fit(text, max_tokens), kind="object", is_complete=False)


def _with_repr(header: str, name: str, text: str) -> str:
    """The repr under the header; alone where it is short and names the type itself."""
    if "\n" in text or len(text) > _SHORT_REPR_CHARS:
        return f"{header}\n{text}"
    return text if text.startswith(name) else f"{header}: {text}"


def is_function(value: object) -> bool:
    """Whether `value` is a function or a method, of Python or built in."""
    return issubclass(type(value), (FunctionType, *_ROUTINES))


_ROUTINES = (type(len), type("".join), type(Path().exists), type(str.join), type(dict.__dict__["fromkeys"]))


def _message(error: BaseException) -> str:
    text = attempt(lambda: str(error), "<its message failed>")
    return text if type(text) is str else "<its message failed>"


def _doc_line(value: object) -> list[str]:
    doc = attempt(lambda: inspect.getdoc(value), None)
    first = doc.strip().partition("\n")[0] if isinstance(doc, str) else ""
    return [one_line(first, _MAX_DOC_CHARS)] if first else []


def _origin(value: Any) -> list[str]:
    code = getattr(inspect.unwrap(value), "__code__", None) if is_a(value, FunctionType) else None
    if code is None:
        return []
    return [f"defined in {one_line(code.co_filename, 200)}:{code.co_firstlineno}"]


def _names(title: str, names: list[str]) -> list[str]:
    if not names:
        return []
    more = f", … {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
    return [f"{title} {', '.join(label(name) for name in names[:_MAX_NAMES])}{more}"]


def _facts(value: object) -> str:
    """Shape and type of what is like an array, length of what has one; nothing is computed for it."""
    facts = []
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and all(type(size) is int for size in shape):
        facts.append(f"shape {tuple(shape)}")
    dtype = getattr(value, "dtype", None) if facts else None
    if dtype is not None:
        facts.append(one_line(str(dtype), 60))
    device = getattr(value, "device", None) if facts and "torch" in sys.modules else None
    if device is not None:
        facts.append(one_line(str(device), 40))
    return f", {', '.join(facts)}" if facts else ""


def _attribute_lines(value: object) -> list[str]:
    own = {name: item for name, item in instance_attributes(value).items() if not name.startswith("_")}
    lines = [f"  {label(name)} = {_attribute(name, item)}" for name, item in list(own.items())[:_MAX_NAMES]]
    if len(own) > _MAX_NAMES:
        lines.append(f"  … {count_of(len(own) - _MAX_NAMES, 'more attribute')} …")
    names = [name for name in attempt(lambda: class_attribute_names(value), []) if name not in own]
    return [*lines, *_names("  defines", names)]


def _attribute(name: str, item: object) -> str:
    """What an attribute holds; texts under names that promise a secret are not shown."""
    is_secret = isinstance(item, (str, bytes)) and _SECRET.search(name) is not None
    return f"<{type_name(item)}, not shown>" if is_secret else leaf(item, 80)[0]
