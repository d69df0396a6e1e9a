"""Pictures as providers take them: one that is none would have every request refused that holds it."""

from __future__ import annotations

import re

from pi_notebook.agent.messages import ImageContent

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_KINDS = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
}
"""By the beginning of the data: what a picture is named counts only where that tells nothing."""
_NAMES = {"image/jpg": "image/jpeg"}


def data_url(image: ImageContent) -> str | None:
    """The picture as a data URL; None when it is no picture that providers take."""
    data = "".join(image.data.split())
    kind = next((kind for start, kind in _KINDS.items() if data.startswith(start)), None)
    kind = kind or _NAMES.get(image.mime_type, image.mime_type)
    if kind not in _KINDS.values() or len(data) % 4 or _BASE64.fullmatch(data) is None:
        return None
    return f"data:{kind};base64,{data}"
