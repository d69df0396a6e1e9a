"""Content of other programs as blocks of ours, within bounds.

What has no block of ours is kept twice: as text that the model can read, and whole in an entry that
takes no part in the context.
"""

from __future__ import annotations

import json
from typing import Any

from pi_notebook.agent.entries import CustomEntry
from pi_notebook.agent.messages import ImageContent, TextContent, UserContent, without_surrogates
from pi_notebook.context.truncation import OutputLimits, truncate_middle
from pi_notebook.session.importing.new_session import NewSession
from pi_notebook.session.importing.tally import Tally

ORIGINAL_TYPE = "pi_notebook/original"
"""The `custom_type` of an entry that holds what was shortened or is of a kind of its own."""

_BLOCK_LIMITS = OutputLimits(max_lines=100, max_bytes=2_000)

Json = dict[str, Any]


class Content:
    """Makes the blocks of one message and remembers what must be kept beside them."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._originals: list[Any] = []

    def user(self, content: Any) -> str | list[UserContent]:
        """What a person or a program said."""
        return without_surrogates(content) if isinstance(content, str) else self.blocks(content)

    def result(self, content: Any) -> list[UserContent]:
        """What a tool gave, each text within the bound of an output."""
        return [self._bounded(block) for block in self.blocks(content)]

    def blocks(self, content: Any) -> list[UserContent]:
        """The blocks of a list, or of a text."""
        if content is None:
            return []
        items = content if isinstance(content, list) else [content]
        return [self._block(item) for item in items]

    def odd(self, block: Any, kind: str) -> TextContent:
        """A block that has no place in ours, as text."""
        self._tally.keep_as_text(kind)
        self._originals.append(block)
        text = truncate_middle(json.dumps(block, ensure_ascii=False, default=str), _BLOCK_LIMITS)
        return TextContent(text=without_surrogates(f"[{kind}] {text.content}"))

    def keep(self, session: NewSession) -> None:
        """Write what is kept beside the message that was added last."""
        for original in self._originals:
            session.add(CustomEntry, custom_type=ORIGINAL_TYPE, data=original)
        self._originals = []

    def _block(self, block: Any) -> UserContent:
        if isinstance(block, str):
            return TextContent(text=without_surrogates(block))
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text" and isinstance(block.get("text"), str):
            return TextContent(text=without_surrogates(block["text"]))
        image = _image(block) if kind in ("image", "image_url") else None
        return image or self.odd(block, f"block of type {kind}" if kind else "block without a type")

    def _bounded(self, block: UserContent) -> UserContent:
        if not isinstance(block, TextContent):
            return block
        shown = truncate_middle(block.text)
        if not shown.is_truncated:
            return block
        self._tally.note(
            "Long results are shortened in what the model reads; the session file holds them whole."
        )
        self._originals.append(block.text)
        return TextContent(text=f"{shown.content}\n\n[{shown.notice}]")


def _image(block: Json) -> ImageContent | None:
    source = block.get("source")
    if isinstance(source, dict) and source.get("type") == "base64" and isinstance(source.get("data"), str):
        return ImageContent(data=source["data"], mime_type=str(source.get("media_type") or "image/png"))
    url = block.get("image_url")
    url = url.get("url") if isinstance(url, dict) else url
    if isinstance(url, str) and url.startswith("data:image/") and ";base64," in url:
        head, _, data = url.partition(";base64,")
        return ImageContent(data=data, mime_type=head.removeprefix("data:"))
    return None
