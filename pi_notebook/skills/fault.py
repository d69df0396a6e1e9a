"""What is wrong with a file that was found: told to the person, never raised at them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is wrong, or was put right."""

    path: Path
    text: str
    """What is wrong and what is done instead, to stand behind the path."""
