"""Containers and records as text: the structure is kept, long values and long lists are shortened."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import fits, largest
from pi_notebook.context.previews.foreign import attempt, instance_attributes, is_instance, type_name
from pi_notebook.context.previews.leaves import PLAIN_TYPES, leaf
from pi_notebook.context.previews.preview import Preview, PreviewKind
from pi_notebook.context.previews.wording import label

_INLINE_CHARS = 100
_SHORT_ITEM_CHARS = 40
_MAX_CHARS_PER_TOKEN = 12
_SKETCH_TOKENS = 1_500
"""Of what cannot be shown whole: its structure is told by a few items, more of them tell nothing new."""
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much of each container and each value is written."""

    items: int
    chars: int
    depth: int

    @classmethod
    def of_size(cls, size: int) -> Limits:
        """The limits number `size` of a row in which each is wider than the one before."""
        return cls(items=size + 1, chars=16 + 12 * size, depth=min(24, 3 + size))


@dataclass(frozen=True, kw_only=True)
class Parts:
    """A container taken apart: what is written of it, and how many items are not."""

    opening: str
    closing: str
    head: list[tuple[str, object]]
    omitted: int = 0
    tail: list[tuple[str, object]] = field(default_factory=list)


class TooLongError(Exception):
    """The text grew beyond what could fit; it is not worth finishing."""


class Rendering:
    """One attempt to write a value within limits."""

    def __init__(self, limits: Limits, *, max_chars: int) -> None:
        self.is_complete = True
        self._limits = limits
        self._room = max_chars
        self._path: set[int] = set()

    def text(self, value: object, depth: int = 0) -> str:
        """`value` as text; on several lines where one would be long."""
        is_plain = type(value) in PLAIN_TYPES
        parts = None if is_plain else attempt(lambda: parts_of(value, self._limits.items), None)
        if parts is None:
            text, is_whole = leaf(value, self._limits.chars)
            self.is_complete &= is_whole
            return self._spend(text)
        if id(value) in self._path:
            return self._spend(f"{parts.opening}...{parts.closing}")
        if depth >= self._limits.depth and (parts.head or parts.omitted):
            self.is_complete = False
            count = len(parts.head) + len(parts.tail) + parts.omitted
            return self._spend(f"{parts.opening}<{count_of(count, 'item')}>{parts.closing}")
        self._path.add(id(value))
        try:
            return self.joined(parts, depth)
        finally:
            self._path.discard(id(value))

    def joined(self, parts: Parts, depth: int) -> str:
        """The text of a container that was taken apart."""
        items = [prefix + self.text(item, depth + 1) for prefix, item in parts.head]
        if parts.omitted:
            self.is_complete = False
            items.append(f"… {parts.omitted:,} more …")
            items += [prefix + self.text(item, depth + 1) for prefix, item in parts.tail]
        self._spend("  " * len(items))
        inline = parts.opening + ", ".join(items) + parts.closing
        if len(inline) <= _INLINE_CHARS and "\n" not in inline:
            return inline
        indent = "\n" + " " * (depth + 1)
        lines = ("," + indent).join(_filled(items))
        return parts.opening + indent + lines + "\n" + " " * depth + parts.closing

    def _spend(self, text: str) -> str:
        self._room -= len(text)
        if self._room < 0:
            raise TooLongError
        return text


def preview_structure(value: object, *, kind: PreviewKind, header: str, max_tokens: int) -> Preview:
    """`value`, a container or a record, under `header`, as much of it as fits."""

    def draft(size: int) -> Preview | None:
        rendering = Rendering(Limits.of_size(size), max_chars=max_tokens * _MAX_CHARS_PER_TOKEN)
        try:
            text = rendering.text(value)
        except TooLongError:
            return None
        whole = f"{header}\n{text}" if header else text
        is_fitting = fits(whole, max_tokens)
        return Preview(text=whole, kind=kind, is_complete=rendering.is_complete) if is_fitting else None

    whole = draft(max_tokens)
    if whole is not None:
        return whole
    max_tokens = min(max_tokens, _SKETCH_TOKENS)
    size = largest(lambda n: draft(n) is not None, max_tokens)
    return draft(size) or Preview(text=header or type_name(value), kind=kind, is_complete=False)


