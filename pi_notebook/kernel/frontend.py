"""Running code in a kernel that is idle: the front end is asked to send it as a request of its own.

A run that was begun in the side panel leaves the kernel free; its code runs as a cell that the
panel inserts, or as a hidden request, so that outputs, counts and interrupts are the front end's own.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """What the front end is asked to execute."""

    id: str
    code: str
    is_hidden: bool
    """True for a request that leaves no cell and no count behind."""
