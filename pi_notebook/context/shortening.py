"""Shortening a tool result that is in the context already: its two ends stay, and the way to the rest."""

from __future__ import annotations

import msgspec

from pi_notebook.agent.messages import ImageContent, TextContent, ToolResultMessage

_NOTE = "\n[... {left:,} characters left out to save room: search_history(entry={entry!r}) shows them ...]\n"
_PICTURE = "[a picture left out to save room]"


def result_chars(message: ToolResultMessage) -> int:
    """Characters of a result's texts."""
    return sum(len(block.text) for block in message.content if isinstance(block, TextContent))


def shortened_result(
    message: ToolResultMessage, *, entry_id: str, head_chars: int, tail_chars: int
) -> ToolResultMessage:
    """`message` with the two ends of its text and without pictures; itself when it is short enough."""
    text = "\n".join(block.text for block in message.content if isinstance(block, TextContent))
    pictures = sum(isinstance(block, ImageContent) for block in message.content)
    left = len(text) - head_chars - tail_chars
    if left <= len(_NOTE) and not pictures:
        return message
    if left > len(_NOTE):
        note = _NOTE.format(left=left, entry=entry_id)
        text = f"{text[:head_chars]}{note}{text[len(text) - tail_chars :]}"
    blocks = [text, *[_PICTURE] * pictures]
    return msgspec.structs.replace(message, content=[TextContent(text="\n".join(blocks))])
