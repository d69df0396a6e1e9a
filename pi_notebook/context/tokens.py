"""How many tokens a text, a message, an image or a tool takes, without asking anybody.

Counts are those of a vocabulary on this machine where there is one, an estimate else: near enough to
decide by, not what a provider bills. No function here raises or goes to the network, whatever it is
given.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

import msgspec

from pi_notebook.agent.messages import (
    BranchSummaryMessage,
    CompactionSummaryMessage,
    ImageContent,
    Message,
    TextContent,
    ThinkingContent,
    ToolCall,
    without_surrogates,
)
from pi_notebook.agent.protocols import ToolDefinition
from pi_notebook.context.encodings import EncodingName, find_encoding
from pi_notebook.context.estimates import estimate_tokens
from pi_notebook.context.images import decode_head, image_pixels

DEFAULT_ENCODING: EncodingName = "o200k_base"

_PIECE_CHARACTERS = 50_000
"""tiktoken fails on runs of several hundred thousand like characters; a cut costs a token at most."""
_MESSAGE_TOKENS = 4
"""Role and separators."""
_CALL_TOKENS = 8
_TOOL_TOKENS = 8
_UNKNOWN_IMAGE_TOKENS = 1600
_IMAGE_EDGE_PIXELS = 1568
"""Providers shrink larger pictures to about this before they count."""
_IMAGE_PIXELS_PER_TOKEN = 750
_LEAST_IMAGE_TOKENS = 85
_SEALED_CHARS_PER_TOKEN = 4
_REMEMBERED_COUNTS = 20_000

_remembered: dict[tuple[str, int, int], int] = {}


def count_tokens(text: str, *, encoding: EncodingName = DEFAULT_ENCODING) -> int:
    """Tokens of `text`. A text seen before costs nothing: its count is remembered, the text is not."""
    return _remember(
        (encoding, len(text), hash(text)),
        lambda: sum(_count_piece(piece, encoding) for piece in _pieces(text)),
    )


def _remember(key: tuple[str, int, int], count: Callable[[], int]) -> int:
    known = _remembered.get(key)
    if known is None:
        if len(_remembered) >= _REMEMBERED_COUNTS:
            _remembered.clear()
        known = _remembered[key] = count()
    return known


def image_tokens(image: ImageContent) -> int:
    """Tokens of a picture, by its pixels; remembered as those of a text are."""
    return _remember(("image", len(image.data), hash(image.data)), lambda: _count_image(image))


def block_tokens(block: object, *, encoding: EncodingName = DEFAULT_ENCODING) -> int:
    """Tokens of one block of a message."""
    if isinstance(block, TextContent):
        return count_tokens(block.text, encoding=encoding)
    if isinstance(block, ThinkingContent):
        return _thinking_tokens(block, encoding)
    if isinstance(block, ToolCall):
        return _CALL_TOKENS + count_tokens(block.name + _json(block.arguments), encoding=encoding)
    if isinstance(block, ImageContent):
        return image_tokens(block)
    return _UNKNOWN_IMAGE_TOKENS


def _thinking_tokens(block: ThinkingContent, encoding: EncodingName) -> int:
    """None for thinking that came without a signature: no provider is sent it again."""
    if not block.thinking_signature:
        return 0
    if block.redacted:
        return len(block.thinking_signature) // _SEALED_CHARS_PER_TOKEN
    return count_tokens(block.thinking, encoding=encoding)


def _count_image(image: ImageContent) -> int:
    pixels = image_pixels(decode_head(image.data))
    if pixels is None:
        return _UNKNOWN_IMAGE_TOKENS
    width, height = pixels
    scale = min(1.0, _IMAGE_EDGE_PIXELS / max(width, height, 1))
    return max(_LEAST_IMAGE_TOKENS, int(width * scale * height * scale / _IMAGE_PIXELS_PER_TOKEN))


def message_tokens(message: Message, *, encoding: EncodingName = DEFAULT_ENCODING) -> int:
    """Tokens of one message of a request."""
    if isinstance(message, (BranchSummaryMessage, CompactionSummaryMessage)):
        return _MESSAGE_TOKENS + count_tokens(message.summary, encoding=encoding)
    content = message.content
    if isinstance(content, str):
        return _MESSAGE_TOKENS + count_tokens(content, encoding=encoding)
    return _MESSAGE_TOKENS + sum(block_tokens(block, encoding=encoding) for block in content)


def tools_tokens(definitions: Sequence[ToolDefinition], *, encoding: EncodingName = DEFAULT_ENCODING) -> int:
    """Tokens of tool definitions as they are sent."""
    return sum(
        _TOOL_TOKENS
        + count_tokens(definition.name + definition.description, encoding=encoding)
        + count_tokens(_json(definition.parameters), encoding=encoding)
        for definition in definitions
    )


def _json(value: object) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return repr(value)


def _pieces(text: str) -> Iterable[str]:
    return (text[at : at + _PIECE_CHARACTERS] for at in range(0, len(text), _PIECE_CHARACTERS))


def _count_piece(piece: str, encoding: EncodingName) -> int:
    found = find_encoding(encoding)
    if found is None:
        return estimate_tokens(piece)
    try:
        return len(found.encode_ordinary(without_surrogates(piece)))
    except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
        raise
    except BaseException:  # a panic in tiktoken's Rust part is no Exception
        return estimate_tokens(piece)
