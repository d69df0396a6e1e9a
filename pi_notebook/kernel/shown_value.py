"""Showing the person the last value of agent code as a cell would: a table as a table, a figure as one."""

from __future__ import annotations

import dataclasses
from typing import Any

from pi_notebook.kernel.outputs import CellResult

MAX_SHOWN_CHARS = 100_000
"""Of one run: what its values may leave in the notebook, pictures apart."""
MAX_IMAGE_CHARS = 2_000_000


class ShownValues:
    """Publishes values that are more than text, until a run has shown enough of them."""

    def __init__(self, shell: Any) -> None:
        self._publisher = shell.display_pub
        self._is_rich_front_end = getattr(shell, "kernel", None) is not None
        self._chars = 0
        self._image_chars = 0

    def show(self, result: CellResult) -> CellResult:
        """`result`, marked when its value has been published. Use on the main thread, under no capture."""
        data = result.value_data
        if not self._is_rich_front_end or set(data) <= {"text/plain"}:
            return result
        images = sum(len(str(part)) for mime, part in data.items() if mime.startswith("image/"))
        chars = sum(len(str(part)) for part in data.values()) - images
        if self._chars + chars > MAX_SHOWN_CHARS or self._image_chars + images > MAX_IMAGE_CHARS:
            return result
        self._chars += chars
        self._image_chars += images
        self._publisher.publish(data=dict(data), metadata={})
        return dataclasses.replace(result, is_shown=True)
