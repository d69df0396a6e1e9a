"""What was met while a session was prepared: said to the person once, never raised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DiagnosticLevel = Literal["note", "warning"]


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """One line about something that was passed over or put right."""

    level: DiagnosticLevel
    text: str
    """What is wrong, in which file and line, and what is used instead."""
