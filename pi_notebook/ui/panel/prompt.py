"""What the person says in a panel, as a session takes it: words, pictures and cells."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pi_notebook.agent.messages import ImageContent, TextContent, UserContent
from pi_notebook.errors import UsageError
from pi_notebook.session.attached_cells import AttachedCell
from pi_notebook.session.pasted_images import pasted_images
from pi_notebook.ui.protocol.requests import PromptRequest


def check_prompt(request: PromptRequest) -> None:
    """Raise `UsageError` when there is nothing to say."""
    if not (request.text.strip() or request.images):
        raise UsageError("There is no prompt. Write what you want to know or have done.")


async def prompt_content(request: PromptRequest) -> str | list[UserContent]:
    """The words, and the pictures behind them as small as they have to be."""
    text = request.text.strip()
    if not request.images:
        return text
    given = [ImageContent(data=image.data, mime_type=image.mime_type) for image in request.images]
    pictures = await asyncio.to_thread(pasted_images, given)
    return [*([TextContent(text=text)] if text else []), *pictures]


def prompt_cells(request: PromptRequest) -> Sequence[AttachedCell]:
    """The cells that go with it."""
    return [
        AttachedCell(number=cell.index + 1, source=cell.source, output=cell.output) for cell in request.cells
    ]
