"""Rich outputs as a model reads of them, and a bounded list of those that code made.

A picture becomes one line with its kind and size; whoever sends the request puts the picture itself
beside it where the model sees images.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pi_notebook.context.images import decode_head, image_pixels
from pi_notebook.context.truncation import format_bytes
from pi_notebook.kernel.outputs import DisplayOutput

_MOST_DISPLAYS = 64
_MOST_BYTES = 16 * 1024 * 1024
"""Of all mimebundles of one call that are held."""
_BARE_REPR = re.compile(r"<[\w.]+( object)?( at 0x[0-9a-f]+)?>")
"""What `text/plain` says of an object that only has a rich form."""


@dataclass(frozen=True, kw_only=True)
class DisplayRecord:
    """One rich output and the text that stands for it."""

    output: DisplayOutput
    note: str
    was_updated: bool = False


class DisplayList:
    """The rich outputs of one call, in order, no more than a bound of them."""

    def __init__(self) -> None:
        self._records: list[DisplayRecord] = []
        self._bytes = 0
        self.dropped = 0
        """Outputs that did not fit; their notes were given all the same."""

    def add(self, output: DisplayOutput) -> str:
        """Keep `output`; the text for the model, empty for an update of what is shown already."""
        note = describe_bundle(output.data)
        known = self._find(output.display_id)
        if known is not None and output.is_update:
            before = self._records[known]
            self._bytes += bundle_bytes(output.data) - bundle_bytes(before.output.data)
            self._records[known] = DisplayRecord(output=output, note=note, was_updated=note != before.note)
            return ""
        size = bundle_bytes(output.data)
        if len(self._records) >= _MOST_DISPLAYS or self._bytes + size > _MOST_BYTES:
            self.dropped += 1
            return note
        self._bytes += size
        self._records.append(DisplayRecord(output=output, note=note))
        return note

    @property
    def records(self) -> tuple[DisplayRecord, ...]:
        return tuple(self._records)

    def updates(self) -> list[str]:
        """What displays were changed to since the model was last told, each given once."""
        changed = [record.note for record in self._records if record.was_updated]
        self._records = [replace(record, was_updated=False) for record in self._records]
        return [f"[display updated]\n{note}" for note in changed]

    def _find(self, display_id: str | None) -> int | None:
        if display_id is None:
            return None
        found = (i for i, record in enumerate(self._records) if record.output.display_id == display_id)
        return next(found, None)


def describe_bundle(data: Mapping[str, Any]) -> str:
    """The text of a mimebundle for a model; markup and pictures as one line with their size."""
    for mime_type in data:
        if mime_type.startswith("image/"):
            return describe_image(mime_type, joined(data[mime_type]))
    for mime_type in ("text/markdown", "text/latex", "text/plain"):
        text = joined(data.get(mime_type, ""))
        if text and not _BARE_REPR.fullmatch(text.strip()):
            return text
    sizes = [f"{name}, {format_bytes(len(joined(value)))}" for name, value in data.items() if _is_rich(name)]
    return f"[{'; '.join(sizes)}]" if sizes else joined(data.get("text/plain", ""))


def describe_image(mime_type: str, data: str) -> str:
    """One line for a picture: `[image/png, 640 x 480, 33.1 KB]`."""
    if mime_type == "image/svg+xml":
        return f"[{mime_type}, {format_bytes(len(data))}]"
    data = "".join(data.split())  # notebook files break it into lines
    pixels = image_pixels(decode_head(data))
    shape = f", {pixels[0]} x {pixels[1]}" if pixels else ""
    return f"[{mime_type}{shape}, {format_bytes(len(data) * 3 // 4 - data[-2:].count('='))}]"


def joined(value: Any) -> str:
    """A value of a mimebundle as text; notebook files keep text as a list of lines."""
    if isinstance(value, list):
        return "".join(map(str, value))
    if value is None:
        return ""
    return value if isinstance(value, str) else str(value)


def bundle_bytes(data: Mapping[str, Any]) -> int:
    """About what a mimebundle takes in memory."""
    return sum(len(value) if isinstance(value, (str, bytes)) else 64 for value in data.values())


def _is_rich(mime_type: str) -> bool:
    return mime_type != "text/plain"
