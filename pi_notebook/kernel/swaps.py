"""Attributes replaced for a while and put back.

Owns the putting back, in reverse order and whatever the code in between did to them. What is
replaced, and by what, is decided by those who use it.
"""

from __future__ import annotations

from typing import Any


class Swaps:
    """Attributes of modules, classes and objects that stand replaced until `restore`."""

    def __init__(self) -> None:
        self._undo: list[tuple[Any, str, Any]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Put `value` in place of the attribute; an owner that allows no such thing is left alone."""
        before = getattr(owner, name, _ABSENT) if _is_own(owner, name) else _ABSENT
        try:
            setattr(owner, name, value)
        except (AttributeError, TypeError):
            return
        self._undo.append((owner, name, before))

    def restore(self) -> None:
        """Put everything back as it was before the first `set`."""
        while self._undo:
            owner, name, before = self._undo.pop()
            try:
                if before is _ABSENT:
                    delattr(owner, name)
                else:
                    setattr(owner, name, before)
            except (AttributeError, TypeError):
                continue


_ABSENT = object()


def _is_own(owner: Any, name: str) -> bool:
    """Whether the attribute lives on `owner` itself, not as a method or default of its class."""
    if name in getattr(owner, "__dict__", {}):
        return True
    return hasattr(getattr(type(owner), name, None), "__set__")
