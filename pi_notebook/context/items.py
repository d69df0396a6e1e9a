"""The messages of a context, each with the entry it comes from and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from pi_notebook.agent.messages import Message


@dataclass(frozen=True, kw_only=True)
class ContextItem:
    """One message of the context."""

    entry_id: str
    message: Message
    tokens: int
