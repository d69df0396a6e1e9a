"""Asking the person's objects for things, whatever they do.

An object may raise anything from any method, lie about its length or class, or answer with the
wrong type. What is asked here never raises for it. It may still be slow: a deadline is the caller's.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any, TypeGuard, TypeVar

from pi_notebook.errors import CodeTimeoutError

_NAME_AND_ADDRESS = re.compile(r"<[\w.<>]+ object at 0x[0-9a-fA-F]+>$")
T = TypeVar("T")
D = TypeVar("D")


def attempt(ask: Callable[[], T], default: D) -> T | D:
    """What `ask` gives, or `default` when an object of the person's makes it fail.

    Interrupts, deadlines and cancellation pass, since they are not the object's doing.
    """
    try:
        return ask()
    except CodeTimeoutError:
        raise
    except Exception:
        return default
    except BaseException as error:
        # Rust extensions panic with a BaseException; the other two end a program, not a preview.
        if isinstance(error, (SystemExit, GeneratorExit)) or type(error).__name__ == "PanicException":
            return default
        raise


def is_a(value: object, cls: type[T]) -> TypeGuard[T]:
    """`isinstance` by the real type alone; the built-in one also asks the value's `__class__`."""
    return issubclass(type(value), cls)


def is_instance(value: object, module: str, *names: str) -> bool:
    """Whether `value` really is of one of the classes `names` of `module`, which is never imported.

    Goes by the type, since `__class__` may lie.
    """
    loaded = sys.modules.get(module)
    if loaded is None:
        return False
    classes = tuple(found for name in names if isinstance(found := getattr(loaded, name, None), type))
    return bool(attempt(lambda: issubclass(type(value), classes), False))


def type_name(value: object) -> str:
    """The name of the type of `value`."""
    return class_name(type(value))


def class_name(cls: type) -> str:
    """The bare name of `cls`, whatever its metaclass does."""
    return str(type.__dict__["__name__"].__get__(cls))


def qualified_name(cls: type) -> str:
    """The name of `cls` with its module, unless that is `builtins` or `__main__`."""
    module = attempt(lambda: cls.__module__, "")
    if not isinstance(module, str) or module in ("", "builtins", "__main__"):
        return class_name(cls)
    return f"{module}.{class_name(cls)}"


def guarded_repr(value: object) -> str | None:
    """`repr(value)`, or None when it fails or is no text."""
    text = attempt(lambda: repr(value), None)
    return text if type(text) is str else None


def own_repr(value: object) -> str | None:
    """`repr(value)`; None when it fails or tells no more than a name and an address."""
    if attempt(lambda: type(value).__repr__ is object.__repr__, True):
        return None
    text = guarded_repr(value)
    return None if text is None or _NAME_AND_ADDRESS.match(text) else text


def first_line(error: BaseException, max_chars: int = 300) -> str:
    """The type of `error` and the first line of what it says."""
    text = attempt(lambda: str(error).strip().partition("\n")[0], "")[:max_chars]
    return f"{type_name(error)}: {text}" if text else type_name(error)


def instance_attributes(value: object) -> dict[str, Any]:
    """What stands in the `__dict__` and the slots of `value`, without running properties."""
    found: dict[str, Any] = {}
    attributes = attempt(lambda: object.__getattribute__(value, "__dict__"), None)
    if type(attributes) is dict:
        found.update({key: item for key, item in list(attributes.items()) if isinstance(key, str)})
    return found


def class_attribute_names(value: object) -> list[str]:
    """The public names its classes define, in order of definition, those of `object` left out."""
    names: dict[str, None] = {}
    for cls in reversed(type(value).__mro__[:-1]):
        names.update(dict.fromkeys(name for name in vars(cls) if not name.startswith("_")))
    return list(names)


def plain_attribute(value: object, name: str, kind: type[T]) -> T | None:
    """The attribute `name` of `value` when it is exactly of type `kind`; else None."""
    found = attempt(lambda: getattr(value, name, None), None)
    return found if type(found) is kind else None
