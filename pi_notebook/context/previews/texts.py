"""Previews of strings and bytes: their length, then all or the head and tail."""

from __future__ import annotations

from pi_notebook.context.amounts import count_of
from pi_notebook.context.previews.budget import fits, largest
from pi_notebook.context.previews.foreign import type_name
from pi_notebook.context.previews.preview import Preview
from pi_notebook.context.previews.wording import OMISSION, binary, is_kept_whole, printable, shorten

_SHORT_CHARS = 100


def preview_text(value: str, *, max_tokens: int) -> Preview:
    """A string; a short one as a literal, a long one as the text it is."""
    text = str.__str__(value)
    name = type_name(value)
    details = {"characters": len(text)}
    literal = f"{name}, {count_of(len(text), 'character')}: {text!a}" if _is_odd(text) else f"{name} {text!r}"
    if len(text) <= _SHORT_CHARS and fits(literal, max_tokens):
        return Preview(text=literal, kind="text", is_complete=True, details=details)
    lines = count_of(text.count("\n") + 1, "line")
    header = f"{name}, {count_of(len(text), 'character')}, {lines}:"

    def draft(chars: int) -> str:
        return f"{header}\n{printable(shorten(text, chars))}"

    chars = largest(lambda n: fits(draft(n), max_tokens), min(len(text), max_tokens * 16))
    return Preview(
        text=draft(chars), kind="text", is_complete=is_kept_whole(len(text), chars), details=details
    )


def preview_bytes(value: bytes | bytearray, *, max_tokens: int) -> Preview:
    """Bytes as a literal, head and tail when they are many."""
    count = len(value)

    def draft(chars: int) -> str:
        return f"{type_name(value)}, {count_of(count, 'byte')}: {binary(value, chars)}"

    chars = largest(lambda n: fits(draft(n), max_tokens), min(count, max_tokens * 4))
    return Preview(
        text=draft(chars), kind="bytes", is_complete=is_kept_whole(count, chars), details={"bytes": count}
    )


def preview_memoryview(value: memoryview) -> Preview:
    """What a view is on; its bytes belong to another value."""
    text = f"memoryview of {count_of(value.nbytes, 'byte')}, format {value.format!r}, shape {value.shape}"
    return Preview(text=text, kind="bytes", is_complete=False, details={"bytes": value.nbytes})


def _is_odd(text: str) -> bool:
    """Whether a literal would hide something: a character that does not show."""
    return printable(text) != text or OMISSION[:2] in text
