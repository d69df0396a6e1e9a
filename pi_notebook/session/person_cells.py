"""The message that tells the model what the person ran since their last prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_notebook.agent.messages import CustomMessage, Message, UserMessage, now_ms
from pi_notebook.context.person_cells import describe_cells
from pi_notebook.kernel.person_cells import PersonCells

CUSTOM_TYPE = "pi_notebook/cells"


def cells_message(shell: Any, messages: Sequence[Message], *, max_tokens: int) -> CustomMessage | None:
    """The cells of `shell` that ended after the last prompt in `messages`; None when there are none."""
    cells = PersonCells.of(shell) if shell is not None else None
    if cells is None or max_tokens <= 0:
        return None
    prompted = next((m.timestamp for m in reversed(messages) if isinstance(m, UserMessage)), 0)
    told = describe_cells(cells.since(prompted), max_tokens=max_tokens)
    if told is None:
        return None
    return CustomMessage(
        custom_type=CUSTOM_TYPE,
        content=told.text,
        display=False,
        details={"shown": told.shown, "omitted": told.omitted},
        timestamp=now_ms(),
    )
