"""Pictures that the person gives with a prompt, made small enough for a provider to take."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from pi_notebook.agent.messages import ImageContent, TextContent, UserContent
from pi_notebook.agent.tools import ToolError
from pi_notebook.context.amounts import count_of
from pi_notebook.context.images import decode_head, image_type
from pi_notebook.tools.picture import image_block

MAX_IMAGES = 10
"""Of one prompt."""


def pasted_images(images: Sequence[ImageContent]) -> list[UserContent]:
    """The blocks that stand behind a prompt's words; a line for a picture that cannot be sent.

    Large ones are decoded and written anew, which takes a while: use it on a thread of its own.
    """
    blocks = [_block(image, number) for number, image in enumerate(images[:MAX_IMAGES], 1)]
    if more := len(images) - MAX_IMAGES:
        blocks += [TextContent(text=f"[{count_of(more, 'more image')} left out.]")] if more > 0 else []
    return blocks


def _block(image: ImageContent, number: int) -> UserContent:
    name = f"image {number}"
    try:
        if image_type(decode_head(image.data)) is None:
            return TextContent(text=f"[{name} left out: it is no PNG, JPEG, GIF or WebP.]")
        return image_block(base64.b64decode(image.data, validate=True), name)[0]
    except (ToolError, binascii.Error, ValueError) as error:
        return TextContent(text=f"[{name} left out: {error}]")
