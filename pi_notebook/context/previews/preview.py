"""What a preview is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

PreviewKind = Literal[
    "frame", "series", "lazy", "array", "text", "bytes", "container", "record", "scalar",
    "rows", "figure", "exception", "callable", "class", "module", "object",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Preview:
    """A bounded text that stands for a value."""

    text: str
    kind: PreviewKind
    is_complete: bool
    """Whether the text holds all of the value: every row, item and character."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the value, for programs; JSON."""
