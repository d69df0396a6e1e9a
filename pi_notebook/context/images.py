"""What an image is, from its first bytes: its kind and its size in pixels. Nothing is decoded."""

from __future__ import annotations

import base64
import binascii
import re
import struct

HEAD_BYTES = 64 * 1024
"""Enough of a file to find its size; a JPEG keeps it behind its metadata."""

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def image_type(head: bytes) -> str | None:
    """The mime type of a picture that models take; None for anything else."""
    for signature, mime_type in _SIGNATURES:
        if head.startswith(signature):
            return mime_type
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None


def image_pixels(head: bytes) -> tuple[int, int] | None:
    """Width and height; None when they cannot be told."""
    kind = image_type(head)
    try:
        if kind == "image/png":
            width, height = struct.unpack_from(">II", head, 16)
        elif kind == "image/gif":
            width, height = struct.unpack_from("<HH", head, 6)
        elif kind == "image/jpeg":
            return _jpeg_pixels(head)
        elif kind == "image/webp":
            return _webp_pixels(head)
        else:
            return None
    except (struct.error, IndexError):
        return None
    return width, height


def decode_head(data: str) -> bytes:
    """The first bytes of a picture in base64; empty when it is none."""
    compact = re.sub(r"\s+", "", data[: HEAD_BYTES * 3 // 2])
    try:
        return base64.b64decode(compact[: len(compact) // 4 * 4], validate=True)[:HEAD_BYTES]
    except (binascii.Error, ValueError):
        return b""


def _jpeg_pixels(head: bytes) -> tuple[int, int] | None:
    at = 2
    while head[at] == 0xFF:
        marker = head[at + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", head, at + 5)
            return width, height
        at += 2 + int(struct.unpack_from(">H", head, at + 2)[0])
    return None


def _webp_pixels(head: bytes) -> tuple[int, int] | None:
    form = head[12:16]
    if form == b"VP8X":
        return 1 + int.from_bytes(head[24:27], "little"), 1 + int.from_bytes(head[27:30], "little")
    if form == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"VP8 ":
        width, height = struct.unpack_from("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None
