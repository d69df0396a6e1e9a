"""What running code gives: results, displays and errors as data, and the sink output flows into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pi_notebook.kernel.effects import CellEffects

StreamName = Literal["stdout", "stderr"]
CellStatus = Literal["ok", "error", "interrupted", "timeout"]


@dataclass(frozen=True, kw_only=True)
class DisplayOutput:
    """One `display()` of the code, or an update of one."""

    data: Mapping[str, Any]
    """A mimebundle."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    display_id: str | None = None
    is_update: bool = False


@dataclass(frozen=True, kw_only=True)
class ErrorOutput:
    """An exception that ended the code."""

    name: str
    value: str
    traceback: str
    """Plain text without ANSI codes; the frames of the kernel and of this package left out."""


@dataclass(frozen=True, kw_only=True)
class CellResult:
    """How a piece of code ended. What it printed and displayed went into the sink."""

    status: CellStatus
    value: object = None
    """The value of the last expression, itself; None when there was none or it is None."""
    value_data: Mapping[str, Any] = field(default_factory=dict)
    """The value as a mimebundle, each text bounded; empty when there was no value."""
    error: ErrorOutput | None = None
    notes: tuple[str, ...] = ()
    """One line each: what the code tried that the kernel did not allow or had to mend."""
    duration_seconds: float = 0.0
    is_shown: bool = False
    """Whether the person sees the value already, as a cell shows it."""
    effects: CellEffects = field(default_factory=CellEffects)
    """What it did to files, variables and the process."""


class OutputSink(Protocol):
    """Takes output while it is produced.

    Called from the main thread, the kernel's IO thread and threads of the person's; every method
    returns at once, never raises, and holds bounded memory however much comes.
    """

    def write(self, stream: StreamName, text: str) -> None:
        """Text as the code wrote it, in order within its stream."""
        ...

    def display(self, output: DisplayOutput) -> None:
        """A rich output, in order with the text around it."""
        ...
