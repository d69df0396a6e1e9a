"""The side panels that are open, and what is sent to all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from pi_notebook.ui.panel.run_requests import Recipient
from pi_notebook.ui.protocol.messages import KernelMessage

MAX_PANELS = 6
"""A page that is reloaded says no goodbye: beyond these, the oldest is sent nothing until it speaks."""


class Panel(Recipient, Protocol):
    """An open panel."""

    nonce: str

    def close(self) -> None:
        """Close this end."""
        ...


class OpenPanels:
    """The panels that follow, the one that came last at the end."""

    def __init__(self) -> None:
        self._panels: list[Panel] = []

    def __iter__(self) -> Iterator[Panel]:
        return iter(tuple(self._panels))

    def __len__(self) -> int:
        return len(self._panels)

    def __contains__(self, panel: object) -> bool:
        return panel in self._panels

    def add(self, panel: Panel) -> None:
        """Let `panel` follow; the oldest of too many follows no longer."""
        others = [other for other in self._panels if other is not panel]
        self._panels = [*others, panel][-MAX_PANELS:]

    def remove(self, panel: Panel) -> None:
        """`panel` is gone."""
        self._panels.remove(panel)

    def send(self, message: KernelMessage) -> None:
        """Send `message` to every panel."""
        for panel in self:
            panel.send(message)
