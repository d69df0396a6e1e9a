"""What a figure or picture of the person's looks like, as PNG; where the object can draw itself."""

from __future__ import annotations

import io
from typing import Any

from pi_notebook.context.previews.foreign import attempt, is_instance

MAX_EDGE_PIXELS = 1568
"""Models are shown no more of a picture."""
_MAX_PIXELS = 80_000_000


def picture_of(value: object) -> bytes | None:
    """The PNG of a matplotlib figure or axes, or of a PIL image; None for anything else.

    It runs the library's drawing code: call under a deadline, on the main thread.
    """
    return attempt(lambda: _drawn(value), None)


def _drawn(value: Any) -> bytes | None:
    if is_instance(value, "matplotlib.axes", "Axes"):
        value = value.figure
    if is_instance(value, "matplotlib.figure", "FigureBase"):
        return _figure(value)
    return _image(value) if is_instance(value, "PIL.Image", "Image") else None


def _figure(figure: Any) -> bytes:
    longest = max(figure.get_size_inches())
    buffer = io.BytesIO()
    dpi = min(figure.dpi, MAX_EDGE_PIXELS / longest)
    figure.savefig(buffer, format="png", dpi=dpi, bbox_inches="tight")
    return buffer.getvalue()


def _image(image: Any) -> bytes | None:
    if image.width * image.height > _MAX_PIXELS:
        return None
    smaller = image.convert("RGBA" if image.mode in ("RGBA", "LA", "PA", "P") else "RGB")
    smaller.thumbnail((MAX_EDGE_PIXELS, MAX_EDGE_PIXELS))
    buffer = io.BytesIO()
    smaller.save(buffer, "PNG")
    return buffer.getvalue()
