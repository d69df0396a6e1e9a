"""Pictures as a panel is sent them: small enough that many of them fit a message."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from typing import Any

from pi_notebook._loading import installed
from pi_notebook.agent.messages import ImageContent
from pi_notebook.context.images import decode_head, image_pixels, image_type
from pi_notebook.ui.protocol.record import Image

MAX_IMAGE_CHARS = 200_000
"""Of one, in base64."""
MAX_IMAGES = 8
"""Of one segment."""
_EDGES_PIXELS = (1024, 768, 512)
_MAX_PIXELS = 80_000_000
"""A picture of more is not decoded: it may be small on disk and huge in memory."""


def is_large(image: ImageContent) -> bool:
    """Whether it has to be made smaller first."""
    return len(image.data) > MAX_IMAGE_CHARS


def small_pictures(images: Sequence[ImageContent]) -> list[Image]:
    """The pictures, large ones made smaller, which takes a while; those that cannot be are left out."""
    shown = (_small(image) if is_large(image) else _shown(image) for image in images[:MAX_IMAGES])
    return [image for image in shown if image is not None]


def _shown(image: ImageContent) -> Image | None:
    kind = image_type(decode_head(image.data[:128]))
    return None if kind is None else Image(mime_type=kind, data=image.data)


def _small(image: ImageContent) -> Image | None:
    pixels = image_pixels(decode_head(image.data))
    if pixels is None or pixels[0] * pixels[1] > _MAX_PIXELS:
        return None
    try:
        with installed():
            from PIL import Image as pillow

        with pillow.open(io.BytesIO(base64.b64decode(image.data))) as opened:
            picture: Any = opened.convert("RGB")
    except Exception:  # Pillow is not there, or its readers fail in one of their many ways
        return None
    return next((made for edge in _EDGES_PIXELS if (made := _jpeg(picture, edge)) is not None), None)


def _jpeg(picture: Any, edge: int) -> Image | None:
    picture.thumbnail((edge, edge))
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=80)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return Image(mime_type="image/jpeg", data=data) if len(data) <= MAX_IMAGE_CHARS else None
