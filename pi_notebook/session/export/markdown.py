"""A conversation as Markdown: nothing in it leaves its block, and nothing is loaded when it is read."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pi_notebook.agent.messages import ImageContent
from pi_notebook.session.export.calls import given, output
from pi_notebook.session.export.conversation import Answer, Call, Divider, Part, Prompt, Told
from pi_notebook.session.export.texts import (
    PICTURE_TYPES,
    Mask,
    bounded,
    fenced,
    is_picture,
    one_line,
    quiet_markdown,
    quoted,
)

MAX_TEXT_CHARS = 50_000
"""Of one output, or one message of the program."""


@dataclass(kw_only=True)
class MarkdownExport:
    """Writes parts as Markdown; the pictures go into a folder beside the file.

    Parameters
    ----------
    pictures_folder
        The folder's name, as the document refers to it.
    """

    pictures_folder: str
    mask: Mask
    pictures: dict[str, bytes] = field(default_factory=dict)
    """What has been referred to so far, by file name."""

    def pieces(self, title: str, parts: Iterable[Part]) -> Iterator[str]:
        """The document, block by block."""
        yield f"# {one_line(self.mask(title))}\n"
        for part in parts:
            yield f"\n{self._block(part)}\n"

    def _block(self, part: Part) -> str:
        if isinstance(part, Prompt):
            pictures = [self._picture(image) for image in part.images]
            return "\n\n".join(["## Prompt", quoted(quiet_markdown(self.mask(part.text))), *pictures])
        if isinstance(part, Answer):
            note = f"*({one_line(self.mask(part.note))})*" if part.note else ""
            return quiet_markdown(self.mask(part.text)) or note
        if isinstance(part, Call):
            return self._call(part)
        if isinstance(part, Divider):
            text = f"\n\n{quoted(quiet_markdown(self.mask(part.text)))}" if part.text else ""
            return f"---\n\n*{one_line(self.mask(part.label))}*{text}"
        label = "Thinking"
        if isinstance(part, Told):
            label = f"Sent along by the program: {one_line(self.mask(part.label))}"
        return f"*{label}*\n\n{fenced(bounded(self.mask(part.text), MAX_TEXT_CHARS))}"

    def _call(self, part: Call) -> str:
        what, language = given(part.call)
        blocks = [f"**{one_line(self.mask(part.heading))}**"]
        blocks += [fenced(self.mask(what), language)] if what else []
        if shown := output(part.result):
            blocks.append(fenced(bounded(self.mask(shown), MAX_TEXT_CHARS)))
        blocks += [self._picture(image) for image in part.images]
        return "\n\n".join(blocks)

    def _picture(self, image: ImageContent) -> str:
        """A reference to the picture, which is kept for its file."""
        try:
            data = base64.b64decode(image.data, validate=True) if is_picture(image) else b""
        except binascii.Error:
            data = b""
        if not data:
            return f"*(a picture, {one_line(self.mask(image.mime_type))}, left out)*"
        name = f"picture-{len(self.pictures) + 1}.{PICTURE_TYPES[image.mime_type]}"
        self.pictures[name] = data
        return f"![{name}](<{self.pictures_folder}/{name}>)"