def inline(value: object, max_chars: int, *, parts: Parts | None = None) -> tuple[str, bool]:
    """`value` on one line of about `max_chars`, and whether that is all of it; for cells of tables.

    `parts` is `value` taken apart, where the caller knows better how.
    """
    rendering = Rendering(
        Limits(items=max(2, max_chars // 8), chars=max(8, max_chars // 2), depth=4), max_chars=max_chars * 8
    )
    try:
        text = rendering.text(value) if parts is None else rendering.joined(parts, 0)
        text = " ".join(line.strip() for line in text.split("\n"))
    except TooLongError:
        return f"<{type_name(value)}>", False
    return text, rendering.is_complete


def parts_of(value: object, limit: int) -> Parts | None:
    """`value` taken apart when it is a container or a record; None when it is neither."""
    cls = type(value)
    if issubclass(cls, dict):
        return _dict_parts(value, limit)
    if issubclass(cls, tuple) and isinstance(names := getattr(cls, "_fields", None), tuple):
        return _record_parts(value, [str(name) for name in names], limit)
    if issubclass(cls, (list, tuple)):
        return _sequence_parts(value, limit)
    if issubclass(cls, (set, frozenset, deque, *_VIEWS)):
        return _collection_parts(value, limit)
    names = record_fields(value)
    return None if names is None else _record_parts(value, names, limit)


def record_fields(value: object) -> list[str] | None:
    """The field names of a dataclass, attrs, msgspec or pydantic instance or a namespace."""
    cls = type(value)
    if dataclasses.is_dataclass(cls):
        return [item.name for item in dataclasses.fields(cls) if item.repr]
    if isinstance(attributes := getattr(cls, "__attrs_attrs__", None), tuple):
        return [str(item.name) for item in attributes if item.repr]
    if is_instance(value, "msgspec", "Struct"):
        return [str(name) for name in getattr(cls, "__struct_fields__", ())]
    if is_instance(value, "pydantic", "BaseModel"):
        fields = attempt(lambda: dict(cls.model_fields), {})  # type: ignore[attr-defined]
        return [str(name) for name, item in fields.items() if getattr(item, "repr", True)]
    if issubclass(cls, SimpleNamespace):
        return list(instance_attributes(value))
    return None


def _filled(items: list[str]) -> Iterator[str]:
    """`items` as lines: short ones side by side, long ones alone."""
    line = ""
    for item in items:
        is_short = len(item) <= _SHORT_ITEM_CHARS and "\n" not in item
        if line and is_short and len(line) + len(item) + 2 <= _INLINE_CHARS:
            line += ", " + item
            continue
        if line:
            yield line
        line = item if is_short else ""
        if not is_short:
            yield item
    if line:
        yield line


def _dict_parts(value: Any, limit: int) -> Parts:
    opening, closing = _brackets(value, dict, "{", "}")
    # A dict may grow in another thread meanwhile; the copy of its head is short.
    head = list(itertools.islice(dict.items(value), limit))
    omitted = dict.__len__(value) - len(head)
    named = [(f"{_key(key)}: ", item) for key, item in head]
    return Parts(opening=opening, closing=closing, head=named, omitted=omitted)


def _sequence_parts(value: Any, limit: int) -> Parts:
    base: Any = list if issubclass(type(value), list) else tuple
    opening, closing = _brackets(value, base, *(("[", "]") if base is list else ("(", ")")))
    length = base.__len__(value)
    if length == 1 and type(value) is tuple:
        closing = ",)"
    if length <= limit:
        return Parts(opening=opening, closing=closing, head=_unnamed(base.__iter__(value)))
    tail = limit // 3
    return Parts(
        opening=opening,
        closing=closing,
        head=_unnamed(base.__getitem__(value, slice(0, limit - tail))),
        omitted=length - limit,
        tail=_unnamed(base.__getitem__(value, slice(length - tail, length))),
    )


def _collection_parts(value: Any, limit: int) -> Parts:
    length = len(value)
    if type(value) is set:
        opening, closing = ("{", "}") if length else ("set(", ")")
    else:
        brackets = "{}" if issubclass(type(value), (set, frozenset)) else "[]"
        opening, closing = f"{type_name(value)}({brackets[0]}", f"{brackets[1]})"
    head = _unnamed(itertools.islice(iter(value), limit))
    return Parts(opening=opening, closing=closing, head=head, omitted=max(0, length - len(head)))


def _record_parts(value: object, names: list[str], limit: int) -> Parts:
    head = [
        (f"{name}=", attempt(functools.partial(getattr, value, name), _UNREADABLE)) for name in names[:limit]
    ]
    return Parts(opening=f"{type_name(value)}(", closing=")", head=head, omitted=max(0, len(names) - limit))


class _Unreadable:
    def __repr__(self) -> str:
        return "<unreadable>"


_UNREADABLE = _Unreadable()


def _brackets(value: object, base: type, opening: str, closing: str) -> tuple[str, str]:
    if type(value) is base:
        return opening, closing
    return f"{type_name(value)}({opening}", f"{closing})"


def _key(key: object) -> str:
    return leaf(key, 60)[0] if parts_of(key, 1) is None else label(key)


def _unnamed(items: Iterable[object]) -> list[tuple[str, object]]:
    return [("", item) for item in items]
