"""A picture file as an image block, made small enough for a provider to take."""

from __future__ import annotations

import base64
import io
from typing import Any

from pi_notebook._loading import installed
from pi_notebook.agent.messages import ImageContent
from pi_notebook.agent.tools import ToolError
from pi_notebook.context.images import HEAD_BYTES, image_pixels, image_type
from pi_notebook.context.truncation import format_bytes

MAX_EDGE_PIXELS = 2000
MAX_IMAGE_BYTES = 3 * 1024 * 1024
"""Before base64; providers take 5 MB after it."""
_MAX_PIXELS = 80_000_000
"""A picture of more is not decoded: it may be small on disk and huge in memory."""
_JPEG_QUALITIES = (85, 70, 50)


def image_block(data: bytes, shown: str) -> tuple[ImageContent, str]:
    """The block, and one line that says what it shows.

    `ToolError` when it cannot be made small enough, or is damaged, which only Pillow can tell.
    """
    kind = image_type(data[:HEAD_BYTES]) or ""
    pixels = image_pixels(data[:HEAD_BYTES])
    size = f"{pixels[0]} x {pixels[1]}" if pixels else "size unknown"
    said = f"{shown} ({kind}, {size}, {format_bytes(len(data))})"
    if len(data) <= MAX_IMAGE_BYTES and pixels and max(pixels) <= MAX_EDGE_PIXELS:
        _check_whole(data, said)
        return _block(data, kind), f"Image {said}."
    if pixels and pixels[0] * pixels[1] > _MAX_PIXELS:
        raise ToolError(f"{said} is too large to show. Make a smaller copy with run_code and read that.")
    return _shrunk(data, said)


def _check_whole(data: bytes, said: str) -> None:
    """Raise `ToolError` for a damaged picture: a provider refuses every request that holds it."""
    try:
        with installed():
            from PIL import Image
    except ImportError:
        return
    try:
        with Image.open(io.BytesIO(data)) as opened:
            opened.load()
    except Exception:  # Pillow's readers raise all kinds of things for a broken file
        raise ToolError(f"{said} cannot be decoded: it is damaged or cut short.") from None


def _shrunk(data: bytes, said: str) -> tuple[ImageContent, str]:
    try:
        with installed():
            from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise ToolError(
            f"{said} is too large to show, and Pillow, which would make it smaller, is not installed. "
            "Make a smaller copy with other means and read that."
        ) from None
    try:
        with Image.open(io.BytesIO(data)) as opened:
            image: Any = opened.convert("RGBA" if opened.mode in ("RGBA", "LA", "P") else "RGB")
    except UnidentifiedImageError:
        raise ToolError(f"{said} cannot be decoded: it is damaged or cut short.") from None
    except Exception as error:  # Pillow's readers raise all kinds of things for a broken file
        raise ToolError(f"{said} cannot be decoded: {error}.") from error
    image.thumbnail((MAX_EDGE_PIXELS, MAX_EDGE_PIXELS))
    smaller, kind = _encoded(image)
    note = f"Image {said}, shown as {image.width} x {image.height}."
    return _block(smaller, kind), note


def _encoded(image: Any) -> tuple[bytes, str]:
    """PNG where it is small enough, else the best JPEG that is."""
    data = _saved(image, "PNG")
    kind = "image/png"
    flat = image.convert("RGB")
    for quality in _JPEG_QUALITIES:
        if len(data) <= MAX_IMAGE_BYTES:
            break
        data, kind = _saved(flat, "JPEG", quality=quality), "image/jpeg"
    return data, kind


def _saved(image: Any, form: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def _block(data: bytes, kind: str) -> ImageContent:
    return ImageContent(data=base64.b64encode(data).decode("ascii"), mime_type=kind)
