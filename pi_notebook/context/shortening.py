"""Shortening a tool result that is in the context already: its two ends stay, and the way to the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pi_notebook.agent.messages import ImageContent, TextContent, ToolResultMessage
from pi_notebook.context.result_notes import with_text, without_notes

_NOTE = '\n[... {left:,} characters left out to save room: search_history("[{entry}]") shows them ...]\n'
_NEAR = 0.8
"""Of what may stay: a line that ends beyond it is not cut in two."""
_COLUMNS = re.compile(r"^column,dtype,nulls,unique,.*\n(?:.+\n)*?(?=rows \(|\[\.\.\. )", re.MULTILINE)
"""In the preview of a table, up to its rows or what was left out before."""
_LEAST_TAIL_CHARS = 200
_PICTURE = "[a picture left out to save room]"
_DROPPED = '[left out to save room{note}: search_history("[{entry}]") shows it]'


def result_chars(message: ToolResultMessage) -> int:
    """Characters of a result's texts."""
    return sum(len(block.text) for block in message.content if isinstance(block, TextContent))


def shortened_result(
    message: ToolResultMessage, *, entry_id: str, head_chars: int, tail_chars: int, note: str = ""
) -> ToolResultMessage:
    """`message` with the two ends of its text and without pictures; itself when it is short enough.

    `note` stands at the end of one that is shortened, before the name it is managed by.

    Of a table the lines that tell of its columns stay rather than rows.

    One that was shortened before is shortened further, and its one note tells what is missing in all.
    """
    text = "\n".join(b.text for b in without_notes(message).content if isinstance(b, TextContent))
    pictures = sum(isinstance(block, ImageContent) for block in message.content)
    head_chars, tail_chars = _with_columns(text, head_chars, tail_chars)
    parts = _Parts.of(text, entry_id, head_chars)
    head, tail = _head(parts.head, head_chars), _tail(parts.tail, tail_chars)
    freed = len(parts.head) - len(head) + len(parts.tail) - len(tail)
    is_short = freed <= len(_NOTE)
    if is_short and not pictures:
        return message
    if not is_short:
        text = f"{head}{_NOTE.format(left=parts.missing + freed, entry=entry_id)}{tail}"
    blocks = [text, *[_PICTURE] * pictures, *([f"[{note}]"] if note else [])]
    return with_text(message, "\n".join(blocks), keeps_name=True)


def dropped_result(message: ToolResultMessage, *, entry_id: str, note: str = "") -> ToolResultMessage:
    """`message` with nothing but `note` and the way back; an answer to its call it stays."""
    why = f" ({note})" if note else ""
    return with_text(message, _DROPPED.format(note=why, entry=entry_id), keeps_name=False)


def _with_columns(text: str, head_chars: int, tail_chars: int) -> tuple[int, int]:
    """How many characters stay of both ends, in all no more than these."""
    found = _COLUMNS.search(text)
    if found is None or found.start() > head_chars or found.end() <= head_chars:
        return head_chars, tail_chars
    head = min(found.end(), head_chars + tail_chars)
    tail = head_chars + tail_chars - head
    return head, tail if tail >= _LEAST_TAIL_CHARS else 0


def _head(text: str, max_chars: int) -> str:
    """The beginning, up to the end of a line where that is near."""
    kept = text[:max_chars]
    end = kept.rfind("\n") if len(text) > max_chars else -1
    return kept[:end] if end >= max_chars * _NEAR else kept


def _tail(text: str, max_chars: int) -> str:
    kept = text[max(0, len(text) - max_chars) :]
    start = kept.find("\n") if len(text) > max_chars else -1
    return kept[start + 1 :] if 0 <= start < max_chars * (1 - _NEAR) else kept


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """A text as two ends with something missing between them, nothing at first."""

    head: str
    tail: str
    missing: int

    @classmethod
    def of(cls, text: str, entry_id: str, head_chars: int) -> _Parts:
        start, end = _NOTE.format(left=0, entry=entry_id).split("0", 1)
        note = re.compile(f"{re.escape(start)}([0-9,]+){re.escape(end)}")
        found = note.search(text)
        if found is None:
            start = _head(text, head_chars)
            return cls(head=start, tail=text[len(start) :], missing=0)
        missing = int(found[1].replace(",", ""))
        return cls(head=text[: found.start()], tail=text[found.end() :], missing=missing)
