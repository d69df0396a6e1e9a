"""How large one text may be that enters the context, by what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pi_notebook.context.compaction.numbers import bound_of_text
from pi_notebook.context.truncation import DEFAULT_LIMITS, OutputLimits

_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The bounds that tools ask their context for."""

    output: OutputLimits = DEFAULT_LIMITS
    """Of code, shell and searches."""
    read: OutputLimits = DEFAULT_LIMITS
    """Of a file."""
    value_tokens: int = 1_500
    """Of a cell's value."""
    asked_tokens: int = 10_000
    """Of a value, a query's result or a document that was asked for."""
    error_keep: Literal["tail", "ends"] = "ends"
    """What is kept of a long output that ended in an error."""

    @classmethod
    def of(cls, resources: Mapping[type, Any]) -> Bounds:
        """Those of a session, given what its tools are offered; the default ones where it has none."""
        limits = resources.get(OutputLimits, DEFAULT_LIMITS)
        return resources.get(cls) or cls(output=limits, read=limits)


def scaled(bounds: Bounds, context_window: int) -> Bounds:
    """`bounds` for a window of this size: no text takes more than its share of it."""

    def limits(wanted: OutputLimits) -> OutputLimits:
        most = bound_of_text(wanted.max_bytes, context_window * _BYTES_PER_TOKEN)
        return replace(wanted, max_bytes=most)

    return replace(
        bounds,
        output=limits(bounds.output),
        read=limits(bounds.read),
        value_tokens=bound_of_text(bounds.value_tokens, context_window),
        asked_tokens=bound_of_text(bounds.asked_tokens, context_window),
    )
