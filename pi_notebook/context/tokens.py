"""How many tokens a text, a message, an image or a tool takes, without asking anybody.

Counts are those of a vocabulary on this machine where there is one, an estimate else: near enough to
decide by, not what a provider bills. No function here raises or goes to the network, whatever it is
given.
"""

from __future__ import annotations

import asyncio
import re
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

_KINDS = re.compile(
    r"(?P<dense>[A-Za-z0-9+/]{40,})|(?P<line>(?P<mark>[^\w\s])(?P=mark){3,})"
    r"|(?P<gap>[ \t]+(?=[0-9])|\t)|(?P<word>[A-Za-z\u00c0-\u024f]+)|(?P<number>[0-9]+)"
    r"|(?P<ideographs>[\u2e80-\uabff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+)"
    r"|(?P<hangul>[\u1100-\u11ff\uac00-\ud7ff]+)"
    r"|(?P<letters>[\u0250-\u1fff]+)|(?P<symbols>[^\x00-\x7f]+)|(?P<space>\s{2,})|(?P<marks>[^\sA-Za-z0-9]+)"
)
_PLAIN_KINDS = re.compile(r"(?P<word>[A-Za-z]+)|(?P<number>[0-9]+)|(?P<marks>[+/]+)")
_CHANGE = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=[0-9])[A-Za-z]")
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


def estimate_tokens(text: str) -> int:
    """Tokens of `text` by its kind of characters, for when no vocabulary is at hand."""
    return round(sum(_match_tokens(match) for match in _KINDS.finditer(text)))


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


def _match_tokens(match: re.Match[str]) -> float:
    kind, length = match.lastgroup or "", match.end() - match.start()
    if kind == "word":
        return 1 if length <= 8 else length / 6
    if kind == "number":
        return (length + 2) // 3
    if kind == "dense":
        return _dense_tokens(match[0])
    if kind == "gap":
        return 1.0 if length == 1 else 2.0
    each = _TOKENS_EACH.get(kind)
    return length * each if each else max(1.0, length / _CHARS_EACH.get(kind, 3))


_TOKENS_EACH = {"ideographs": 0.82, "hangul": 0.6, "letters": 0.33, "symbols": 1.7}
"""Tokens a character, measured."""
_CHARS_EACH = {"space": 100, "line": 20}
"""Characters a token, where many are one."""


def _dense_tokens(run: str) -> float:
    """Tokens of a long run without spaces: base64 or a hash by its length, a path by its words."""
    if 4 * len(_CHANGE.findall(run)) > len(run):
        return len(run) * 0.67
    return sum(_match_tokens(match) for match in _PLAIN_KINDS.finditer(run))
